/** Reads the arguments of `hedge report`: the period, the grouping, and the file of a page. */
import { type Moment, mondayOf, type Period } from '../domain/calendar.ts';
import { say, shell } from '../domain/hint.ts';
import { UsageError } from '../errors.ts';
import { momentOf, readMoment } from './list-filter.ts';
import { filePath, isNot, oneMeant } from './operands.ts';
import { optionText, type RawInput, readOption } from './option.ts';
import { readNote, savesReading } from './shared-options.ts';

export const REPORT_BY = ['deal', 'prefix', 'side', 'operator', 'market', 'day'] as const;
export type ReportBy = (typeof REPORT_BY)[number];

const PERIODS = ['day', 'week', 'month'] as const satisfies readonly Period[];

export type AskedPeriod =
  /** The one that a moment is in, or the one before it. */
  | { kind: 'calendar'; period: Period; of: Moment; isBefore: boolean }
  | { kind: 'span'; since: Moment; until: Moment | undefined };

export type ReportIntent = ReturnType<typeof readReportIntent>;

export const readReportIntent = (raw: RawInput) => ({
  /** The path of the page to write. */
  html: readOption(raw, 'html', filePath),
  asked: readPeriod(raw),
  by: readOption(raw, 'by', (text) => oneMeant(REPORT_BY, text, 'a grouping (--by)')) ?? 'deal',
  saves: savesReading(raw),
  note: readNote(raw),
});

const EXAMPLES = say`Examples: ${shell`hedge report --day yesterday`}, --week, --week 2026-W47, --month last, --month 2026-11, --since 2026-11-01 --until 2026-11-15`;

function readPeriod(raw: RawInput): AskedPeriod {
  const given = PERIODS.filter((period) => raw.options[period] !== undefined);
  const [since, until] = [optionText(raw, 'since'), optionText(raw, 'until')];
  const [period = 'day', another] = given;
  if (another !== undefined || (given.length > 0 && (since ?? until) !== undefined))
    throw new UsageError('--day, --week, --month and --since exclude each other.', EXAMPLES);
  if (since !== undefined)
    return {
      kind: 'span',
      since: readMoment(since, '--since'),
      until: readOption(raw, 'until', readMoment),
    };
  if (until !== undefined) throw new UsageError('Missing --since: where the report begins.', EXAMPLES);
  const text = optionText(raw, period)?.trim() ?? '';
  if (text.toLowerCase() === 'last')
    return { kind: 'calendar', period, of: { kind: 'day_ago', days: 0 }, isBefore: true };
  const of = momentOf(text === '' ? 'today' : (firstDayOf[period](text) ?? text));
  if (of?.kind === 'day' || of?.kind === 'day_ago') return { kind: 'calendar', period, of, isBefore: false };
  throw isNot(text, `a ${period} (--${period})`, EXAMPLES);
}

const MONTH = /^\d{4}-\d\d$/;

/** The first day of a period by its own name; undefined for another text. */
const firstDayOf: Readonly<Record<Period, (text: string) => string | undefined>> = {
  day: () => undefined,
  week: mondayOf,
  month: (text) => (MONTH.test(text) ? `${text}-01` : undefined),
};
