/**
 * The tables that are derived from the records, kept in the same transaction: by which fields each is found, and the summary of
 * all. A page of a database has no hash, so a flipped bit could hide a record: each has something to agree with.
 */
import { hash } from 'node:crypto';
import { similarForm } from '../../domain/similar-ids.ts';
import type { JournalRecord } from '../records.ts';
import { Summary } from '../summary.ts';
import {
  JournalDamage,
  type JournalDatabase,
  type SqlRow,
  type SqlValue,
  textOf,
} from './journal-database.ts';
import type { JournalHead } from './record-rows.ts';

/** The fields by which the journal finds its records again. */
export const LOOKUPS = [
  'action_id',
  'idempotency_key',
  'deal_id',
  'chain_id',
  'hedge_id',
  'at',
  'kind',
] as const;

export type Lookup = (typeof LOOKUPS)[number];

/** Undefined for a record without the field. */
export function lookupIn(record: JournalRecord, name: Lookup): string | undefined {
  const fields: Partial<Record<Lookup, unknown>> = record;
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/** The name under which `lookup` has the form of a deal ID too: only a warning depends on it, and no column has it. */
export const SIMILAR = 'similar_deal_id';

/** Undefined for a record that is no intent with a deal ID. */
export const similarFormIn = (record: JournalRecord): string | undefined =>
  record.kind === 'intent' && record.deal_id !== undefined ? similarForm(record.deal_id) : undefined;

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

/** A query of a table, given with its `WHERE`, by a column, given as its name there. */
export type LookupSql = (table: string, it: string) => string;

/**
 * The rows of a query, asked in one snapshot of the index of a column and of `lookup`.
 * @throws JournalDamage when they differ.
 */
export function agreed(
  db: JournalDatabase,
  column: Lookup,
  sql: LookupSql,
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

/** `head`: the last record. @throws JournalDamage for a summary that is not what was written with it. */
export function readSummary(db: JournalDatabase, head: JournalHead): Summary {
  const row = db.get('SELECT text, lower(hex(seal)) AS seal FROM summary WHERE name = ?', NAME);
  if (row === undefined && head.seq === 0) return new Summary();
  const text = row === undefined ? '' : textOf(row, 'text', db.path);
  if (row !== undefined && head.seq > 0 && sealOf(text, head.hash) === textOf(row, 'seal', db.path))
    return Summary.from(text);
  throw new JournalDamage(db.path, 'its list of open actions, rolls and halts is not what was written');
}

/** Within `db.writing`. */
export function writeSummary(db: JournalDatabase, { text }: Summary, head: string): void {
  db.run(
    'INSERT OR REPLACE INTO summary (name, text, seal) VALUES (?, ?, ?)',
    NAME,
    text,
    Buffer.from(sealOf(text, head), 'hex'),
  );
}

const sealOf = (text: string, head: string): string =>
  hash('sha256', Buffer.concat([Buffer.from(head, 'hex'), Buffer.from(text)]), 'hex');

/** @throws JournalDamage when the summary is not the one that was made of all records again. */
export function checkSummary(db: JournalDatabase, made: Summary, head: JournalHead): void {
  if (readSummary(db, head).text !== made.text)
    throw new JournalDamage(db.path, 'its list of open actions, rolls and halts is not what its records say');
}
