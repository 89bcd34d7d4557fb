/** Records of the service as tables and as names with values: known fields in our order, then any others. */

import { writeExactJson } from '../../domain/exact-json.ts';
import { ownField } from '../../domain/fields.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { type Block, type Cell, type Column, text } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { cellOf, labelOf } from '../field-labels.ts';
export type Record = Readonly<{ [field: string]: unknown }>;

/** A known field and its header. */
export interface KnownField {
  name: string;
  header: string;
  /** Hidden first where the table is too wide. */
  optional?: boolean | 'last';
  /** Shown instead of the bare value. */
  cell?: (value: unknown, record: Record) => Cell;
}

/** The columns of CSV, in the order of the screen. */
export const columnsOf = (fields: readonly KnownField[]): readonly string[] => fields.map(({ name }) => name);

/** Our own figures in a document; no view shows them as a field. */
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
  options: { empty: string; hidden?: readonly string[] },
): Block {
  const extra = unknownFields(records, [...known.map(({ name }) => name), ...(options.hidden ?? [])]);
  const fields: readonly KnownField[] = [
    ...known.filter(({ name }) => isSent(records, name)),
    ...extra.map((name) => ({ name, header: labelOf(name), optional: true })),
  ];
  const columns: Column[] = fields.map((field) => ({
    header: field.header.toUpperCase(),
    ...(isNumeric(records, field.name) ? { align: 'right' as const } : {}),
    ...(field.optional === undefined ? {} : { optional: field.optional }),
  }));
  const rows = records.map((record) => fields.map((field) => cellFor(field, record)));
  return { kind: 'table', columns, rows, empty: options.empty, fixed: true };
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
    pairs: fields.map((field) => ({ name: field.header, value: [cellFor(field, record)] })),
  };
}

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
        text(field.header.charAt(0).toLowerCase() + field.header.slice(1)),
        cellFor(field, record),
      ]),
  }));

const wordOf = (value: unknown): string =>
  typeof value === 'string'
    ? spelledName(value)
    : value === undefined || value === null
      ? '-'
      : writeExactJson(value);
