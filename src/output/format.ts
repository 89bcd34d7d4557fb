/** How each kind of cell is formatted: exact decimals grouped in thousands, never rounded; sanitized text; times in a zone. */

import { Big } from 'big.js';
import { ownField } from '../domain/fields.ts';
import { type CommandPlacing, sentenceText } from '../domain/hint.ts';
import { cutField, forScreen, sanitize, shortened, shortHash } from '../domain/sanitize.ts';
import { textWidth } from '../domain/text-width.ts';
import {
  formatRelative,
  formatTime,
  formatUntil,
  inZone,
  REST_DAY,
  restDayOf,
} from '../domain/zone-times.ts';
import { type Sentence, unless } from '../errors.ts';
import type { Amount, Cell } from './cells.ts';

export interface CellFormat {
  /** IANA name of the zone that times are shown in. */
  zone: string;
  /** Times as ISO 8601 in UTC instead. */
  iso?: boolean;
  /** Now, in milliseconds since the epoch. */
  now: number;
  /** The public holiday of a date such as `2026-12-25`. */
  holidayOf?: (date: string) => string | undefined;
  /** False: ASCII only. */
  unicode: boolean;
  /** Hashes in full, and details. */
  verbose?: boolean;
  /** Adds `--profile NAME` to a command, if the command line named one. */
  command?: CommandPlacing;
}

/** Whether details are shown: with -v, and in a pipe. */
export const hasDetails = ({ verbose, iso }: Pick<CellFormat, 'verbose' | 'iso'>): boolean =>
  verbose === true || iso === true;

/** Numbers are split at their point; any other cell is all `whole`. */
export interface FormattedCell {
  whole: string;
  fraction: string;
  /** ` USD`, ` %`. */
  unit: string;
  numeric: boolean;
}

export const hintInWords = (sentence: Sentence, format: CellFormat): string =>
  programText(sentenceText(sentence, format.command), format);

export function formatCell(cell: Cell, format: CellFormat): FormattedCell {
  switch (cell.kind) {
    case 'text':
      return cell.isOurs === true ? plainCell(programText(cell.text, format)) : words(cell.text, format);
    case 'hint':
      return plainCell(cutField(hintInWords(cell.sentence, format)));
    case 'hash':
      return words(hasDetails(format) ? cell.text : shortHash(cell.text), format);
    case 'money':
      return afterWord(cell.word, number(cell, { decimals: 2, unit: cell.unit, format }));
    case 'rate':
      return number(cell, { decimals: cell.decimals ?? 2, format });
    case 'percent':
      return number(cell, { decimals: 2, unit: '%', format });
    case 'number':
      return number(cell, { decimals: 0, unit: cell.unit, format });
    case 'time':
      return words(timeText(cell, format), format);
    case 'until':
      return words(formatUntil(cell.at, format.now) ?? cell.at, format);
    case 'missing':
      return words('—', format);
    default:
      return cell satisfies never;
  }
}

const afterWord = (word: string | undefined, cell: FormattedCell): FormattedCell =>
  word === undefined ? cell : { ...cell, whole: `${word} ${cell.whole}` };

/** `Tue 24 Nov 09:02 UTC (!) (in 3 d 2 h)` */
function timeText(cell: Extract<Cell, { kind: 'time' }>, format: CellFormat): string {
  const { at, style, matures, relative } = cell;
  const distance = relative === true ? formatRelative(at, format.now) : undefined;
  return [
    formatTime(at, format, style) ?? at,
    ...(matures === true && restDayOf(cell, format) !== undefined ? [REST_DAY] : []),
    ...(distance === undefined ? [] : [`(${distance})`]),
  ].join(' ');
}

/** Widths of the parts of a column's numbers. */
export function alignmentOf(column: readonly FormattedCell[]) {
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
export function alignedText(cell: FormattedCell, alignment: ReturnType<typeof alignmentOf>): string {
  if (!cell.numeric) return cell.whole;
  const unit = cell.unit + ' '.repeat(alignment.unit - textWidth(cell.unit));
  return cell.whole + cell.fraction.padEnd(alignment.fraction) + unit;
}

/** `50,000.00 USD` */
export function cellText(cell: Cell, format: CellFormat): string {
  const { whole, fraction, unit } = formatCell(cell, format);
  return whole + fraction + unit;
}

/** Any text, sanitized and short, in letters that the terminal can show; what begins as our commands do, in quotes. */
export function showable(text: string, format: Parameters<typeof programText>[1]): string {
  const shown = programText(forScreen(text), format);
  return COMMAND_LIKE.test(shown) ? `"${shown}"` : shown;
}

/** Behind a prompt, too. */
const COMMAND_LIKE = /^[ $#>%]*hedge +[a-z-]/i;

/** The name before a value: short, with its blanks. */
export const shownName = (text: string, format: Pick<CellFormat, 'unicode'>): string =>
  shortened(programText(text, format));

/** Text of the program: never cut. Its times are in the zone of the screen. */
export function programText(
  text: string,
  { unicode, ...format }: Pick<CellFormat, 'unicode'> & Partial<Pick<CellFormat, 'zone' | 'now' | 'iso'>>,
): string {
  const shown = sanitize(inZone(text, format));
  return unicode ? shown : toAscii(shown);
}

const words = (text: string, format: CellFormat): FormattedCell => plainCell(showable(text, format));

const plainCell = (text: string): FormattedCell => ({ whole: text, fraction: '', unit: '', numeric: false });

/** Numbers with more digits before or after the point get an exponent. */
const LONGEST = 40;

/** At least so many decimals. `signed`: a plus before positive amounts; zero has no sign. */
function number(
  { amount, signed = false }: { amount: Amount; signed?: boolean },
  { decimals, unit, format }: { decimals: number; unit?: string | undefined; format: CellFormat },
): FormattedCell {
  const exact = exactOf(amount);
  if (exact === undefined) return words(String(amount), format);
  const behind = { unit: unit === undefined ? '' : ` ${showable(unit, format)}`, numeric: true };
  const plus = signed && exact.gt(0) ? '+' : '';
  const sign = exact.lt(0) ? '-' : plus;
  const magnitude = exact.abs();
  if (Math.abs(magnitude.e) > LONGEST)
    return { whole: sign + magnitude.toExponential(), fraction: '', ...behind };
  const [whole = '0', digits = ''] = magnitude.toFixed().split('.');
  const fraction = digits.padEnd(decimals, '0');
  return {
    whole: sign + whole.replace(/\B(?=(?:\d{3})+$)/g, ','),
    fraction: fraction === '' ? '' : `.${fraction}`,
    ...behind,
  };
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
const toAscii = (text: string): string =>
  text.replace(BEYOND_ASCII, (character) => ownField(IN_ASCII, character) ?? bare(character));

function bare(character: string): string {
  const letters = character.normalize('NFKD').replace(/\p{M}/gu, '');
  if (letters === '') return '';
  return /^[\x20-\x7e]+$/.test(letters) ? letters : '?';
}

const exactOf = (amount: Amount): Big | undefined =>
  amount instanceof Big ? amount : unless(Error, () => new Big(amount));
