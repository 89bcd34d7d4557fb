/**
 * The tables that are derived from the records, kept in the same transaction: by which fields each is found, and the summary of
 * all. A page of a database has no hash, so a flipped bit could hide a record: each has something to agree with.
 */
import { hash } from 'node:crypto';
import { isSameHash } from '../chain.ts';
import { LOOKUPS, type Lookup, type RecordSource } from '../record-source.ts';
import { Summary } from '../summary.ts';
import {
  bytesOf,
  JournalDamage,
  type JournalDatabase,
  numberOf,
  type SqlRow,
  type SqlValue,
  textOf,
} from './journal-database.ts';

const inLookup = LOOKUPS.map((name) => `SELECT '${name}' AS name, NEW.${name} AS value`).join(' UNION ALL ');

/** Columns of `records`: they cannot disagree with the text of the record. */
export const LOOKUP_COLUMNS: readonly string[] = LOOKUPS.map(
  (name) => `${name} TEXT GENERATED ALWAYS AS (json_extract(record, '$.${name}')) VIRTUAL`,
);

/** Statements as SQLite stores their text. */
export const DERIVED_TABLES: readonly string[] = [
  ...LOOKUPS.map((name) => `CREATE INDEX records_${name} ON records (${name}) WHERE ${name} IS NOT NULL`),
  // The columns as they were when the record was inserted: what an index has, this table has too.
  'CREATE TABLE lookup (name TEXT NOT NULL, value TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (name, value, seq)) STRICT, WITHOUT ROWID',
  `CREATE TRIGGER records_lookup AFTER INSERT ON records BEGIN INSERT INTO lookup (name, value, seq) SELECT name, value, NEW.seq FROM (${inLookup}) WHERE value IS NOT NULL; END`,
  // One row. `seal`: SHA-256 of the hash of the last record and of the text.
  'CREATE TABLE summary (name TEXT PRIMARY KEY, text TEXT NOT NULL, seal BLOB NOT NULL) STRICT, WITHOUT ROWID',
];

/** Answers are asked of the index of a column and of `lookup`, and must agree. @throws JournalDamage */
export const lookupsOf = (
  db: JournalDatabase,
): Pick<RecordSource, 'found' | 'newestOf' | 'boundsOf' | 'latestAt'> => ({
  found(name, from, to = from) {
    const [condition, binds] = from === to ? ['= ?', [from]] : ['BETWEEN ? AND ?', [from, to]];
    const rows = agreed(
      db,
      name,
      (table, it) => `SELECT seq FROM ${table} AND ${it} ${condition} ORDER BY seq`,
      binds,
    );
    return rows.map((row) => numberOf(row, 'seq', db.path));
  },
  newestOf(kind, { before, first, most }) {
    const rows = agreed(
      db,
      'kind',
      (table, it) =>
        `SELECT seq FROM ${table} AND ${it} = ? AND seq < ? AND seq >= ? ORDER BY seq DESC LIMIT ?`,
      [kind, before, first, most],
    );
    return rows.map((row) => numberOf(row, 'seq', db.path));
  },
  boundsOf({ from, until }) {
    const [row] = agreed(
      db,
      'at',
      (table, it) => `SELECT min(seq) AS first, max(seq) AS last FROM ${table} AND ${it} >= ? AND ${it} < ?`,
      [from, until],
    );
    if (row === undefined || row['first'] === null) return undefined;
    return { first: numberOf(row, 'first', db.path), last: numberOf(row, 'last', db.path) };
  },
  latestAt(from, seq) {
    const [row] = agreed(
      db,
      'at',
      (table, it) =>
        `SELECT ${it} AS at FROM ${table} AND ${it} >= ? AND seq >= ? ORDER BY ${it} DESC LIMIT 1`,
      [from, seq],
    );
    return row && textOf(row, 'at', db.path);
  },
});

/** The IDs of actions next to this one in their order: they share the most digits with it. @throws JournalDamage */
export const neighborsOf = (db: JournalDatabase, id: string): readonly string[] =>
  (['max', 'min'] as const).flatMap((which) => {
    const than = which === 'max' ? '<' : '>=';
    const [row] = agreed(
      db,
      'action_id',
      (table, it) => `SELECT ${which}(${it}) AS id FROM ${table} AND ${it} ${than} ?`,
      [id],
    );
    return typeof row?.['id'] === 'string' ? row['id'] : [];
  });

/**
 * The rows of a query, asked in one snapshot of the index of a column and of `lookup`. `sql` gets the table with its
 * `WHERE`, and the name of the column there. @throws JournalDamage when they differ.
 */
function agreed(
  db: JournalDatabase,
  column: Lookup,
  sql: (table: string, it: string) => string,
  binds: readonly SqlValue[],
): readonly SqlRow[] {
  return db.reading(() => {
    const indexed = sql(`records INDEXED BY records_${column} WHERE ${column} IS NOT NULL`, column);
    const rows = db.all(indexed, ...binds);
    const others = db.all(sql(`lookup WHERE name = '${column}'`, 'value'), ...binds);
    if (rows.length === others.length && rows.every((row, at) => isSameRow(row, others[at] ?? {})))
      return rows;
    throw new JournalDamage(db.path, `what it has by ${column} is not what was written`);
  });
}

const isSameRow = (one: SqlRow, other: SqlRow): boolean =>
  Object.keys(one).every((name) => one[name] === other[name]);

const NAME = 'now';

/**
 * `head`: the hash of the last record; undefined without one.
 * @throws JournalDamage for a summary that is not what was written with that record.
 */
export function readSummary(db: JournalDatabase, head: Uint8Array | undefined): Summary {
  const row = db.get('SELECT text, seal FROM summary WHERE name = ?', NAME);
  if (row === undefined && head === undefined) return new Summary();
  const text = row === undefined ? '' : textOf(row, 'text', db.path);
  if (
    row !== undefined &&
    head !== undefined &&
    isSameHash(sealOf(text, head), bytesOf(row, 'seal', db.path))
  )
    return Summary.from(text);
  throw new JournalDamage(db.path, 'its list of open actions, rolls and halts is not what was written');
}

/** Within `db.writing`. */
export function writeSummary(db: JournalDatabase, { text }: Summary, head: Uint8Array): void {
  db.run(
    'INSERT OR REPLACE INTO summary (name, text, seal) VALUES (?, ?, ?)',
    NAME,
    text,
    sealOf(text, head),
  );
}

const sealOf = (text: string, head: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([head, Buffer.from(text)]), 'buffer');
