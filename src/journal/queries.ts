/**
 * What guards and commands ask of the actions: which one is meant, what a day has opened, what would be dealt
 * twice, what is unresolved. Pure: the time comes in, and no limit is known here.
 *
 * What an open was filled for and at which rate, as its entry keeps it: all that was asked, or less. Pure.
 *
 * The quote that an action was dealt on, as its entry keeps it: our figures of it, worked out anew. Pure.
 */
import type { Big } from 'big.js';
import { type ActionName, createsHedge, enlarges, takesWholeSide } from '../domain/action-table.ts';
import { readDecimal, sum } from '../domain/amounts.ts';
import { type QuoteFigures, quoteFigures } from '../domain/quote-figures.ts';
import type { Side } from '../domain/vocabulary.ts';
import { type AccountIdentity, sameIdentity } from './account-identity.ts';
import { type Action, inFlight, isUnresolved, maybeExecuted } from './replay.ts';
export type FoundAction =
  | { found: 'one'; action: Action }
  | { found: 'none' }
  | { found: 'many'; actions: readonly Action[] };

export interface SidePlace {
  identity: AccountIdentity;
  market: string;
  side: Side;
}

export interface DealTerms extends SidePlace {
  action: ActionName;
  /** USD; undefined for a close. */
  notional: Big | undefined;
  tenorDays: number | undefined;
  /** The operator's own. */
  dealId: string | undefined;
}

const DUPLICATE_MS = 60_000;
const LAST_DEALS = 20;

/**
 * The action with this id, short id or beginning of an id (four digits or more). A short id means the action
 * that was shown under it, even when a later id begins the same.
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

/** The latest action under an idempotency key. Keys of different identities never meet (specification §7). */
export const findByKey = (
  actions: readonly Action[],
  identity: AccountIdentity,
  key: string,
): Action | undefined =>
  actions.findLast((it) => it.intent.idempotency_key === key && sameIdentity(it.intent.identity, identity));

/** Every action under a deal id, oldest first. */
export const findByDealId = (
  actions: readonly Action[],
  identity: AccountIdentity,
  dealId: string,
): readonly Action[] =>
  actions.filter((it) => it.intent.deal_id === dealId && sameIdentity(it.intent.identity, identity));

/** The open that has taken a deal id; undefined while none stands, may stand or is about to. */
export const usedDealId = (
  actions: readonly Action[],
  identity: AccountIdentity,
  dealId: string,
): Action | undefined =>
  findByDealId(actions, identity, dealId).findLast((it) => createsHedge(it.intent) && maybeExecuted(it));

/** The service rejected the API key before it looked at the request: it keeps nothing under the idempotency key. */
export const isKeyRejected = ({ state, refusal }: Action): boolean =>
  state === 'refused' && (refusal?.httpStatus === 401 || refusal?.httpStatus === 403);

/** The service's answer under the key is that nothing was done: only then does a deal ID get another key. */
export const isRejected = (action: Action): boolean =>
  action.state === 'failed' || (action.state === 'refused' && !isKeyRejected(action));

/** From 1; grows by each open under the deal id that was definitely refused or failed, and by nothing else. */
export const dealAttempt = (actions: readonly Action[], identity: AccountIdentity, dealId: string): number =>
  1 +
  findByDealId(actions, identity, dealId).filter((it) => createsHedge(it.intent) && isRejected(it)).length;

/** An open that was looked for when no send of it could arrive any more, and was not there. */
export const wasNotExecuted = ({ intent, state, hedgeId, refusal }: Action): boolean =>
  createsHedge(intent) &&
  ((state === 'refused' && refusal?.looked === true) || (state === 'failed' && hedgeId === undefined));

/**
 * USD that opens and adds of one UTC day (`2026-11-20`) put on the book, or may have, or are about to. What was filled
 * in part counts as it was asked: nothing says that the rest will never fill, and a limit must hold all the same.
 */
