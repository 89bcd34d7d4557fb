/**
 * Queries over the journal's actions for pre-trade checks and commands: by ID, by side, duplicates, volume of a day, unresolved
 * actions. Pure.
 */
import type { Big } from 'big.js';
import {
  type ActionName,
  createsHedge,
  enlarges,
  type RecordedField,
  shrinks,
  takesWholeSide,
} from '../domain/action-table.ts';
import { sum } from '../domain/amounts.ts';
import { ownField } from '../domain/fields.ts';
import { exactInstant } from '../domain/instants.ts';
import { isSameSide, type SideOfMarket } from '../domain/vocabulary.ts';
import { type AccountIdentity, sameIdentity } from './account-identity.ts';
import { type Action, inFlight, isUnfinished, isUnresolved, maybeExecuted } from './replay.ts';

export interface AccountSide extends SideOfMarket {
  identity: AccountIdentity;
}

export interface DealTerms extends AccountSide {
  action: ActionName;
  /** USD; undefined for a close. */
  notional: Big | undefined;
  tenorDays: number | undefined;
  /** A size that was computed from prices or limits, as asked: it is the same deal also at another notional. */
  asked?: string | undefined;
  /** Given by the operator. */
  dealId: string | undefined;
}

const DUPLICATE_MS = 60_000;
export const LAST_DEALS = 20;

/** The latest action under an idempotency key of the account (specification §7). */
export const findByKey = (
  actions: readonly Action[],
  identity: AccountIdentity,
  key: string,
): Action | undefined =>
  actions.findLast((it) => it.intent.idempotency_key === key && sameIdentity(it.intent.identity, identity));

/** Oldest first. */
export const findByDealId = (
  actions: readonly Action[],
  identity: AccountIdentity,
  dealId: string,
): readonly Action[] =>
  actions.filter((it) => it.intent.deal_id === dealId && sameIdentity(it.intent.identity, identity));

/** The open that uses a deal ID: executed, possibly executed, or being sent. */
export const usedDealId = (
  actions: readonly Action[],
  identity: AccountIdentity,
  dealId: string,
): Action | undefined =>
  findByDealId(actions, identity, dealId).findLast((it) => createsHedge(it.intent) && maybeExecuted(it));

/** HTTP statuses of answers about the API key: they prove nothing about the idempotency key. */
export const UNAUTHORIZED: readonly number[] = [401, 403];

/** The service rejected the API key, so it stored nothing under the idempotency key. */
export const isKeyRejected = ({ state, refusal }: Action): boolean =>
  state === 'refused' && UNAUTHORIZED.includes(refusal?.httpStatus ?? 0);

/** Another request has the idempotency key, and may have been executed under it. */
export const isKeyTaken = ({ state, refusal }: Action): boolean =>
  state === 'refused' && refusal?.code === 'idempotency_key_reuse';

/** The same of answers about the API key or the moment. */
const PROVE_NOTHING: readonly number[] = [...UNAUTHORIZED, 408, 425, 429];

/** The code with which the service rejected the request itself: nothing was executed. */
export const definiteRejection = (action: Action): string | undefined =>
  action.state === 'refused' &&
  !isKeyTaken(action) &&
  !PROVE_NOTHING.includes(action.refusal?.httpStatus ?? 0)
    ? action.refusal?.code
    : undefined;

/** An open that was not found after none of its sends could arrive any more. */
export const wasNotExecuted = ({ intent, state, hedgeId, refusal }: Action): boolean =>
  createsHedge(intent) &&
  ((state === 'refused' && refusal?.looked === true) || (state === 'failed' && hedgeId === undefined));

/**
 * USD of the opens and adds of a UTC day (`2026-11-20`), executed or possibly executed. A partial fill counts in full,
 * since the rest may still fill.
 */
export const openedOn = (actions: readonly Action[], identity: AccountIdentity, day: string): Big =>
  sum(
    enlargements(
      actions.filter((it) => it.intent.at.startsWith(day)),
      identity,
    ),
  );

