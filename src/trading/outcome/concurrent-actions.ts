/**
 * Additions and reductions of ours that may be part of what is seen on a side, besides the one that is asked
 * about: what was dealt from here at about the same time is no colleague's, and is not counted twice. Pure.
 *
 * Of a change that is seen and several actions of ours that may have made it: whether one of them is in it.
 * Pure sums; which actions come into question is our-others.ts's to say.
 */
import { Big } from 'big.js';
import { createsHedge, enlarges, takesWholeSide } from '../../domain/action-table.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import type { IntentRecord } from '../../journal/records.ts';
import { type Action, maybeExecuted } from '../../journal/replay.ts';
import { NOT_SEEN_AFTER_MS } from '../idempotency-window.ts';
/** `lookedAtMs`: when the reading began that the action is looked for in. */
export function concurrentActions(
  action: Action,
  actions: readonly Action[],
  lookedAtMs: number,
): readonly ConcurrentAction[] {
  return aboutWith(action, actions).flatMap((it) =>
    isInBefore(it, action, actions) ? [] : [otherOf(it, action, lookedAtMs)],
  );
}

/** Signed: what an action of this kind makes of its side, in USD; undefined of an open or a close. */
function changeOf({ intent, notional }: Action): Big | undefined {
  if (createsHedge(intent) || takesWholeSide(intent)) return undefined;
  return enlarges(intent) ? notional : notional?.neg();
}

function aboutWith(action: Action, actions: readonly Action[]): readonly Action[] {
  const { intent } = action;
  if (changeOf(action) === undefined) return [];
  return actions.filter(
    (it) =>
      it.id !== action.id &&
      changeOf(it) !== undefined &&
      it.intent.market === intent.market &&
      it.intent.side === intent.side &&
      sameIdentity(it.intent.identity, intent.identity) &&
      maybeExecuted(it) &&
      !wasOverBy(readAt(intent), it),
  );
}

const otherOf = (it: Action, { intent }: Action, lookedAtMs: number): ConcurrentAction => ({
  shortId: it.shortId,
  change: changeOf(it) ?? new Big(0),
  // Sent after the side was read, and seen to end before it was read again.
  landed:
    it.state === 'done' &&
    Date.parse(it.intent.at) > Date.parse(intent.at) &&
    Date.parse(it.outcome?.at ?? it.changedAt) <= lookedAtMs,
});

/** The side was read this long, at most, before what was read went into a journal that does not say when. */
const READ_BEFORE_MS = 5_000;

/** When the reading of the side began that an action is measured against, in milliseconds. */
export const readAt = ({ before, at }: IntentRecord): number =>
  before.read_at === undefined ? Date.parse(at) - READ_BEFORE_MS : Date.parse(before.read_at);

/** It had ended by then, or was so long without an end that none was to come. */
function wasOverBy(ms: number, { state, outcome, changedAt }: Action): boolean {
  const isEnded = state === 'done' || state === 'settled' || outcome?.kind === 'not_seen';
  if (isEnded && Date.parse(outcome?.at ?? changedAt) <= ms) return true;
  return Date.parse(changedAt) + NOT_SEEN_AFTER_MS <= ms;
}

/** Whether the side that an action is measured against shows already what an earlier one did. */
function isInBefore(earlier: Action, action: Action, actions: readonly Action[]): boolean {
  const own = changeOf(earlier);
  const seen = between(earlier.intent.before, action.intent.before);
  if (own === undefined || seen === undefined || earlier.intent.at > action.intent.at) return false;
  const ms = readAt(action.intent);
  const others = aboutWith(earlier, actions)
    .filter(({ id }) => id !== action.id)
    .map((it) => otherOf(it, earlier, ms));
  return attributeChange(seen, { own, others }) === 'ours';
}

/** By how much the hedges of one reading are larger in the next, in USD; undefined where a size is not known. */
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
  /** It is in what is seen for certain; otherwise it may be or not. */
  landed: boolean;
}

/**
 * `ours`: it is in it, whichever others are. `others`: it is not. `either`: that cannot be told. `neither`: no
 * actions of ours make this change, with it or without it.
 */
export type Attribution = 'ours' | 'others' | 'either' | 'neither';

/** Of more, nobody can tell one apart. */
const MOST = 12;

/** `seen` and `own` in USD, signed; `tolerance`: what the service may have rounded. */
export function attributeChange(
  seen: Big,
  { own, others, tolerance = new Big(0) }: { own: Big; others: readonly ConcurrentAction[]; tolerance?: Big },
): Attribution {
  const open = others.filter(({ landed }) => !landed);
  if (open.length > MOST) return 'either';
  const rest = others.reduce((left, { landed, change }) => (landed ? left.minus(change) : left), seen);
  const sums = sumsOf(open.map(({ change }) => change));
  const isOneOf = (wanted: Big): boolean => sums.some((each) => each.minus(wanted).abs().lte(tolerance));
  const withIt = isOneOf(rest.minus(own));
  const without = isOneOf(rest);
  if (withIt) return without ? 'either' : 'ours';
  return without ? 'others' : 'neither';
}

/** What any of them may come to together, each sum once. */
function sumsOf(changes: readonly Big[]): readonly Big[] {
  const sums = new Map([['0', new Big(0)]]);
  for (const change of changes) {
    const withIt = [...sums.values()].map((each) => each.plus(change));
    for (const each of withIt) sums.set(each.toFixed(), each);
  }
  return [...sums.values()];
}
