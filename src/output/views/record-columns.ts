/** Cells and rows that several views share, and records of the service: known fields in a fixed order, then any others. */

import { Big } from 'big.js';
import { roundHalfUp, roundTo } from '../../domain/amounts.ts';
import { writeExactJson } from '../../domain/exact-json.ts';
import { ownField } from '../../domain/fields.ts';
import type { QuoteFigures } from '../../domain/quote-figures.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { isDerivedReference } from '../../domain/vocabulary.ts';
import { type Block, type Cell, type Column, nameText, type TableSection, text } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { cellOf, labelOf, upperHeader } from '../field-labels.ts';

export type Record = Readonly<{ [field: string]: unknown }>;

/** A known field and its header. */
export interface KnownField {
  name: string;
  header: string;
  /** See `Column`. */
  optional?: Column['optional'];
  group?: string;
  isId?: boolean;
  /** Shown instead of the bare value. */
  cell?: (value: unknown, record: Record) => Cell;
}

/** The columns of CSV, in the order of the screen. */
export const columnsOf = (fields: readonly KnownField[]): readonly string[] => fields.map(({ name }) => name);

/** Computed figures in a document; no view shows them as a field. */
const DERIVED = 'derived';

const isSent = (records: readonly Record[], name: string): boolean =>
  records.some((record) => ownField(record, name) !== undefined);

/** Fields that are not known, in the order of their first appearance. */
export function unknownFields(records: readonly Record[], known: readonly string[]): readonly string[] {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  for (const name of [...known, DERIVED]) names.delete(name);
  return [...names];
}

/** A table of records. A known field that no record has takes no column. */
export function tableOf(
  records: readonly Record[],
  known: readonly KnownField[],
  { empty, sections }: { empty: string; sections?: readonly TableSection[] },
): Block {
  const extra = unknownFields(
    records,
    known.map(({ name }) => name),
  );
  const fields: readonly KnownField[] = [
    ...known.filter(({ name }) => records.length === 0 || isSent(records, name)),
    ...extra.map((name) => ({ name, header: labelOf(name), optional: 'first' as const })),
  ];
  const columns: Column[] = fields.map((field) => ({
    header: upperHeader(field.header),
    field: field.name,
    ...(isNumeric(records, field.name) ? { align: 'right' as const } : {}),
    ...(field.optional === undefined ? {} : { optional: field.optional }),
    ...(field.group === undefined ? {} : { group: field.group }),
    ...(field.isId === undefined ? {} : { isId: field.isId }),
  }));
  const rows = records.map((record) => fields.map((field) => cellFor(field, record)));
  return {
    kind: 'table',
    columns,
    rows,
    empty,
    fixed: true,
    records,
    ...(sections === undefined ? {} : { sections }),
  };
}

/** One record as names and values. `always`: fields that are shown as a dash when missing. */
export function pairsOf(record: Record, known: readonly KnownField[], always: readonly string[] = []): Block {
  const extra = unknownFields(
    [record],
    known.map(({ name }) => name),
  );
  const fields: readonly KnownField[] = [
    ...known.filter(({ name }) => ownField(record, name) !== undefined || always.includes(name)),
    ...extra.map((name) => ({ name, header: labelOf(name) })),
  ];
  return {
    kind: 'pairs',
    pairs: fields.map((field) => ({
      name: field.header,
      field: field.name,
      value: [wholeHash(cellFor(field, record))],
    })),
  };
}

/** One record in full is where a hash is copied from. */
const wholeHash = (cell: Cell): Cell => (cell.kind === 'hash' ? nameText(cell.text) : cell);

function cellFor(field: KnownField, record: Record): Cell {
  const value = ownField(record, field.name);
  if (value === undefined || value === null || field.cell === undefined) return cellOf(field.name, value);
  return field.cell(value, record);
}

const isNumeric = (records: readonly Record[], name: string): boolean =>
  records.some((record) => {
    const { kind } = cellOf(name, ownField(record, name));
    return kind === 'money' || kind === 'rate' || kind === 'percent' || kind === 'number';
  });