/** USD of the last twenty opens and adds, executed or possibly executed, newest first. */
export const lastNotionals = (actions: readonly Action[], identity: AccountIdentity): readonly Big[] =>
  enlargements(actions, identity).slice(-LAST_DEALS).toReversed();

/** USD of an open or add that was executed, or may have been; undefined for any other action. */
export const enlarged = (action: Action): Big | undefined =>
  enlarges(action.intent) && maybeExecuted(action) ? action.notional : undefined;

const enlargements = (actions: readonly Action[], identity: AccountIdentity): readonly Big[] =>
  actions.flatMap((it) => (sameIdentity(it.intent.identity, identity) ? (enlarged(it) ?? []) : []));

/**
 * Actions of the last minute on the same terms, and those that may still execute after it (`isOpenEnded`). Two
 * different deal IDs of the operator mean two trades; one deal ID alone does not.
 */
export function duplicatesOf(
  actions: readonly Action[],
  terms: DealTerms,
  { nowMs, isOpenEnded }: { nowMs: number; isOpenEnded: (action: Action) => boolean },
): readonly Action[] {
  return actions.filter((it) => {
    const { intent } = it;
    return (
      (maybeExecuted(it) || (it.recordedAs === 'nothing' && !hasKeyOf(it, terms))) &&
      isOn(it, terms) &&
      intent.action === terms.action &&
      Object.values(SAME_TERM).every((isSame) => isSame(it, terms)) &&
      (intent.deal_id === undefined || terms.dealId === undefined || intent.deal_id === terms.dealId) &&
      // After a clock was set back, an action seems to be in the future: that counts as recent.
      (nowMs - Date.parse(intent.at) < DUPLICATE_MS || isOpenEnded(it))
    );
  });
}

/** Two requests that differ in one of these are two trades. */
const SAME_TERM: Readonly<Record<RecordedField, (it: Action, terms: DealTerms) => boolean>> = {
  notional_usd: (it, { notional, asked }) =>
    sameAmount(it.notional, notional) || (asked !== undefined && asked === it.intent.asked),
  tenor_days: ({ intent }, { tenorDays }) => intent.tenor_days === tenorDays,
};

/** Sent again under this deal ID it has the same key, which executes once. */
const hasKeyOf = ({ intent }: Action, { dealId }: DealTerms): boolean =>
  intent.key_origin === 'deal_id' && intent.deal_id === dealId;

export const unresolvedOn = (actions: readonly Action[], place: AccountSide): readonly Action[] =>
  actions.filter((it) => isUnresolved(it) && isOn(it, place));

/** Accepted and pending, or being sent by a running process. */
export const inFlightOn = (actions: readonly Action[], place: AccountSide): readonly Action[] =>
  actions.filter((it) => (inFlight(it) || it.underway) && isOn(it, place));

/** Actions that conflict with another one on the side; `--despite` names those to ignore. */
export const conflictsOn = (actions: readonly Action[], place: AccountSide): readonly Action[] =>
  actions.filter((it) => isUnfinished(it) && isOn(it, place));

/**
 * Closes sent from this machine after `action` that saw all hedges it is compared with, and may have closed them. Newest
 * first.
 */
export function closesAfter(actions: readonly Action[], { id, intent }: Action): readonly Action[] {
  const ids = heldBefore(intent).map((it) => it.hedge_id);
  const seenBy = ({ before }: Action['intent']): boolean =>
    ids.length > 0 && ids.every((hedge) => before.hedges.some((it) => it.hedge_id === hedge));
  return actions
    .filter((it) => it.id !== id && takesWholeSide(it.intent) && maybeExecuted(it))
    .filter((it) => isOn(it, intent) && it.intent.at >= intent.at && seenBy(it.intent))
    .toReversed();
}

