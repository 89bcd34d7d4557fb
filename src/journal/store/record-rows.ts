/** The rows of `records`: read in order or one by one, each checked against its own hash. */
import { type Fields, fieldsIn } from '../../domain/fields.ts';
import { quoted } from '../../domain/quoted.ts';
import { DamagedFileError, unless } from '../../errors.ts';
import { type ChainedText, NO_RECORD, recordHash } from '../chain.ts';
import { type JournalRecord, recordSchema, SCHEMA } from '../records.ts';
import { readStamp } from '../stamp.ts';
import type { NumberedRecord } from '../summary.ts';
import { JournalDamage, type JournalDatabase, numberOf, textOf } from './journal-database.ts';

const HASH = 'lower(hex(hash)) AS hash';
const COLUMNS = `seq, id, record, stamp, ${HASH}`;

/** @throws JournalDamage for a row that has other types. */
function storedOf(row: unknown, path: string): StoredRecord {
  const [seq, id, record, stamp, hash]: readonly unknown[] = Array.isArray(row) ? row : [];
  if (
    typeof seq === 'number' &&
    typeof id === 'string' &&
    typeof record === 'string' &&
    typeof stamp === 'string' &&
    typeof hash === 'string'
  )
    return { seq, id, record, stamp, hash };
  throw new JournalDamage(path, 'a row of its records has other types');
}

/** Whether a record is the next one after `head`, and what its hash says. */
export const isNextOf = (head: JournalHead, stored: StoredRecord): boolean =>
  stored.seq === head.seq + 1 && recordHash(head.hash, stored) === stored.hash;

/** The last record: its number and hash; 0 and `NO_RECORD` without one. */
export interface JournalHead {
  seq: number;
  hash: string;
}

/** Numbered from 1. */
export interface StoredRecord extends ChainedText, JournalHead {}

export const NO_HEAD: JournalHead = { seq: 0, hash: NO_RECORD };

/** `db` is undefined where there is none. */
export function headOf(db: JournalDatabase | undefined): JournalHead {
  const row = db?.get(`SELECT seq, ${HASH} FROM records WHERE seq = (SELECT max(seq) FROM records)`);
  if (db === undefined || row === undefined) return NO_HEAD;
  return { seq: numberOf(row, 'seq', db.path), hash: textOf(row, 'hash', db.path) };
}

/** The hash of a record; undefined when there is none. */
export function hashAt(db: JournalDatabase, seq: number): string | undefined {
  if (seq === 0) return NO_RECORD;
  const row = db.get(`SELECT ${HASH} FROM records WHERE seq = ?`, seq);
  return row && textOf(row, 'hash', db.path);
}

/** By its ID. `db` is undefined where there is none. */
export const hasRecord = (db: JournalDatabase | undefined, id: string): boolean =>
  db?.get('SELECT seq FROM records WHERE id = ?', id) !== undefined;

const PAGE = 256;

/** In order, `from` and `to` included, not checked; none without a database. Page by page, so that no writer waits. @throws JournalDamage */
export function* storedRecords(
  db: JournalDatabase | undefined,
  {
    from = 1,
    to = Number.MAX_SAFE_INTEGER,
    table = 'records',
  }: { from?: number; to?: number | undefined; table?: string } = {},
): Generator<StoredRecord> {
  if (db === undefined) return;
  for (let next = from; next <= to; ) {
    const rows = db.lists(
      `SELECT ${COLUMNS} FROM ${table} WHERE seq >= ? AND seq <= ? ORDER BY seq LIMIT ${PAGE.toString()}`,
      next,
      to,
    );
    for (const row of rows) {
      const stored = storedOf(row, db.path);
      yield stored;
      next = stored.seq + 1;
    }
    if (rows.length < PAGE) return;
  }
}

/** Whatever can still be read of a damaged database, in order. Never throws. */
export function* readableRecords(db: JournalDatabase): Generator<StoredRecord> {
  const last = lastReadable(db);
  for (let seq = 1; seq <= last; seq += 1) {
    const stored = rowAt(db, seq);
    if (stored !== undefined) yield stored;
  }
}

const rowAt = (db: JournalDatabase, seq: number): StoredRecord | undefined =>
  unless(DamagedFileError, () => {
    const [row] = db.lists(`SELECT ${COLUMNS} FROM records WHERE seq = ?`, seq);
    return row === undefined ? undefined : storedOf(row, db.path);
  });

/** More than a journal has: a flipped bit makes a larger number. */
const MOST = 100_000_000;

