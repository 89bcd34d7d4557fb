/** CSV as another program reads it, and JSON laid flat the way its columns are named. */
import { Big } from 'big.js';
import { parse } from 'csv-parse/sync';
import { readOwnJson, writeExactJson } from '../../src/domain/exact-json.ts';

/** The records of a CSV, each cell under its column's name. */
export const readCsv = (text: string): readonly Readonly<Record<string, string>>[] =>
  parse(text, { columns: true });

/** The lines as they are, the line of names among them. */
export const csvLines = (text: string): readonly (readonly string[])[] => parse(text);

/** The rows of a document on standard output: its list, or the one object it holds, laid flat. */
export function flatRows(json: string): readonly Readonly<Record<string, string>>[] {
  const { data } = Object(readOwnJson(json));
  const records: readonly unknown[] = Array.isArray(data) ? data : [data];
  return records.map((record) => Object.fromEntries(cellsOf(record, '')));
}

/** Without the cells that are empty: absent and null are the same in CSV. */
export const filled = (
  rows: readonly Readonly<Record<string, string>>[],
): readonly Readonly<Record<string, string>>[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')));

function cellsOf(value: unknown, name: string): (readonly [string, string])[] {
  if (value === null || value === undefined) return [];
  if (value instanceof Big) return [[name, value.toFixed()]];
  if (typeof value === 'string') return [[name, value]];
  if (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, inner]) =>
      cellsOf(inner, name === '' ? key : `${name}.${key}`),
    );
  return [[name, writeExactJson(value)]];
}