/** Reductions and closes sent from this machine on the same side after `action`, executed or possibly executed. */
export const reductionsSince = (actions: readonly Action[], action: Action): readonly Action[] =>
  since(actions, action).filter((it) => shrinks(it.intent));

/** The same of adds. */
export const additionsSince = (actions: readonly Action[], action: Action): readonly Action[] =>
  since(actions, action).filter((it) => enlarges(it.intent) && !createsHedge(it.intent));

const since = (actions: readonly Action[], { intent }: Action): readonly Action[] =>
  actions.filter((it) => it.intent.at >= intent.at && maybeExecuted(it) && isOn(it, intent));

/** Longer than any hedge runs. */
const LONGEST_MS = 31 * 24 * 3_600_000;

/** No hedge that is open now was opened before. ISO 8601 UTC. */
export const openHedgesFrom = (nowMs: number): string => exactInstant(nowMs - LONGEST_MS);

/** Hedges opened from this machine. */
export const hedgesOpenedHere = (
  actions: readonly Action[],
  identity: AccountIdentity,
): ReadonlySet<string> =>
  new Set(
    actions.flatMap((it) =>
      createsHedge(it.intent) && it.hedgeId !== undefined && sameIdentity(it.intent.identity, identity)
        ? [it.hedgeId]
        : [],
    ),
  );

/**
 * Hedges on a side that opens and adds from this machine opened or enlarged, or may have, at the time of the last record.
 * `seen`: the outcome is known.
 */
export const enlargedOn = (actions: readonly Action[], place: AccountSide) =>
  actions
    .filter(
      (it) => enlarges(it.intent) && isOn(it, place) && (inFlight(it) || ENLARGED.includes(it.outcome?.kind)),
    )
    .flatMap((it) => {
      const atMs = Date.parse(it.outcome?.at ?? it.changedAt);
      const held = heldBefore(it.intent).map(({ hedge_id: id }) => id);
      const ids = !createsHedge(it.intent) ? held : it.hedgeId === undefined ? [] : [it.hedgeId];
      return ids.map((id) => ({ id, atMs, seen: it.outcome !== undefined }));
    });

/** Adds and reductions from this machine that changed the side, in order of their start. */
export const changedOn = (actions: readonly Action[], place: AccountSide): readonly Action[] =>
  actions.filter((it) => isOn(it, place) && it.outcome?.kind === 'changed');

const ENLARGED: readonly unknown[] = ['filled', 'changed'];

/** Both unknown is the same. */
export const sameAmount = (one: Big | undefined, other: Big | undefined): boolean =>
  one === undefined || other === undefined ? one === other : one.eq(other);

/** The hedges that were open on the side before the action. */
export const heldBefore = ({ before }: Action['intent']): Action['intent']['before']['hedges'] =>
  before.hedges.filter(({ status }) => status === 'filled');

/** Neither in flight nor over. */
export const holdsSide = (status: string | null): boolean => status === null || !NOT_HOLDING.includes(status);

const NOT_HOLDING: readonly string[] = ['submitting', 'submitted', 'closed', 'failed'];

export const isOn = ({ intent }: { intent: AccountSide }, place: AccountSide): boolean =>
  isSameSide(place, intent) && sameIdentity(intent.identity, place.identity);

/** Recorded with the outcome of a close, or of a reduction that closed the side, where another order may have taken the side: until when its own may land. */
export const CLOSE_MAY_LAND = 'may_land_until';

/** Until when a close on the side may still land and take new hedges, in milliseconds since the epoch; undefined: none. */
export function closeMayLandUntil(
  actions: readonly Action[],
  place: AccountSide,
  nowMs: number,
): number | undefined {
  const times = actions
    .filter((it) => shrinks(it.intent) && isOn(it, place))
    .map(({ outcome }) => Date.parse(ownField(outcome?.facts ?? {}, CLOSE_MAY_LAND) ?? ''))
    .filter((ms) => ms > nowMs);
  return times.length === 0 ? undefined : Math.max(...times);
}
