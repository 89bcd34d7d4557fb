/**
 * `pending.sqlite`: records that the journal could not take, as it was damaged or in use. They count at once, and go into
 * the journal with its next append.
 */
import type { Machine } from '../../platform/host.ts';
import type { JournalRecord } from '../records.ts';
import type { NewRecord } from './insert-records.ts';
import type { JournalDatabase } from './journal-database.ts';
import { recordAt, storedRecords } from './record-rows.ts';
import { createJournalFile, openJournalFile, pendingFile } from './schema.ts';

/** Undefined when there is none. @throws DamagedFileError */
export const openPending = (state: string, { host }: Machine): JournalDatabase | undefined =>
  openJournalFile(pendingFile(state), host);

/** Made when it is absent. */
export function openOrMakePending(state: string, machine: Machine): JournalDatabase {
  const known = openPending(state, machine);
  if (known !== undefined) return known;
  createJournalFile(pendingFile(state), machine);
  const made = openPending(state, machine);
  if (made === undefined) throw new Error('the file that was just made is gone');
  return made;
}

export interface Pending {
  stored: readonly NewRecord[];
  records: readonly JournalRecord[];
}

export const NO_PENDING: Pending = { stored: [], records: [] };

/** In order, also what the journal has already. @throws JournalDamage */
export const allPending = (pending: JournalDatabase): Pending =>
  pending.reading(() => {
    const stored = [...storedRecords(pending)];
    return {
      stored: stored.map(({ id, record, stamp }) => ({ id, record, stamp })),
      records: stored.map(({ seq }) => recordAt(pending, seq)),
    };
  });

/** The pending records that the journal lacks: a process may have died before it removed that from the pending ones. */
export function notIn(journal: JournalDatabase | undefined, { stored, records }: Pending): Pending {
  const isWaiting = stored.map(
    ({ id }) => journal?.get('SELECT seq FROM records WHERE id = ?', id) === undefined,
  );
  return {
    stored: stored.filter((_, at) => isWaiting[at]),
    records: records.filter((_, at) => isWaiting[at]),
  };
}

/** In order, without what the journal has. @throws JournalDamage */
export const readPending = (pending: JournalDatabase, journal: JournalDatabase | undefined): Pending =>
  notIn(journal, allPending(pending));

/** Unless some are still `waiting`: another process may have added to it since. */
export function emptyPending(pending: JournalDatabase, waiting: (all: Pending) => Pending): void {
  pending.writing(() => {
    if (waiting(allPending(pending)).stored.length > 0) return;
    for (const table of ['records', 'lookup', 'summary']) pending.exec(`DELETE FROM ${table}`);
  });
}
