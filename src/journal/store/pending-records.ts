/**
 * `pending.sqlite`: records that the journal could not take, as it was damaged or in use. They count at once, and go into
 * the journal with its next append.
 */
import { once } from '../../domain/once.ts';
import type { Machine } from '../../platform/host.ts';
import { haltFrom } from '../halt.ts';
import { isOfAction, isOfHalt, isOfRoll, type JournalRecord } from '../records.ts';
import type { Action, IsRunning } from '../replay.ts';
import { type JournalState, openRolls, stateOf } from '../state.ts';
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

/** What the journal does not have already: a process may have died before it removed that from the pending ones. */
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

/** Unless another process has added to it since. */
export function emptyPending(pending: JournalDatabase, journal: JournalDatabase): void {
  pending.writing(() => {
    if (readPending(pending, journal).stored.length > 0) return;
    for (const table of ['records', 'terms', 'open_items', 'seals', 'identities', 'deals', 'totals'])
      pending.exec(`DELETE FROM ${table}`);
  });
}

/** The journal with its pending records. The last notionals are those of `base`: none of these begins an open or add. */
export function withPending(
  base: JournalState,
  records: readonly JournalRecord[],
  at: { isRunning: IsRunning; nowMs: number },
): JournalState {
  if (records.length === 0) return base;
  const steps = records.filter(isOfAction);
  const ids = [...new Set(steps.map(({ action_id: id }) => id))];
  const halts = records.filter(isOfHalt);
  const rolls = records.filter(isOfRoll);
  const about = { ...at, path: base.path, trouble: undefined };
  // Asked when it is needed: a question may find damage.
  const before = once(() =>
    stateOf(
      ids.flatMap((id) => base.recordsOf(id)),
      about,
    ),
  );
  const after = once(() => stateOf([...ids.flatMap((id) => base.recordsOf(id)), ...records], about));
  /** The changed ones in their places, as they are now, or behind the others. */
  const merged = (actions: readonly Action[], ofChanged: readonly Action[]): readonly Action[] => {
    const left = new Map(ofChanged.map((action) => [action.id, action]));
    const found = actions.flatMap((action) => {
      const now = ids.includes(action.id) ? left.get(action.id) : action;
      left.delete(action.id);
      return now ?? [];
    });
    return [...found, ...left.values()];
  };
  return {
    path: base.path,
    get trouble() {
      return base.trouble;
    },
    get halt() {
      return halts.length === 0 ? base.halt : haltFrom([...[...base.halts()].toReversed(), ...halts]);
    },
    get count() {
      return base.count - before().count + after().count;
    },
    get current() {
      return merged(base.current, after().current);
    },
    find: (terms) => merged(base.find(terms), after().find(terms)),
    since: (moment) => merged(base.since(moment), after().since(moment)),
    openedOn: (...of) =>
      base
        .openedOn(...of)
        .minus(before().openedOn(...of))
        .plus(after().openedOn(...of)),
    lastNotionals: (identity, except) => base.lastNotionals(identity, except),
    recordsOf: (id) => [...base.recordsOf(id), ...steps.filter((each) => each.action_id === id)],
    latestSince(id) {
      const known = base.latestSince(id);
      return known === undefined
        ? stateOf(records, about).latestSince(id)
        : records.reduce((last, { at: time }) => (time > last ? time : last), known);
    },
    *newest(span) {
      const begun = [...after().newest(span)].filter(({ id }) => before().recordsOf(id).length === 0);
      yield* begun;
      const now = new Map([...after().newest(span)].map((action) => [action.id, action]));
      for (const action of base.newest(span)) yield now.get(action.id) ?? action;
    },
    *halts(span) {
      yield* after().halts(span);
      yield* base.halts(span);
    },
    get rolls() {
      return openRolls([...base.rolls, ...rolls]);
    },
    *rollRecords(span) {
      yield* after().rollRecords(span);
      yield* base.rollRecords(span);
    },
  };
}
