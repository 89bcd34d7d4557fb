/** Reads the filters of lists (--since, --until, --market, --side) and the arguments of `hedge history`. */
import type { Moment } from '../domain/calendar.ts';
import { exactInstant, instantOf } from '../domain/instants.ts';
import { UsageError } from '../errors.ts';
import { isNot, oneOf, readMarket, readSide } from './operands.ts';
import { type Given, limitOption, optionGiven, optionText, type RawInput, readOptions } from './option.ts';

/** `field`: the service's time field that the filter uses. */
export const spanOptions = (field: string, happened: string) =>
  ({
    since: {
      flags: '--since <when>',
      summary: `only ${happened} since then (${field}): 2026-11-01, 2026-11-01T10:00, 7d, 12h, yesterday, today`,
      read: readMoment,
    },
    until: {
      flags: '--until <when>',
      summary: `only ${happened} until then; a day is included whole`,
      read: readMoment,
    },
  }) as const;

export const PLACE_OPTIONS = {
  market: { flags: '--market <market>', summary: 'only this market', read: readMarket },
  side: { flags: '--side <side>', summary: 'only buy or sell', read: readSide },
} as const;

export const listFilterOptions = (field: string, happened: string) => ({
  ...spanOptions(field, happened),
  ...PLACE_OPTIONS,
});

export type ListFilter = Given<ReturnType<typeof listFilterOptions>>;

/** Shown below the options. */
export const LIST_FILTER_HELP =
  "Days and times are in the profile's time zone (default UTC). hedge filters the hedges that the service returns. More: hedge help lists.";

export const isFiltered = (narrowing: ListFilter): boolean =>
  Object.values(narrowing).some((value) => value !== undefined);

/** A point in time as typed; `option` is for the message. */
export function readMoment(text: string, option: string): Moment {
  const moment = momentOf(text.trim());
  if (moment === undefined)
    throw isNot(
      text,
      `a date or time (${option})`,
      dateMeant(text.trim()) ??
        `Examples: ${option} 2026-11-01, 2026-11-01T10:00, 7d, 12h, yesterday or today.`,
    );
  return moment;
}

/** `1/11/2026` with its year first: as both dates that it may be. */
function dateMeant(text: string): string | undefined {
  const [, first = '', second = '', year = ''] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  const dates = [
    [second, first],
    [first, second],
  ].map(([month = '', day = '']) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);
  const meant = [...new Set(dates)].filter((date) => momentOf(date) !== undefined);
  return meant.length === 0 ? undefined : `Write the year first: ${meant.join(' or ')}.`;
}

/** Undefined if it is no date or time. */
export function momentOf(text: string): Moment | undefined {
  const word = text.toLowerCase();
  if (word === 'today') return { kind: 'day_ago', days: 0 };
  if (word === 'yesterday') return { kind: 'day_ago', days: 1 };
  const [, count = '', unit] = /^(\d{1,4})([dh])$/.exec(word) ?? [];
  if (unit !== undefined) return { kind: 'ago', unit: unit === 'd' ? 'days' : 'hours', count: Number(count) };
  if (!WRITTEN.test(text) || !isInCalendar(text.slice(0, DAY))) return undefined;
  if (text.length === DAY) return { kind: 'day', date: text };
  const at = text.replace(/[t ]/, 'T');
  const ms = OFFSET.test(text) ? instantOf(at.toUpperCase()) : undefined;
  if (OFFSET.test(text)) return ms === undefined ? undefined : { kind: 'instant', ms };
  return { kind: 'local', at };
}

const DAY = 'YYYY-MM-DD'.length;
const WRITTEN = /^\d{4}-\d\d-\d\d(?:[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:[Zz]|[+-]\d\d:?\d\d)?)?$/;
const OFFSET = /(?:[Zz]|[+-]\d\d:?\d\d)$/;

/** Whether a date exists: Date.parse reads 2026-02-30 as a day of March. */
export function isInCalendar(date: string): boolean {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight) && exactInstant(midnight).startsWith(date);
}

export const SUM_BY = ['day', 'week', 'month', 'market', 'side'] as const;
export type SumBy = (typeof SUM_BY)[number];

export const HISTORY_OPTIONS = {
  ...listFilterOptions('closed_at', 'closed'),
  by: {
    flags: '--by <what>',
    summary: 'sum by day, week, month, market or side',
    completes: { words: SUM_BY },
    read: (text: string) => oneOf(SUM_BY, text, 'a grouping (--by)'),
  },
  limit: limitOption('hedges', 'only the newest so many, or all (default all)'),
  chart: { flags: '--chart', summary: 'draw cumulative net P&L' },
} as const;

export function readHistoryIntent(raw: RawInput) {
  if (optionGiven(raw, 'chart') && optionText(raw, 'by') !== undefined)
    throw new UsageError('--chart and --by exclude each other.', 'Leave out one of them.');
  const { by, chart, limit, ...narrowing } = readOptions(HISTORY_OPTIONS, raw);
  return { narrowing, by, chart, limit: limit === Infinity ? undefined : limit };
}
