/** The formulas of a hedge: price, impact, carry, margin, fees, P&L. Each figure is rounded once. */
import type { PracticeSide } from '../domain/practice-types.ts';
import {
  divideHalfEven,
  type Fraction,
  type Micro,
  ONE_DOLLAR,
  ONE_FRACTION,
  type Rate,
  share,
  sumOf,
} from '../domain/scaled-decimals.ts';
import type { ImpactTerms } from '../settings.ts';

const SECONDS_A_DAY = 86_400n;
const TEN_THOUSAND_USD = 10_000n * ONE_DOLLAR;

/** mid × (1 ± (base + slope × notional / 10,000)): above mid for a buy, below for a sell. */
export function executionPrice(mid: Rate, side: PracticeSide, notional: Micro, impact: ImpactTerms): Rate {
  const scale = ONE_FRACTION * TEN_THOUSAND_USD;
  const away = impact.base * TEN_THOUSAND_USD + impact.per10kUsd * notional;
  return divideHalfEven(mid * (side === 'buy' ? scale + away : scale - away), scale);
}

/** −notional × |execution − mid| / mid, in USD: a cost, never positive. */
export function priceImpact(notional: Micro, execution: Rate, mid: Rate): Micro {
  const distance = execution > mid ? execution - mid : mid - execution;
  return divideHalfEven(-notional * distance, mid);
}

/** Positive: the account pays. */
function carryFor(notional: Micro, daily: Fraction, seconds: bigint): Micro {
  return divideHalfEven(notional * daily * seconds, ONE_FRACTION * SECONDS_A_DAY);
}

/** NDF, in USD: notional × (rate − struck) / rate for a buy, the negative for a sell. */
export function pricePnl(side: PracticeSide, notional: Micro, struck: Rate, reference: Rate): Micro {
  const gain = divideHalfEven(notional * (reference - struck), reference);
  return side === 'buy' ? gain : -gain;
}

/** Struck rate after an add: the average weighted by notional. */
export function blendedRate(held: Micro, struck: Rate, added: Micro, addedAt: Rate): Rate {
  return divideHalfEven(held * struck + added * addedAt, held + added);
}

/** A filled hedge. `carryOwed` is the carry accrued until second `carrySecond` after the fill. */
export interface HeldAmounts {
  side: PracticeSide;
  notional: Micro;
  struck: Rate;
  margin: Micro;
  filledAt: number;
  carryOwed: Micro;
  carrySecond: bigint;
}

/** Carry accrues by whole seconds. */
export function secondsHeld(filledAt: number, instant: number): bigint {
  return BigInt(Math.max(0, Math.floor((instant - filledAt) / 1000)));
}

/** Positive: the account pays. */
export function carryOwedAt(holding: HeldAmounts, daily: Fraction, instant: number): Micro {
  const seconds = secondsHeld(holding.filledAt, instant) - holding.carrySecond;
  return holding.carryOwed + carryFor(holding.notional, daily, seconds);
}

/** `credit` = margin + gross − carry − fee goes to the free balance. */
export interface ClosedPart {
  notional: Micro;
  margin: Micro;
  gross: Micro;
  carry: Micro;
  fee: Micro;
  credit: Micro;
  /** Carry still owed on the rest of the hedge. */
  carryLeft: Micro;
}

/** Closes `notional` at `reference`: margin and carry are released pro rata. */
export function computeClose(
  holding: HeldAmounts,
  notional: Micro,
  terms: { reference: Rate; daily: Fraction; fee: Fraction; instant: number },
): ClosedPart {
  const owed = carryOwedAt(holding, terms.daily, terms.instant);
  const rest = holding.notional - notional;
  const margin = holding.margin - divideHalfEven(holding.margin * rest, holding.notional);
  const carryLeft = divideHalfEven(owed * rest, holding.notional);
  const gross = pricePnl(holding.side, notional, holding.struck, terms.reference);
  const carry = owed - carryLeft;
  const fee = share(notional, terms.fee);
  return { notional, margin, gross, carry, fee, credit: margin + gross - carry - fee, carryLeft };
}

/**
 * Splits a reduction over hedges by notional, to the last micro-USD: each part is rounded down, then the rest goes to
 * the largest remainders, one unit each, in list order if equal.
 */
export function allocateProRata(total: Micro, held: readonly Micro[]): Micro[] {
  const whole = sumOf(held);
  const parts = held.map((each, index) => ({
    index,
    part: (total * each) / whole,
    rest: (total * each) % whole,
  }));
  let left = total - sumOf(parts.map((each) => each.part));
  const byRest = parts.toSorted((a, b) => (a.rest === b.rest ? a.index - b.index : a.rest > b.rest ? -1 : 1));
  const result = parts.map((each) => each.part);
  for (const each of byRest) {
    if (left === 0n) break;
    result[each.index] = each.part + 1n;
    left -= 1n;
  }
  return result;
}
