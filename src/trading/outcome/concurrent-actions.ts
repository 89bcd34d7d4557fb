/** Decides whether a change includes this action, given the other pending adds and reductions of this machine. Pure. */
import { Big } from 'big.js';
import { expectedEffect } from '../../domain/expected-effect.ts';
import { sizeTolerance } from '../../domain/exposure.ts';
import { exactInstant } from '../../domain/instants.ts';
import { isOn } from '../../journal/queries.ts';
import type { IntentRecord } from '../../journal/records.ts';
import { type Action, maybeExecuted } from '../../journal/replay.ts';
import type { JournalState } from '../../journal/state.ts';
import { NOT_SEEN_AFTER_MS } from '../idempotency-window.ts';

/** `lookedAtMs`: start of the reading. */
export function concurrentActions(
  action: Action,
  actions: readonly Action[],
  lookedAtMs: number,
): readonly ConcurrentAction[] {
  return aboutWith(action, actions).flatMap((it) =>
    isInBefore(it, action, actions) ? [] : [otherOf(it, action, lookedAtMs)],
  );
}

/**
 * Those of the journal that may explain a change of the side since before `action`: of its own time, and of the time of
 * the actions that were pending with it.
 */
export function actionsAround(action: Action, state: Pick<JournalState, 'since'>): readonly Action[] {
  const about = state.since(windowOf(action));
  const first = aboutWith(action, about).map(windowOf).toSorted()[0] ?? windowOf(action);
  return first < windowOf(action) ? state.since(first) : about;
}

/** The moment of an action: others that had ended by then were over. */
const windowOf = ({ intent }: Action): string =>
  exactInstant(Math.min(readAt(intent), Date.parse(intent.at)));

/** The change that it makes to the side, in USD, signed; undefined for another effect. */
function changeOf({ intent }: Action): Big | undefined {
  const effect = expectedEffect(intent);
  switch (effect.kind) {
    case 'notional':
      return effect.change;
    case 'new_hedge':
    case 'side_gone':
      return undefined;
    default:
      return effect satisfies never;
  }
}

function aboutWith(action: Action, actions: readonly Action[]): readonly Action[] {
  const { intent } = action;
  if (changeOf(action) === undefined) return [];
  return actions.filter(
    (it) =>
      it.id !== action.id &&
      changeOf(it) !== undefined &&
      isOn(it, intent) &&
      maybeExecuted(it) &&
      !wasOverBy(readAt(intent), it),
  );
}

const otherOf = (it: Action, { intent }: Action, lookedAtMs: number): ConcurrentAction => ({
  shortId: it.shortId,
  change: changeOf(it) ?? new Big(0),
  // Sent after the first reading, with an outcome before the second.
  executed:
    it.state === 'done' &&
    Date.parse(it.intent.at) > Date.parse(intent.at) &&
    Date.parse(it.outcome?.at ?? it.changedAt) <= lookedAtMs,
});

/** Older records lack the time of the reading: it was at most this long before. */
const READ_BEFORE_MS = 5_000;

/** Start of the reading before an action, in milliseconds. */
export const readAt = ({ before, at }: IntentRecord): number =>
  before.read_at === undefined ? Date.parse(at) - READ_BEFORE_MS : Date.parse(before.read_at);

/** It had an outcome by then, or had been without one for too long. */
function wasOverBy(ms: number, { state, outcome, changedAt }: Action): boolean {
  const isEnded = state === 'done' || state === 'settled' || outcome?.kind === 'not_seen';
  if (isEnded && Date.parse(outcome?.at ?? changedAt) <= ms) return true;
  return Date.parse(changedAt) + NOT_SEEN_AFTER_MS <= ms;
}

/** Whether the state before an action already includes an earlier one. */
function isInBefore(earlier: Action, action: Action, actions: readonly Action[]): boolean {
  const own = changeOf(earlier);
  const seen = between(earlier.intent.before, action.intent.before);
  if (own === undefined || seen === undefined || earlier.intent.at > action.intent.at) return false;
  const ms = readAt(action.intent);
  const others = aboutWith(earlier, actions)
    .filter(({ id }) => id !== action.id)
    .map((it) => otherOf(it, earlier, ms));
  const tolerance = sizeTolerance(earlier.intent.before.hedges.length * (others.length + 1));
  return attributeChange(seen, { own, others, tolerance }) === 'ours';
}

/** The change of the hedges from one reading to the next, in USD; undefined if a size is not known. */
function between(first: IntentRecord['before'], next: IntentRecord['before']): Big | undefined {
  const then = new Map(next.hedges.map(({ hedge_id: id, notional_usd: size }) => [id, size]));
  let change = new Big(0);
  for (const { hedge_id: id, notional_usd: size } of first.hedges) {
    const later = then.has(id) ? then.get(id) : '0';
    if (size === null || later === null || later === undefined) return undefined;
    change = change.plus(later).minus(size);
  }
  return change;
}

export interface ConcurrentAction {
  shortId: string;
  /** USD, signed. */
  change: Big;
  /** It is surely part of the change; otherwise it may be. */
  executed: boolean;
}

/**
 * `ours`: the change includes this action. `others`: it does not. `either`: ambiguous. `neither`: the actions of this
 * machine do not explain the change.
 */
export type Attribution = 'ours' | 'others' | 'either' | 'neither';

/** The result for more actions is ambiguous anyway, and the sums too many. */
const MOST = 12;

/** `seen` and `own` in USD, signed; `tolerance` for rounding by the service. */
export function attributeChange(
  seen: Big,
  { own, others, tolerance = new Big(0) }: { own: Big; others: readonly ConcurrentAction[]; tolerance?: Big },
): Attribution {
  const open = others.filter(({ executed }) => !executed);
  if (open.length > MOST) return 'either';
  const rest = others.reduce((left, { executed, change }) => (executed ? left.minus(change) : left), seen);
  const sums = sumsOf(open.map(({ change }) => change));
  const isOneOf = (wanted: Big): boolean => sums.some((each) => each.minus(wanted).abs().lte(tolerance));
  const withIt = isOneOf(rest.minus(own));
  const without = isOneOf(rest);
  if (withIt) return without ? 'either' : 'ours';
  return without ? 'others' : 'neither';
}

/** Every sum of a subset, once. */
function sumsOf(changes: readonly Big[]): readonly Big[] {
  const sums = new Map([['0', new Big(0)]]);
  for (const change of changes) {
    const withIt = [...sums.values()].map((each) => each.plus(change));
    for (const each of withIt) sums.set(each.toFixed(), each);
  }
  return [...sums.values()];
}
