/** New records: each gets an ID, an intent its short ID too. They are inserted with their chain and all that is derived from them. */
import { exactInstant } from '../../domain/instants.ts';
import { recordHash } from '../chain.ts';
import { type JournalRecord, mintId, type Operator, SCHEMA } from '../records.ts';
import { SHORTEST_ID } from '../replay.ts';
import { readStamp } from '../stamp.ts';
import { UnstorableRecord } from './append-error.ts';
import { neighborsOf, SIMILAR, similarFormIn, writeSummary } from './derived-tables.ts';
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

interface RandomBytes {
  bytes(count: number): Uint8Array;
}

/** By whom a command signs what it records. `who`: the name that is shown. */
export interface Signature {
  who: string;
  operator: Operator;
  version: string;
}

/** The fields of every record. */
export const signedAt = (nowMs: number, { operator, version }: Omit<Signature, 'who'>) =>
  ({ schema: SCHEMA, at: exactInstant(nowMs), operator, version }) as const;

export const newRecord = (record: JournalRecord, random: RandomBytes): NewRecord => ({
  id: mintId(random),
  record: JSON.stringify(record),
});

/**
 * `db`: where the IDs of earlier actions are; without it each intent is shown with its whole ID, for the journal, into which
 * it goes later, cannot be asked.
 */
export function newRecords(
  records: readonly JournalRecord[],
  db: JournalDatabase | undefined,
  random: RandomBytes,
): readonly NewRecord[] {
  const begun: string[] = [];
  return records.map((record) => {
    if (record.kind !== 'intent') return newRecord(record, random);
    const { action_id: actionId } = record;
    const neighbors = db === undefined ? [actionId] : [...neighborsOf(db, actionId), ...begun];
    begun.push(actionId);
    const shared = Math.max(0, ...neighbors.map((each) => sharedDigits(each, actionId)));
    const shortId = actionId.slice(0, Math.max(SHORTEST_ID, shared + 1));
    return newRecord({ ...record, short_id: shortId }, random);
  });
}

/** How many digits two IDs have in common at their beginning. */
export function sharedDigits(one: string, other: string): number {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
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
