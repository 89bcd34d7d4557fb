/**
 * The payoff of a naira non-deliverable forward settled in USD, and figures made of it. The specification does not show
 * the payoff: `checkPayoff` compares it with the service's own figure.
 */
import { Big } from 'big.js';
import { divide, PCT_PLACES, RATE_PLACES, sum, USD_PLACES } from './amounts.ts';
import { DAY_MS } from './instants.ts';
import type { Side } from './vocabulary.ts';

/** A hedge, or a part of one. Struck rate and every other rate: quote currency per USDT, above zero. */
export interface PayoffLeg {
  side: Side;
  /** USD, above zero. */
  notional: Big;
  struck: Big;
}

/**
 * USD, 6 decimals, positive: to the account. With N the notional, K the struck rate and S the rate at exit:
 *
 *   buy N × (S − K) / S, sell N × (K − S) / S
 *
 * @throws RangeError when S is not above zero.
 */
export function payoffAt({ side, notional, struck }: PayoffLeg, rate: Big): Big {
  const moved = notional.times(rate.minus(struck));
  return divide(side === 'buy' ? moved : moved.times(-1), aboveZero(rate), USD_PLACES);
}

/** The payoff of all hedges of a side: Σ N × (S − K) for a buy, its negative for a sell, divided by S once. USD, 6 decimals. */
export function payoffOfSide(side: Side, legs: readonly PayoffLeg[], rate: Big): Big {
  const moved = sum(legs.map(({ notional, struck }) => notional.times(rate.minus(struck))));
  return divide(side === 'buy' ? moved : moved.times(-1), aboveZero(rate), USD_PLACES);
}

const LEAST_TOLERANCE = new Big('0.01');
const TOLERANCE_OF_NOTIONAL = new Big('0.000001');

/** USD: the larger of 0.01 and a millionth of the notional. */
export function payoffTolerance(notional: Big): Big {
  const part = notional.times(TOLERANCE_OF_NOTIONAL);
  return part.gt(LEAST_TOLERANCE) ? part : LEAST_TOLERANCE;
}

export interface PayoffComparison {
  /** USD, 6 decimals: `payoffOfSide` at the service's mark. */
  computed_usd: Big;
  /** The service's gross P&L less `computed_usd`. */
  difference_usd: Big;
  tolerance_usd: Big;
  agrees: boolean;
}

/** Whether the payoff at the service's mark is the service's gross P&L; under the names of a document. */
export type PayoffCheck =
  | ({ status: 'confirmed' | 'differs'; mark_price: Big; gross_pnl_usd: Big } & Omit<
      PayoffComparison,
      'agrees'
    >)
  /** The hedges are not those of the position: `why` is a sentence. */
  | { status: 'unclear'; why: string }
  /** The service did not send what it takes: `why` is half a sentence. */
  | { status: 'assumed'; why: string };

/** Compares the payoff of a side at the service's mark with the service's gross P&L (price only) of that side. */
export function comparePayoff(
  { side, legs }: { side: Side; legs: readonly PayoffLeg[] },
  sent: { mark: Big; gross: Big },
): PayoffComparison {
  const computed = payoffOfSide(side, legs, sent.mark);
  const difference = sent.gross.minus(computed);
  const tolerance = payoffTolerance(sum(legs.map(({ notional }) => notional)));
  return {
    computed_usd: computed,
    difference_usd: difference,
    tolerance_usd: tolerance,
    agrees: difference.abs().lte(tolerance),
  };
}

/**
 * The rate at which the price loss of a side is its margin, carry and fees left out; 8 decimals. With N the notional of
 * all its hedges, K their struck rate weighted by notional and M the margin in USD (USDC at par):
 *
 *   buy K / (1 + M/N), sell K / (1 − M/N)
 *
 * computed as Σ(N × K) / (N ± M). Undefined when no rate is: nothing is open, or the margin of a sell is its notional
 * or more.
 */
export function marginUsedUpAt(
  { side, legs }: { side: Side; legs: readonly PayoffLeg[] },
  margin: Big,
): Big | undefined {
  const notional = sum(legs.map((leg) => leg.notional));
  const left = side === 'buy' ? notional.plus(margin) : notional.minus(margin);
  if (left.lte(0) || notional.lte(0)) return undefined;
  return divide(sum(legs.map((leg) => leg.notional.times(leg.struck))), left, RATE_PLACES);
}

/**
 * Carry until maturity as a part of P&L, USDC, 6 decimals: −N × r/100 × time/day. `dailyPct` is the market's
 * `net_rate_daily_pct` of the side, percent a day, positive = the account pays; so a payment comes out negative.
 */
export function carryUntil(notional: Big, dailyPct: Big, ms: number): Big {
  return divide(notional.times(dailyPct).times(Math.max(0, ms)).times(-1), new Big(100 * DAY_MS), USD_PLACES);
}

/** The rate after a move in percent: mid × (1 + move/100), 8 decimals. Positive: more naira per USDT, a weaker naira. */
export const movedRate = (mid: Big, movePct: Big): Big =>
  divide(mid.times(movePct.plus(100)), new Big(100), RATE_PLACES);

/** (rate/mid − 1) × 100, percent, 6 decimals. */
export const moveBetween = (mid: Big, rate: Big): Big =>
  divide(rate.minus(mid).times(100), aboveZero(mid), PCT_PLACES);

/** `count` values from the first to the last, evenly spaced: from + (to − from) × i / (count − 1), 8 decimals. */
export const evenlyBetween = (from: Big, to: Big, count: number): readonly Big[] =>
  Array.from({ length: count }, (_, at) =>
    divide(from.times(count - 1).plus(to.minus(from).times(at)), new Big(count - 1), RATE_PLACES),
  );

function aboveZero(rate: Big): Big {
  if (rate.lte(0)) throw new RangeError('a rate must be above zero');
  return rate;
}