/** Records as lines for a pipe. `key`: the fields that identify a record. */
export const changesOf = (
  records: readonly Record[],
  known: readonly KnownField[],
  key: readonly string[],
): readonly ChangeLine[] =>
  records.map((record) => ({
    key: key.map((name) => wordOf(ownField(record, name))).join(' '),
    cells: known
      .filter(({ name }) => !key.includes(name) && (ownField(record, name) ?? undefined) !== undefined)
      .flatMap((field, index) => [
        ...(index === 0 ? [] : [text(',')]),
        text(field.header.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())),
        cellFor(field, record),
      ]),
  }));

const wordOf = (value: unknown): string =>
  typeof value === 'string'
    ? spelledName(value)
    : value === undefined || value === null
      ? '-'
      : writeExactJson(value);

/** A signed P&L figure, colored by its sign. */
export function signedCell(value: unknown): Cell {
  if (!(value instanceof Big)) return { kind: 'missing' };
  const amount = { kind: 'money', amount: value, signed: true } as const;
  if (value.eq(0)) return amount;
  return { ...amount, tone: value.gt(0) ? 'good' : 'bad' };
}

/** Half up, as people do when they check a figure by hand. */
export const cents = (amount: Big): Big => roundHalfUp(amount, 2);

/** A signed figure in whole cents; a dash where it is not known. */
export const signedCents = (amount: Big | undefined): Cell =>
  amount === undefined ? { kind: 'missing' } : signedCell(cents(amount));

/** The same with its unit. */
export function signedIn(unit: string, value: unknown): Cell {
  const cell = signedCell(value);
  return cell.kind === 'money' ? { ...cell, unit } : cell;
}

/**
 * Carry of a position or a closed hedge, in a word. The service's sign (ASSUMED) is that of P&L: negative is paid. A
 * quote's is the opposite.
 */
export function carryCell(value: unknown): Cell {
  const cell = signedCell(value);
  if (!(value instanceof Big) || value.eq(0) || cell.kind !== 'money') return cell;
  return { ...cell, amount: value.abs(), signed: false, word: value.lt(0) ? 'paid' : 'earned' };
}

/** The operator's deal ID; a reference that the program generated is not one. */
export const dealIdCell = (reference: unknown): Cell =>
  typeof reference === 'string' && !isDerivedReference(reference) ? nameText(reference) : { kind: 'missing' };

/** A row of figures: a name, one figure, and words after it. */
export const row = (name: string, figure: Cell, ...words: readonly Cell[]): Cell[] => [
  text(name),
  figure,
  ...words,
];

export const usd = (amount: Big, unit?: string): Cell =>
  unit === undefined ? { kind: 'money', amount } : { kind: 'money', amount, unit };

/** A rate with all its decimals, or rounded to `places`. */
export const rate = (amount: Big, places?: number): Cell => ({
  kind: 'rate',
  amount: places === undefined ? amount : roundTo(amount, places),
});

export const bps = (amount: Big): Cell => ({ kind: 'number', amount: roundTo(amount, 1), unit: 'bps' });

/** A cost without its sign: `costWord` names a gain. */
export const cost = (amount: Big): Cell => ({
  kind: 'money',
  amount: amount.abs(),
  unit: 'USDC',
  tone: 'strong',
});
export const costWord = (amount: Big): string => (amount.lt(0) ? 'You earn' : 'Total cost');

export const days = (count: string): string => (count === '1' ? '1 day' : `${count} days`);

/** How far the mid must move by maturity for the hedge to pay its own costs. */
export function breakEvenRow({ all_in_rate: allIn, move_to_break_even_pct: move }: QuoteFigures): Cell[] {
  const name = 'Break-even';
  if (allIn === undefined || move === undefined) return row(name, { kind: 'missing' }, text('at no rate'));
  if (move.eq(0)) return row(name, rate(allIn, 4), text('at the mid'));
  const direction = move.gt(0) ? 'above the mid' : 'below the mid';
  return row(name, rate(allIn, 4), { kind: 'percent', amount: roundTo(move.abs(), 2) }, text(direction));
}

/** When a hedge matures; marked on a weekend in the reader's time zone. */
export const maturityCell = (at: string, style: 'date' | 'minute'): Extract<Cell, { kind: 'time' }> => ({
  kind: 'time',
  at,
  style,
  matures: true,
});