export const openedOn = (actions: readonly Action[], identity: AccountIdentity, day: string): Big =>
  sum(standing(actions, identity).flatMap((it) => (it.intent.at.startsWith(day) ? notionalOf(it) : [])));

/** Notionals of the last twenty opens and adds that stand or may stand, newest first, in USD. */
export const lastNotionals = (actions: readonly Action[], identity: AccountIdentity): readonly Big[] =>
  standing(actions, identity).slice(-LAST_DEALS).flatMap(notionalOf).toReversed();

/**
 * Actions of the last minute on the same terms. Two deal ids that an operator gave and that differ make two
 * deals; a deal id on one of the two only does not.
 */
export function duplicatesOf(actions: readonly Action[], terms: DealTerms, nowMs: number): readonly Action[] {
  return actions.filter((it) => {
    const { intent } = it;
    return (
      maybeExecuted(it) &&
      isOn(it, terms) &&
      intent.action === terms.action &&
      sameAmount(it.notional, terms.notional) &&
      intent.tenor_days === terms.tenorDays &&
      (intent.deal_id === undefined || terms.dealId === undefined || intent.deal_id === terms.dealId) &&
      // A clock that was set back makes an action look like one of the future: that is recent.
      nowMs - Date.parse(intent.at) < DUPLICATE_MS
    );
  });
}

export const unresolvedOn = (actions: readonly Action[], place: SidePlace): readonly Action[] =>
  actions.filter((it) => isUnresolved(it) && isOn(it, place));

/** Accepted without an end, or being sent right now by a running process. */
export const inFlightOn = (actions: readonly Action[], place: SidePlace): readonly Action[] =>
  actions.filter((it) => (inFlight(it) || it.underway) && isOn(it, place));

/**
 * Closes of this machine that were sent after `action` and with every hedge in sight that it was measured against:
 * those may have left by them. Newest first.
 */
export function closesAfter(actions: readonly Action[], { id, intent }: Action): readonly Action[] {
  const ids = intent.before.hedges.filter(({ status }) => status === 'filled').map((it) => it.hedge_id);
  const seenBy = ({ before }: Action['intent']): boolean =>
    ids.length > 0 && ids.every((hedge) => before.hedges.some((it) => it.hedge_id === hedge));
  const place = { identity: intent.identity, market: intent.market, side: intent.side };
  return actions
    .filter((it) => it.id !== id && takesWholeSide(it.intent) && maybeExecuted(it))
    .filter((it) => isOn(it, place) && it.intent.at >= intent.at && seenBy(it.intent))
    .toReversed();
}

/** Reductions and closes of this machine on the same side that were sent after `action`, and may have been done. */
export const reductionsSince = (actions: readonly Action[], { intent }: Action): readonly Action[] =>
  actions.filter(
    (it) =>
      !enlarges(it.intent) &&
      it.intent.at >= intent.at &&
      maybeExecuted(it) &&
      isOn(it, { identity: intent.identity, market: intent.market, side: intent.side }),
  );

/** Hedges that opens from this machine made. */
export const hedgesDealtHere = (actions: readonly Action[], identity: AccountIdentity): ReadonlySet<string> =>
  new Set(
    actions.flatMap((it) =>
      createsHedge(it.intent) && it.hedgeId !== undefined && sameIdentity(it.intent.identity, identity)
        ? [it.hedgeId]
        : [],
    ),
  );

/** A hedge that this machine dealt on, at the time of the last record that says so. `seen`: its end was. */
export interface EnlargingAction {
  id: string;
  atMs: number;
  seen: boolean;
}

/**
 * Hedges on a side that opens and adds of this machine filled or enlarged, as far as it knows, or that were accepted
 * and may have by now.
 */
