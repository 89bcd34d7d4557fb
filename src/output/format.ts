/** How each kind of cell is formatted: exact decimals grouped in thousands, never rounded; sanitized text; times in a zone. */

import { Big } from 'big.js';
import { ownField } from '../domain/fields.ts';
import { type CommandPlacing, sentenceText } from '../domain/hint.ts';
import { HOUR_MS, instantOf, isoSeconds, utcDay } from '../domain/instants.ts';
import { cutField, forScreen, sanitize, shortened, shortHash } from '../domain/sanitize.ts';
import { textWidth } from '../domain/text-width.ts';
import type { Sentence } from '../errors.ts';
import { type Amount, type Cell } from './cells.ts';

export type TimeStyle = 'date' | 'short' | 'minute' | 'second';

export const WEEKDAYS = 'Sun Mon Tue Wed Thu Fri Sat'.split(' ');
export const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Whether `zone` is an IANA name that this machine has. */
export const isKnownZone = (zone: string): boolean => formatterOf(zone) !== undefined;

/**
 * `Fri 20 Nov 10:02:11 WAT`, `Fri 20 Nov 10:02 WAT`, `20 Nov 10:02` or `Fri 20 Nov`, with the year unless it is that of `now`. An
 * unknown zone is UTC. `iso`: `2026-11-20T09:02:11Z` or `2026-11-20`. Undefined when `at` is not an instant.
 */
export function formatTime(
  at: string,
  context: { zone: string; now: number; iso?: boolean },
  style: TimeStyle = 'second',
): string | undefined {
  const instant = instantOf(at);
  if (instant === undefined) return undefined;
  if (context.iso === true) return style === 'date' ? utcDay(instant) : isoSeconds(instant);
  const { year, date, weekday, clock } = localParts(instant, context.zone);
  const isThisYear = year === localParts(context.now, context.zone).year;
  const day = isThisYear ? date : `${date} ${year}`;
  if (style === 'short') return `${day} ${clock.slice(0, -SECONDS)}`;
  if (style === 'date') return `${weekday} ${day}`;
  const shown = style === 'minute' ? clock.slice(0, -SECONDS) : clock;
  return `${weekday} ${day} ${shown} ${zoneName(instant, context.zone)}`;
}

const SECONDS = ':11'.length;

/** `10:02:11`, of milliseconds since the epoch. */
export const formatClock = (ms: number, zone: string): string => localParts(ms, zone).clock;

/** Whether the instant falls on a Saturday or a Sunday in `zone`. */
export function isWeekend(at: string, zone: string): boolean {
  const instant = instantOf(at);
  if (instant === undefined) return false;
  return localParts(instant, zone).weekday.startsWith('S');
}

const UNITS = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'min', ms: 60_000 },
  { name: 's', ms: 1_000 },
] as const;

/** `in 2 d 3 h`, `4 min ago`, `now`: at most two units, rounded down. */
export function formatRelative(at: string, now: number): string | undefined {
  const instant = instantOf(at);
  if (instant === undefined) return undefined;
  const distance = Math.abs(instant - now);
  const first = UNITS.findIndex((unit) => distance >= unit.ms);
  const largest = UNITS[first];
  if (largest === undefined) return 'now';
  const words = [`${Math.floor(distance / largest.ms)} ${largest.name}`];
  const next = UNITS[first + 1];
  const rest = next === undefined ? 0 : Math.floor((distance % largest.ms) / next.ms);
  // Seconds after minutes are noise.
  if (next !== undefined && next.name !== 's' && rest > 0) words.push(`${rest} ${next.name}`);
  return instant > now ? `in ${words.join(' ')}` : `${words.join(' ')} ago`;
}

