/** A list as columns and rows for CSV: groups of fields become columns named with dots; every field has a column. */
import { ownField } from '../domain/fields.ts';

/** Declared by a list command: its fixed columns, and the records of its document. */
export interface RecordTable {
  columns: readonly string[];
  records: readonly unknown[];
  /** Without declared columns: the columns that mark which objects are groups. */
  like?: readonly string[] | undefined;
  /** The columns to show, in order; undefined: all. */
  picked?: readonly string[] | undefined;
}

/** The column of a record that is not an object: a bare price, a list element. */
const BARE = 'value';

/**
 * Columns are the declared ones, then other fields in the order of their first appearance; a field that a record lacks is
 * undefined. Only objects with a declared column in them are split: in others, names may be IDs or dates.
 */
export function flatTable({ columns, records, like = columns, picked }: RecordTable) {
  const opened = new Set(like.flatMap(groupsAbove));
  const flat = records.map((record) => flatten(record, opened));
  const named = [...new Set([...columns, ...flat.flatMap((fields) => [...fields.keys()])])];
  const groups = new Set(named.flatMap(groupsAbove));
  const filled = (name: string): boolean => flat.some((fields) => (fields.get(name) ?? null) !== null);
  // `refusal: null` adds nothing to an empty `refusal.code`.
  const every = named.filter((name) => columns.includes(name) || filled(name) || !groups.has(name));
  const shown = picked ?? every;
  return { columns: shown, rows: flat.map((fields) => shown.map((name) => fields.get(name))) };
}

/** `{ a: { b: 1 } }` → `a.b`; a dot that is part of a field's own name is written `\.`. */
function flatten(record: unknown, opened: ReadonlySet<string>): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  const visit = (value: unknown, path: string | undefined): void => {
    if (isObject(value) && (path === undefined || opened.has(path)))
      for (const [name, inner] of Object.entries(value))
        visit(inner, path === undefined ? ownName(name) : `${path}.${ownName(name)}`);
    else fields.set(path ?? BARE, value);
  };
  visit(record, undefined);
  return fields;
}

const ownName = (name: string): string => name.replace(/[\\.]/g, String.raw`\$&`);

/** A plain object; decimals and lists are values. */
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null);

/** `a.b.c` → `a`, `a.b`. */
const groupsAbove = (name: string): readonly string[] =>
  [...name.matchAll(/(?<!\\)(?:\\\\)*\./g)].map(({ index, 0: dot }) => name.slice(0, index + dot.length - 1));

type OrNull<Value> = undefined extends Value ? Exclude<Value, undefined> | null : Value;

/** These fields in a document, where a field without a value is null. */
export function pickOrNull<Value extends object, Name extends keyof Value>(
  value: Value,
  names: readonly Name[],
): { [Each in Name]-?: OrNull<Value[Each]> };
export function pickOrNull(value: Readonly<Record<string, unknown>>, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, ownField(value, name) ?? null]));
}

/** The same fields in a document, where one without a value is null. */
export function withNulls<Value extends object>(
  value: Value,
): { [Each in keyof Value]-?: OrNull<Value[Each]> };
export function withNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, each ?? null]));
}
