/** The records of a database, where the journal's questions look them up. */
import { hexOf, isSameHash } from '../chain.ts';
import { type RecordSource, type ReplayedAction, replayedIn } from '../record-source.ts';
import { isOfAction } from '../records.ts';
import type { NumberedRecord } from '../summary.ts';
import { lookupsOf, readSummary } from './derived-tables.ts';
import type { JournalDatabase } from './journal-database.ts';
import { hashAt, headOf, type JournalHead, numberedAt, recordsBetween } from './record-rows.ts';

/** Parts of a database that were read. Records never change: they hold while the last one is still in the chain. */
interface Kept {
  last: JournalHead;
  records: Map<number, NumberedRecord>;
  actions: Map<string, ReplayedAction | undefined>;
}

const keptOf = new WeakMap<JournalDatabase, Kept>();
const MOST_KEPT = 4_096;
/** Records between those that are asked for are read with them: most likely they are of the same actions. */
const NEARBY = 8;

/** The records in the caller's transaction. @throws JournalDamage */
export function databaseRecords(db: JournalDatabase): RecordSource {
  const { last, records, actions } = keptNow(db);
  function read(from: number, to: number): void {
    if (records.size > MOST_KEPT) for (const each of [records, actions]) each.clear();
    // The caller's own new records may be rolled back.
    for (const each of recordsBetween(db, from, to)) if (each.seq <= last.seq) records.set(each.seq, each);
  }
  const source: Omit<RecordSource, 'replayed'> = {
    ...lookupsOf(db),
    records(seqs) {
      const missing = seqs.filter((seq) => !records.has(seq));
      const [first, end] = [Math.min(...missing), Math.max(...missing)];
      if (end - first < NEARBY * missing.length) read(first, end);
      return seqs.map((seq) => {
        if (!records.has(seq)) read(seq, seq);
        return records.get(seq) ?? numberedAt(db, seq);
      });
    },
    hashAt(seq) {
      // It is checked with its record.
      numberedAt(db, seq);
      const hash = hashAt(db, seq);
      return hash && hexOf(hash);
    },
    summary: () => readSummary(db, last.seq === 0 ? undefined : last.hash),
  };
  return {
    ...source,
    replayed(actionId) {
      const known = actions.get(actionId) ?? replayedIn(source, actionId);
      actions.set(actionId, known);
      return known;
    },
  };
}

function keptNow(db: JournalDatabase): Kept {
  const [last, known] = [headOf(db), keptOf.get(db)];
  const kept =
    known !== undefined && isContinued(db, known.last, last)
      ? known
      : { last, records: new Map(), actions: new Map() };
  const from = kept.last.seq + 1;
  const more = from > last.seq ? [] : recordsBetween(db, from, last.seq);
  for (const each of more) {
    kept.records.set(each.seq, each);
    if (isOfAction(each.record)) kept.actions.delete(each.record.action_id);
  }
  kept.last = last;
  keptOf.set(db, kept);
  return kept;
}

/** Not where an earlier state of the file was put back, or another process wrote very much. */
function isContinued(db: JournalDatabase, { seq, hash }: JournalHead, { seq: last }: JournalHead): boolean {
  const there = last - seq < MOST_KEPT ? hashAt(db, seq) : undefined;
  return there !== undefined && isSameHash(there, hash);
}
