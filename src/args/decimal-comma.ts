/** Commas in the amounts of a file: which forms have a decimal comma, which could be both, and which a delimiter has split. */
import { quoted } from '../domain/quoted.ts';

/** `₦45.000.000,00`, `12,5m`: a currency or a unit on either side, as the readers of amounts take it. */
const AMOUNT = /^([^\d.,]*)(\d[\d.,]*)([^\d.,]*)$/;
/** `45.000.000,00` and `45.000.000`. */
const DOTTED = /^[1-9]\d{0,2}(?:\.\d{3})+,\d+$|^[1-9]\d{0,2}(?:\.\d{3}){2,}$/;
/** Three digits behind one to three are a thousand, and leave the comma open. */
const PLAIN = /^(?:\d+,(?:\d{1,2}|\d{4,})|(?:0|[1-9]\d{3,}),\d{3})$/;
const EITHER = /^[1-9]\d{0,2}[.,]\d{3}$/;
const GROUPED = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?$/;

/** The same amount with a decimal point. Undefined unless its form can only be a decimal comma. */
export function withDecimalPoint(text: string): string | undefined {
  const [, before = '', digits = '', after = ''] = AMOUNT.exec(text) ?? [];
  if (!DOTTED.test(digits) && !PLAIN.test(digits)) return undefined;
  return `${before}${digits.replaceAll('.', '').replace(',', '.')}${after}`;
}

/** Why an amount of a file with decimal commas is unclear: `1.234` is a thousand there, and one elsewhere. */
export function unclearMark(text: string): string | undefined {
  const [, before = '', digits = '', after = ''] = AMOUNT.exec(text) ?? [];
  if (!EITHER.test(digits)) return undefined;
  const whole = digits.replace(/[.,]/, '');
  const decimals = digits.replace(/[.,]/, ',').replace(/0{1,2}$/, '');
  const clear = decimals === digits.replace('.', ',') ? `${decimals}0` : decimals;
  return `${quoted(text)} may be a thousand or a decimal, since other amounts of the file have a decimal comma: write ${before}${whole}${after} or ${before}${clear}${after}.`;
}

/** Why an amount with a comma is none. */
export function wrongComma(text: string): string | undefined {
  const [, , digits = '', unit = ''] = AMOUNT.exec(text) ?? [];
  if (!digits.includes(',')) return undefined;
  if (!GROUPED.test(digits))
    return `${quoted(text)}: its comma separates neither thousands nor decimals. Write 10000.50, 10,000.50 or 10.000,50.`;
  return /^(?:k|m|bn)\b/i.test(unit)
    ? `${quoted(text)}: a comma with three digits may be a thousand or a decimal. Write ${digits.replaceAll(',', '')}${unit} or ${digits.replace(',', '.')}${unit}.`
    : undefined;
}

/** `10,000.00` in two cells. */
export const isSplitThousand = (first: string, second: string): boolean =>
  /^\d{1,3}$/.test(first) && /^\d{3}(?:\.\d*)?$/.test(second);

/** `45.000,00` in two cells. */
export const isSplitDecimal = (first: string, second: string): boolean =>
  /^\d{1,3}(?:\.\d{3})+$/.test(first) && /^\d{1,2}$/.test(second);
