/**
 * Queries over the journal's actions for pre-trade checks and commands: by ID, duplicates, volume of a day, unresolved
 * actions, fills and recorded quotes. Pure.
 */
import { Big } from 'big.js';
import {
  type ActionName,
  createsHedge,
  enlarges,
  type RecordedField,
  shrinks,
  takesWholeSide,
} from '../domain/action-table.ts';
import { readDecimal, sum } from '../domain/amounts.ts';
import { isSameSize } from '../domain/exposure.ts';
import { ownField } from '../domain/fields.ts';
import { exactInstant } from '../domain/instants.ts';
import { type QuoteFigures, type QuoteTerms, quoteFigures } from '../domain/quote-figures.ts';
import { isDerivedReference, isSameSide, type SideOfMarket } from '../domain/vocabulary.ts';
import { type AccountIdentity, sameIdentity } from './account-identity.ts';
import { type Action, inFlight, isUnresolved, maybeExecuted } from './replay.ts';

export type FoundAction =
  | { found: 'one'; action: Action }
  | { found: 'none' }
  | { found: 'many'; actions: readonly Action[] };

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

/**
 * By ID, short ID or prefix (four digits or more). A short ID means the action shown under it, even when a later ID has
 * the same prefix.
 */
export function findAction(actions: readonly Action[], text: string): FoundAction {
  const wanted = text.toLowerCase();
  if (!/^[0-9a-f]{4,16}$/.test(wanted)) return { found: 'none' };
  const matching = actions.filter(({ id }) => id.startsWith(wanted));
  const exact = matching.find(({ id, shortId }) => id === wanted || shortId === wanted);
  const [only] = exact === undefined ? matching : [exact];
  if (only === undefined) return { found: 'none' };
  if (exact === undefined && matching.length > 1) return { found: 'many', actions: matching };
  return { found: 'one', action: only };
}

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
  actions.filter((it) => mayStillExecute(it) && isOn(it, place));

export const mayStillExecute = (action: Action): boolean =>
  isUnresolved(action) || inFlight(action) || action.underway;

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

/** A hedge traded from this machine, at the time of the last record. `seen`: the outcome is known. */
export interface EnlargingAction {
  id: string;
  atMs: number;
  seen: boolean;
}

/** Hedges on a side that opens and adds from this machine opened or enlarged, or may have. */
export const enlargedOn = (actions: readonly Action[], place: AccountSide): readonly EnlargingAction[] =>
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

const sameAmount = (one: Big | undefined, other: Big | undefined): boolean =>
  one === undefined || other === undefined ? one === other : one.eq(other);

/** The hedges that were open on the side before the action. */
export const heldBefore = ({ before }: Action['intent']): Action['intent']['before']['hedges'] =>
  before.hedges.filter(({ status }) => status === 'filled');

/** Neither in flight nor over. */
export const holdsSide = (status: string | null): boolean => status === null || !NOT_HOLDING.includes(status);

const NOT_HOLDING: readonly string[] = ['submitting', 'submitted', 'closed', 'failed'];

export const isOn = ({ intent }: { intent: AccountSide }, place: AccountSide): boolean =>
  isSameSide(place, intent) && sameIdentity(intent.identity, place.identity);

/** USD, and quote currency per USDT; the rate may be unknown. */
export interface Fill {
  notional: Big;
  rate: Big | undefined;
}

/** Recorded with an outcome only for a partial fill: a hedge's size alone may be that of a later change. */
export const PARTIAL_FILL = 'filled_notional_usd';

/** Undefined when unknown: the hedge had another size when it was first read. */
export function fillOf({ intent, notional, outcome }: Action): Fill | undefined {
  const isFilled = outcome?.kind === 'filled' || outcome?.kind === 'closed';
  if (!createsHedge(intent) || notional === undefined || !isFilled) return undefined;
  const { [PARTIAL_FILL]: part, notional_usd: size, struck_rate: rate } = outcome.facts;
  const filled = readDecimal(part) ?? readDecimal(size);
  if (filled === undefined || (part === undefined && !isSameSize(filled, notional))) return undefined;
  // A size that is only rounded is that of the order.
  return { notional: part === undefined ? notional : filled, rate: readDecimal(rate) };
}

/** USD filled, when less than the order. */
export function partialFillOf(action: Action): Big | undefined {
  const filled = fillOf(action)?.notional;
  return filled !== undefined && action.notional?.gt(filled) === true ? filled : undefined;
}

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

/** USD of the hedges that a close closed; undefined when unknown. */
export function closedNotional({ intent, outcome }: Action): Big | undefined {
  if (!takesWholeSide(intent) || outcome?.kind !== 'closed') return undefined;
  const closed = intent.before.hedges.flatMap(({ hedge_id: id, notional_usd: size }) => {
    const [before, after] = [readDecimal(size), readDecimal(ownField(outcome.facts, id))];
    return before === undefined || after === undefined ? [] : [before.minus(after)];
  });
  return closed.length === 0 ? undefined : sum(closed);
}

/** IDs of the hedges of its side that the outcome of another action has as closed. */
export function closedElsewhere({ id, intent }: Action, actions: readonly Action[]): readonly string[] {
  const outcomes = actions.filter((other) => other.id !== id).flatMap(({ outcome }) => outcome ?? []);
  return intent.before.hedges
    .map(({ hedge_id: hedgeId }) => hedgeId)
    .filter((each) => outcomes.some(({ facts }) => readDecimal(ownField(facts, each))?.eq(0)));
}

