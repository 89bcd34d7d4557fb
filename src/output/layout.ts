/** Turns cells into styled runs, and lists of names and values into lines. Tables have a file of their own. */
import { textWidth } from '../domain/text-width.ts';
import type { Cell, Tone } from './blocks.ts';
import {
  alignedText,
  alignmentOf,
  type CellFormat,
  cellText,
  type FormattedCell,
  formatCell,
  ours,
  shownName,
} from './format.ts';
import { blank, type Run, type WrappedLine, wrapRuns } from './wrap.ts';
export interface Layout extends CellFormat {
  /** Columns of the stream. */
  width: number;
}

export const toneOf = (cell: Cell): Tone =>
  cell.kind === 'missing' ? 'dim' : cell.kind === 'weekend' ? 'warn' : (cell.tone ?? 'plain');

/** Cells as a sentence: a blank between them, none before a mark that ends or after one that opens. */
export function sentence(cells: readonly Cell[], spelling: CellFormat): Run[] {
  const runs: Run[] = [];
  for (const cell of cells) {
    const text = cellText(cell, spelling);
    if (text === '') continue;
    const before = runs.at(-1)?.text;
    if (before !== undefined && !/^[,.;:)]/.test(text) && !before.endsWith('('))
      runs.push({ text: ' ', style: 'plain' });
    runs.push({ text, style: toneOf(cell), whole: cell.kind !== 'text' });
  }
  return runs;
}

export interface Pair {
  name: string;
  value: readonly Cell[];
}

/** Widest share of a line that names may take; longer names stand on a line of their own. */
const NAMES_SHARE = 0.5;
const BETWEEN = 2;

/**
 * Names on the left, values aligned; numbers by their points where most of the values are numbers and
 * `numbers` does not say that they begin where words begin (unlike figures, as in the record of a row).
 */
export function layPairs(
  pairs: readonly Pair[],
  layout: Layout,
  { numbers: placing = 'by point' }: { numbers?: 'by point' | 'as words' } = {},
): WrappedLine[] {
  const names = pairs.map(({ name }) => shownName(name, layout));
  const widest = Math.floor(layout.width * NAMES_SHARE);
  const column = Math.max(0, ...names.map(textWidth).filter((width) => width <= widest)) + BETWEEN;
  const wholes = pairs.map(({ value }) => wholeOf(value[0], layout));
  const numbers = wholes.filter((width) => width !== undefined);
  const point = numbers.length * 2 > pairs.length ? Math.max(0, ...numbers) : 0;
  // Columns of padding must leave the value room.
  const padded = placing === 'by point' && column + point <= layout.width * 0.7;
  return pairs.flatMap(({ value }, index): WrappedLine[] => {
    const name = names[index] ?? '';
    const whole = wholes[index];
    const shift = whole === undefined || !padded ? 0 : Math.max(0, point - whole);
    const runs = sentence(value, layout);
    const nameWidth = textWidth(name);
    if (nameWidth > widest)
      return [
        ...wrapRuns([{ text: name, style: 'dim' }], layout.width, BETWEEN),
        ...indented(wrapRuns(runs, layout.width - BETWEEN), BETWEEN),
      ];
    const lines = wrapRuns(runs, layout.width - column - shift);
    const [first = [], ...rest] = lines;
    const gap = nameWidth === 0 ? column + shift : column - nameWidth + shift;
    const named: Run[] = nameWidth === 0 ? [] : [{ text: name, style: 'dim' }];
    return [[...named, blank(gap), ...first], ...indented(rest, column + shift)];
  });
}

/** Narrowest room for the words beside a figure; with less, figures are laid out as pairs. */
const WORDS_ROOM = 12;

/** Rows of a name, one figure and words beside it: the figures stand point under point. */
export function layFigures(rows: readonly (readonly Cell[])[], layout: Layout): WrappedLine[] {
  const names = rows.map(([name]) => (name === undefined ? '' : cellText(name, layout)));
  const spelled = rows.map(([, figure]) => formatCell(figure ?? { kind: 'missing' }, layout));
  const alignment = alignmentOf(spelled);
  const column = Math.max(0, ...names.map(textWidth)) + BETWEEN;
  const figureWidth = alignment.whole + alignment.fraction + alignment.unit;
  const beside = column + figureWidth + BETWEEN;
  if (beside + WORDS_ROOM > layout.width)
    return layPairs(
      rows.map(([, ...value], index) => ({ name: names[index] ?? '', value })),
      layout,
    );
  return rows.flatMap(([name, figure, ...words], index): WrappedLine[] => {
    const cell = spelled[index];
    if (name === undefined || figure === undefined || cell === undefined) return [];
    const label = names[index] ?? '';
    const start: Run[] = [
      { text: label, style: toneOf(name) === 'plain' ? 'dim' : toneOf(name) },
      blank(column - textWidth(label)),
    ];
    // A text where others have a figure has no point to stand under.
    if (!cell.numeric && figure.kind !== 'missing') {
      const [first = [], ...rest] = wrapRuns(sentence([figure, ...words], layout), layout.width - column);
      return [[...start, ...first], ...indented(rest, column)];
    }
    const text = alignedText(cell, alignment);
    const before = cell.numeric ? alignment.whole - textWidth(cell.whole) : alignment.whole - 1;
    const after = figureWidth - Math.max(0, before) - textWidth(text) + BETWEEN;
    const [first = [], ...rest] = wrapRuns(sentence(words, layout), layout.width - beside);
    return [
      [...start, blank(before), { text, style: toneOf(figure) }, blank(after), ...first],
      ...indented(rest, beside),
    ];
  });
}

/** Between a command and what it does, and in front of what stands under it. */
const AFTER_COMMAND = 4;
/** Narrowest room for what a command does, beside it. */
const DOES_ROOM = 20;

/** Commands in one column and what they do in another, wrapped under itself; or one under the other. */
export function layCommands(
  rows: readonly { command: string; does: string }[],
  layout: Layout,
): WrappedLine[] {
  const column = Math.max(0, ...rows.map(({ command }) => textWidth(ours(command, layout)))) + AFTER_COMMAND;
  const beside = column + DOES_ROOM <= layout.width;
  return rows.flatMap(({ command, does }): WrappedLine[] => {
    const typed: Run = { text: ours(command, layout), style: 'plain' };
    const left = beside ? column : AFTER_COMMAND;
    const lines = wrapRuns([{ text: ours(does, layout), style: 'plain' }], layout.width - left);
    if (!beside) return [[typed], ...indented(lines, left)];
    const [first = [], ...rest] = lines;
    return [[typed, blank(column - textWidth(typed.text)), ...first], ...indented(rest, column)];
  });
}

export const indented = (lines: readonly WrappedLine[], columns: number): WrappedLine[] =>
  columns === 0 ? [...lines] : lines.map((line) => [blank(columns), ...line]);

function wholeOf(cell: Cell | undefined, spelling: CellFormat): number | undefined {
  if (cell === undefined) return undefined;
  const spelled: FormattedCell = formatCell(cell, spelling);
  return spelled.numeric ? textWidth(spelled.whole) : undefined;
}
