/** Sizes in USD from an amount in naira, and from the room that is left. Exact; a size is floored to whole cents. */
import { Big } from 'big.js';
import { BPS_PER_UNIT, divide, RATE_PLACES, sum } from './amounts.ts';
import { isNairaMarket } from './vocabulary.ts';

const CENTS = 2;
/** The service shows USDC to six decimals. */
const ROOM_PLACES = 6;

/** `dividend / divisor`, both above zero, cut off after `places` decimals of the exact quotient. */
function floorDivide(dividend: Big, divisor: Big, places: number): Big {
  const Truncating = Big();
  Truncating.DP = places;
  Truncating.RM = Big.roundDown;
  return new Big(new Truncating(dividend.toFixed()).div(divisor.toFixed()).toFixed());
}

/**
 * The notional in USD that covers A of the quote currency at the rate K: N = A/K, floored to cents. With the payoff
 * N × (S − K)/S of a buy, A/S + payoff is N whatever S becomes.
 */
export const coverNotional = (amount: Big, rate: Big): Big => floorDivide(amount, rate, CENTS);

/** The struck rate of several hedges together, ΣNK / ΣN; undefined: one has no rate, or there is none. */
export function averageRate(hedges: readonly { notional: Big; rate: Big | undefined }[]): Big | undefined {
  const rates = hedges.flatMap(({ notional, rate }) => (rate?.gt(0) === true ? [{ notional, rate }] : []));
  const [first] = rates;
  if (first === undefined || rates.length < hedges.length) return undefined;
  // One rate stays as it was sent: a quotient may have more decimals.
  if (rates.every(({ rate }) => rate.eq(first.rate))) return first.rate;
  return divide(
    sum(rates.map(({ notional, rate }) => notional.times(rate))),
    sum(rates.map(({ notional }) => notional)),
    RATE_PLACES,
  );
}

export interface Cover {
  /** N × K, exact, in the quote currency. */
  amount: Big;
  /** The amount that is asked less that, in the quote currency: positive is not covered, negative is more than was asked. */
  rest: Big;
  /** N × K ≤ A, and the rest is under 1 bp of A. */
  fits: boolean;
}

/** How far a notional N at the rate K covers the amount A that is asked. */
export function coverOf(notional: Big, rate: Big, asked: Big): Cover {
  const amount = notional.times(rate);
  const rest = asked.minus(amount);
  return { amount, rest, fits: rest.gte(0) && rest.times(BPS_PER_UNIT).lt(asked) };
}

/** A quote: notional in USD, and its execution price K in quote currency per USDT. */
export interface QuotedSize {
  notional: Big;
  rate: Big;
}

/**
 * The next notional to quote for A, after quotes for N₁ and N₂ (the last): where the line through N₁K₁ and N₂K₂ meets A,
 * N₂ + (A − N₂K₂)(N₂ − N₁)/(N₂K₂ − N₁K₁), floored to cents. With one quote, or where that line is not near the price,
 * A/K₂: prices that moved between the quotes say nothing about the size.
 */
export function nextNotional(asked: Big, last: QuotedSize, before: QuotedSize | undefined): Big {
  const plain = coverNotional(asked, last.rate);
  if (before === undefined) return plain;
  const step = last.notional.minus(before.notional);
  const amount = last.notional.times(last.rate);
  const rise = amount.minus(before.notional.times(before.rate));
  // The slope of the line is rise / step; both have the same sign where it is near the price.
  const isNear =
    rise.times(step).gt(0) &&
    rise.abs().times(2).gt(last.rate.times(step.abs())) &&
    rise.abs().lt(last.rate.times(step.abs()).times(2));
  if (!isNear) return plain;
  const numerator = last.notional.times(rise).plus(asked.minus(amount).times(step));
  const isAbove = numerator.times(rise).gt(0);
  return isAbove ? floorDivide(numerator.abs(), rise.abs(), CENTS) : plain;
}

