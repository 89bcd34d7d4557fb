/** The records of a database, where the journal's questions look them up. */
import type { RecordSource } from '../record-source.ts';
import type { StampedRecord } from '../replay.ts';
import { boundsOf, found, latestAt, newestOf, readSummary } from './derived-tables.ts';
import type { JournalDatabase } from './journal-database.ts';
import { hashAt, headOf, recordsBetween, stampedAt } from './record-rows.ts';

/** Records that are kept in memory: they never change. */
const MOST_KEPT = 4_096;
/** Records between those that are asked for are read with them: most likely they are of the same actions. */
const NEARBY = 8;

export function databaseRecords(db: JournalDatabase): RecordSource {
  const kept = new Map<number, StampedRecord>();
  function read(from: number, to: number): void {
    if (kept.size > MOST_KEPT) kept.clear();
    for (const [at, record] of recordsBetween(db, from, to).entries()) kept.set(from + at, record);
  }
  return {
    records(seqs) {
      const missing = seqs.filter((seq) => !kept.has(seq));
      const [first, last] = [Math.min(...missing), Math.max(...missing)];
      if (last - first < NEARBY * missing.length) read(first, last);
      return seqs.map((seq) => {
        if (!kept.has(seq)) read(seq, seq);
        return kept.get(seq) ?? stampedAt(db, seq);
      });
    },
    found: (...by) => found(db, ...by),
    newestOf: (...page) => newestOf(db, ...page),
    boundsOf: (span) => boundsOf(db, span),
    latestAt: (...since) => latestAt(db, ...since),
    hashAt(seq) {
      // It is checked with its record.
      stampedAt(db, seq);
      const hash = hashAt(db, seq);
      return hash && Buffer.from(hash).toString('hex');
    },
    summary() {
      const { seq, hash } = headOf(db);
      return readSummary(db, seq === 0 ? undefined : hash);
    },
  };
}
