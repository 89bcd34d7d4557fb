/** The recorded result of an action: its fill, the changes of hedges, what it closed, and the quote it was sent with. Pure. */
import { Big } from 'big.js';
import { createsHedge, enlarges, takesWholeSide } from '../domain/action-table.ts';
import { readDecimal, sum } from '../domain/amounts.ts';
import { isSameSize } from '../domain/exposure.ts';
import { ownField } from '../domain/fields.ts';
import { type QuoteFigures, type QuoteTerms, quoteFigures } from '../domain/quote-figures.ts';
import { isDerivedReference } from '../domain/vocabulary.ts';
import { heldBefore } from './queries.ts';
import { type Action, maybeExecuted } from './replay.ts';

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