/** The limit that the largest size reaches; the last three are of the profile or the desk. */
export type Binding = 'headroom' | 'capacity' | 'balance' | 'per_trade_limit' | 'daily_limit' | 'open_limit';

export interface LargestSize {
  /** USD, floored to cents; zero when nothing fits. */
  notional: Big;
  binding: Binding;
  /** That limit, in USD, cut off after 6 decimals. */
  room: Big;
}

/** USD, of the profile and the desk; undefined: no limit. */
export interface OwnRoom {
  /** The limit of one open or add. */
  perTrade?: Big | undefined;
  /** The rest of the limit of the UTC day. */
  today?: Big | undefined;
  /** The rest of the desk's limit of the open notional. */
  open?: Big | undefined;
}

/** 1 % is kept free: readings are seconds old. */
const KEPT = new Big('0.99');
const ONE = new Big(1);

/**
 * min(headroom × 0.99, capacity × 0.99, affordable × 0.99, limits of the profile), floored to cents: the profile's own
 * limits do not move. Affordable is balance × N / upfront, from a quote for N whose margin and fee are `upfront`, since
 * both grow alike; without a quote, or with nothing upfront, it is no limit. Of equal limits the first one binds.
 */
export function largestSize(room: {
  /** USD of headroom of the account. */
  headroom: Big;
  /** USD of capacity on the side. */
  capacity: Big;
  /** USDC, free. */
  balance: Big;
  quote?: { notional: Big; upfront: Big } | undefined;
  own?: OwnRoom | undefined;
}): LargestSize {
  const { headroom, capacity, balance, quote, own } = room;
  const none = new Big(0);
  const isLimited = quote?.upfront.gt(0) === true;
  const fixed = (binding: Binding, limit: Big | undefined) =>
    limit === undefined ? [] : [{ binding, above: limit, below: ONE, kept: ONE }];
  const limits = [
    { binding: 'headroom' as const, above: headroom, below: ONE, kept: KEPT },
    { binding: 'capacity' as const, above: capacity, below: ONE, kept: KEPT },
    ...(isLimited
      ? [
          {
            binding: 'balance' as const,
            above: balance.times(quote.notional),
            below: quote.upfront,
            kept: KEPT,
          },
        ]
      : []),
    ...fixed('per_trade_limit', own?.perTrade),
    ...fixed('daily_limit', own?.today),
    ...fixed('open_limit', own?.open),
  ];
  // Fractions are compared crosswise, so that nothing is rounded before the floor.
  const smallest = limits.reduce((least, each) =>
    each.above.times(each.kept).times(least.below).lt(least.above.times(least.kept).times(each.below))
      ? each
      : least,
  );
  const { binding, above, below, kept } = smallest;
  if (above.lte(0)) return { notional: none, binding, room: none };
  return {
    notional: floorDivide(above.times(kept), below, CENTS),
    binding,
    room: floorDivide(above, below, ROOM_PLACES),
  };
}

/** How many times the size that fits is probably an amount in naira. */
const FAR_ABOVE = 20;
const LEAST_MEANT_USD = 10;

/**
 * One line of a hint, where a size in USD is far above the one that fits, and would fit as an amount in naira at that rate; else
 * none. `before`: the text before that amount.
 */
export function nairaHint(
  notional: Big | undefined,
  { market, fits, rate }: { market: string; fits: Big; rate: Big | undefined },
  before = '--ngn',
): readonly string[] {
  const isProbable =
    notional !== undefined &&
    rate !== undefined &&
    isNairaMarket(market) &&
    notional.gte(fits.times(FAR_ABOVE)) &&
    // A smaller amount of naira is nothing that anybody hedges.
    notional.gte(rate.times(LEAST_MEANT_USD)) &&
    notional.lte(fits.times(rate));
  return isProbable ? [`A notional is in USD; for naira: ${before} ${notional.toFixed()}.`] : [];
}