export const enlargedOn = (actions: readonly Action[], place: SidePlace): readonly EnlargingAction[] =>
  actions
    .filter(
      (it) => enlarges(it.intent) && isOn(it, place) && (inFlight(it) || ENLARGED.includes(it.outcome?.kind)),
    )
    .flatMap((it) => {
      const atMs = Date.parse(it.outcome?.at ?? it.changedAt);
      const { hedges } = it.intent.before;
      const held = hedges.filter(({ status }) => status === 'filled').map(({ hedge_id: id }) => id);
      const ids = !createsHedge(it.intent) ? held : it.hedgeId === undefined ? [] : [it.hedgeId];
      return ids.map((id) => ({ id, atMs, seen: it.outcome !== undefined }));
    });

/** Adds and reductions of this machine on a side that were seen to change it, in the order they were begun. */
export const changedOn = (actions: readonly Action[], place: SidePlace): readonly Action[] =>
  actions.filter((it) => isOn(it, place) && it.outcome?.kind === 'changed');

const ENLARGED: readonly unknown[] = ['filled', 'changed'];

const standing = (actions: readonly Action[], identity: AccountIdentity): readonly Action[] =>
  actions.filter(
    (it) => enlarges(it.intent) && maybeExecuted(it) && sameIdentity(it.intent.identity, identity),
  );

const notionalOf = (action: Action): readonly Big[] =>
  action.notional === undefined ? [] : [action.notional];

const sameAmount = (one: Big | undefined, other: Big | undefined): boolean =>
  one === undefined || other === undefined ? one === other : one.eq(other);

const isOn = ({ intent }: Action, { identity, market, side }: SidePlace): boolean =>
  intent.market === market && intent.side === side && sameIdentity(intent.identity, identity);

/** USD, and quote currency per USDT; the rate is undefined where it did not come. */
export interface Fill {
  notional: Big;
  rate: Big | undefined;
}

/** Among the facts of an end, only where it is less than was asked: a hedge's size alone may be of a later change. */
export const PARTIAL_FILL = 'filled_notional_usd';

/** Undefined where the entry does not tell: the hedge was another size already when it was first read. */
export function fillOf({ intent, notional, outcome }: Action): Fill | undefined {
  const isFilled = outcome?.kind === 'filled' || outcome?.kind === 'closed';
  if (!createsHedge(intent) || notional === undefined || !isFilled) return undefined;
  const { [PARTIAL_FILL]: part, notional_usd: size, struck_rate: rate } = outcome.facts;
  const filled = readDecimal(part) ?? readDecimal(size);
  if (filled === undefined || (part === undefined && !filled.eq(notional))) return undefined;
  return { notional: filled, rate: readDecimal(rate) };
}

/** USD that were filled of an open, where that is less than was asked. */
export function partialFillOf(action: Action): Big | undefined {
  const filled = fillOf(action)?.notional;
  return filled !== undefined && action.notional?.gt(filled) === true ? filled : undefined;
}

/** The same as were shown before it was sent; undefined where the entry keeps no quote, or not all of one. */
export function recordedFigures({ intent, notional }: Action): QuoteFigures | undefined {
  const market = positive(intent.quote?.['market_price']);
  const execution = positive(intent.quote?.['execution_price']);
  const carry = readDecimal(intent.quote?.['carry_usdc']);
  const fee = readDecimal(intent.quote?.['platform_fee_usdc']);
  if (notional === undefined || !market || !execution || !carry || !fee) return undefined;
  const to = intent.quote?.['maturity_at'];
  return quoteFigures(
    {
      side: intent.side,
      notional_usd: notional,
      pricing: { market_price: market, execution_price: execution },
      carry: { total_usdc: carry },
      upfront: { platform_fee_usdc: fee },
    },
    // Of an addition: its carry ran to the maturity that it kept.
    !createsHedge(intent) && typeof to === 'string' ? { carry_usdc: carry, maturity_at: to } : undefined,
  );
}

function positive(digits: string | null | undefined): Big | undefined {
  const value = readDecimal(digits);
  return value?.gt(0) === true ? value : undefined;
}
