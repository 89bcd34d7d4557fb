/**
 * A list as columns over rows, for programs that read tables: the document's own records, their groups of
 * figures under names joined by dots. Every field of every record has a column. Knows no format of a file.
 */
/** What a list command declares: the columns that always stand, in their order, over the document's records. */
export interface RecordTable {
  columns: readonly string[];
  records: readonly unknown[];
  /** Where columns are not declared: those that tell which objects are groups of figures. */
  like?: readonly string[] | undefined;
}

export interface FlatTable {
  /** Those declared, then further fields in the order of their first appearance. */
  columns: readonly string[];
  /** Undefined where a record has no such field, null where it says so. */
  rows: readonly (readonly unknown[])[];
}

/** The column of a record that is no object: a bare price, an element of a list. */
const BARE = 'value';

/**
 * An object is laid open where a declared column lies in it. Any other one is a single cell: its names may be
 * ids or dates, and a table would grow a column for each.
 */
export function flatTable({ columns, records, like = columns }: RecordTable): FlatTable {
  const opened = new Set(like.flatMap(groupsAbove));
  const flat = records.map((record) => flatten(record, opened));
  const named = [...new Set([...columns, ...flat.flatMap((fields) => [...fields.keys()])])];
  const groups = new Set(named.flatMap(groupsAbove));
  const filled = (name: string): boolean => flat.some((fields) => (fields.get(name) ?? null) !== null);
  // `refusal: null` beside `refusal.code` says nothing that the empty cells under it don't.
  const shown = named.filter((name) => columns.includes(name) || filled(name) || !groups.has(name));
  return { columns: shown, rows: flat.map((fields) => shown.map((name) => fields.get(name))) };
}

/** `{ a: { b: 1 } }` → `a.b`; a dot that is part of a field's own name is written `\.`. */
function flatten(record: unknown, opened: ReadonlySet<string>): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  const visit = (value: unknown, way: string | undefined): void => {
    if (isObject(value) && (way === undefined || opened.has(way)))
      for (const [name, inner] of Object.entries(value))
        visit(inner, way === undefined ? ownName(name) : `${way}.${ownName(name)}`);
    else fields.set(way ?? BARE, value);
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
