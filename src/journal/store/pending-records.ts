/**
 * `pending.sqlite`: records that the journal could not take, as it was damaged, rewound or in use. They count at once, and go into
 * the journal with its next append.
 */
import type { Host } from '../../platform/host.ts';
import type { JournalRecord } from '../records.ts';
import { JournalDamage, type JournalDatabase } from './journal-database.ts';
import { countCommit, type NewRecord } from './new-records.ts';
import { hasRecord, numberedAt, storedRecords } from './record-rows.ts';
import type { KeptOpen } from './schema.ts';
import { readLastWritten, writePendingMark } from './witness.ts';

export interface PendingRecord extends NewRecord {
  /** The parsed text. */
  read: JournalRecord;
}

export type Pending = readonly PendingRecord[];

/** In order, also what the journal has already; none where that is damaged. @throws DamagedFileError for another fault */
export function pendingNow(kept: KeptOpen): { all: Pending; damage?: JournalDamage } {
  try {
    const db = kept.database();
    return { all: db === undefined ? [] : allPending(db) };
  } catch (error) {
    if (!(error instanceof JournalDamage)) throw error;
    return { all: [], damage: error };
  }
}

/** In order. @throws JournalDamage */
export const allPending = (pending: JournalDatabase): Pending =>
  pending.reading(() =>
    [...storedRecords(pending)].map(({ seq, id, record, stamp }) => ({
      id,
      record,
      stamp,
      read: numberedAt(pending, seq).record,
    })),
  );

/** The pending records that the journal lacks: a process may have died before it removed that from the pending ones. */
export const notIn = (journal: JournalDatabase | undefined, all: Pending): Pending =>
  all.filter(({ id }) => !hasRecord(journal, id));

/**
 * Removes what the journal has now, and the mark; nothing while some wait. `pending`: undefined where it is gone. A mark whose
 * record is lost stays, unless a person accepts that.
 */
export function clearPending(
  state: string,
  host: Host,
  {
    pending,
    journal,
    acceptsLoss = false,
  }: { pending: JournalDatabase | undefined; journal: JournalDatabase; acceptsLoss?: boolean },
): void {
  if (pending !== undefined && !emptyPending(pending, (all) => notIn(journal, all))) return;
  const { mark } = readLastWritten(state, host);
  if (acceptsLoss || (mark !== undefined && hasRecord(journal, mark)))
    writePendingMark(state, host, undefined);
}

/** False where some are still `waiting`, as another process may have added to it since. */
export function emptyPending(pending: JournalDatabase, waiting: (all: Pending) => Pending): boolean {
  return pending.writing(() => {
    if (waiting(allPending(pending)).length > 0) return false;
    for (const table of ['records', 'lookup', 'summary']) pending.exec(`DELETE FROM ${table}`);
    countCommit(pending);
    return true;
  });
}
