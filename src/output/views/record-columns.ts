/**
 * Records of the service as tables and as name-and-value lists: the fields we know in our order, then
 * whatever else came, labelled from its own name. Knows no resource.
 */

import { writeExactJson } from '../../domain/exact-json.ts';
import { ownField } from '../../domain/fields.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { type Block, type Cell, type Column, text } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { cellOf, labelOf } from '../field-labels.ts';
export type Record = Readonly<{ [field: string]: unknown }>;

/** A field we know: the service's name for it, and what stands over it. */
export interface KnownField {
  name: string;
  header: string;
  /** In a table that is too wide this column gives way first. */
  optional?: boolean | 'last';
  /** Said instead of the bare value. */
  cell?: (value: unknown, record: Record) => Cell;
}

/** The names of declared fields: the columns that programs get, in the order a person sees. */
export const columnsOf = (fields: readonly KnownField[]): readonly string[] => fields.map(({ name }) => name);

/** Our own figures in a document; views say them in words of their own. */
const DERIVED = 'derived';

const isSent = (records: readonly Record[], name: string): boolean =>
  records.some((record) => ownField(record, name) !== undefined);

/** Fields that came and that we do not know, in the order of their first appearance. */
export function unknownFields(records: readonly Record[], known: readonly string[]): readonly string[] {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  for (const name of [...known, DERIVED]) names.delete(name);
  return [...names];
}

/** A table of records. A known field that no record has takes no column; one that some lack is a dash there. */
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

/** One record as names and values: known fields first, a missing one as a dash when `always` names it. */
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

/**
 * Records as lines for a pipe: under what names each of them, the known fields that came, each after its name.
 * `key`: the fields that tell one record from another, which are not said twice.
 */
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
