/** The arithmetic of comparing quotes: the cost of the next dollar, and the rate with a markup. Exact, rounded once. */
import type { Big } from 'big.js';
import { BPS_PER_UNIT, BPS_PLACES, divide, RATE_PLACES } from './amounts.ts';
import { costTimesMarket, type QuoteTerms } from './quote-figures.ts';

/**
 * The cost of each further USD between two sizes: (cost₂ − cost₁) / (N₂ − N₁) × 10⁴, in bps, 4 decimals; positive is
 * paid. Both are of one side and tenor. @throws RangeError when the second size is not above the first.
 */
export function marginalBps(smaller: QuoteTerms, larger: QuoteTerms): Big {
  const step = larger.notional_usd.minus(smaller.notional_usd);
  if (step.lte(0)) throw new RangeError('the larger size comes second');
  const first = smaller.pricing.market_price;
  const second = larger.pricing.market_price;
  const difference = costTimesMarket(larger).times(first).minus(costTimesMarket(smaller).times(second));
  return divide(difference.times(BPS_PER_UNIT), first.times(second).times(step), BPS_PLACES);
}

/**
 * The customer's rate with a markup of m bps: buy all-in × (1 + m/10⁴), sell all-in × (1 − m/10⁴), in quote currency
 * per USDT, 8 decimals, where all-in is N × K / (N ∓ C). Undefined when the quote has no all-in rate.
 */
export function customerRate(quote: QuoteTerms, markupBps: Big): Big | undefined {
  const sign = quote.side === 'buy' ? 1 : -1;
  const notional = quote.notional_usd;
  const costs = quote.carry.total_usdc.plus(quote.upfront.platform_fee_usdc);
  const left = notional.minus(costs.times(sign));
  if (left.lte(0)) return undefined;
  const parts = markupBps.times(sign).plus(BPS_PER_UNIT);
  const marked = notional.times(quote.pricing.execution_price).times(parts);
  return divide(marked, left.times(BPS_PER_UNIT), RATE_PLACES);
}

/** A limit of the market or account that a size exceeds. */
export type Exceeded = 'capacity' | 'headroom' | 'balance';

export interface Room {
  /** USD that can be opened on the side; undefined: not known. */
  capacity: Big | undefined;
  /** USD of headroom of the account (`available_exposure_usd`); undefined: not known. */
  headroom: Big | undefined;
  /** USDC, free (`balance_usdc`); undefined: not known. */
  balance: Big | undefined;
}

/** The limits that a size exceeds. `upfront`: margin and fee in USDC; undefined without a quote. */
export function exceededBy(notional: Big, upfront: Big | undefined, room: Room): readonly Exceeded[] {
  return [
    ...(isAbove(notional, room.capacity) ? (['capacity'] as const) : []),
    ...(isAbove(notional, room.headroom) ? (['headroom'] as const) : []),
    ...(isAbove(upfront, room.balance) ? (['balance'] as const) : []),
  ];
}

const isAbove = (amount: Big | undefined, most: Big | undefined): boolean =>
  amount !== undefined && most !== undefined && amount.gt(most);
