/**
 * Reads a table that a person saved from a spreadsheet: its delimiter, its header, its amounts and its dates. A wrong cell
 * is a sentence; every wrong row is named at once.
 */
import type { Big } from 'big.js';
import { CsvError, parse } from 'csv-parse/sync';
import { ownField } from '../domain/fields.ts';
import { DAY_MS } from '../domain/instants.ts';
import { LONGEST_ID, quoted } from '../domain/quoted.ts';
import { containsKey } from '../domain/sanitize.ts';
import { UsageError } from '../errors.ts';
import { isInCalendar } from './list-filter.ts';
import { hasDecimals, wholeDigits } from './operands.ts';
import { parseNaira } from './sizing.ts';

export interface SheetRow {
  /** Line of the file, from 1: the header is one. */
  line: number;
  /** By the name of its column, without spaces at either end. */
  cells: ReadonlyMap<string, string>;
}

export interface Sheet {
  rows: readonly SheetRow[];
  /** Columns of the file that were not asked for. */
  ignored: readonly string[];
  /** Rows whose cells are not those of the header. */
  wrong: readonly WrongRow[];
}

export interface SheetShape {
  /** For messages. */
  path: string;
  /** The right header, and what its columns hold: the hint of every error. */
  columns: readonly string[];
  /** Columns that the file may leave out. */
  optional?: readonly string[];
  /** Columns of amounts that may be below a thousand: three digits behind one belong to it. */
  amounts?: readonly string[];
  /** Columns of which the file needs one of two: each with the other. */
  instead?: Readonly<Record<string, string>>;
  example: string;
  /** The consequence of a wrong file, as a sentence. */
  meaning?: string;
}

const DELIMITERS = [',', ';', '\t'] as const;
const MOST_ROWS = 10_000;

/** Columns in any order, further ones ignored, empty rows skipped. @throws UsageError */
export function readSheet(content: string, shape: SheetShape): Sheet {
  if (content.includes('\0') || content.includes('\ufffd'))
    throw wrongFile(`${quoted(shape.path)} is not UTF-8 text.`, shape, 'In Excel, save it as "CSV UTF-8".');
  const { text, delimiter, skipped } = delimited(content);
  const [header, ...records] = recordsIn(text, { delimiter, shape });
  const names = header?.cells.map(columnName) ?? [];
  const lacking = shape.columns.filter(
    (name) =>
      !names.includes(name) &&
      shape.optional?.includes(name) !== true &&
      !names.includes(ownField(shape.instead ?? {}, name) ?? ''),
  );
  const twice = shape.columns.find((name) => names.filter((each) => each === name).length > 1);
  if (header === undefined || lacking.length > 0 || twice !== undefined)
    throw wrongFile(
      header === undefined
        ? `${quoted(shape.path)} is empty.`
        : twice === undefined
          ? `The header of ${quoted(shape.path)} has no ${lacking.join(', ')}: ${quoted(header.cells.join(delimiter))}.`
          : `The header of ${quoted(shape.path)} has ${twice} twice.`,
      shape,
    );
  if (records.length > MOST_ROWS)
    throw wrongFile(`${quoted(shape.path)} has more than ${MOST_ROWS} rows.`, shape);
  const fits = ({ cells }: { cells: readonly string[] }): boolean =>
    cells.length <= names.length && !(delimiter === ',' && hasSplitNumber(cells, names, shape));
  return {
    rows: records.filter(fits).map(({ line, cells }) => ({
      line: line + skipped,
      cells: new Map([...shape.columns, ...names].map((name) => [name, cells[names.indexOf(name)] ?? ''])),
    })),
    ignored: names.filter((name) => name !== '' && !shape.columns.includes(name)),
    wrong: records
      .filter((record) => !fits(record))
      .map(({ line }) => ({
        line: line + skipped,
        why: 'it has more cells than the header: put an amount with commas in quotation marks, "10,000.00".',
      })),
  };
}

/**
 * `10,000.00` without quotation marks: its second part is in a column that is ignored, or that has what may be left out, and
 * ten would be read.
 */
