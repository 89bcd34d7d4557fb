/** Reads the arguments of `hedge maturities`, and the file of holidays that an operator keeps. */
import type { Holiday } from '../domain/business-days.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { isInCalendar } from './list-filter.ts';
import { filePath, isNot } from './operands.ts';
import { optionText, type RawInput, readOption } from './option.ts';

export type MaturitiesIntent = ReturnType<typeof readMaturitiesIntent>;

/** Paths of the calendar file to write and of a file of holidays. Without `within`: every maturity. */
export function readMaturitiesIntent(raw: RawInput) {
  if (optionText(raw, 'ics') !== undefined && raw.options['watch'] !== undefined)
    throw new UsageError('--ics and --watch exclude each other.', 'Leave out one of them.');
  return {
    ics: readOption(raw, 'ics', filePath),
    holidays: readOption(raw, 'holidays', filePath),
    within: readOption(raw, 'within', readWithin),
  };
}

function readWithin(text: string) {
  const [, count = '', unit] = /^([1-9]\d{0,3})([dh])$/i.exec(text) ?? [];
  if (unit === undefined)
    throw isNot(text, 'a number of days or hours (--within)', 'Examples: --within 7d, --within 12h');
  return { count: Number(count), unit: unit.toLowerCase() === 'd' ? 'days' : 'hours' } as const;
}

const LINE = /^(\d{4}-\d\d-\d\d)\s*[,;\t]\s*(\S.*)$/;
const HEADER = /^"?date"?\s*[,;\t]/i;
const LONGEST_NAME = 80;

/** One `2027-03-10,Id el Fitr` a line; empty lines, a header and lines after # are skipped. @throws UsageError */
export function readHolidays(text: string, path: string): readonly Holiday[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const found = lines.flatMap((line, index): Holiday[] => {
    const bare = line.trim();
    if (bare === '' || bare.startsWith('#') || (index === 0 && HEADER.test(bare))) return [];
    const [, date = '', name = ''] = LINE.exec(bare) ?? [];
    if (date === '' || !isInCalendar(date) || name.length > LONGEST_NAME)
      throw new UsageError(
        `Line ${index + 1} of ${quoted(path)} is not a date and a name: ${quoted(bare)}.`,
        'Example: 2027-03-10,Id el Fitr',
      );
    return [{ date, name: name.replace(/^"(.*)"$/, '$1') }];
  });
  if (found.length > 0) return found;
  throw new UsageError(`${quoted(path)} has no holidays.`, 'One a line: 2027-03-10,Id el Fitr');
}
