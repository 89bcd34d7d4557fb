/**
 * Exact decimals as people read them: grouped in thousands, every digit that is there, never rounded,
 * never abbreviated. Knows no units and no kinds.
 */
import { Big } from 'big.js';
import type { Amount } from './blocks.ts';

export interface DecimalStyle {
  /** Zeros fill up to as many decimals; further digits are shown as they are. */
  decimals: number;
  /** A plus before what is more than nothing. Nothing itself has no sign. */
  signed?: boolean;
}

/** A decimal in the three parts a column lines up: `-1,532` `.56` and what follows. */
export interface DecimalParts {
  whole: string;
  fraction: string;
}

/** Beyond as many digits before or after the point a number is spelled with an exponent. */
const LONGEST = 40;

/** The parts of `amount`, or nothing when it is not a finite decimal. */
export function decimalParts(amount: Amount, style: DecimalStyle): DecimalParts | undefined {
  const exact = exactOf(amount);
  if (exact === undefined) return undefined;
  const sign = exact.eq(0) ? '' : exact.lt(0) ? '-' : style.signed === true ? '+' : '';
  const magnitude = exact.abs();
  if (Math.abs(magnitude.e) > LONGEST) return { whole: sign + magnitude.toExponential(), fraction: '' };
  const [whole = '0', decimals = ''] = magnitude.toFixed().split('.');
  const fraction = decimals.padEnd(style.decimals, '0');
  return {
    whole: sign + whole.replace(/\B(?=(?:\d{3})+$)/g, ','),
    fraction: fraction === '' ? '' : `.${fraction}`,
  };
}

function exactOf(amount: Amount): Big | undefined {
  if (amount instanceof Big) return amount;
  try {
    return new Big(amount);
  } catch {
    return undefined;
  }
}
