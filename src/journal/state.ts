/**
 * The journal at one moment, as pre-trade checks and commands query it: nothing in it needs every action at once. And its
 * implementation over records in memory. Pure.
 */
import type { Big } from 'big.js';
import { exactInstant } from '../domain/instants.ts';
import { once } from '../domain/once.ts';
import type { AccountIdentity } from './account-identity.ts';
import { type Halt, haltFrom } from './halt.ts';
import { LAST_DEALS, lastNotionals, openedOn } from './queries.ts';
import {
  type ActionRecord,
  type HaltRecord,
  isOfAction,
  isOfHalt,
  isOfRoll,
  type JournalRecord,
  type RollPlan,
  type RollRecord,
} from './records.ts';
import { type Action, type IsRunning, isEnded, replayRecords } from './replay.ts';
import type { JournalTrouble } from './trouble.ts';

/** Names of actions; an action that has one of them is found. */
export interface ActionTerms {
  /** Action IDs, or their beginnings of four digits or more. */
  ids?: readonly string[];
  keys?: readonly string[];
  /** Given by the operator. */
  dealIds?: readonly string[];
  /** Of the rolls that the actions are legs of. */
  chainIds?: readonly string[];
  /** Of the hedges that the actions opened or were accepted for. */
  hedgeIds?: readonly string[];
}

/** Times of intents. ISO 8601 UTC. */
export interface JournalSpan {
  from?: string | undefined;
  /** Excluded. */
  until?: string | undefined;
}

/**
 * Actions come oldest first unless said, in the order of their intents; a clock that was set back does not change it.
 * Two questions may return two objects for one action: compare IDs. A question may read more of the journal, as it was then.
 */
export interface JournalState {
  /** Of the database. */
  readonly path: string;
  /** Undefined when all is as it was written. A question may find it: look after asking. */
  readonly trouble: JournalTrouble | undefined;
  /** The halt of this machine; undefined without one. */
  readonly halt: Halt | undefined;
  /** How many actions it has. */
  readonly count: number;
  /** Not ended, and every action with a record of the last ten minutes, or of the future. */
  readonly current: readonly Action[];
  /** In the whole journal. */
  find(terms: ActionTerms): readonly Action[];
  /** With a record at or after this instant (ISO 8601 UTC), and `current`. */
  since(at: string): readonly Action[];
  /** USD of the opens and adds of a UTC day (`2026-11-20`), executed or possibly executed. */
  openedOn(identity: AccountIdentity, day: string, except?: string): Big;
  /** USD of the last twenty such of all days, newest first. `except`: the ID of an action that does not count. */
  lastNotionals(identity: AccountIdentity, except?: string): readonly Big[];
  /** Of an action, in order. */
  recordsOf(id: string): readonly ActionRecord[];
  /** The latest time in any record from the action's first one on; undefined without the action. ISO 8601 UTC. */
  latestSince(id: string): string | undefined;
  /** Newest first, read as far as they are taken. */
  newest(span?: JournalSpan): Iterable<Action>;
  /** Halts and their ends, newest first, read as far as they are taken. */
  halts(span?: JournalSpan): Iterable<HaltRecord>;
  /** Plans of rolls that no record ends, oldest first. */
  readonly rolls: readonly RollPlan[];
  /** Plans of rolls and their ends, newest first, read as far as they are taken. */
  rollRecords(span?: JournalSpan): Iterable<RollRecord>;
}

/** How long an action that has ended stays among the current ones. */
export const CURRENT_MS = 10 * 60_000;

