/** A state that goes on where a question finds damage: with what can still be read. */
import type { JournalState } from '../state.ts';
import type { JournalTrouble } from '../trouble.ts';
import { JournalDamage } from './journal-database.ts';

/** `trouble`: known before any question. `readable`: the state of what can still be read, made when it is needed. */
export function withoutStopping(
  state: JournalState,
  { trouble, readable }: { trouble: JournalTrouble | undefined; readable: () => JournalState },
): JournalState {
  let asked = state;
  let found = trouble;

  function fallBack(error: unknown): void {
    if (!(error instanceof JournalDamage) || asked !== state) throw error;
    found = { kind: 'damaged', path: error.path, what: error.what };
    asked = readable();
  }
  function ask<T>(question: (of: JournalState) => T): T {
    try {
      return question(asked);
    } catch (error) {
      fallBack(error);
      return question(asked);
    }
  }
  /** What was taken before the damage is not given again. */
  function* each<T>(question: (of: JournalState) => Iterable<T>, keyOf: (item: T) => string): Generator<T> {
    const taken = new Set<string>();
    try {
      for (const item of question(asked)) {
        taken.add(keyOf(item));
        yield item;
      }
      return;
    } catch (error) {
      fallBack(error);
    }
    for (const item of question(asked)) if (!taken.has(keyOf(item))) yield item;
  }

  return {
    path: state.path,
    get trouble() {
      return found;
    },
    get halt() {
      return ask((of) => of.halt);
    },
    get count() {
      return ask((of) => of.count);
    },
    get current() {
      return ask((of) => of.current);
    },
    find: (terms) => ask((of) => of.find(terms)),
    since: (at) => ask((of) => of.since(at)),
    openedOn: (identity, day, except) => ask((of) => of.openedOn(identity, day, except)),
    lastNotionals: (identity, except) => ask((of) => of.lastNotionals(identity, except)),
    recordsOf: (id) => ask((of) => of.recordsOf(id)),
    latestSince: (id) => ask((of) => of.latestSince(id)),
    newest: (span) =>
      each(
        (of) => of.newest(span),
        ({ id }) => id,
      ),
    halts: (span) => each((of) => of.halts(span), JSON.stringify),
    get rolls() {
      return ask((of) => of.rolls);
    },
    rollRecords: (span) => each((of) => of.rollRecords(span), JSON.stringify),
  };
}
