/** Checks a quote against the operator's price limits, and computes slippage (positive is worse, on either side). */
import type { Big } from 'big.js';
import { BPS_PER_UNIT, BPS_PLACES, divide, USD_PLACES } from './amounts.ts';
import { type QuoteFigures, type QuoteTerms, quoteFigures } from './quote-figures.ts';
import { quoteCurrency, type Side } from './vocabulary.ts';

export interface PriceBounds {
  /** Execution price in quote currency per USDT: maximum for a buy, minimum for a sell. */
  worstPrice?: Big | undefined;
  /** Highest all-in cost in basis points of the notional (`cost_bps` of the derived figures). */
  maxCostBps?: Big | undefined;
}

export const hasBound = ({ worstPrice, maxCostBps }: PriceBounds): boolean =>
  worstPrice !== undefined || maxCostBps !== undefined;

export interface BoundFinding {
  bound: 'worst_price' | 'max_cost_bps' | 'implausible_price';
  limit: Big;
  actual: Big;
  /** How far beyond the limit, in the limit's unit; above zero. */
  by: Big;
  /** The finding as half a sentence, without a full stop. */
  message: string;
}

/**
 * The limits that a quote exceeds, price first. The cost is that over the quote's tenor unless another `cost_bps` is given.
 */
export function checkPriceBounds(
  quote: QuoteTerms & { market: string },
  bounds: PriceBounds,
  { cost_bps: cost }: Pick<QuoteFigures, 'cost_bps'> = quoteFigures(quote),
): readonly BoundFinding[] {
  const findings: BoundFinding[] = [];
  if (bounds.worstPrice !== undefined) {
    const limit = bounds.worstPrice;
    const actual = quote.pricing.execution_price;
    const by = quote.side === 'buy' ? actual.minus(limit) : limit.minus(actual);
    const wrongSide = quote.side === 'buy' ? 'above' : 'below';
    const mid = quote.pricing.market_price;
    const isTypo = by.lte(0) && isFar(limit, mid);
    const message = isTypo
      ? `worst price ${limit.toFixed()} is far from the mid ${mid.toFixed()}, a typo`
      : `execution price ${actual.toFixed()} is ${by.toFixed()} ${quoteCurrency(quote.market)} ${wrongSide} your worst price ${limit.toFixed()}`;
    const bound = isTypo ? 'implausible_price' : 'worst_price';
    findings.push({ bound, limit, actual, by: isTypo ? by.abs() : by, message });
  }
  if (bounds.maxCostBps !== undefined) {
    const limit = bounds.maxCostBps;
    const actual = cost;
    const by = actual.minus(limit);
    const message = `cost ${actual.toFixed()} bps exceeds your limit of ${limit.toFixed()} bps by ${by.toFixed()} ${by.eq(1) ? 'bp' : 'bps'}`;
    findings.push({ bound: 'max_cost_bps', limit, actual, by, message });
  }
  return findings.filter((finding) => finding.by.gt(0));
}

/** A worst price further from the mid than this is probably a typo. */
export const FARTHEST_PCT = 5;

export const isFar = (worst: Big, mid: Big): boolean =>
  mid.gt(0) && worst.minus(mid).abs().times(100).gt(mid.times(FARTHEST_PCT));

export interface Slippage {
  /** Basis points of the quoted price, 4 decimals; positive is worse. */
  slippage_bps: Big;
  /** The same on the notional, USD, 6 decimals; positive = a cost. */
  slippage_usd: Big;
}

export interface FillPrice {
  side: Side;
  /** USD, above zero. */
  notional: Big;
  /** Execution price of the quote, quote currency per USDT, above zero. */
  quoted: Big;
  /** `struck_rate` of the hedge. */
  struck: Big;
}

/**
 * Q is the quoted price, S the struck rate: a buy pays (S − Q) / Q more, a sell receives (Q − S) / Q less.
 * @throws RangeError when the quoted price is not above zero.
 */
export function slippageOf({ side, notional, quoted, struck }: FillPrice): Slippage {
  const worse = worseBy(side, { than: quoted, price: struck });
  return {
    slippage_bps: divide(worse.times(BPS_PER_UNIT), aboveZero(quoted), BPS_PLACES),
    slippage_usd: divide(worse.times(notional), quoted, USD_PLACES),
  };
}

/** By how many basis points of `shown` the price `now` is worse; negative when better. */
export function worseByBps(side: Side, { shown, now }: { shown: Big; now: Big }): Big {
  return divide(worseBy(side, { than: shown, price: now }).times(BPS_PER_UNIT), aboveZero(shown), BPS_PLACES);
}

/** A buyer is worse off above, a seller below. */
const worseBy = (side: Side, { than, price }: { than: Big; price: Big }): Big =>
  side === 'buy' ? price.minus(than) : than.minus(price);

function aboveZero(price: Big): Big {
  if (price.lte(0)) throw new RangeError('a price must be above zero');
  return price;
}
