/**
 * How far a fill, or a later quote, is from the price that was shown. Positive is always worse for us, on
 * either side. Exact but for one rounding a figure; knows nothing of what is done about it.
 */
import type { Big } from 'big.js';
import { BPS_PER_UNIT, BPS_PLACES, divide, USD_PLACES } from './amounts.ts';
import type { Side } from './vocabulary.ts';

export interface Slippage {
  /** Basis points of the quoted price, 4 decimals; positive = worse for us. */
  slippage_bps: Big;
  /** The same on the notional, USD, 6 decimals; positive = a cost. */
  slippage_usd: Big;
}

export interface Fill {
  side: Side;
  /** USD, above zero. */
  notional: Big;
  /** Execution price of the quote, quote currency per USDT, above zero. */
  quoted: Big;
  /** `struck_rate` of the hedge. */
  struck: Big;
}

/**
 * With Q quoted and S struck: a buy pays (S − Q) / Q more, a sell receives (Q − S) / Q less.
 * @throws RangeError when the quoted price is not above zero.
 */
export function slippageOf({ side, notional, quoted, struck }: Fill): Slippage {
  const worse = worseBy(side, { than: quoted, price: struck });
  return {
    slippage_bps: divide(worse.times(BPS_PER_UNIT), aboveZero(quoted), BPS_PLACES),
    slippage_usd: divide(worse.times(notional), quoted, USD_PLACES),
  };
}

/** By how many basis points of `shown` the price `now` is worse for us; negative when it is better. */
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
