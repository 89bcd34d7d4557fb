/**
 * Tables: borderless, numbers lined up at their points. One that does not fit loses its optional columns,
 * and then becomes records. cli-table3 sets the columns; widths and alignment are worked out here.
 *
 * cli-table3 counts columns by an older table of widths than ours. It is given one private character for
 * each column of a letter beyond ASCII (clean text has none of them), and the letters are put back later.
 *
 * Figures with the same number of decimals down a column: money 2, rates and percentages 4. For tables side by
 * side; one record in full and every document keep each digit.
 */

import { Big } from 'big.js';
import Table from 'cli-table3';
import { roundTo } from '../domain/amounts.ts';
import { graphemesOf, graphemeWidth, textWidth } from '../domain/text-width.ts';
import type { Block, Cell, Column } from './blocks.ts';
import { alignedText, alignmentOf, formatCell, showable } from './format.ts';
import { type Layout, layPairs, toneOf } from './layout.ts';
import type { Style } from './style.ts';
import { blank, type Run, type WrappedLine, wrapRuns } from './wrap.ts';
export type TableBlock = Extract<Block, { kind: 'table' }>;

const BETWEEN = 2;

/** The table as lines no wider than the layout. */
export function layTable(block: TableBlock, layout: Layout): WrappedLine[] {
  if (block.rows.length === 0)
    return wrapRuns([{ text: showable(block.empty ?? 'Nothing.', layout), style: 'dim' }], layout.width);
  const all = block.columns.map((column, index) =>
    layColumn(
      column,
      { cells: block.rows.map((row) => row[index] ?? { kind: 'missing' }), fixed: block.fixed === true },
      layout,
    ),
  );
  const shown = fitting(all, layout.width);
  if (shown === undefined) return layRecords(block, layout);
  const hidden = all.filter((column) => !shown.includes(column));
  return [
    ...setTable(shown),
    ...leftOut(
      hidden.map(({ header }) => header),
      layout,
    ),
    ...cutOff(shown, layout),
  ];
}

interface LaidColumn {
  optional: boolean | 'last';
  width: number;
  header: string;
  align: 'left' | 'right';
  cells: readonly { text: string; style: Style }[];
  /** Digits of it are not shown. */
  cut: boolean;
}

function layColumn(
  column: Column,
  { cells, fixed }: { cells: readonly Cell[]; fixed: boolean },
  layout: Layout,
): LaidColumn {
  const shown = fixed ? cells.map(roundCell) : cells;
  const spelled = shown.map((cell) => formatCell(cell, layout));
  const alignment = alignmentOf(spelled);
  const texts = spelled.map((cell) => alignedText(cell, alignment));
  const header = showable(column.header, layout);
  const width = Math.max(textWidth(header), ...texts.map(textWidth));
  const numeric = spelled.some((cell) => cell.numeric);
  return {
    optional: column.optional ?? false,
    width,
    header,
    align: column.align ?? (numeric ? 'right' : 'left'),
    cells: texts.map((text, index) => {
      const cell = shown[index];
      return { text, style: cell === undefined ? 'plain' : toneOf(cell) };
    }),
    cut: fixed && cells.some(isCut),
  };
}

/** All columns, or all but the last optional ones, the dearest of those at last; nothing when even the others are too wide. */
function fitting(columns: readonly LaidColumn[], width: number): readonly LaidColumn[] | undefined {
  let shown = columns;
  while (tableWidth(shown) > width) {
    const last =
      shown.findLast(({ optional }) => optional === true) ??
      shown.findLast(({ optional }) => optional !== false);
    if (last === undefined) return undefined;
    shown = shown.filter((column) => column !== last);
  }
  return shown.length === 0 ? undefined : shown;
}

const tableWidth = (columns: readonly LaidColumn[]): number =>
  columns.reduce((sum, { width }) => sum + width, 0) + BETWEEN * Math.max(0, columns.length - 1);

const NO_BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' '.repeat(BETWEEN),
};

function setTable(columns: readonly LaidColumn[]): WrappedLine[] {
  const standIns = widthPlaceholders();
  const table = new Table({
    head: columns.map(({ header }) => standIns.hide(header)),
    colAligns: columns.map(({ align }) => align),
    chars: NO_BORDERS,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  });
  const rows = columns[0]?.cells.length ?? 0;
  for (let row = 0; row < rows; row += 1)
    table.push(columns.map(({ cells }) => standIns.hide(cells[row]?.text ?? '')));
  const [head = '', ...body] = table.toString().split('\n');
  const styled = (line: string, styleAt: (column: LaidColumn) => Style): WrappedLine => {
    // A stand-in is one character for each column, so that places can be counted.
    const characters = Array.from(line);
    const runs: Run[] = [];
    let start = 0;
    for (const column of columns) {
      if (start > 0) runs.push(blank(BETWEEN));
      const text = characters.slice(start, start + column.width).join('');
      runs.push(...apart(standIns.show(text), styleAt(column)));
      start += column.width + BETWEEN;
    }
    return runs;
  };
  return [
    styled(head, () => 'dim'),
    ...body.map((line, row) => styled(line, ({ cells }) => cells[row]?.style ?? 'plain')),
  ];
}

