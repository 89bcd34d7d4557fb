/** Tables: which columns are shown, how wide, and their lines below; one that does not fit becomes records. */

import { Big } from 'big.js';
import { roundHalfUp } from '../domain/amounts.ts';
import { instantOf } from '../domain/instants.ts';
import { textWidth } from '../domain/text-width.ts';
import { zoneName } from '../domain/zone-times.ts';
import type { Column, TableBlock, TableSection } from './blocks.ts';
import { type Cell, missing } from './cells.ts';
import { type ColumnShape, setColumns } from './columns.ts';
import { alignedText, alignmentOf, formatCell, showable } from './format.ts';
import { type Layout, layFigures, layPairs, toneOf, wrapPainted } from './layout.ts';
import type { Painter, Style } from './styled-text.ts';

const GAP = 2;

/** The table as lines no wider than the layout, unless every column was asked for. */
export function layTable(block: TableBlock, layout: Layout): string[] {
  if (block.rows.length === 0)
    return wrapPainted([{ text: showable(block.empty ?? 'None', layout), style: 'dim' }], layout);
  const all = block.columns.map((column, index) => {
    const cells = block.rows.map((row) => row[index] ?? missing);
    return layColumn(column, cells, block.fixed === true, layout);
  });
  const { list } = layout;
  const whole = list?.wide === true || list?.columns !== undefined;
  const shown = whole ? all : fitting(all, layout.width);
  if (shown === undefined) return layRecords(block, layout);
  const hidden = all.filter(
    ({ column: { header }, optional }) =>
      optional !== 'empty' && !shown.some(({ column }) => column.header === header),
  );
  return [
    // A terminal would break a longer line within a number; a pipe does not.
    ...(whole && layout.iso !== true ? panelsOf(shown, layout.width) : [shown]).flatMap((columns, at) => [
      ...(at === 0 ? [] : ['']),
      ...laySections(block, columns, layout, at === 0),
    ]),
    ...hiddenColumns(hidden, layout),
    ...shown.flatMap(({ column: { note } }) =>
      note === undefined ? [] : wrapPainted([{ text: note, style: 'dim' }], layout, { indent: GAP }),
    ),
    ...(shown.some(({ cut }) => cut) ? wrapPainted([{ text: CUT, style: 'dim' }], layout) : []),
  ];
}

function laySections(block: TableBlock, shown: readonly LaidColumn[], layout: Layout, withTotals: boolean) {
  const headers = headerRows(shown, layout);
  return sectionsOf(block).flatMap(({ from, rows, title, totals }) => {
    const top = from === 0 ? headers : [];
    const cells = Array.from({ length: rows }, (_, row) =>
      shown.map((column) => column.cells[from + row] ?? ''),
    );
    return [
      ...(title === undefined
        ? setColumns([...top, ...cells], shown, GAP)
        : [
            ...setColumns(top, shown, GAP),
            ...wrapPainted([{ text: showable(title, layout), style: 'dim' }], layout),
            ...setColumns(cells, shown, GAP),
          ]),
      ...(withTotals ? layFigures(totals ?? [], layout) : []),
    ];
  });
}

/** The columns in tables of at most that width, one below the other; each begins with the columns that tell rows apart. */
function panelsOf(columns: readonly LaidColumn[], width: number): readonly (readonly LaidColumn[])[] {
  if (fits(columns, width)) return [narrow(columns, width)];
  const key = keyOf(columns, width);
  const panels: LaidColumn[][] = [];
  for (const column of columns.filter((each) => !key.includes(each))) {
    const panel = panels.at(-1);
    if (panel !== undefined && fits([...key, ...panel, column], width)) panel.push(column);
    else panels.push([column]);
  }
  return panels.map((panel) => narrow([...key, ...panel], width));
}

/** The first columns, or the narrowest ID, that tell the rows apart in half of the width; else the first column. */
function keyOf(columns: readonly LaidColumn[], width: number): readonly LaidColumn[] {
  const ids = columns.filter(({ isId }) => isId).toSorted((one, other) => one.width - other.width);
  const keys = [columns.slice(0, 1), columns.slice(0, 2), ...ids.map((id) => [id])];
  const inOrder = [...keys.filter(tellsApart), columns.slice(0, 1)];
  return inOrder.find((key) => tableWidth(key) * 2 <= width) ?? [];
}