/** The last number that any way of looking finds; 0 where none does. */
function lastReadable(db: JournalDatabase): number {
  const ways = [
    'SELECT max(seq) AS seq FROM records',
    "SELECT max(seq) AS seq FROM lookup WHERE name = 'kind'",
  ];
  const found = ways.map((sql) => {
    const seq = unless(DamagedFileError, () => db.get(sql)?.['seq']);
    return typeof seq === 'number' && seq <= MOST ? seq : 0;
  });
  // A damaged page may hide the end of the table from all of them.
  return Math.max(...found) + (found.includes(0) ? PAGE : 1);
}

/** A record and its stamp. @throws JournalDamage as `recordsBetween` */
export function numberedAt(db: JournalDatabase, seq: number): NumberedRecord {
  const [numbered] = recordsBetween(db, seq, seq);
  if (numbered === undefined) throw new Error('a range of one record is empty');
  return numbered;
}

/**
 * Records whose own hashes hold, and that of the next one: a text may have been changed and its hash made again.
 * @throws JournalDamage also for one that is not there.
 */
export function recordsBetween(db: JournalDatabase, from: number, to: number): readonly NumberedRecord[] {
  const { path } = db;
  const rows = db
    .lists(`SELECT ${COLUMNS} FROM records WHERE seq BETWEEN ? AND ? ORDER BY seq`, from - 1, to + 1)
    .map((row) => storedOf(row, path));
  const before = rows.find(({ seq }) => seq === from - 1);
  const [all, first] = [rows.filter((each) => each !== before), from === 1 ? NO_RECORD : before?.hash];
  let [prev, next] = [first, from];
  for (const stored of all) {
    if (stored.seq !== next) break;
    if (prev === undefined || recordHash(prev, stored) !== stored.hash)
      throw new JournalDamage(path, `record ${stored.seq.toString()} is not what its hash says`);
    [prev, next] = [stored.hash, next + 1];
  }
  if (next <= to) throw new JournalDamage(path, `record ${next.toString()} is not there`);
  return all
    .filter(({ seq }) => seq <= to)
    .map(({ seq, record, stamp }) =>
      stamp === ''
        ? { seq, record: knownRecord(record, path, seq) }
        : { seq, record: recordOfLog(record), stamp: readStamp(stamp) },
    );
}

/** Parses a text that anybody with a login of the desk may have written; one that is no record of hedge becomes an `imported_line`. */
export function recordOfLog(text: string): JournalRecord {
  const record = parseRecord(text);
  if (typeof record !== 'string') return record;
  return { schema: SCHEMA, kind: 'imported_line', at: NO_TIME, how: record };
}

const NO_TIME = '1970-01-01T00:00:00.000Z';

/** Characters: a snapshot of more than ten thousand hedges has fewer. A planted text must not cost more. */
const MOST_TEXT = 8_000_000;
const TOO_LARGE = 'is too large';

/** Reads a text that was checked when it was written. @throws JournalDamage; DamagedFileError for one of a newer version. */
function knownRecord(text: string, path: string, seq: number): JournalRecord {
  if (text.length > MOST_TEXT) throw new JournalDamage(path, `record ${seq.toString()} ${TOO_LARGE}`);
  const record = recordIn(text);
  if (record !== undefined) return record;
  throw new DamagedFileError(path, {
    what: `Record ${seq.toString()} of ${path} was written by a newer version of hedge.`,
    hint: 'Use that version of hedge.',
  });
}

/**
 * Undefined for a text that is none. Its other fields were checked when it was written: that again takes as long as all
 * the rest.
 */
export function recordIn(text: string): JournalRecord | undefined {
  const read = fieldsIn(text);
  return isRecord(read) ? read : undefined;
}

const isRecord = (read: Fields): read is JournalRecord =>
  read['schema'] === SCHEMA && typeof read['kind'] === 'string' && typeof read['at'] === 'string';

/** Or how it is invalid, as the end of a sentence. */
export function parseRecord(text: string): JournalRecord | string {
  if (text.length > MOST_TEXT) return TOO_LARGE;
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return 'is not valid JSON';
  }
  return checkedRecord(read);
}

/** Or how it is invalid, as the end of a sentence. */
export function checkedRecord(read: unknown): JournalRecord | string {
  const parsed = recordSchema.safeParse(read);
  if (parsed.success) return parsed.data;
  const where = (parsed.error.issues[0]?.path ?? []).map(String).join('.');
  return where === '' ? 'is not a record' : `is not valid at ${quoted(where)}`;
}
