/** The records of a database, where the journal's questions look them up. */
import type { RecordSource } from '../record-source.ts';
import type { JournalRecord } from '../records.ts';
import { boundsOf, found, latestAt, newestOf, readSummary } from './derived-tables.ts';
import type { JournalDatabase } from './journal-database.ts';
import { headOf, recordAt } from './record-rows.ts';

/** Records that are kept in memory: they never change. */
const MOST_KEPT = 4_096;

export function databaseRecords(db: JournalDatabase): RecordSource {
  const kept = new Map<number, JournalRecord>();
  return {
    record(seq) {
      const record = kept.get(seq) ?? recordAt(db, seq);
      if (kept.size === MOST_KEPT) kept.clear();
      kept.set(seq, record);
      return record;
    },
    found: (...by) => found(db, ...by),
    newestOf: (...page) => newestOf(db, ...page),
    boundsOf: (span) => boundsOf(db, span),
    latestAt: (...since) => latestAt(db, ...since),
    summary() {
      const { seq, hash } = headOf(db);
      return readSummary(db, seq === 0 ? undefined : hash);
    },
  };
}
