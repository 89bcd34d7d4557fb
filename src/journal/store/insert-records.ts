/** Appends records to a database in the caller's transaction: their chain, and the tables that are derived from them. */
import { recordHash } from '../chain.ts';
import { readStamp } from '../stamp.ts';
import { UnstorableRecord } from './append-error.ts';
import { SIMILAR, similarFormIn, writeSummary } from './derived-tables.ts';
import { JournalDamage, type JournalDatabase } from './journal-database.ts';
import { nextVersion } from './log-fits.ts';
import { hasRecord, headOf, type JournalHead, parseRecord, recordOfLog } from './record-rows.ts';
import { RecordSource } from './record-source.ts';

export interface NewRecord {
  id: string;
  /** The exact text. */
  record: string;
  stamp?: string;
}

/**
 * Within `db.writing`. A record that is there already, by its ID, is passed over. Returns the head.
 * @throws JournalDamage when the database contradicts itself; Error for a text that is no record.
 */
export function insertRecords(db: JournalDatabase, records: Iterable<NewRecord>): JournalHead {
  let { seq, hash } = headOf(db);
  if (seq > MOST) throw new JournalDamage(db.path, 'the number of its last record is too large');
  const source = new RecordSource(db);
  const summary = source.summary();
  for (const { id, record, stamp = '' } of records) {
    if (hasRecord(db, id)) continue;
    const read = stamp === '' ? parseRecord(record) : recordOfLog(record);
    // Never writes a record that could not be read back.
    if (typeof read === 'string') throw new UnstorableRecord(read);
    seq += 1;
    hash = recordHash(hash, { id, record, stamp });
    db.run(
      'INSERT INTO records (seq, id, record, stamp, hash) VALUES (?, ?, ?, ?, ?)',
      seq,
      id,
      record,
      stamp,
      Buffer.from(hash, 'hex'),
    );
    const similar = similarFormIn(read);
    if (similar !== undefined)
      db.run('INSERT INTO lookup (name, value, seq) VALUES (?, ?, ?)', SIMILAR, similar, seq);
    summary.add({ record: read, seq, stamp: readStamp(stamp) }, source);
  }
  if (seq > 0) writeSummary(db, summary, hash);
  countCommit(db);
  return { seq, hash };
}

/** In the transaction of each commit: a log is known by it (log-fits.ts). */
export function countCommit(db: JournalDatabase): void {
  const version = Number(db.get('SELECT user_version FROM pragma_user_version')?.['user_version']);
  db.exec(`PRAGMA user_version = ${nextVersion(version).toString()}`);
}

const MOST = 2 ** 48;