function tellsApart(key: readonly LaidColumn[]): boolean {
  const rows = key[0]?.cells.map((_, row) => JSON.stringify(key.map(({ cells }) => cells[row])));
  return new Set(rows).size === rows?.length;
}

interface PlacedSection extends Partial<TableSection> {
  /** Its first row. */
  from: number;
  rows: number;
}

function sectionsOf({ rows, sections }: TableBlock): readonly PlacedSection[] {
  let from = 0;
  return (sections ?? [{ rows: rows.length }]).map((section) => {
    const placed = { ...section, from };
    from += section.rows;
    return placed;
  });
}

/** One row, or several if a header is wider than its column; the last words are at the bottom. */
function headerRows(columns: readonly LaidColumn[], { paint, choices }: Layout): string[][] {
  const headers = columns.map(({ header, width }) => (choices === true ? [header] : brokenAt(header, width)));
  const height = Math.max(...headers.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    headers.map((lines) => {
      const words = lines[row - height + lines.length] ?? '';
      return words === '' ? '' : paint(words, 'dim');
    }),
  );
}

/** The words in lines of at most that width; a longer word has its own. */
function brokenAt(words: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`;
    if (lines.length > 0 && textWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

interface LaidColumn extends ColumnShape {
  column: Column;
  optional: NonNullable<Column['optional']> | 'empty';
  /** It has one in every row. */
  isId: boolean;
  /** Its cells are not the same in every row of several. */
  differs: boolean;
  /** Its smallest width: its header breaks between words, and its cells if they wrap. */
  narrowest: number;
  header: string;
  /** Painted. */
  cells: readonly string[];
  /** Some digits are not shown. */
  cut: boolean;
}

function layColumn(column: Column, cells: readonly Cell[], fixed: boolean, layout: Layout): LaidColumn {
  const shown = cells.map((cell) => (fixed ? roundCell(cell) : { cell, isCut: false }));
  const formatted = shown.map(({ cell }) => formatCell(cell, layout));
  const alignment = alignmentOf(formatted);
  const texts = formatted.map((cell) => alignedText(cell, alignment));
  const header = showable([column.header, ...zonesOf(cells, layout)].join(' '), layout);
  const numeric = formatted.some((cell) => cell.numeric);
  const headerWords = layout.choices === true ? [header] : header.split(' ');
  const unbroken = column.wrap === true ? texts.flatMap((each) => each.split(' ')) : texts;
  const width = Math.max(textWidth(header), ...texts.map(textWidth));
  return {
    column,
    optional: texts.every((each) => each === '') ? 'empty' : optionalOf(column, cells),
    isId: column.isId === true && cells.every(({ kind }) => kind !== 'missing'),
    differs: texts.length === 1 || new Set(texts).size > 1,
    width,
    narrowest: Math.max(...[...headerWords, ...unbroken].map(textWidth)),
    wrap: column.wrap === true,
    header,
    align: column.align ?? (numeric ? 'right' : 'left'),
    cells: texts.map((text, index) => paintWord(text, toneOf(shown[index]?.cell ?? missing), layout.paint)),
    cut: shown.some(({ isCut }) => isCut),
  };
}

/** A column of dashes goes first, unless it is part of a sum. */
const optionalOf = ({ optional = false, group }: Column, cells: readonly Cell[]): LaidColumn['optional'] =>
  optional !== false && group === undefined && cells.every(({ kind }) => kind === 'missing')
    ? 'first'
    : optional;

/** The zone of times that are shown without it; two names if the clocks changed between them. */
function zonesOf(cells: readonly Cell[], { zone, iso }: Layout): readonly string[] {
  if (iso === true) return [];
  const instants = cells.flatMap((cell) =>
    cell.kind === 'time' && cell.style === 'short' ? [instantOf(cell.at)] : [],
  );
  const names = instants.flatMap((at) => (at === undefined ? [] : [zoneName(at, zone)]));
  return names.length === 0 ? [] : [[...new Set(names)].join('/')];
}

/** Padding has no color: a reversed blank would be visible. */
function paintWord(text: string, style: Style, paint: Painter): string {
  const word = text.trimEnd();
  return paint(word, style) + text.slice(word.length);
}

/** All columns, or without as many optional ones as needed; undefined if even the others are too wide. */
function fitting(columns: readonly LaidColumn[], width: number): readonly LaidColumn[] | undefined {
  let shown = columns;
  const hidden: (readonly LaidColumn[])[] = [];
  while (!fits(shown, width)) {
    const last = nextToHide(shown);
    if (last === undefined) return undefined;
    const { group } = last.column;
    const together = shown.filter(
      (each) => each === last || (group !== undefined && each.column.group === group),
    );
    hidden.push(together);
    shown = shown.filter((column) => !together.includes(column));
  }
  if (shown.length === 0) return undefined;
  // After a wide column is hidden, a narrower one that was hidden before it may fit.
  for (const together of hidden.toReversed()) {
    const more = columns.filter((column) => shown.includes(column) || together.includes(column));
    if (fits(more, width)) shown = more;
  }
  return narrow(shown, width);
}

const HIDING = ['empty', 'first', true, 'last'] as const;

/** Those that are the same in every row before those that tell rows apart. */
const nextToHide = (shown: readonly LaidColumn[]): LaidColumn | undefined =>
  HIDING.map((when) => shown.filter(({ optional }) => optional === when))
    .map((columns) => columns.findLast(({ column }) => !differsIn(column, shown)) ?? columns.at(-1))
    .find((column) => column !== undefined);

/** Whether it, or a column that is hidden with it, tells rows apart. */
const differsIn = (column: Column, columns: readonly LaidColumn[]): boolean =>
  columns.some(
    (each) =>
      each.differs &&
      (each.column === column || (column.group !== undefined && each.column.group === column.group)),
  );

const fits = (columns: readonly LaidColumn[], width: number): boolean =>
  tableWidth(narrow(columns, width)) <= width;

/** Narrows columns until the table fits. */
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

/** Rows as records, with every field. */
function layRecords(block: TableBlock, layout: Layout): string[] {
  return sectionsOf(block).flatMap(({ from, rows, title, totals }) => [
    ...(title === undefined ? [] : wrapPainted([{ text: showable(title, layout), style: 'dim' }], layout)),
    ...block.rows.slice(from, from + rows).flatMap((row, index): string[] => {
      const pairs = block.columns.map(({ header }, at) => ({ name: header, value: [row[at] ?? missing] }));
      return [...(index === 0 ? [] : ['']), ...layPairs(pairs, layout, 'as words')];
    }),
    ...layFigures(totals ?? [], layout),
  ]);
}

function hiddenColumns(columns: readonly LaidColumn[], layout: Layout): string[] {
  // A column without a header only repeats another one in other words.
  const names = columns.map(({ column }) => column.header).filter((header) => header !== '');
  if (names.length === 0) return [];
  const way = layout.list !== undefined ? '--wide' : layout.iso === true ? '--json' : 'widen the window';
  const text = `Hidden columns: ${showable(names.join(', '), layout)}. Show them: ${way}`;
  return wrapPainted([{ text, style: 'dim' }], layout, { indent: GAP });
}

const PLACES: Readonly<Partial<Record<Cell['kind'], number>>> = { money: 2, rate: 4, percent: 4 };

/** Below a table with rounded cells. */
const CUT = 'Rounded: money to 2 decimals, rates to 4. Full precision: --json';

/** The cell rounded to its kind's decimals, and whether that changes it. Zero has no sign, nor the color of one. */
export function roundCell(cell: Cell): { cell: Cell; isCut: boolean } {
  const places = PLACES[cell.kind];
  if (places === undefined || !('amount' in cell) || !(cell.amount instanceof Big))
    return { cell, isCut: false };
  const amount = roundHalfUp(cell.amount, places);
  const isCut = !amount.eq(cell.amount);
  if (cell.kind === 'rate') return { cell: { ...cell, amount, decimals: places }, isCut };
  if (!amount.eq(0)) return { cell: { ...cell, amount }, isCut };
  const { word: _, ...bare } = { word: undefined, ...cell };
  return { cell: { ...bare, amount, tone: 'plain' }, isCut };
}
