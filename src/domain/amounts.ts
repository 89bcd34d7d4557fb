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

/** A tie goes away from zero, as people do when they check a figure by hand. For screens, naira and the figures of cover. */
export const roundHalfUp = (amount: Big, places: number): Big => amount.round(places, Big.roundHalfUp);

/** Plain digits as a decimal; undefined for anything else. */
export const readDecimal = (digits: unknown): Big | undefined =>
  typeof digits === 'string' && /^-?\d+(\.\d+)?$/.test(digits) ? new Big(digits) : undefined;

/** These are text, even if they look like a number. */
const TEXTS: readonly string[] = ['id', 'hedge_id', 'client_reference', 'market'];

/** Recorded fields, with figures as decimals again. */
export const readFigures = (
  recorded: Readonly<Record<string, string | null>>,
): Readonly<Record<string, Big | string | null>> =>
  Object.fromEntries(
    Object.entries(recorded).map(([name, value]) => [
      name,
      TEXTS.includes(name) ? value : (readDecimal(value) ?? value),
    ]),
  );

export function sum(amounts: Iterable<Big>): Big {
  let total = new Big(0);
  for (const amount of amounts) total = total.plus(amount);
  return total;
}

/** Undefined if one is not known. */
export function sumIfAll(amounts: readonly (Big | undefined)[]): Big | undefined {
  const known = amounts.filter((amount) => amount !== undefined);
  return known.length === amounts.length ? sum(known) : undefined;
}

/**
 * `dividend / divisor`, rounded half-even to `places` decimals from the exact quotient: the only rounding of a
 * figure happens here. (big.js itself rounds a quotient to its global setting first, which would be a second.)
 * @throws RangeError when the divisor is zero.
 */
export function divide(dividend: Big, divisor: Big, places: number): Big {
  if (divisor.eq(0)) throw new RangeError('division by zero');
  const shift = exponentOf(dividend) - exponentOf(divisor) + places;
  const above = digitsOf(dividend) * 10n ** BigInt(Math.max(shift, 0));
  const below = digitsOf(divisor) * 10n ** BigInt(Math.max(-shift, 0));
  const [size, rest] = [above / below, above % below];
  const isUp = rest * 2n > below || (rest * 2n === below && size % 2n === 1n);
  const rounded = new Big(`${(isUp ? size + 1n : size).toString()}e-${places.toString()}`);
  return dividend.s === divisor.s ? rounded : rounded.times(-1);
}

/** All digits as a whole number, and the power of ten of the last one. */
const digitsOf = ({ c }: Big): bigint => BigInt(c.join(''));
const exponentOf = ({ c, e }: Big): number => e - (c.length - 1);