/** Whether each hedge that it closed was closed by this action alone, as far as recorded. */
export const closedAlone = ({ intent, outcome }: Action): boolean =>
  createsHedge(intent) ||
  outcome?.kind !== 'closed' ||
  heldBefore(intent).every(({ hedge_id: id }) => Object.hasOwn(outcome.facts, id));

export interface KeptChange {
  id: string;
  /** USD. */
  before: Big;
  after: Big;
}

/**
 * Each hedge of the side, before and after an add, a reduce or a close: as its outcome has it, or as it follows from the word
 * of a person that it was executed. Undefined where neither tells.
 */
export function changesKept(action: Action): readonly KeptChange[] | undefined {
  const { intent, outcome, recordedAs } = action;
  if (createsHedge(intent) || (outcome === undefined && recordedAs !== 'done')) return undefined;
  const held = heldBefore(intent).flatMap(({ hedge_id: id, notional_usd: size }) =>
    size === null ? [] : [{ id, before: new Big(size) }],
  );
  const isClosed = takesWholeSide(intent) && outcome?.kind === 'closed';
  const told = outcome === undefined || isClosed ? sizeAfter(action, held) : undefined;
  const changes = held.map(({ id, before }) => ({
    id,
    before,
    after: readDecimal(ownField(outcome?.facts ?? {}, id)) ?? told ?? before,
  }));
  return changes.some(({ before, after }) => !before.eq(after)) ? changes : undefined;
}

/** The size of each hedge once it was executed, USD; undefined for an add or reduce on several, of which the service chooses. */
function sizeAfter(
  { intent, notional }: Action,
  held: readonly Pick<KeptChange, 'before'>[],
): Big | undefined {
  if (takesWholeSide(intent)) return new Big(0);
  const [only, another] = held;
  if (only === undefined || another !== undefined || notional === undefined) return undefined;
  const after = enlarges(intent) ? only.before.plus(notional) : only.before.minus(notional);
  return after.lt(0) ? new Big(0) : after;
}

/** The quote that its fill is measured against; undefined for one that was sent again: it may have filled on a later one. */
export const quoteOfFill = ({ attempts, intent: { quote } }: Action): Action['intent']['quote'] =>
  attempts > 1 ? undefined : quote;

/** The struck rate of an open whose fill was read; a later add changes it at the service. */
export const struckRate = ({ intent, outcome }: Action): Big | undefined =>
  createsHedge(intent) ? readDecimal(outcome?.facts['struck_rate']) : undefined;

/** The figures shown before it was sent; undefined without a complete recorded quote. */
export function recordedFigures(action: Action): QuoteFigures | undefined {
  const terms = recordedTerms(action);
  const to = action.intent.quote?.['maturity_at'];
  return (
    terms &&
    quoteFigures(
      terms,
      // An add's carry runs to the hedge's own maturity.
      !createsHedge(action.intent) && typeof to === 'string'
        ? { carry_usdc: terms.carry.total_usdc, maturity_at: to }
        : undefined,
    )
  );
}

/** Undefined without a complete recorded quote. */
function recordedTerms({ intent: { side, quote }, notional }: Action): QuoteTerms | undefined {
  const market = positive(quote?.['market_price']);
  const execution = positive(quote?.['execution_price']);
  const carry = readDecimal(quote?.['carry_usdc']);
  const fee = readDecimal(quote?.['platform_fee_usdc']);
  if (notional === undefined || !market || !execution || !carry || !fee) return undefined;
  return {
    side,
    notional_usd: notional,
    pricing: { market_price: market, execution_price: execution },
    carry: { total_usdc: carry },
    upfront: { platform_fee_usdc: fee },
  };
}

function positive(digits: string | null | undefined): Big | undefined {
  const value = readDecimal(digits);
  return value?.gt(0) === true ? value : undefined;
}

/** Its own deal ID, and those of the hedges that it touched, each once. */
export const dealIdsOf = (action: Action): readonly string[] => [
  ...new Set(
    [action.intent.deal_id, ...touchedHedges(action).map(({ dealId }) => dealId)].filter(
      (id) => id !== undefined,
    ),
  ),
];

export interface TouchedHedge {
  hedgeId: string;
  /** Under which it was opened, as far as recorded. */
  dealId: string | undefined;
}

/**
 * The hedges that an action opened, changed or closed, as far as known; none for an action that was not executed. Without
 * an outcome: all hedges of the side for a close, and for the others the only one.
 */
export function touchedHedges(action: Action): readonly TouchedHedge[] {
  const { intent, hedgeId, outcome } = action;
  if (!maybeExecuted(action)) return [];
  if (createsHedge(intent)) return hedgeId === undefined ? [] : [{ hedgeId, dealId: intent.deal_id }];
  const open = heldBefore(intent);
  const changed = open.filter(
    ({ hedge_id: id }) => id === hedgeId || Object.hasOwn(outcome?.facts ?? {}, id),
  );
  const touched = changed.length > 0 ? changed : takesWholeSide(intent) || open.length === 1 ? open : [];
  return touched.map(({ hedge_id: id, client_reference: reference }) => ({
    hedgeId: id,
    dealId: isDerivedReference(reference) ? undefined : reference,
  }));
}
