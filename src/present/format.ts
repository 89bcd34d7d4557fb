/** How each kind of cell is spelled: as parts that a column can line up, or as one text. Lays nothing out. */
import { clean } from '../domain/clean.ts';
import { ownField } from '../domain/fields.ts';
import { forScreen, shortened } from '../domain/service-text.ts';
import { textWidth } from '../domain/text-width.ts';
import type { Amount, Cell } from './blocks.ts';
import { type DecimalStyle, decimalParts } from './decimal.ts';
import { isWeekend, spellRelative, spellTime, spellUntil } from './time.ts';

export interface Spelling {
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
export interface Spelled {
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

export function spellCell(cell: Cell, spelling: Spelling): Spelled {
  switch (cell.kind) {
    case 'text':
      return cell.isOurs === true ? whole(ours(cell.text, spelling)) : words(cell.text, spelling);
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
      return words(spellUntil(cell.at, spelling.now) ?? cell.at, spelling);
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
  spelling: Spelling,
): string {
  const distance = relative === true ? spellRelative(at, spelling.now) : undefined;
  return [
    spellTime(at, spelling, style) ?? at,
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

export function alignmentOf(column: readonly Spelled[]): Alignment {
  const numbers = column.filter(({ numeric }) => numeric);
  const widest = (part: (cell: Spelled) => string): number =>
    Math.max(0, ...numbers.map((cell) => textWidth(part(cell))));
  return {
    whole: widest(({ whole }) => whole),
    fraction: widest(({ fraction }) => fraction),
    unit: widest(({ unit }) => unit),
  };
}

/** The cell's text with the blanks that follow it in its column; those before it are `padStart`'s. */
export function alignedText(cell: Spelled, alignment: Alignment): string {
  if (!cell.numeric) return cell.whole;
  const unit = cell.unit + ' '.repeat(alignment.unit - textWidth(cell.unit));
  return cell.whole + cell.fraction.padEnd(alignment.fraction) + unit;
}

/** The cell as one text: `50,000.00 USD`. */
export function cellText(cell: Cell, spelling: Spelling): string {
  const { whole, fraction, unit } = spellCell(cell, spelling);
  return whole + fraction + unit;
}

/** A text made harmless and short, in letters the terminal can show: whoever wrote it. */
export const showable = (text: string, spelling: Pick<Spelling, 'unicode'>): string =>
  ours(forScreen(text), spelling);

/** What stands before a value: short as well, with the blanks that it has. */
export const shownName = (text: string, spelling: Pick<Spelling, 'unicode'>): string =>
  shortened(ours(text, spelling));

/** Text of the program itself, as long as it is: a sentence of an error, a line to be pasted. */
export const ours = (text: string, { unicode }: Pick<Spelling, 'unicode'>): string =>
  unicode ? clean(text) : toAscii(clean(text));

const words = (text: string, spelling: Spelling): Spelled => whole(showable(text, spelling));

const whole = (text: string): Spelled => ({ whole: text, fraction: '', unit: '', numeric: false });

function number(amount: Amount, style: DecimalStyle, unit: string | undefined, spelling: Spelling): Spelled {
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