/** Of records in memory, oldest first. */
export function stateOf(
  records: readonly JournalRecord[],
  {
    isRunning,
    nowMs,
    ...about
  }: Pick<JournalState, 'path' | 'trouble'> & { isRunning: IsRunning; nowMs: number },
): JournalState {
  const actions = replayRecords(records, isRunning);
  const steps = records.filter(isOfAction);
  const latest = once(() => {
    const times = new Map<string, string>();
    for (const { action_id: id, at } of steps) {
      const before = times.get(id);
      if (before === undefined || at > before) times.set(id, at);
    }
    return times;
  });
  const recentFrom = exactInstant(nowMs - CURRENT_MS);
  const hasRecordSince = ({ id }: Action, at: string): boolean => (latest().get(id) ?? '') >= at;
  const isCurrent = (action: Action): boolean => !isEnded(action) || hasRecordSince(action, recentFrom);
  const current = once(() => actions.filter(isCurrent));
  const halts = records.filter(isOfHalt);
  return {
    ...about,
    halt: haltFrom(halts),
    count: actions.length,
    get current() {
      return current();
    },
    find: (terms) => withTerms(actions, terms),
    since: (at) => actions.filter((action) => isCurrent(action) || hasRecordSince(action, at)),
    openedOn: (identity, day, except) => openedOn(without(actions, except), identity, day),
    lastNotionals: (identity, except) => lastNotionals(without(actions, except), identity),
    recordsOf: (id) => steps.filter((each) => each.action_id === id),
    latestSince(id) {
      const first = records.findIndex((each) => isOfAction(each) && each.action_id === id);
      if (first === -1) return undefined;
      return records.slice(first).reduce((last, { at }) => (at > last ? at : last), '');
    },
    newest: (span) => actions.filter(({ intent }) => isIn(intent, span)).toReversed(),
    halts: (span) => halts.filter((each) => isIn(each, span)).toReversed(),
    get rolls() {
      return openRolls(records);
    },
    rollRecords: (span) =>
      records
        .filter(isOfRoll)
        .filter((each) => isIn(each, span))
        .toReversed(),
  };
}

/** The plans that no record ends, in the order of their plans. */
export function openRolls(records: readonly JournalRecord[]): readonly RollPlan[] {
  const plans = new Map<string, RollPlan>();
  for (const record of records.filter(isOfRoll)) {
    plans.delete(record.chain_id);
    if (record.kind === 'roll') plans.set(record.chain_id, record);
  }
  return [...plans.values()];
}

const without = (actions: readonly Action[], except: string | undefined): readonly Action[] =>
  except === undefined ? actions : actions.filter(({ id }) => id !== except);

const isIn = ({ at }: { at: string }, { from = '', until }: JournalSpan = {}): boolean =>
  at >= from && (until === undefined || at < until);

const ID = /^[0-9a-f]{4,16}$/;

export function withTerms(actions: readonly Action[], terms: ActionTerms): readonly Action[] {
  const { keys, dealIds, chainIds, hedgeIds } = terms;
  const ids = (terms.ids ?? []).map((each) => each.toLowerCase()).filter((each) => ID.test(each));
  const sets = {
    keys: new Set(keys),
    dealIds: new Set(dealIds),
    chainIds: new Set(chainIds),
    hedgeIds: new Set(hedgeIds),
  };
  return actions.filter(
    ({ id, hedgeId, intent }) =>
      ids.some((each) => id.startsWith(each)) ||
      sets.keys.has(intent.idempotency_key) ||
      (intent.deal_id !== undefined && sets.dealIds.has(intent.deal_id)) ||
      (intent.chain_id !== undefined && sets.chainIds.has(intent.chain_id)) ||
      (hedgeId !== undefined && sets.hedgeIds.has(hedgeId)),
  );
}

/** Undefined without the action. */
export const actionById = (state: Pick<JournalState, 'find'>, id: string): Action | undefined =>
  state.find({ ids: [id] }).find((each) => each.id === id);

/** With further actions, which are not on disk: the newest, and current. */
export function withActions(state: JournalState, more: readonly Action[]): JournalState {
  if (more.length === 0) return state;
  return {
    path: state.path,
    get trouble() {
      return state.trouble;
    },
    halt: state.halt,
    count: state.count + more.length,
    current: [...state.current, ...more],
    find: (terms) => [...state.find(terms), ...withTerms(more, terms)],
    since: (at) => [...state.since(at), ...more],
    openedOn: (identity, day, except) =>
      state.openedOn(identity, day, except).plus(openedOn(without(more, except), identity, day)),
    lastNotionals: (identity, except) =>
      [...lastNotionals(without(more, except), identity), ...state.lastNotionals(identity, except)].slice(
        0,
        LAST_DEALS,
      ),
    recordsOf: (id) => state.recordsOf(id),
    latestSince: (id) => state.latestSince(id),
    *newest(span) {
      yield* more.filter(({ intent }) => isIn(intent, span)).toReversed();
      yield* state.newest(span);
    },
    halts: (span) => state.halts(span),
    rolls: state.rolls,
    rollRecords: (span) => state.rollRecords(span),
  };
}
