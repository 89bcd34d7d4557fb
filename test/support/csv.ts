/** CSV as another program reads it, held against the JSON of the same list, cell by cell. */
import { Big } from 'big.js';
import { parse } from 'csv-parse/sync';
import { parseExactJson } from '../../src/domain/exact-json.ts';

/** The records of a CSV, each cell under its column's name. */
export const readCsv = (text: string): readonly Readonly<Record<string, string>>[] =>
  parse(text, { columns: true });

/** The lines as they are, the line of names among them. */
export const csvLines = (text: string): readonly (readonly string[])[] => parse(text);

/** Without the cells that are empty: absent and null are the same in CSV. */
export const filled = (
  rows: readonly Readonly<Record<string, string>>[],
): readonly Readonly<Record<string, string>>[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== '')));

/** The records of a document on standard output: its list, the one object it holds, or its groups of sums. */
export function recordsOf(json: string): readonly unknown[] {
  const { data } = Object(parseExactJson(json));
  if (Array.isArray(data)) return data;
  const groups: unknown = data?.derived?.groups;
  return Array.isArray(groups) ? groups : [data];
}

/**
 * Where CSV and JSON of a list say different things, in words; nothing when they are equal: as many rows as
 * records, every cell its field, and every field of every record in a cell.
 */
export function differences(csv: string, json: string): readonly string[] {
  const [header = [], ...rows] = csvLines(csv);
  const ways = header.map((name) => wayTo(withoutGuard(name)));
  const records = recordsOf(json);
  const of = (index: number): string => `row ${index.toString()}`;
  return [
    ...(new Set(header).size === header.length ? [] : [`a column twice: ${header.join(',')}`]),
    ...(rows.length === records.length
      ? []
      : [`${rows.length.toString()} rows of ${records.length.toString()} records`]),
    ...records.flatMap((record, index) => [
      ...ways.flatMap((way, column) => {
        const cell = rows[index]?.[column] ?? '';
        return holds(cell, fieldAt(record, way))
          ? []
          : [`${of(index)}, ${way.join('.')}: ${JSON.stringify(cell)}`];
      }),
      ...leavesOf(record)
        .filter((leaf) => !ways.some((way) => way.every((name, at) => name === leaf[at])))
        .map((leaf) => `${of(index)}: no column for ${leaf.join('.')}`),
    ]),
  ];
}

/** The apostrophe that keeps a text from being a formula is no part of it. */
const withoutGuard = (cell: string): string =>
  cell.replace(/^'(?='*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/u, '');

/** `a.b` → a, b; a dot with a backslash before it is one of the name's own. */
function wayTo(column: string): readonly string[] {
  const way: string[] = [];
  let name = '';
  for (let at = 0; at < column.length; at += 1) {
    if (column[at] === '.') {
      way.push(name);
      name = '';
    } else {
      if (column[at] === '\\') at += 1;
      name += column[at] ?? '';
    }
  }
  return [...way, name];
}

const fieldAt = (record: unknown, way: readonly string[]): unknown =>
  way.reduce<unknown>((at, name) => (isFields(at) && Object.hasOwn(at, name) ? at[name] : undefined), record);

/** What acts on a terminal is not in a cell. */
const ACTING = /(?![\t\n\r])[\p{Cc}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;

function holds(cell: string, field: unknown): boolean {
  if (field === undefined || field === null) return cell === '';
  if (typeof field === 'string') return withoutGuard(cell) === field.replace(ACTING, '\ufffd');
  if (field instanceof Big) return cell !== '' && new Big(cell).eq(field);
  if (typeof field === 'boolean') return cell === String(field);
  if (cell === '') return isFields(field) && leavesOf(field).length === 0;
  return JSON.stringify(parseExactJson(cell)) === JSON.stringify(field);
}

/** The ways to everything in it that says something. */
function leavesOf(value: unknown, way: readonly string[] = []): readonly (readonly string[])[] {
  if (value === null || value === undefined || value === '') return [];
  if (!isFields(value)) return [way];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...way, name]));
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Big);
