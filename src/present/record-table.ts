/**
 * A list as columns over rows, for programs that read tables: the document's own records, what is nested in
 * them under names joined by dots. Every field of every record has a column. Knows no format of a file.
 */

/** What a list command declares: the columns that always stand, in their order, over the document's records. */
export interface RecordTable {
  columns: readonly string[];
  records: readonly unknown[];
}

export interface FlatTable {
  /** Those declared, then further fields in the order of their first appearance. */
  columns: readonly string[];
  /** Undefined where a record has no such field, null where it says so. */
  rows: readonly (readonly unknown[])[];
}

/** The column of a record that is no object: a bare price, an element of a list. */
const BARE = 'value';
/** Objects nested deeper are one cell. */
const DEEPEST = 6;

export function flatTable({ columns, records }: RecordTable): FlatTable {
  const flat = records.map(flatten);
  const named = [...new Set([...columns, ...flat.flatMap((fields) => [...fields.keys()])])];
  const groups = new Set(named.flatMap(groupsAbove));
  const filled = (name: string): boolean => flat.some((fields) => (fields.get(name) ?? null) !== null);
  // `refusal: null` beside `refusal.code` says nothing that the empty cells under it don't.
  const shown = named.filter((name) => columns.includes(name) || filled(name) || !groups.has(name));
  return { columns: shown, rows: flat.map((fields) => shown.map((name) => fields.get(name))) };
}

/** `{ a: { b: 1 } }` → `a.b`; a dot that is part of a field's own name is written `\.`. Lists stay whole. */
function flatten(record: unknown): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  const visit = (value: unknown, path: readonly string[]): void => {
    if (isGroup(value) && path.length < DEEPEST)
      for (const [name, inner] of Object.entries(value)) visit(inner, [...path, ownName(name)]);
    else fields.set(path.length === 0 ? BARE : path.join('.'), value);
  };
  visit(record, []);
  return fields;
}

const ownName = (name: string): string => name.replace(/[\\.]/g, String.raw`\$&`);

/** A plain object with something in it; decimals and lists are values. */
const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null) &&
  Object.keys(value).length > 0;

/** `a.b.c` → `a`, `a.b`. */
const groupsAbove = (name: string): readonly string[] =>
  [...name.matchAll(/(?<!\\)(?:\\\\)*\./g)].map(({ index, 0: dot }) => name.slice(0, index + dot.length - 1));
