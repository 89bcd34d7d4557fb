/**
 * Additions and reductions of ours that may be part of what is seen on a side, besides the one that is asked
 * about: what was dealt from here at about the same time is no colleague's, and is not counted twice. Pure.
 */
import { Big } from 'big.js';
import type { Action } from '../../journal/fold.ts';
import { mayStand } from '../../journal/fold.ts';
import { sameIdentity } from '../../journal/identity.ts';
import type { IntentRecord } from '../../journal/record.ts';
import { NOT_SEEN_AFTER_MS } from '../key-life.ts';
import { type OurOther, tell } from './tell-apart.ts';

/** `lookedAtMs`: when the reading began that the action is looked for in. */
export function ourOthers(
  action: Action,
  actions: readonly Action[],
  lookedAtMs: number,
): readonly OurOther[] {
  return aboutWith(action, actions).flatMap((it) =>
    isInBefore(it, action, actions) ? [] : [otherOf(it, action, lookedAtMs)],
  );
}

/** Signed: what an action of this kind makes of its side, in USD; undefined of an open or a close. */
function changeOf({ intent, notional }: Action): Big | undefined {
  if (intent.action === 'add') return notional;
  return intent.action === 'reduce' ? notional?.neg() : undefined;
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
      mayStand(it) &&
      !wasOverBy(readAt(intent), it),
  );
}

const otherOf = (it: Action, { intent }: Action, lookedAtMs: number): OurOther => ({
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
  return tell(seen, { own, others }) === 'ours';
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
