/**
 * The sums of a hedge (the table of terms in the design): execution price, impact, carry, margin, fees, P&L.
 * Pure, exact, rounded half to even to a micro-USDC once per figure. Refuses to know stores and clocks.
 */
import type { Side } from '../door.ts';
import {
  divideHalfEven,
  type Fraction,
  type Micro,
  ONE_DOLLAR,
  ONE_FRACTION,
  type Rate,
  share,
} from '../money/decimals.ts';

const SECONDS_A_DAY = 86_400n;
const TEN_THOUSAND_USD = 10_000n * ONE_DOLLAR;

/** What an order pays for its size: a base, and as much again per 10,000 USD. */
export interface Impact {
  base: Fraction;
  per10kUsd: Fraction;
}

/** mid × (1 ± (base + slope × notional / 10,000)); a buy pays above mid, a sell receives below. 8 decimals. */
export function executionPrice(mid: Rate, side: Side, notional: Micro, impact: Impact): Rate {
  const scale = ONE_FRACTION * TEN_THOUSAND_USD;
  const away = impact.base * TEN_THOUSAND_USD + impact.per10kUsd * notional;
  return divideHalfEven(mid * (side === 'buy' ? scale + away : scale - away), scale);
}

/** −notional × |execution − mid| / mid, in USD: never positive, as impact is a cost. */
export function priceImpact(notional: Micro, execution: Rate, mid: Rate): Micro {
  const distance = execution > mid ? execution - mid : mid - execution;
  return divideHalfEven(-notional * distance, mid);
}

/** Carry over whole seconds at a daily rate; positive = the account pays. */
export function carryOver(notional: Micro, daily: Fraction, seconds: bigint): Micro {
  return divideHalfEven(notional * daily * seconds, ONE_FRACTION * SECONDS_A_DAY);
}

/** NDF, in USD: a buy gains notional × (rate − struck) / rate when the rate has risen, a sell its negative. */
export function priceResult(side: Side, notional: Micro, struck: Rate, reference: Rate): Micro {
  const gain = divideHalfEven(notional * (reference - struck), reference);
  return side === 'buy' ? gain : -gain;
}

/** Struck rate after growing: weighted by notional, with which P&L of the whole is the sum of the parts. */
export function blendedRate(held: Micro, struck: Rate, added: Micro, addedAt: Rate): Rate {
  return divideHalfEven(held * struck + added * addedAt, held + added);
}

/** What a filled hedge holds. `carryOwed` is what had accrued up to second `carrySecond` after its fill. */
export interface Holding {
  side: Side;
  notional: Micro;
  struck: Rate;
  margin: Micro;
  filledAt: number;
  carryOwed: Micro;
  carrySecond: bigint;
}

/** Whole seconds from the fill to an instant: carry accrues by these. */
export function secondsHeld(filledAt: number, instant: number): bigint {
  return BigInt(Math.max(0, Math.floor((instant - filledAt) / 1000)));
}

/** All carry owed at an instant; positive = the account pays. */
export function carryOwedAt(holding: Holding, daily: Fraction, instant: number): Micro {
  const seconds = secondsHeld(holding.filledAt, instant) - holding.carrySecond;
  return holding.carryOwed + carryOver(holding.notional, daily, seconds);
}

/** One part of a hedge leaving the book. `credit` = margin + gross − carry − fee, to the free balance. */
export interface Cut {
  notional: Micro;
  margin: Micro;
  gross: Micro;
  carry: Micro;
  fee: Micro;
  credit: Micro;
  /** Of the carry, what stays owed with the rest. */
  carryLeft: Micro;
}

/** Takes `notional` out of a holding at `reference`: margin, carry and the fee go pro rata. */
export function cut(
  holding: Holding,
  notional: Micro,
  terms: { reference: Rate; daily: Fraction; fee: Fraction; instant: number },
): Cut {
  const owed = carryOwedAt(holding, terms.daily, terms.instant);
  const rest = holding.notional - notional;
  const margin = holding.margin - divideHalfEven(holding.margin * rest, holding.notional);
  const carryLeft = divideHalfEven(owed * rest, holding.notional);
  const gross = priceResult(holding.side, notional, holding.struck, terms.reference);
  const carry = owed - carryLeft;
  const fee = share(notional, terms.fee);
  return { notional, margin, gross, carry, fee, credit: margin + gross - carry - fee, carryLeft };
}

/**
 * A reduction spread over the hedges of a side in proportion to their notional, to the last micro-USD:
 * rounded down each, what is left goes one by one to the largest remainders, the first listed at equal ones.
 */
export function spread(total: Micro, held: readonly Micro[]): Micro[] {
  const whole = held.reduce((sum, each) => sum + each, 0n);
  const parts = held.map((each, index) => ({
    index,
    part: (total * each) / whole,
    rest: (total * each) % whole,
  }));
  let left = total - parts.reduce((sum, each) => sum + each.part, 0n);
  const byRest = parts.toSorted((a, b) => (a.rest === b.rest ? a.index - b.index : a.rest > b.rest ? -1 : 1));
  const result = parts.map((each) => each.part);
  for (const each of byRest) {
    if (left === 0n) break;
    result[each.index] = each.part + 1n;
    left -= 1n;
  }
  return result;
}
