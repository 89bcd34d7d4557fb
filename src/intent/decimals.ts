/**
 * Decimal numbers as people write them: plain digits, or thousands set apart by one kind of separator.
 * Everything that could be read two ways is refused. Knows no units and no limits but those it is given.
 */
import { Big } from 'big.js';

/** Longest whole part, in digits: no desk deals a trillion, and no reader counts further. */
export const MAX_WHOLE_DIGITS = 12;

const PLAIN = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
const GROUPED = /^[1-9]\d{0,2}(?:(?:,\d{3})+|(?:_\d{3})+)(?:\.\d+)?$/;
/** Far more than any valid number is long; keeps a megabyte of digits from being computed with. */
const MAX_LENGTH = 64;

/** `10000`, `10_000`, `10,000.50`; undefined for everything else: signs, exponents, blanks, leading zeros. */
export function parseDecimal(text: string): Big | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  if (!PLAIN.test(text) && !GROUPED.test(text)) return undefined;
  return new Big(text.replaceAll(/[,_]/g, ''));
}

/** As `parseDecimal`, without separators: for a number that a unit letter follows. */
export const parsePlainDecimal = (text: string): Big | undefined =>
  PLAIN.test(text) ? parseDecimal(text) : undefined;

/** Whether the value can be written with at most so many decimals. */
export const hasDecimals = (value: Big, most: number): boolean => value.round(most).eq(value);

/** Digits before the decimal point. */
export const wholeDigits = (value: Big): number => value.abs().round(0, Big.roundDown).toFixed().length;