const hasSplitNumber = (
  cells: readonly string[],
  names: readonly string[],
  { columns, amounts = [] }: SheetShape,
): boolean =>
  cells.some(
    (cell, at) =>
      /^\d{1,3}$/.test(cell) &&
      /^\d{3}(?:\.\d*)?$/.test(cells[at + 1] ?? '') &&
      (amounts.includes(names[at] ?? '') || !columns.includes(names[at + 1] ?? '')),
  );

/** `Due ` and `DUE` are `due`. */
const columnName = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** Excel writes `sep=;` as a first line in some countries; otherwise the delimiter is the one that the header has most of. */
function delimited(content: string): { text: string; delimiter: string; skipped: number } {
  const text = content.replace(/^\ufeff/, '');
  const [, named = '', rest = ''] = /^"?sep=([,;\t])"?\r?\n([^]*)$/i.exec(text) ?? [];
  if (named !== '') return { text: rest, delimiter: named, skipped: 1 };
  const [header = ''] = text.trimStart().split(/\r\n|\r|\n/, 1);
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string): number => bare.split(delimiter).length;
  const [delimiter = ','] = DELIMITERS.toSorted((one, other) => count(other) - count(one));
  return { text, delimiter, skipped: 0 };
}

function recordsIn(
  text: string,
  { delimiter, shape }: { delimiter: string; shape: SheetShape },
): readonly { line: number; cells: readonly string[] }[] {
  try {
    const found: readonly unknown[] = parse(text, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });
    return found.flatMap((each) => {
      const { record, info } = Object(each);
      const cells = Array.isArray(record) ? record.map((cell) => String(cell).trim()) : [];
      // Excel keeps rows that were emptied.
      return cells.every((cell) => cell === '') ? [] : [{ line: Number(info.lines), cells }];
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const at = Number(Object(error).lines);
    throw wrongFile(
      `Line ${at} of ${quoted(shape.path)} has a quotation mark that is not closed or not doubled.`,
      shape,
    );
  }
}

const wrongFile = (what: string, shape: SheetShape, more?: string): UsageError =>
  new UsageError(withMeaning(what, shape), [...(more === undefined ? [] : [more]), ...formOf(shape)]);

const withMeaning = (what: string, { meaning }: SheetShape): string =>
  meaning === undefined ? what : `${what} ${meaning}`;

/** The right header and a row, as lines of a hint. */
function formOf({ columns, instead = {}, example }: SheetShape): readonly string[] {
  const pairs = Object.entries(instead);
  return [
    `The header is: ${columns.filter((name) => !pairs.some(([, other]) => other === name)).join(',')}`,
    ...pairs.map(([name, other]) => `A row may have ${other} instead of ${name}.`),
    `A row: ${example}`,
  ];
}

const MOST_SHOWN = 5;

/** A row that cannot be read, and why, as a sentence. */
export interface WrongRow {
  line: number;
  why: string;
}

/** @throws UsageError that names the wrong rows, the first five cells in words. `wrong`: several cells of a row too. */
export function rejectRows(wrong: readonly WrongRow[], shape: SheetShape): void {
  if (wrong.length === 0) return;
  const rows = new Set(wrong.map(({ line }) => line)).size;
  const errors = rows === wrong.length ? '' : `, with ${wrong.length} errors`;
  const shown = wrong.slice(0, MOST_SHOWN).map(({ line, why }) => `Line ${line}: ${why}`);
  const more = wrong.length - shown.length;
  const what = [
    `${quoted(shape.path)} has ${rows === 1 ? 'a wrong row' : `${rows} wrong rows`}${errors}.`,
    ...shown,
    ...(more > 0 ? [`And ${more} more.`] : []),
  ].join(' ');
  throw new UsageError(
    withMeaning(what, shape),
    formOf(shape),
    wrong.map(({ line, why }) => ({ line, message: why })),
  );
}

const MAX_WHOLE = 15;
const AMOUNT_DECIMALS = 2;

/** Naira: `10000`, `10,000.00`, `800m`, `₦1.5bn`, `NGN 65m`: above zero, two decimals at most. Otherwise why not, as a sentence. */
export function readAmount(text: string): Big | string {
  const value = parseNaira(text);
  if (value === undefined || !hasDecimals(value, AMOUNT_DECIMALS))
    return `${quoted(text)} is not an amount: write 10000.50, 10,000.50, 800m or 1.5bn, with two decimals at most.`;
  if (value.eq(0)) return 'the amount is zero.';
  return wholeDigits(value) > MAX_WHOLE ? `${quoted(text)} is too large.` : value;
}

/** The order of a date such as 03/04/2026. */
export type DateOrder = 'day_first' | 'month_first';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const ISO_DATE = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ]0{1,2}:00(?::00(?:\.0+)?)?Z?)?$/;
const NUMERIC = /^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?: 0{1,2}:00(?::00)?)?$/;
const NAMED = /^(\d{1,2})[- ]([a-z]{3})[a-z]*[- ,]{1,2}(\d{4}|\d\d)$/i;
/** Days since 30 December 1899, as Excel counts them: 1982 to 2119. */
const SERIAL = /^[3-7]\d{4}(?:\.0+)?$/;
const SERIAL_ZERO_MS = Date.UTC(1899, 11, 30);

