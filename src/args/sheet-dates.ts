/** Dates as spreadsheets write them: in ISO 8601, with the day or the month first, with a month's name, or as a number. */
import { DAY_MS, utcDay } from '../domain/instants.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { isInCalendar } from './list-filter.ts';

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
 * `2026-12-14`, `14/12/2026`, `14.12.2026`, `14-Dec-26` or Excel's number 46370, as `2026-12-14`. A day and a month that could
 * be either need `order`. @throws UsageError
 */
export function readDate(text: string, order: DateOrder | 'mixed' | undefined): string {
  const iso = ISO_DATE.exec(text);
  const named = NAMED.exec(text);
  const [, first = '', mark, second = '', last = ''] = NUMERIC.exec(text) ?? [];
  let parts: readonly [year: string, month: string | number, day: string] | undefined;
  if (iso !== null) parts = [iso[1] ?? '', iso[2] ?? '', iso[3] ?? ''];
  else if (named !== null) {
    const [, day = '', month = '', year = ''] = named;
    parts = [year.length === 2 ? `20${year}` : year, MONTHS.indexOf(month.toLowerCase()) + 1, day];
  } else if (isSerialDate(text)) return utcDay(SERIAL_ZERO_MS + Math.trunc(Number(text)) * DAY_MS);
  else if (mark !== undefined) {
    // Dots are only written with the day first.
    const dayFirst = mark === '.' || Number(first) === Number(second) || order === 'day_first';
    if (!dayFirst && order !== 'month_first') {
      const [byDay, byMonth] = [isoOf([last, second, first]), isoOf([last, first, second])];
      const readings = [byDay, byMonth].filter(isInCalendar).join(' or ');
      if (readings !== '')
        throw new UsageError(
          order === 'mixed'
            ? `${quoted(text)}: some dates of the file have the day first, others the month: write ${readings}.`
            : `${quoted(text)} may be day or month first: write ${readings}, or pass --dates dmy or --dates mdy.`,
        );
    }
    parts = dayFirst ? [last, second, first] : [last, first, second];
  }
  const date = isoOf(parts ?? []);
  if (isInCalendar(date)) return date;
  const turned = isoOf(order === 'day_first' ? [last, first, second] : [last, second, first]);
  // An order that the dates of the column gave fits all of them.
  if (mark !== undefined && mark !== '.' && isInCalendar(turned))
    throw new UsageError(
      order === 'day_first'
        ? `${quoted(text)} is no date with the day first (--dates dmy). Write ${turned}, or pass --dates mdy.`
        : `${quoted(text)} is no date with the month first (--dates mdy). Write ${turned}, or pass --dates dmy.`,
    );
  throw new UsageError(`${quoted(text)} is not a date. Its form is 2026-12-31.`);
}

const isoOf = (parts: readonly (string | number)[]): string =>
  parts.map((part) => part.toString().padStart(2, '0')).join('-');

/** A date as a spreadsheet counts it. */
export const isSerialDate = (text: string): boolean => SERIAL.test(text);
