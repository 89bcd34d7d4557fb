/** The formulas of a hedge: price, impact, carry, margin, fees, P&L. Each figure is rounded once. */
import type { PracticeSide } from '../domain/practice-types.ts';
import {
  divideHalfEven,
  type Fraction,
  type Micro,
  ONE_DOLLAR,
  ONE_FRACTION,
  type Rate,
} from '../domain/scaled-decimals.ts';
import type { ImpactSettings } from '../settings.ts';

const SECONDS_A_DAY = 86_400n;
const TEN_THOUSAND_USD = 10_000n * ONE_DOLLAR;

/** mid × (1 ± (base + slope × notional / 10,000)): above mid for a buy, below for a sell. */
export function executionPrice(mid: Rate, side: PracticeSide, notional: Micro, impact: ImpactSettings): Rate {
  const scale = ONE_FRACTION * TEN_THOUSAND_USD;
  const away = impact.base * TEN_THOUSAND_USD + impact.per10kUsd * notional;
  return divideHalfEven(mid * (side === 'buy' ? scale + away : scale - away), scale);
}

/** −notional × |execution − mid| / mid, in USD: a cost, never positive. */
export function priceImpact(notional: Micro, execution: Rate, mid: Rate): Micro {
  const distance = execution > mid ? execution - mid : mid - execution;
  return divideHalfEven(-notional * distance, mid);
}

/** Carry from Σ notional × daily carry × seconds. Positive: the account pays. */
export function carryOf(accrued: bigint): Micro {
  return divideHalfEven(accrued, ONE_FRACTION * SECONDS_A_DAY);
}

/** NDF, in USD: notional × (rate − struck) / rate for a buy, the negative for a sell. */
export function pricePnl(side: PracticeSide, notional: Micro, struck: Rate, reference: Rate): Micro {
  return priceGain(side, notional * (reference - struck), reference);
}

/** Gain from Σ notional × (rate − struck). */
export function priceGain(side: PracticeSide, moved: bigint, reference: Rate): Micro {
  const gain = divideHalfEven(moved, reference);
  return side === 'buy' ? gain : -gain;
}

/** Struck rate after an add: the average weighted by notional. */
export function blendedRate(held: Micro, struck: Rate, added: Micro, addedAt: Rate): Rate {
  return divideHalfEven(held * struck + added * addedAt, held + added);
}

/** A filled hedge. `carry_owed` is the carry accrued until second `carry_second` after the fill. */
export interface HeldAmounts {
  side: PracticeSide;
  notional: Micro;
  struck: Rate;
  margin: Micro;
  filled_at: number;
  carry_owed: Micro;
  carry_second: bigint;
  carry_daily: Fraction;
  close_fee: Fraction;
}

/** Carry accrues by whole seconds. */
export function secondsHeld(filledAt: number, instant: number): bigint {
  return BigInt(Math.max(0, Math.floor((instant - filledAt) / 1000)));
}

/** notional × daily carry × seconds since `carry_second`. */
function accruedAt(holding: HeldAmounts, instant: number): bigint {
  const seconds = secondsHeld(holding.filled_at, instant) - holding.carry_second;
  return holding.notional * holding.carry_daily * seconds;
}

/** Positive: the account pays. */
export function carryOwedAt(holding: HeldAmounts, instant: number): Micro {
  return holding.carry_owed + carryOf(accruedAt(holding, instant));
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

export interface ClosingTerms {
  reference: Rate;
  instant: number;
  /** There is no close fee at maturity. */
  atMaturity: boolean;
}

/** Closes `notional` of a hedge; margin and carry are released pro rata. */
type CloseHedge = (holding: HeldAmounts, notional: Micro, isLast: boolean) => ClosedPart;

/**
 * Closes parts of several hedges of a side. Gross P&L, carry and fee of them all are rounded once; the last takes the
 * remainder.
 */
export function closeTogether({ reference, instant, atMaturity }: ClosingTerms): CloseHedge {
  const exact = { moved: 0n, owed: 0n, accrued: 0n, fees: 0n };
  const rounded = { gross: 0n, owed: 0n, fee: 0n };
  return (holding, notional, isLast) => {
    const moved = notional * (reference - holding.struck);
    const accrued = accruedAt(holding, instant);
    const fees = atMaturity ? 0n : notional * holding.close_fee;
    exact.moved += moved;
    exact.owed += holding.carry_owed;
    exact.accrued += accrued;
    exact.fees += fees;
    if (isLast) {
      return closedPart(holding, notional, {
        gross: priceGain(holding.side, exact.moved, reference) - rounded.gross,
        owed: exact.owed + carryOf(exact.accrued) - rounded.owed,
        fee: closeFee(exact.fees) - rounded.fee,
      });
    }
    const gross = priceGain(holding.side, moved, reference);
    const owed = holding.carry_owed + carryOf(accrued);
    const fee = closeFee(fees);
    rounded.gross += gross;
    rounded.owed += owed;
    rounded.fee += fee;
    return closedPart(holding, notional, { gross, owed, fee });
  };
}

/** Fee from Σ notional × close fee. */
export function closeFee(fees: bigint): Micro {
  return divideHalfEven(fees, ONE_FRACTION);
}

function closedPart(
  holding: HeldAmounts,
  notional: Micro,
  { gross, owed, fee }: { gross: Micro; owed: Micro; fee: Micro },
): ClosedPart {
  const rest = holding.notional - notional;
  const left = (amount: Micro): Micro => (rest === 0n ? 0n : divideHalfEven(amount * rest, holding.notional));
  const margin = holding.margin - left(holding.margin);
  const carryLeft = left(owed);
  const carry = owed - carryLeft;
  return { notional, margin, gross, carry, fee, credit: margin + gross - carry - fee, carryLeft };
}

/**
 * Splits a reduction over hedges by notional, to the last micro-USD: each part is rounded down, then the rest goes to
 * the largest remainders, one unit each, in list order if equal.
 */
export function allocateProRata(total: Micro, held: BigInt64Array): BigInt64Array {
  const whole = held.reduce((sum, each) => sum + each, 0n);
  const parts = held.map((each) => (total * each) / whole);
  // Each remainder is less than the position, and fits 64 bits.
  const rests = held.map((each, index) => total * each - (parts[index] ?? 0n) * whole);
  const left = Number(total - parts.reduce((sum, each) => sum + each, 0n));
  if (left === 0) return parts;
  const least = rests.toSorted()[rests.length - left] ?? 0n;
  let equal = left - rests.filter((rest) => rest > least).length;
  return parts.map((part, index) => {
    const rest = rests[index] ?? 0n;
    if (rest > least) return part + 1n;
    if (rest < least || equal === 0) return part;
    equal -= 1;
    return part + 1n;
  });
}
