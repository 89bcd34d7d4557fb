/** Cells as sentences; names with values, figures and commands as aligned columns. */
import { textWidth } from '../domain/text-width.ts';
import type { NextStep } from '../errors.ts';
import type { Pair } from './blocks.ts';
import type { Cell, Tone } from './cells.ts';
import {
  alignedText,
  alignmentOf,
  type CellFormat,
  cellText,
  formatCell,
  hintInWords,
  shownName,
} from './format.ts';
import {
  blank,
  lineWidth,
  type Painter,
  paintLine,
  type Run,
  type WrappedLine,
  wrapRuns,
} from './styled-text.ts';

/** Blanks between columns. */
const GAP = 2;

export interface ColumnChoice {
  /** Every column, whatever the width. */
  wide: boolean;
  /** Names or headings, in order; undefined: all. */
  columns: readonly string[] | undefined;
}

export interface Layout extends CellFormat {
  /** Columns of the stream. */
  width: number;
  /** The columns of a list that were asked for; undefined: the screen is no list. */
  list?: ColumnChoice | undefined;
  /** Headers stay on one line. */
  choices?: boolean;
  paint: Painter;
}

/** The runs as painted lines of at most `width` columns; those after the first begin `indent` columns in. */
export const wrapPainted = (
  runs: readonly Run[],
  layout: Layout,
  { width = layout.width, indent = 0 }: { width?: number; indent?: number } = {},
): string[] => wrapRuns(runs, width, indent).map((line) => paintLine(line, layout.paint));

/**
 * Cells next to each other, the last one of several lines. Cells are padded to their column's width; those before the last
 * are on its first line.
 */
export const paintColumns = (
  cells: readonly WrappedLine[],
  widths: readonly number[],
  lines: readonly WrappedLine[],
  { paint, gap = GAP }: { paint: Painter; gap?: number },
): string[] =>
  lines.map((line, row) => {
    const padded = widths.flatMap((width, at) => {
      const cell = row === 0 ? (cells[at] ?? []) : [];
      return [...cell, blank(width - lineWidth(cell) + gap)];
    });
    return paintLine([...padded, ...line], paint);
  });

export const toneOf = (cell: Cell): Tone => (cell.kind === 'missing' ? 'dim' : (cell.tone ?? 'plain'));

/** Cells as a sentence: a blank between them, none before a closing mark or after an opening one. */
export function sentence(cells: readonly Cell[], format: CellFormat): Run[] {
  const runs: Run[] = [];
  for (const cell of cells) {
    const text = cellText(cell, format);
    if (text === '') continue;
    const before = runs.at(-1)?.text;
    if (before !== undefined && !/^[,.;:)]/.test(text) && !before.endsWith('('))
      runs.push({ text: ' ', style: 'plain' });
    runs.push({ text, style: toneOf(cell), whole: cell.kind !== 'text' && cell.kind !== 'hint' });
  }
  return runs;
}

/** Widest share of a line that names may take; longer names have a line of their own. */
const NAMES_SHARE = 0.5;

/**
 * Names on the left, values on the right. Numbers line up at their points if most values are numbers. `as words`: in the
 * record of a row they have nothing in common.
 */
