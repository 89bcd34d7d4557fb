/** Tables: which columns are shown, how wide, and their lines below; one that does not fit becomes records. */

import { Big } from 'big.js';
import { roundTo } from '../domain/amounts.ts';
import { textWidth } from '../domain/text-width.ts';
import type { Block, Cell, Column } from './blocks.ts';
import { type ColumnShape, setColumns } from './columns.ts';
import { alignedText, alignmentOf, formatCell, showable } from './format.ts';
import { type Layout, layPairs, toneOf, wrapPainted } from './layout.ts';
import type { Painter, Style } from './styled-text.ts';

export type TableBlock = Extract<Block, { kind: 'table' }>;

const GAP = 2;

/** The table as lines no wider than the layout. */
export function layTable(block: TableBlock, layout: Layout): string[] {
  if (block.rows.length === 0)
    return wrapPainted([{ text: showable(block.empty ?? 'None', layout), style: 'dim' }], layout);
  const all = block.columns.map((column, index) =>
    layColumn(
      column,
      { cells: block.rows.map((row) => row[index] ?? { kind: 'missing' }), fixed: block.fixed === true },
      layout,
    ),
  );
  const shown = fitting(all, layout.width);
  if (shown === undefined) return layRecords(block, layout);
  const hidden = all.filter((column) => !shown.some(({ header }) => header === column.header));
  const rows = block.rows.map((_, row) => shown.map(({ cells }) => cells[row] ?? ''));
  return [
    ...setColumns([shown.map(({ header }) => header), ...rows], shown, GAP),
    ...hiddenColumns(
      hidden.map(({ name }) => name),
      layout,
    ),
    ...(shown.some(({ cut }) => cut) ? wrapPainted([{ text: CUT, style: 'dim' }], layout) : []),
  ];
}

interface LaidColumn extends ColumnShape {
  optional: boolean | 'last';
  name: string;
  /** Width of its longest word: as narrow as a wrapped column can be. */
  narrowest: number;
  /** Painted, as the cells are. */
  header: string;
  cells: readonly string[];
  /** Some digits are not shown. */
  cut: boolean;
}

function layColumn(
  column: Column,
  { cells, fixed }: { cells: readonly Cell[]; fixed: boolean },
  layout: Layout,
): LaidColumn {
  const shown = fixed ? cells.map(roundCell) : cells;
  const formatted = shown.map((cell) => formatCell(cell, layout));
  const alignment = alignmentOf(formatted);
  const texts = formatted.map((cell) => alignedText(cell, alignment));
  const header = showable(column.header, layout);
  const numeric = formatted.some((cell) => cell.numeric);
  const words = column.wrap === true ? [header, ...texts].flatMap((each) => each.split(' ')) : [];
  const width = Math.max(textWidth(header), ...texts.map(textWidth));
  return {
    optional: column.optional ?? false,
    width,
    narrowest: column.wrap === true ? Math.max(...words.map(textWidth)) : width,
    wrap: column.wrap === true,
    name: column.header,
    header: layout.paint(header, 'dim'),
    align: column.align ?? (numeric ? 'right' : 'left'),
    cells: texts.map((text, index) => {
      const cell = shown[index];
      return paintWord(text, cell === undefined ? 'plain' : toneOf(cell), layout.paint);
    }),
    cut: fixed && cells.some(isCut),
  };
}

/** Padding has no color: a reversed blank would be visible. */
function paintWord(text: string, style: Style, paint: Painter): string {
  const word = text.trimEnd();
  return paint(word, style) + text.slice(word.length);
}

/** All columns, or all but the last optional ones; undefined if even the others are too wide. */
function fitting(columns: readonly LaidColumn[], width: number): readonly LaidColumn[] | undefined {
  let shown = columns;
  while (shown.length > 0) {
    const narrowed = narrow(shown, width);
    if (tableWidth(narrowed) <= width) return narrowed;
    const last =
      shown.findLast(({ optional }) => optional === true) ??
      shown.findLast(({ optional }) => optional !== false);
    if (last === undefined) return undefined;
    shown = shown.filter((column) => column !== last);
  }
  return undefined;
}

/** Narrows the wrapped columns until the table fits. */
function narrow(columns: readonly LaidColumn[], width: number): readonly LaidColumn[] {
  let over = tableWidth(columns) - width;
  return columns.map((column) => {
    const less = Math.max(0, Math.min(over, column.width - column.narrowest));
    over -= less;
    return less === 0 ? column : { ...column, width: column.width - less };
  });
}

const tableWidth = (columns: readonly LaidColumn[]): number =>
  columns.reduce((sum, { width }) => sum + width, 0) + GAP * Math.max(0, columns.length - 1);

/** Rows as records: a single one in full, several without optional columns, or a few hedges would fill pages. */
function layRecords(block: TableBlock, layout: Layout): string[] {
  const named = block.columns.map((column, at) => ({ column, at }));
  const shown = named.filter(({ column }) => (column.optional ?? false) === false);
  const kept = shown.length === 0 || block.rows.length === 1 ? named : shown;
  const records = block.rows.flatMap((row, index): string[] => {
    const pairs = kept.map(({ column, at }) => ({
      name: column.header,
      value: [row[at] ?? ({ kind: 'missing' } as const)],
    }));
    return [...(index === 0 ? [] : ['']), ...layPairs(pairs, layout, { numbers: 'as words' })];
  });
  const hidden = named.filter((each) => !kept.includes(each));
  return [
    ...records,
    ...hiddenColumns(
      hidden.map(({ column }) => column.header),
      layout,
    ),
  ];
}

function hiddenColumns(names: readonly string[], layout: Layout): string[] {
  if (names.length === 0) return [];
  const text = `Hidden columns: ${showable(names.join(', '), layout)}. Show them: --json`;
  return wrapPainted([{ text, style: 'dim' }], layout, { indent: GAP });
}

const PLACES: Readonly<Partial<Record<Cell['kind'], number>>> = { money: 2, rate: 4, percent: 4 };

/** Below a table with rounded cells. */
const CUT = 'Rounded: money to 2 decimals, rates to 4. Full precision: --json';

/** The cell rounded half-even to its kind's decimals. Zero has no sign, nor the color of one. */
export function roundCell(cell: Cell): Cell {
  const places = PLACES[cell.kind];
  if (places === undefined || !('amount' in cell) || !(cell.amount instanceof Big)) return cell;
  const amount = roundTo(cell.amount, places);
  if (cell.kind === 'rate') return { ...cell, amount, decimals: places };
  return amount.eq(0) ? { ...cell, amount, tone: 'plain' } : { ...cell, amount };
}

/** Whether rounding changes it. */
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
