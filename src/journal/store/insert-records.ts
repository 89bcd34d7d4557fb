/** Appends records to a database in the caller's transaction: their chain, and the tables that are derived from them. */
import { NO_RECORD, recordHash } from '../chain.ts';
import { DerivedTables } from './derived-tables.ts';
import { bytesOf, JournalDamage, type JournalDatabase, numberOf } from './journal-database.ts';
import { countCommit } from './log-fits.ts';
import { parseRecord } from './record-rows.ts';

export interface NewRecord {
  id: string;
  /** The exact text. */
  record: string;
  stamp?: string;
}

/** The last record: its number and hash; 0 and 32 zero bytes without one. */
export interface JournalHead {
  seq: number;
  hash: Uint8Array;
}

export function headOf(db: JournalDatabase): JournalHead {
  const row = db.get('SELECT seq, hash FROM records WHERE seq = (SELECT max(seq) FROM records)');
  if (row === undefined) return { seq: 0, hash: NO_RECORD };
  return { seq: numberOf(row, 'seq', db.path), hash: bytesOf(row, 'hash', db.path) };
}

/** The hash of a record; undefined when there is none. */
export function hashAt(db: JournalDatabase, seq: number): Uint8Array | undefined {
  if (seq === 0) return NO_RECORD;
  const row = db.get('SELECT hash FROM records WHERE seq = ?', seq);
  return row && bytesOf(row, 'hash', db.path);
}

/** A batch of derived changes: they stay in memory until it is full. */
const BATCH = 5_000;

/**
 * Within `db.writing`. A record that is there already, by its ID, is passed over. Returns the head.
 * @throws JournalDamage when the database contradicts itself; Error for a text that is no record.
 */
export function insertRecords(db: JournalDatabase, records: Iterable<NewRecord>): JournalHead {
  let { seq, hash } = headOf(db);
  if (seq > MOST) throw new JournalDamage(db.path, 'the number of its last record is too large');
  const derived = new DerivedTables(db);
  let waiting = 0;
  for (const { id, record, stamp = '' } of records) {
    if (db.get('SELECT seq FROM records WHERE id = ?', id) !== undefined) continue;
    const read = parseRecord(record);
    // Never writes a record that could not be read back.
    if (typeof read === 'string') throw new Error(`a record for the journal ${read}`);
    seq += 1;
    hash = recordHash(hash, { id, record, stamp });
    db.run(
      'INSERT INTO records (seq, id, record, stamp, hash) VALUES (?, ?, ?, ?, ?)',
      seq,
      id,
      record,
      stamp,
      hash,
    );
    derived.add(read, seq);
    waiting += 1;
    if (waiting === BATCH) {
      derived.flush();
      waiting = 0;
    }
  }
  derived.flush();
  countCommit(db);
  return { seq, hash };
}

const MOST = 2 ** 48;
