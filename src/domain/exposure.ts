/** Exact arithmetic on open positions: shares, proportional reductions, remaining limits, amounts in words. */
import { Big } from 'big.js';
import { divide, roundTo, sum, USD_PLACES } from './amounts.ts';

/**
 * Specification §3: a reduction of "roughly the whole position" closes it fully. From here on we call it that.
 * ASSUMED: 99 %; the specification shows no figure.
 */
const ABOUT_EVERYTHING = new Big('0.99');

const CENTS = 2;
const CENT = new Big('0.01');

/** Whether taking `part` from `whole` takes about everything. */
export const isAboutEverything = (part: Big, whole: Big): boolean => part.gte(whole.times(ABOUT_EVERYTHING));

/** `percent` of `whole`, in whole cents; 100 % is the whole, to its last digit. */
export function shareOf(whole: Big, percent: Big): Big {
  return percent.eq(100) ? whole : roundTo(whole.times(percent).div(100), CENTS);
}

/** The sizes that a proportional cut of `taken` leaves, rounded to micro-USD (specification §3). */
export function scaleDown(sizes: readonly Big[], taken: Big): readonly Big[] {
  const whole = sum(sizes);
  return sizes.map((size) => size.minus(divide(size.times(taken), whole, USD_PLACES)));
}

const MICRO_USD = new Big('0.000001');

/** How far the sizes of so many hedges may be from their sum: each is rounded to micro-USD (specification §3). */
export const sizeRounding = (hedges: number): Big => MICRO_USD.times(hedges);

const HALF_CENT = new Big('0.005');

/**
 * How far the sizes of so many hedges may be from what was asked for: a service may keep each in whole cents, or compute it from
 * units. For evidence alone: no size that is sent is computed with it.
 */
export const sizeTolerance = (hedges: number): Big => HALF_CENT.times(hedges);

/** Whether two sizes are that of one hedge. */
export const isSameSize = (one: Big, other: Big): boolean => one.minus(other).abs().lte(HALF_CENT);

/** `limit` minus `used`, never below zero. */
export function remainingLimit(limit: Big, used: Big): Big {
  const left = limit.minus(used);
  return left.gt(0) ? left : new Big(0);
}

/** Undefined without any. */
export const leastOf = (amounts: readonly (Big | undefined)[]): Big | undefined =>
  amounts.reduce<Big | undefined>(
    (least, each) => (each !== undefined && least?.lt(each) !== true ? each : least),
    undefined,
  );

/**
 * The largest notional in whole cents that `available` pays for, when `notional` needs `required`: both grow
 * alike. Undefined when nothing is required, so that nothing limits it.
 */
export function affordable(notional: Big, money: { required: Big; available: Big }): Big | undefined {
  if (money.required.lte(0)) return undefined;
  if (money.available.lte(0)) return new Big(0);
  const fits = wholeCents(divide(money.available.times(notional), money.required, USD_PLACES));
  // The quotient may have been rounded up to a whole cent.
  const tooMuch = fits.times(money.required).gt(money.available.times(notional));
  return tooMuch ? fits.minus(CENT) : fits;
}

/** Down to whole cents: the size that still fits. */
export const wholeCents = (amount: Big): Big => amount.round(CENTS, Big.roundDown);

/** The middle of `sizes`; the mean of the two in the middle of an even number; undefined of none. */
export function medianOf(sizes: readonly Big[]): Big | undefined {
  const sorted = sizes.toSorted((one, other) => one.cmp(other));
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (upper === undefined || lower === undefined) return undefined;
  return divide(upper.plus(lower), new Big(2), USD_PLACES);
}

/** `250000` → `250,000.00 USD`: grouped, two decimals at least, every digit that is there. */
export const usdInWords = (amount: Big): string => `${grouped(amount)} USD`;
export const usdcInWords = (amount: Big): string => `${grouped(amount)} USDC`;

/** `1532.71` → `1,532.71`. */
export function grouped(amount: Big): string {
  const [whole = '0', fraction = ''] = amount.toFixed().split('.');
  return `${groupedDigits(whole)}.${fraction.padEnd(CENTS, '0')}`;
}

const groupedDigits = (whole: string): string => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

/** `59,387` */
export const groupedCount = (count: number): string => groupedDigits(count.toString());

/** `PAY-1, PAY-2 and 3 more`. `where`: behind a number that is left out, the place of the others. */
export function someOf(words: readonly string[], most = 5, where = ''): string {
  const more = words.length - most;
  // One more is as short as its name.
  const named = words.slice(0, more === 1 ? most + 1 : most).join(', ');
  return more > 1 ? `${named} and ${more.toString()} more${where}` : named;
}

/** `1 record`, `59,387 bytes` */
export const counted = (count: number, word: string): string =>
  `${groupedCount(count)} ${word}${count === 1 ? '' : 's'}`;
