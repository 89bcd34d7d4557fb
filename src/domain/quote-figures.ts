/**
 * The all-in cost figures of a quote, each derived from exact values and rounded once; positive is a cost. An add keeps
 * the maturity of its hedge (specification §3), so its carry runs until then and not over the quoted tenor.
 */
import type { Big } from 'big.js';
import { BPS_PER_UNIT, BPS_PLACES, divide, PCT_PLACES, RATE_PLACES, roundTo, USD_PLACES } from './amounts.ts';
import { DAY_MS, instantOf } from './instants.ts';
import type { Side } from './vocabulary.ts';

interface PricedSize {
  side: Side;
  notional_usd: Big;
  pricing: { market_price: Big; execution_price: Big };
}

/** The part of a quote (specification §2) that the figures are made of. */
export interface QuoteTerms extends PricedSize {
  carry: { total_usdc: Big };
  upfront: { platform_fee_usdc: Big };
}

/** The figures of an add include the carry that is counted and the maturity that it runs to. */
export interface QuoteFigures extends Partial<CarryToMaturity> {
  /**
   * The reference rate at maturity at which the hedge exactly pays its own costs, in quote currency per USDT,
   * 8 decimals. Absent when no rate does (costs eat the whole notional of a buy).
   */
  all_in_rate?: Big;
  /** How far the market must move from `market_price` to get there, in percent, 6 decimals, signed. */
  move_to_break_even_pct?: Big;
  /** The cost of dealing at the execution price and not at the market price, USD, 6 decimals. */
  impact_cost_usd: Big;
  /** Impact, carry and platform fee together, USDC (a USDC is taken as a USD), 6 decimals. */
  cost_usdc: Big;
  /** `cost_usdc` in basis points of the notional, 4 decimals. */
  cost_bps: Big;
  /** The notional at the execution price, in quote currency, 6 decimals. */
  notional_quote: Big;
  /** The rate for a customer with the markup, in quote currency per USDT, 8 decimals. Absent when there is no all-in rate. */
  customer_rate?: Big | undefined;
}

/**
 * N is the notional, M the market price, K the execution price and C = carry + platform fee, the carry being
 * that over the tenor, or of an addition (`held`) that to the maturity it keeps:
 *
 *   all_in_rate  buy K / (1 − C/N), sell K / (1 + C/N). A buy gains N × (rate − K) / rate (the NDF formula),
 *                a sell its negative; set equal to C and solved for the rate. Impact is in K already.
 *   impact       buy N × (K − M) / M, sell the negative.
 *
 * @throws RangeError when N, M or K is not above zero; the client lets no such quote through.
 */
export function quoteFigures(terms: QuoteTerms, held?: CarryToMaturity): QuoteFigures {
  const notional = terms.notional_usd;
  const market = terms.pricing.market_price;
  const execution = terms.pricing.execution_price;
  const sign = terms.side === 'buy' ? 1 : -1;
  const carry = held?.carry_usdc ?? terms.carry.total_usdc;
  const costs = carry.plus(terms.upfront.platform_fee_usdc);
  const cost = costTimesMarket(terms, carry);
  return {
    ...breakEven(notional.minus(costs.times(sign)), notional.times(execution), market),
    impact_cost_usd: impactCost(terms),
    cost_usdc: divide(cost, market, USD_PLACES),
    cost_bps: divide(cost.times(BPS_PER_UNIT), market.times(notional), BPS_PLACES),
    notional_quote: roundTo(notional.times(execution), USD_PLACES),
    ...held,
  };
}

/**
 * `impact_cost_usd` alone.
 * @throws RangeError as `quoteFigures`.
 */
const impactCost = (terms: PricedSize): Big =>
  divide(impactTimesMarketOf(terms), terms.pricing.market_price, USD_PLACES);

/** Impact, carry and fee in USDC, positive is paid; still to be divided by M, so that each figure is rounded once. */
export const costTimesMarket = (terms: QuoteTerms, carry = terms.carry.total_usdc): Big =>
  impactTimesMarketOf(terms).plus(
    carry.plus(terms.upfront.platform_fee_usdc).times(terms.pricing.market_price),
  );

/** ± N (K − M), still to be divided by M. */
function impactTimesMarketOf({ side, notional_usd: notional, pricing }: PricedSize): Big {
  const { market_price: market, execution_price: execution } = pricing;
  if ([notional, market, execution].some((size) => size.lte(0)))
    throw new RangeError('a quote needs a notional and prices above zero');
  const impact = notional.times(execution.minus(market));
  return side === 'buy' ? impact : impact.times(-1);
}

/** `left` is N ∓ C: what remains of the notional once costs are paid (more, for a sell). */
function breakEven(
  left: Big,
  notionalQuote: Big,
  market: Big,
): Pick<QuoteFigures, 'all_in_rate' | 'move_to_break_even_pct'> {
  if (left.lte(0)) return {};
  const marketTimesLeft = market.times(left);
  return {
    all_in_rate: divide(notionalQuote, left, RATE_PLACES),
    move_to_break_even_pct: divide(
      notionalQuote.minus(marketTimesLeft).times(100),
      marketTimesLeft,
      PCT_PLACES,
    ),
  };
}

/** The part of a quote (specification §2) that says what holding costs. */
export interface TenorCarry {
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
  { tenor_days: tenor, carry }: TenorCarry,
  { from, to }: { from: Date; to: string },
): CarryToMaturity | undefined {
  const matures = instantOf(to);
  if (matures === undefined || tenor.lte(0)) return undefined;
  const heldMs = Math.max(0, matures - from.getTime());
  const carry_usdc = divide(carry.total_usdc.times(heldMs), tenor.times(DAY_MS), USD_PLACES);
  return { carry_usdc, maturity_at: to };
}

/** The one that costs most; undefined of none. */
export const mostExpensive = (held: readonly CarryToMaturity[]): CarryToMaturity | undefined =>
  held.toSorted((one, other) => other.carry_usdc.cmp(one.carry_usdc))[0];

export interface CarryInWords {
  words: 'you pay' | 'you earn' | 'no carry';
  /** Without its sign, which is in the words; the unit is that of what came in (USDC, or percent). */
  amount: Big;
}

/** A signed rate or amount of carry: `17.5` → you pay 17.5, `-0.02` → you earn 0.02. */
export function carryInWords(signed: Big): CarryInWords {
  if (signed.eq(0)) return { words: 'no carry', amount: signed.abs() };
  return { words: signed.gt(0) ? 'you pay' : 'you earn', amount: signed.abs() };
}