export function layPairs(pairs: readonly Pair[], layout: Layout, numbers?: 'as words'): string[] {
  const names = pairs.map(({ name }) => shownName(name, layout).trimEnd());
  const widest = Math.floor(layout.width * NAMES_SHARE);
  const column = Math.max(0, ...names.map(textWidth).filter((width) => width <= widest));
  const room = layout.width - column - GAP;
  const wholes = pairs.map(({ value: [cell] }) => {
    const formatted = cell && formatCell(cell, layout);
    return formatted?.numeric === true ? textWidth(formatted.whole) : undefined;
  });
  const figures = wholes.filter((width) => width !== undefined);
  const point = figures.length * 2 > pairs.length ? Math.max(0, ...figures) : 0;
  // Padding must leave the value room.
  const padded = numbers !== 'as words' && column + GAP + point <= layout.width * 0.7;
  return pairs.flatMap(({ value }, index) => {
    const name: Run = { text: names[index] ?? '', style: 'dim' };
    const runs = sentence(value, layout);
    if (textWidth(name.text) > widest)
      return [
        ...wrapPainted([name], layout, { indent: GAP }),
        ...indented(wrapPainted(runs, layout, { width: layout.width - GAP }), GAP),
      ];
    const shift = padded ? Math.max(0, point - (wholes[index] ?? point)) : 0;
    const lines = wrapRuns(runs, room - shift).map((line) => [blank(shift), ...line]);
    return paintColumns([[name]], [column], lines, layout);
  });
}

/** Narrowest room for the words after a figure; with less, figures are laid out as pairs. */
const WORDS_ROOM = 12;

/** Rows of a name, one figure and words: the figures line up at their points. */
export function layFigures(rows: readonly (readonly Cell[])[], layout: Layout): string[] {
  const names = rows.map(([name]) => (name === undefined ? '' : cellText(name, layout).trimEnd()));
  const formatted = rows.map(([, figure]) => formatCell(figure ?? { kind: 'missing' }, layout));
  const alignment = alignmentOf(formatted);
  const column = Math.max(0, ...names.map(textWidth));
  const { whole, fraction, unit } = alignment;
  const figureWidth = Math.max(1, whole + fraction + unit);
  const room = layout.width - column - figureWidth - 2 * GAP;
  if (room < WORDS_ROOM)
    return layPairs(
      rows.map(([, ...value], index) => ({ name: names[index] ?? '', value })),
      layout,
    );
  return rows.flatMap(([name, figure, ...words], index): string[] => {
    const cell = formatted[index];
    if (name === undefined || figure === undefined || cell === undefined) return [];
    const label: Run = { text: names[index] ?? '', style: toneOf(name) === 'plain' ? 'dim' : toneOf(name) };
    // A text has no decimal point.
    if (!cell.numeric && figure.kind !== 'missing') {
      const lines = wrapRuns(sentence([figure, ...words], layout), layout.width - column - GAP);
      return paintColumns([[label]], [column], lines, layout);
    }
    const text = cell.numeric ? alignedText(cell, alignment) : cell.whole + ' '.repeat(fraction + unit);
    const word = text.trimEnd();
    const placed = [blank(figureWidth - textWidth(text)), { text: word, style: toneOf(figure) }];
    const lines = wrapRuns(sentence(words, layout), room);
    return paintColumns([[label], placed], [column, figureWidth], lines, layout);
  });
}

const AFTER_COMMAND = 4;
/** Narrowest room for the description next to a command. */
const DOES_ROOM = 20;

/** Commands and their descriptions in two columns; without room, one below the other. */
export function layCommands(rows: readonly NextStep[], layout: Layout): string[] {
  const typed = rows.map(({ command }) => hintInWords({ parts: [command] }, layout));
  const column = Math.max(0, ...typed.map(textWidth));
  const width = layout.width - column - AFTER_COMMAND;
  const isNarrow = width < DOES_ROOM || rows.every(({ does }) => does === '');
  return rows.flatMap(({ does }, index) => {
    const command: Run = { text: typed[index] ?? '', style: 'plain' };
    const words: Run = { text: does === '' ? '' : hintInWords(does, layout), style: 'plain' };
    if (!isNarrow)
      return paintColumns([[command]], [column], wrapRuns([words], width), { ...layout, gap: AFTER_COMMAND });
    const lines = does === '' ? [] : wrapPainted([words], layout, { width: layout.width - AFTER_COMMAND });
    return [command.text, ...indented(lines, AFTER_COMMAND)];
  });
}

export const indented = (lines: readonly string[], columns: number): string[] =>
  lines.map((line) => (line === '' ? '' : ' '.repeat(columns) + line));
