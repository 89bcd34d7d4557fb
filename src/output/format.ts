/** How each kind of cell is formatted: exact decimals grouped in thousands, never rounded; sanitized text; times. */

import { Big } from 'big.js';
import { ownField } from '../domain/fields.ts';
import { forScreen, sanitize, shortened } from '../domain/sanitize.ts';
import { textWidth } from '../domain/text-width.ts';
import type { Amount, Cell } from './blocks.ts';
import { formatRelative, formatTime, formatUntil, isWeekend } from './format-time.ts';
export interface CellFormat {
  /** IANA name of the zone that times are shown in. */
  zone: string;
  /** Times as ISO 8601 in UTC instead. */
  iso?: boolean;
  /** Now, in milliseconds since the epoch. */
  now: number;
  /** False: ASCII only. */
  unicode: boolean;
}

/** Numbers are split at their point; any other cell is all `whole`. */
export interface FormattedCell {
  whole: string;
  fraction: string;
  /** ` USD`, ` %`. */
  unit: string;
  numeric: boolean;
}

const STYLES = {
  money: { decimals: 2 },
  rate: { decimals: 2 },
  percent: { decimals: 2 },
  number: { decimals: 0 },
} as const satisfies Readonly<Record<string, DecimalStyle>>;

export function formatCell(cell: Cell, format: CellFormat): FormattedCell {
  switch (cell.kind) {
    case 'text':
      return cell.isOurs === true ? plainCell(programText(cell.text, format)) : words(cell.text, format);
    case 'money':
      return number(cell.amount, { ...STYLES.money, signed: cell.signed === true }, cell.unit, format);
    case 'rate':
      return number(cell.amount, { decimals: cell.decimals ?? STYLES.rate.decimals }, undefined, format);
    case 'percent':
      return number(cell.amount, { ...STYLES.percent, signed: cell.signed === true }, '%', format);
    case 'number':
      return number(cell.amount, STYLES.number, cell.unit, format);
    case 'time':
      return words(timeText(cell, format), format);
    case 'until':
      return words(formatUntil(cell.at, format.now) ?? cell.at, format);
    case 'weekend':
      return words(cell.of.some((at) => isWeekend(at, format.zone)) ? WEEKEND_MEANS : '', format);
    case 'missing':
      return words('—', format);
    default:
      return cell satisfies never;
  }
}

const WEEKEND = '(!)';
const WEEKEND_MEANS = `${WEEKEND} matures on a weekend.`;

/** `Tue 24 Nov 09:02 UTC (!) (in 3 d 2 h)` */
function timeText(
  { at, style, matures, relative }: Extract<Cell, { kind: 'time' }>,
  format: CellFormat,
): string {
  const distance = relative === true ? formatRelative(at, format.now) : undefined;
  return [
    formatTime(at, format, style) ?? at,
    ...(matures === true && isWeekend(at, format.zone) ? [WEEKEND] : []),
    ...(distance === undefined ? [] : [`(${distance})`]),
  ].join(' ');
}

/** Widths of the parts of a column's numbers. */
export interface Alignment {
  whole: number;
  fraction: number;
  unit: number;
}

export function alignmentOf(column: readonly FormattedCell[]): Alignment {
  const numbers = column.filter(({ numeric }) => numeric);
  const widest = (part: (cell: FormattedCell) => string): number =>
    Math.max(0, ...numbers.map((cell) => textWidth(part(cell))));
  return {
    whole: widest(({ whole }) => whole),
    fraction: widest(({ fraction }) => fraction),
    unit: widest(({ unit }) => unit),
  };
}

/** Padded after its point, so that right-aligned cells line up at their points. */
export function alignedText(cell: FormattedCell, alignment: Alignment): string {
  if (!cell.numeric) return cell.whole;
  const unit = cell.unit + ' '.repeat(alignment.unit - textWidth(cell.unit));
  return cell.whole + cell.fraction.padEnd(alignment.fraction) + unit;
}

/** `50,000.00 USD` */
export function cellText(cell: Cell, format: CellFormat): string {
  const { whole, fraction, unit } = formatCell(cell, format);
  return whole + fraction + unit;
}

/** Any text, sanitized and short, in letters that the terminal can show. */
export const showable = (text: string, format: Pick<CellFormat, 'unicode'>): string =>
  programText(forScreen(text), format);

/** The name before a value: short, with its blanks. */
export const shownName = (text: string, format: Pick<CellFormat, 'unicode'>): string =>
  shortened(programText(text, format));

/** Text of the program: never cut. */
export const programText = (text: string, { unicode }: Pick<CellFormat, 'unicode'>): string =>
  unicode ? sanitize(text) : toAscii(sanitize(text));

const words = (text: string, format: CellFormat): FormattedCell => plainCell(showable(text, format));

const plainCell = (text: string): FormattedCell => ({ whole: text, fraction: '', unit: '', numeric: false });

function number(
  amount: Amount,
  style: DecimalStyle,
  unit: string | undefined,
  format: CellFormat,
): FormattedCell {
  const parts = decimalParts(amount, style);
  if (parts === undefined) return words(String(amount), format);
  return { ...parts, unit: unit === undefined ? '' : ` ${showable(unit, format)}`, numeric: true };
}

const IN_ASCII: Readonly<Record<string, string>> = {
  '·': '|',
  '—': '-',
  '–': '-',
  '−': '-',
  '…': '...',
  '→': '->',
  '≥': '>=',
  '≤': '<=',
  '×': 'x',
  '‘': "'",
  '’': "'",
  '“': '"',
  '”': '"',
};
const BEYOND_ASCII = /[\u{80}-\u{10ffff}]/gu;

/** Letters lose their accents, the rest becomes `?`: other bytes may be control characters on such a terminal. */
function toAscii(text: string): string {
  return text.replace(BEYOND_ASCII, (character) => ownField(IN_ASCII, character) ?? bare(character));
}

function bare(character: string): string {
  const letters = character.normalize('NFKD').replace(/\p{M}/gu, '');
  if (letters === '') return '';
  return /^[\x20-\x7e]+$/.test(letters) ? letters : '?';
}

export interface DecimalStyle {
  /** At least so many decimals. */
  decimals: number;
  /** A plus before positive amounts; zero has no sign. */
  signed?: boolean;
}

/** `-1,532` and `.56` */
export interface DecimalParts {
  whole: string;
  fraction: string;
}

/** Numbers with more digits before or after the point get an exponent. */
const LONGEST = 40;

/** Undefined when `amount` is not a finite decimal. */
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
