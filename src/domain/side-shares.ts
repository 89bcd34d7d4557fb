/** Splits the figures of a side over its hedges, to their last digit: the service has them for the side only. Pure. */
import { Big } from 'big.js';
import { divide, sum, USD_PLACES } from './amounts.ts';
import { payoffAt } from './payoff.ts';
import type { Side } from './vocabulary.ts';

/** Figures of a side, or of the part taken from it. */
export interface SideFigures {
  side: Side;
  /** Quote currency per USDT. */
  mark: Big | undefined;
  /** USD: price only. */
  gross: Big;
  /** USDC, a part of P&L: negative is paid. */
  carry: Big;
  /** USDC, positive: paid. */
  closeFee: Big;
}

export interface SideLeg {
  id: string;
  /** USD. */
  notional: Big;
  struck: Big | undefined;
  /** Since its fill. */
  heldMs: number;
}

export interface HedgeShare {
  leg: SideLeg;
  mark: Big | undefined;
  gross: Big;
  carry: Big;
  closeFee: Big;
}

/**
 * Price P&L by the payoff of each hedge at the mark, or by notional where a rate is not known; carry by notional × time held;
 * the fee by notional.
 */
export function shareSide(figures: SideFigures, legs: readonly SideLeg[]): readonly HedgeShare[] {
  const sizes = legs.map(({ notional }) => notional);
  const payoffs = legs.map((leg) => payoffOf(leg, figures));
  const known = payoffs.every((each) => each !== undefined) ? payoffs : sizes.map(() => new Big(0));
  const rest = shareOut(figures.gross.minus(sum(known)), sizes);
  const carries = shareOut(
    figures.carry,
    legs.map(({ notional, heldMs }) => notional.times(Math.max(0, heldMs))),
    sizes,
  );
  const fees = shareOut(figures.closeFee, sizes);
  return legs.map((leg, at) => ({
    leg,
    mark: figures.mark,
    gross: (known[at] ?? ZERO).plus(rest[at] ?? ZERO),
    carry: carries[at] ?? ZERO,
    closeFee: fees[at] ?? ZERO,
  }));
}

const ZERO = new Big(0);

const payoffOf = ({ notional, struck }: SideLeg, { side, mark }: SideFigures): Big | undefined =>
  struck === undefined || mark === undefined || mark.lte(0)
    ? undefined
    : payoffAt({ side, notional, struck }, mark);

/** In proportion to the weights, or to `otherwise` where they are all zero; the largest takes what rounding leaves. */
function shareOut(total: Big, weights: readonly Big[], otherwise = weights): readonly Big[] {
  const whole = sum(weights);
  if (whole.lte(0)) return otherwise === weights ? weights.map(() => ZERO) : shareOut(total, otherwise);
  const shares = weights.map((weight) => divide(total.times(weight), whole, USD_PLACES));
  const largest = weights.reduce((best, weight, at) => (weight.gt(weights[best] ?? ZERO) ? at : best), 0);
  const left = total.minus(sum(shares));
  return shares.map((share, at) => (at === largest ? share.plus(left) : share));
}
