/** Columns side by side, set by cli-table3: callers choose widths, it aligns, wraps and truncates. */
import Table from 'cli-table3';
import { graphemesOf, graphemeWidth } from '../domain/text-width.ts';

export interface ColumnShape {
  width: number;
  align?: 'left' | 'right';
  /** Breaks longer cells between words; other cells are formatted to fit. */
  wrap?: boolean;
}

const BORDERS = [
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right',
  'left left-mid mid mid-mid right right-mid middle',
];
const NO_BORDERS = Object.fromEntries(BORDERS.flatMap((names) => names.split(' ')).map((name) => [name, '']));

/** cli-table3 compares each row with the rows above it, so the time of a table grows with the square of its rows. */
const ROWS_AT_ONCE = 50;

/**
 * The rows as lines without blanks at their end. Cells are painted text of one line: cli-table3 is quadratic in cells
 * of many lines.
 */
export function setColumns(
  rows: readonly (readonly string[])[],
  shapes: readonly ColumnShape[],
  gap = 2,
): string[] {
  if (rows.length === 0) return [];
  const { hide, show } = widthPlaceholders();
  const options = {
    colWidths: shapes.map(({ width }) => width + gap),
    colAligns: shapes.map(({ align = 'left' }) => align),
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': gap, compact: true },
  };
  const lines: string[] = [];
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const table = new Table(options);
    for (const row of rows.slice(from, from + ROWS_AT_ONCE))
      table.push(row.map((cell, at) => ({ content: hide(cell), wordWrap: shapes[at]?.wrap === true })));
    for (const line of table.toString().split('\n')) lines.push(show(line).trimEnd());
  }
  return lines;
}

const FIRST = 0xf0000;
const FILLER = '\u{e000}';
const ASCII = /^[\x20-\x7e]*$/;
const COLOR = /(\p{Cc}\[[\d;]*m)/u;

/** cli-table3 has older width tables: it gets one private character per column of a non-ASCII letter. */
function widthPlaceholders(): {
  hide: (text: string) => string;
  show: (text: string) => string;
} {
  const letters: string[] = [];
  const places = new Map<string, string>();
  const placeholder = (letter: string): string => {
    const known = places.get(letter);
    if (known !== undefined) return known;
    const made =
      String.fromCodePoint(FIRST + letters.length) + FILLER.repeat(Math.max(0, graphemeWidth(letter) - 1));
    letters.push(letter);
    places.set(letter, made);
    return made;
  };
  const hidden = (text: string): string =>
    ASCII.test(text) || COLOR.test(text)
      ? text
      : graphemesOf(text)
          .map((letter) => (ASCII.test(letter) ? letter : placeholder(letter)))
          .join('');
  return {
    hide: (text) => (ASCII.test(text) ? text : text.split(COLOR).map(hidden).join('')),
    show: (text) =>
      text.replace(
        /[\u{f0000}-\u{10ffff}]\u{e000}*/gu,
        (made) => letters[(made.codePointAt(0) ?? FIRST) - FIRST] ?? made,
      ),
  };
}