/**
 * The order of the dates of a column: a spreadsheet writes all of them alike. `mixed`: two orders; undefined: none tells.
 */
export function dateOrderOf(texts: readonly string[]): DateOrder | 'mixed' | undefined {
  const pairs = texts.flatMap((text) => {
    const [, first = '', mark = '', second = ''] = NUMERIC.exec(text) ?? [];
    return mark === '' || mark === '.' ? [] : [{ first: Number(first), second: Number(second) }];
  });
  const dayFirst = pairs.some(({ first }) => first > 12);
  const monthFirst = pairs.some(({ second }) => second > 12);
  if (dayFirst && monthFirst) return 'mixed';
  if (!dayFirst && !monthFirst) return undefined;
  return dayFirst ? 'day_first' : 'month_first';
}

/**
 * `2026-12-14`, `14/12/2026`, `14.12.2026`, `14-Dec-26` or Excel's number 46370, as `2026-12-14`. Otherwise why not, as a
 * sentence. A day and a month that could be either need `order`.
 */
export function readDate(text: string, order: DateOrder | 'mixed' | undefined): { date: string } | string {
  const wrong = `${quoted(text)} is not a date: write 2026-12-14.`;
  const found = partsOf(text, order === 'mixed' ? undefined : order);
  if (found === undefined) return wrong;
  if (found === 'either')
    return order === 'mixed'
      ? `${quoted(text)}: some dates of the file have the day first, others the month: write 2026-12-14.`
      : `${quoted(text)} may be day or month first: write 2026-12-14, or pass --dates dmy or --dates mdy.`;
  const { year, month, day } = found;
  const written = [year, month, day]
    .map((part, at) => part.toString().padStart(at === 0 ? 4 : 2, '0'))
    .join('-');
  return isInCalendar(written) ? { date: written } : wrong;
}

interface DateParts {
  year: number;
  month: number;
  day: number;
}

function partsOf(text: string, order: DateOrder | undefined): DateParts | 'either' | undefined {
  const iso = ISO_DATE.exec(text);
  if (iso !== null) return { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) };
  const named = NAMED.exec(text);
  if (named !== null) {
    const year = Number(named[3]);
    return {
      year: year < 100 ? 2000 + year : year,
      month: MONTHS.indexOf((named[2] ?? '').toLowerCase()) + 1,
      day: Number(named[1]),
    };
  }
  if (SERIAL.test(text)) {
    const at = new Date(SERIAL_ZERO_MS + Math.trunc(Number(text)) * DAY_MS);
    return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
  }
  const [, first = '', mark = '', second = '', year = ''] = NUMERIC.exec(text) ?? [];
  if (mark === '') return undefined;
  const [one, other] = [Number(first), Number(second)];
  // Only written with the day first.
  if (mark === '.' || one === other) return { year: Number(year), month: other, day: one };
  if (order === undefined) return 'either';
  return order === 'day_first'
    ? { year: Number(year), month: other, day: one }
    : { year: Number(year), month: one, day: other };
}

/** A row's own name: visible characters. Otherwise why not, as a sentence. */
export function readRowId(text: string): { id: string } | string {
  if (text === '') return 'the id is empty.';
  if (Array.from(text).length > LONGEST_ID) return `the id is longer than ${LONGEST_ID} characters.`;
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(text)) return `the id ${quoted(text)} has invisible characters.`;
  return containsKey(text) ? `the id ${quoted(text)} looks like an API key.` : { id: text };
}
