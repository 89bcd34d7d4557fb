/** Exact decimal arithmetic with big.js: sums, and quotients rounded once. Does not change the global settings of big.js. */
import { Big } from 'big.js';

/** Decimal places of derived figures: rates, USD and USDC, basis points, percentages. */
export const RATE_PLACES = 8;
export const USD_PLACES = 6;
export const BPS_PLACES = 4;
export const PCT_PLACES = 6;

export const BPS_PER_UNIT = 10_000;

/** Half-even ("banker's"): a tie goes to the even neighbour, so that roundings do not drift one way. */
export function roundTo(amount: Big, places: number): Big {
  return amount.round(places, Big.roundHalfEven);
}

/** Plain digits as a decimal; undefined for anything else. */
export const readDecimal = (digits: unknown): Big | undefined =>
  typeof digits === 'string' && /^-?\d+(\.\d+)?$/.test(digits) ? new Big(digits) : undefined;

export function sum(amounts: Iterable<Big>): Big {
  let total = new Big(0);
  for (const amount of amounts) total = total.plus(amount);
  return total;
}

/**
 * `dividend / divisor`, rounded half-even to `places` decimals from the exact quotient: the only rounding of a
 * figure happens here. (big.js itself rounds a quotient to its global setting first, which would be a second.)
 * @throws RangeError when the divisor is zero.
 */
export function divide(dividend: Big, divisor: Big, places: number): Big {
  if (divisor.eq(0)) throw new RangeError('division by zero');
  const Truncating = Big();
  Truncating.DP = places;
  Truncating.RM = Big.roundDown;
  const size = new Big(new Truncating(dividend.abs().toFixed()).div(divisor.abs().toFixed()).toFixed());
  const rest = dividend.abs().minus(size.times(divisor.abs()));
  const unit = new Big(`1e-${places}`);
  const half = rest.times(2).cmp(divisor.abs().times(unit));
  const lastIsOdd = size.div(unit).mod(2).eq(1);
  const rounded = half > 0 || (half === 0 && lastIsOdd) ? size.plus(unit) : size;
  return dividend.s === divisor.s ? rounded : rounded.times(-1);
}
