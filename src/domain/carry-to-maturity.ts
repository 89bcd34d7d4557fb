/**
 * What an addition pays for being held: it keeps the maturity of the hedge that grows (specification §3), so its
 * carry runs from now until then and not over the tenor that a quote is for. Knows neither hedges nor clocks.
 */
import type { Big } from 'big.js';
import { divide, USD_PLACES } from './amounts.ts';
import { instantOf } from './instants.ts';

const DAY_MS = 86_400_000;

/** The part of a quote (specification §2) that says what holding costs. */
export interface CarryTerms {
  tenor_days: Big;
  /** Over the tenor: positive = the account pays, negative = it earns. */
  carry: { total_usdc: Big };
}

export interface CarryToMaturity {
  /** USDC, 6 decimals: positive = the account pays, negative = it earns. */
  carry_usdc: Big;
  /** The maturity it runs to, as the service sent it. */
  maturity_at: string;
}

/**
 * carry = total_usdc × (maturity − from) / tenor, rounded half-even once: carry is a rate a day (specification
 * §2), so each moment of the tenor has its even part. Nothing once maturity has come.
 * Undefined when the maturity cannot be read, or the tenor is none.
 */
export function carryToMaturity(
  { tenor_days: tenor, carry }: CarryTerms,
  { from, to }: { from: Date; to: string },
): CarryToMaturity | undefined {
  const matures = instantOf(to);
  if (matures === undefined || tenor.lte(0)) return undefined;
  const heldMs = Math.max(0, matures - from.getTime());
  const carry_usdc = divide(carry.total_usdc.times(heldMs), tenor.times(DAY_MS), USD_PLACES);
  return { carry_usdc, maturity_at: to };
}

/** The one that costs most; undefined of none. */
export const dearest = (held: readonly CarryToMaturity[]): CarryToMaturity | undefined =>
  held.toSorted((one, other) => other.carry_usdc.cmp(one.carry_usdc))[0];
