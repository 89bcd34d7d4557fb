/**
 * How each kind of cell is spelled: as parts that a column can line up, or as one text. Lays nothing out.
 *
 * Exact decimals as people read them: grouped in thousands, every digit that is there, never rounded,
 * never abbreviated. Knows no units and no kinds.
 */

import { Big } from 'big.js';
import { ownField } from '../domain/fields.ts';
import { forScreen, sanitize, shortened } from '../domain/sanitize.ts';
import { textWidth } from '../domain/text-width.ts';
import type { Amount, Cell } from './blocks.ts';
import { formatRelative, formatTime, formatUntil, isWeekend } from './format-time.ts';
export interface CellFormat {
  /** IANA name of the zone that times are shown in. */
  zone: string;
  /** For a program: times are ISO 8601 in UTC instead. */
  iso?: boolean;
  /** Now, in milliseconds since the epoch. */
  now: number;
  /** False: the terminal shows ASCII alone. */
  unicode: boolean;
}

/** A spelled cell. Numbers come apart at their point; any other cell is all `whole`. */
export interface FormattedCell {
  whole: string;
  fraction: string;
  /** What follows the number: ` USD`, ` %`. */
  unit: string;
  numeric: boolean;
}

const STYLES = {
  money: { decimals: 2 },
  rate: { decimals: 2 },
  percent: { decimals: 2 },
  number: { decimals: 0 },
} as const satisfies Readonly<Record<string, DecimalStyle>>;

export function formatCell(cell: Cell, spelling: CellFormat): FormattedCell {
  switch (cell.kind) {
    case 'text':
      return cell.isOurs === true ? plainCell(ours(cell.text, spelling)) : words(cell.text, spelling);
    case 'money':
      return number(cell.amount, { ...STYLES.money, signed: cell.signed === true }, cell.unit, spelling);
    case 'rate':
      return number(cell.amount, { decimals: cell.decimals ?? STYLES.rate.decimals }, undefined, spelling);
    case 'percent':
      return number(cell.amount, { ...STYLES.percent, signed: cell.signed === true }, '%', spelling);
    case 'number':
      return number(cell.amount, STYLES.number, cell.unit, spelling);
    case 'time':
      return words(timeText(cell, spelling), spelling);
    case 'until':
      return words(formatUntil(cell.at, spelling.now) ?? cell.at, spelling);
    case 'weekend':
      return words(cell.of.some((at) => isWeekend(at, spelling.zone)) ? WEEKEND_MEANS : '', spelling);
    case 'missing':
      return words('—', spelling);
    default:
      return cell satisfies never;
  }
}

const WEEKEND = '(!)';
const WEEKEND_MEANS = `${WEEKEND} matures on a weekend.`;

/** `Tue 24 Nov 09:02 UTC (!) (in 3 d 2 h)` */
function timeText(
  { at, style, matures, relative }: Extract<Cell, { kind: 'time' }>,
  spelling: CellFormat,
): string {
  const distance = relative === true ? formatRelative(at, spelling.now) : undefined;
  return [
    formatTime(at, spelling, style) ?? at,
    ...(matures === true && isWeekend(at, spelling.zone) ? [WEEKEND] : []),
    ...(distance === undefined ? [] : [`(${distance})`]),
  ].join(' ');
}

/** Widths that line numbers of one column up at their points: before, after, and what follows. */
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

/** The cell's text with the blanks that follow it in its column; those before it are `padStart`'s. */
export function alignedText(cell: FormattedCell, alignment: Alignment): string {
  if (!cell.numeric) return cell.whole;
  const unit = cell.unit + ' '.repeat(alignment.unit - textWidth(cell.unit));
  return cell.whole + cell.fraction.padEnd(alignment.fraction) + unit;
}

/** The cell as one text: `50,000.00 USD`. */
export function cellText(cell: Cell, spelling: CellFormat): string {
  const { whole, fraction, unit } = formatCell(cell, spelling);
  return whole + fraction + unit;
}

/** A text made harmless and short, in letters the terminal can show: whoever wrote it. */
export const showable = (text: string, spelling: Pick<CellFormat, 'unicode'>): string =>
  ours(forScreen(text), spelling);

/** What stands before a value: short as well, with the blanks that it has. */
export const shownName = (text: string, spelling: Pick<CellFormat, 'unicode'>): string =>
  shortened(ours(text, spelling));

/** Text of the program itself, as long as it is: a sentence of an error, a line to be pasted. */
export const ours = (text: string, { unicode }: Pick<CellFormat, 'unicode'>): string =>
  unicode ? sanitize(text) : toAscii(sanitize(text));

const words = (text: string, spelling: CellFormat): FormattedCell => plainCell(showable(text, spelling));

const plainCell = (text: string): FormattedCell => ({ whole: text, fraction: '', unit: '', numeric: false });

function number(
  amount: Amount,
  style: DecimalStyle,
  unit: string | undefined,
  spelling: CellFormat,
): FormattedCell {
  const parts = decimalParts(amount, style);
  if (parts === undefined) return words(String(amount), spelling);
  return { ...parts, unit: unit === undefined ? '' : ` ${showable(unit, spelling)}`, numeric: true };
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

/**
 * Letters lose their accents, the rest becomes `?`. Bytes beyond ASCII are not only ugly on such a
 * terminal: some of them are control characters there.
 */
function toAscii(text: string): string {
  return text.replace(BEYOND_ASCII, (character) => ownField(IN_ASCII, character) ?? bare(character));
}

function bare(character: string): string {
  const letters = character.normalize('NFKD').replace(/\p{M}/gu, '');
  if (letters === '') return '';
  return /^[\x20-\x7e]+$/.test(letters) ? letters : '?';
}

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