/** `in 2 d 3 h`, `in 12 min 05 s`, `5 s ago`: to the second in the last hour. */
export function formatUntil(at: string, now: number): string | undefined {
  const instant = instantOf(at);
  if (instant === undefined) return undefined;
  const left = instant - now;
  if (left <= 60_000 || left >= HOUR_MS) return formatRelative(at, now);
  const seconds = Math.floor(left / 1_000);
  return `in ${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

const formatters = new Map<string, Intl.DateTimeFormat | undefined>();

function formatterOf(zone: string): Intl.DateTimeFormat | undefined {
  if (!formatters.has(zone)) {
    try {
      formatters.set(
        zone,
        new Intl.DateTimeFormat('en-GB', {
          timeZone: zone,
          year: 'numeric',
          month: 'numeric',
          day: 'numeric',
          hour: '2-digit',
          minute: '2-digit',
          second: '2-digit',
          hourCycle: 'h23',
        }),
      );
    } catch {
      formatters.set(zone, undefined);
    }
  }
  return formatters.get(zone);
}

/** `{ year: '2026', date: '20 Nov', weekday: 'Fri', clock: '10:02:11' }` */
function localParts(instant: number, zone: string) {
  // Without Intl, whose first formatter takes as long as a request.
  if (zone === 'UTC') return partsInUtc(new Date(instant));
  const formatter = formatterOf(zone) ?? formatterOf('UTC');
  const parts = new Map(formatter?.formatToParts(instant).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const [year, month, day] = [part('year'), part('month') - 1, part('day')];
  const local = Date.UTC(year, month, day, part('hour'), part('minute'), part('second'));
  return { ...partsInUtc(new Date(local)), year: String(year) };
}

export const two = (count: number): string => String(count).padStart(2, '0');

const partsInUtc = (at: Date) => ({
  year: String(at.getUTCFullYear()),
  date: `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()] ?? ''}`,
  weekday: WEEKDAYS[at.getUTCDay()] ?? '',
  clock: [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(two).join(':'),
});

/** Each has the everyday zone names of its region; elsewhere it gives `GMT+1`. */
const NAMING_LOCALES = ['en-NG', 'en-GB', 'en-US'];

export function zoneName(instant: number, zone: string): string {
  if (zone === 'UTC') return zone;
  const known = isKnownZone(zone) ? zone : 'UTC';
  let offset = known;
  for (const locale of NAMING_LOCALES) {
    const format = new Intl.DateTimeFormat(locale, { timeZone: known, timeZoneName: 'short' });
    offset = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? known;
    if (!/^GMT[+-]/.test(offset)) return offset;
  }
  return offset;
}

export interface CellFormat {
  /** IANA name of the zone that times are shown in. */
  zone: string;
  /** Times as ISO 8601 in UTC instead. */
  iso?: boolean;
  /** Now, in milliseconds since the epoch. */
  now: number;
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

export const hintInWords = (sentence: Sentence, format: Pick<CellFormat, 'command' | 'unicode'>): string =>
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

/** Behind a maturity on a weekend; `render-human.ts` explains it. */
export const WEEKEND = '(!)';

const afterWord = (word: string | undefined, cell: FormattedCell): FormattedCell =>
  word === undefined ? cell : { ...cell, whole: `${word} ${cell.whole}` };

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
export type Alignment = ReturnType<typeof alignmentOf>;

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

/** Any text, sanitized and short, in letters that the terminal can show; what begins as our commands do, in quotes. */
export function showable(text: string, format: Pick<CellFormat, 'unicode'>): string {
  const shown = programText(forScreen(text), format);
  return COMMAND_LIKE.test(shown) ? `"${shown}"` : shown;
}

/** Behind a prompt, too. */
const COMMAND_LIKE = /^[ $#>%]*hedge +[a-z-]/i;

/** The name before a value: short, with its blanks. */
export const shownName = (text: string, format: Pick<CellFormat, 'unicode'>): string =>
  shortened(programText(text, format));

/** Text of the program: never cut. */
export const programText = (text: string, { unicode }: Pick<CellFormat, 'unicode'>): string =>
  unicode ? sanitize(text) : toAscii(sanitize(text));

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

function exactOf(amount: Amount): Big | undefined {
  if (amount instanceof Big) return amount;
  try {
    return new Big(amount);
  } catch {
    return undefined;
  }
}
