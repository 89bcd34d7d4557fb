/** Reads the journal for `hedge journal` and bare `hedge`: matching actions, newest first, and its faults. No network. */

import type { Hedge } from '../client/schemas.ts';
import { exactInstant } from '../domain/instants.ts';
import { DamagedFileError, unless } from '../errors.ts';
import type { Halt } from '../journal/halt.ts';
import type { ActionRecord } from '../journal/records.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../journal/replay.ts';
import {
  type AccountClock,
  asRead,
  type ChainClock,
  type RollChain,
  unfinishedChains,
} from '../journal/roll-chains.ts';
import type { DeskView, JournalSpan, JournalState } from '../journal/state.ts';
import type { Journal } from '../journal/store/journal.ts';
import type { JournalTrouble } from '../journal/trouble.ts';
import type { Span } from './filter-records.ts';
import { findActions } from './find-actions.ts';
import { incompleteFinding } from './journal-trouble.ts';
import { type ActionFilter, matchesFilter } from './match-actions.ts';
import type { ReadContext } from './read-context.ts';

export interface JournalReading {
  /** Newest first. */
  actions: readonly Action[];
  /** How many match, also beyond the limit; undefined where that was not counted. */
  fitting: number | undefined;
  /** For one action: all its records, in order. */
  steps: readonly ActionRecord[] | undefined;
  trouble: JournalTrouble | undefined;
}

export interface JournalQuery extends ActionFilter {
  word: string | undefined;
}

/** @throws UsageError when no action matches the word; DamagedFileError when its records may be lost, or nothing can be read. */
export function readJournal(journal: Journal, query: JournalQuery): JournalReading {
  const state = journal.read();
  if (query.word !== undefined) {
    const named = findActions(state, query.word);
    const [only] = named.length === 1 ? named : [];
    const steps = only && state.recordsOf(only.id);
    return { actions: named.toReversed(), fitting: named.length, steps, trouble: state.trouble };
  }
  const page = readPage(state, query);
  return { ...page, steps: undefined, trouble: state.trouble };
}

/** How many actions are read beyond the page to count what matches: all of a long journal would take long. */
const COUNTED = 1_000;

function readPage(state: JournalState, query: JournalQuery): Pick<JournalReading, 'actions' | 'fitting'> {
  const { unresolved, inFlight, limit = Infinity } = query.filter;
  const actions: Action[] = [];
  let [fitting, beyond] = [0, 0];
  const isWhole = isUnfiltered(query);
  for (const action of unresolved || inFlight
    ? state.current.toReversed()
    : state.newest(textOf(query.span))) {
    if (actions.length >= limit) {
      beyond += 1;
      if (beyond > COUNTED) return { actions, fitting: undefined };
    }
    if (!isWhole && !matchesFilter(action, query)) continue;
    fitting += 1;
    if (fitting <= limit) actions.push(action);
    if (isWhole && fitting === limit) return { actions, fitting: state.count };
  }
  return { actions, fitting };
}

/** Newest first. @throws DamagedFileError when nothing can be read. */
export function readHalts(
  journal: Journal,
  { span, limit = Infinity }: { span: Span; limit: number | undefined },
) {
  const state = journal.read();
  return { halts: firstOf(state.halts(textOf(span)), limit), trouble: state.trouble };
}

export function firstOf<T>(all: Iterable<T>, limit: number): readonly T[] {
  const taken: T[] = [];
  for (const each of all) {
    if (taken.length >= limit) break;
    taken.push(each);
  }
  return taken;
}

const textOf = ({ fromMs, untilMs }: Span): JournalSpan => ({
  from: fromMs === undefined ? undefined : exactInstant(fromMs),
  until: untilMs === undefined ? undefined : exactInstant(untilMs),
});

const isUnfiltered = ({ filter: { limit: _limit, ...filter }, profile, span }: JournalQuery): boolean =>
  [profile, ...Object.values(span), ...Object.values(filter)].every(
    (each) => each === undefined || each === false,
  );

/** Coverage of a page of the journal, for `meta.covers`. */
export const journalCoverage = ({ actions, fitting }: Pick<JournalReading, 'actions' | 'fitting'>) => ({
  count: actions.length,
  from: actions.at(-1)?.intent.at ?? null,
  to: actions[0]?.intent.at ?? null,
  maybe_truncated: fitting === undefined || actions.length < fitting,
  fitting: fitting ?? null,
});

/** For bare `hedge`, which must work even when the journal cannot be read. */
export interface JournalSummary {
  unresolved: readonly Action[];
  inFlight: readonly Action[];
  /** Not finished. */
  rolls: readonly RollChain[];
  halt: Halt | undefined;
  /** Undefined for a journal of one machine. */
  desk: DeskView | undefined;
  trouble: JournalTrouble | undefined;
  /** Why nothing could be read. */
  unreadable: DamagedFileError | undefined;
}

export function summarizeJournal(journal: Journal, clock: AccountClock): JournalSummary {
  try {
    const state = journal.read();
    const newest = state.current.toReversed();
    return {
      unresolved: newest.filter(isUnresolved),
      inFlight: newest.filter(isAwaitingOutcome),
      rolls: unfinishedChains(state, clock),
      halt: state.halt,
      desk: state.desk,
      trouble: state.trouble,
      unreadable: undefined,
    };
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    const nothing = { unresolved: [], inFlight: [], rolls: [], halt: undefined, desk: undefined };
    return { ...nothing, trouble: undefined, unreadable: error };
  }
}

/** Undefined also when nothing can be read: then every action stops. */
export const haltNow = (journal: Journal): Halt | undefined =>
  unless(DamagedFileError, () => journal.read().halt);

/** Those that are not finished. `trouble`: some may be missing. */
export interface KnownRolls {
  chains: readonly RollChain[];
  trouble: JournalTrouble | undefined;
}

/** The rolls of the account; undefined when the journal cannot be read. `open`: hedges that were read now. */
export const rollsOf = (
  { journal, identity }: Pick<ReadContext, 'journal' | 'identity'>,
  clock: ChainClock,
  open: readonly Hedge[] = [],
): KnownRolls | undefined =>
  unless(DamagedFileError, () => {
    const state = journal.read();
    const chains = unfinishedChains(state, { ...clock, identity }).map((chain) => asRead(chain, open));
    return { chains, trouble: incompleteFinding(state.trouble) && state.trouble };
  });