/** Padding takes no colour: a reversed or underlined blank would be seen. */
function apart(text: string, style: Style): Run[] {
  const core = text.trim();
  const start = text.indexOf(core);
  return [
    { text: text.slice(0, start), style: 'plain' },
    { text: core, style },
    { text: text.slice(start + core.length), style: 'plain' },
  ];
}

/** A record a row: all of a single one, of several what must be seen, or a few hedges would fill pages. */
function layRecords(block: TableBlock, layout: Layout): WrappedLine[] {
  const named = block.columns.map((column, at) => ({ column, at }));
  const shown = named.filter(({ column }) => (column.optional ?? false) === false);
  const kept = shown.length === 0 || block.rows.length === 1 ? named : shown;
  const records = block.rows.flatMap((row, index): WrappedLine[] => {
    const pairs = kept.map(({ column, at }) => ({
      name: column.header,
      value: [row[at] ?? ({ kind: 'missing' } as const)],
    }));
    return [...(index === 0 ? [] : [[]]), ...layPairs(pairs, layout, { numbers: 'as words' })];
  });
  const hidden = named.filter((each) => !kept.includes(each));
  return [
    ...records,
    ...leftOut(
      hidden.map(({ column }) => column.header),
      layout,
    ),
  ];
}

function leftOut(names: readonly string[], layout: Layout): WrappedLine[] {
  if (names.length === 0) return [];
  const says = `Not shown at this width: ${showable(names.join(', '), layout)}. All of it: --json.`;
  return wrapRuns([{ text: says, style: 'dim' }], layout.width, BETWEEN);
}

const cutOff = (shown: readonly LaidColumn[], layout: Layout): WrappedLine[] =>
  shown.some(({ cut }) => cut) ? wrapRuns([{ text: CUT, style: 'dim' }], layout.width) : [];

export interface WidthPlaceholders {
  /** The text with a character for each column it takes. */
  hide(text: string): string;
  /** The text as it was. */
  show(text: string): string;
}

const FIRST = 0xf0000;
const FILLER = '\u{e000}';
const ASCII = /^[\x20-\x7e]*$/;

export function widthPlaceholders(): WidthPlaceholders {
  const letters: string[] = [];
  const places = new Map<string, string>();
  const standInFor = (letter: string): string => {
    const known = places.get(letter);
    if (known !== undefined) return known;
    const made =
      String.fromCodePoint(FIRST + letters.length) + FILLER.repeat(Math.max(0, graphemeWidth(letter) - 1));
    letters.push(letter);
    places.set(letter, made);
    return made;
  };
  return {
    hide: (text) =>
      ASCII.test(text)
        ? text
        : graphemesOf(text)
            .map((letter) => (ASCII.test(letter) ? letter : standInFor(letter)))
            .join(''),
    show: (text) =>
      text.replace(/[\u{f0000}-\u{10ffff}]\u{e000}*/gu, (standIn) => {
        const letter = letters[(standIn.codePointAt(0) ?? FIRST) - FIRST];
        return letter ?? standIn;
      }),
  };
}

const PLACES: Readonly<Partial<Record<Cell['kind'], number>>> = { money: 2, rate: 4, percent: 4 };

/** Said under a table where a digit was cut off. */
export const CUT = 'Money to 2 decimals, rates to 4 here; every digit: --json.';

/** The cell with its decimals fixed, half-even; any other cell as it is. A nought has no sign, nor the colour of one. */
export function roundCell(cell: Cell): Cell {
  const places = PLACES[cell.kind];
  if (places === undefined || !('amount' in cell) || !(cell.amount instanceof Big)) return cell;
  const amount = roundTo(cell.amount, places);
  if (cell.kind === 'rate') return { ...cell, amount, decimals: places };
  return amount.eq(0) ? { ...cell, amount, tone: 'plain' } : { ...cell, amount };
}

/** Whether fixing it took digits away. */
export function isCut(cell: Cell): boolean {
  const fixed = roundCell(cell);
  return (
    'amount' in cell &&
    'amount' in fixed &&
    cell.amount instanceof Big &&
    fixed.amount instanceof Big &&
    !cell.amount.eq(fixed.amount)
  );
}
