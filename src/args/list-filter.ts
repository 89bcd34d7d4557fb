/** Reads the filters of lists (--since, --until, --market, --side) and the arguments of `hedge history`. */
import type { Moment } from '../domain/calendar.ts';
import { exactInstant, instantOf } from '../domain/instants.ts';
import { quoted } from '../domain/quoted.ts';
import type { Side } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { oneOf, optionGiven, optionText, type RawInput, readMarket, readSide } from './operands.ts';

export interface ListFilter {
  since: Moment | undefined;
  until: Moment | undefined;
  market: string | undefined;
  side: Side | undefined;
}

/** `field`: the service's time field that the filter uses. */
export const listFilterOptions = (field: string, happened: string) => [
  {
    flags: '--since <when>',
    summary: `only ${happened} since then (${field}): 2026-11-01, 2026-11-01T10:00, 7d, 12h, yesterday, today`,
  },
  { flags: '--until <when>', summary: `only ${happened} until then; a day is included whole` },
  { flags: '--market <market>', summary: 'only this market' },
  { flags: '--side <side>', summary: 'only buy or sell' },
];

/** Shown below the options. */
export const LIST_FILTER_HELP =
  "Days and times are in the profile's time zone (default UTC). hedge filters the hedges that the service returns. More: hedge help lists.";

export function readListFilter(raw: RawInput): ListFilter {
  const text = <T>(name: string, read: (value: string) => T): T | undefined => {
    const value = optionText(raw, name);
    return value === undefined ? undefined : read(value);
  };
  return {
    since: text('since', (value) => readMoment('--since', value)),
    until: text('until', (value) => readMoment('--until', value)),
    market: text('market', readMarket),
    side: text('side', readSide),
  };
}

export const isFiltered = (narrowing: ListFilter): boolean =>
  Object.values(narrowing).some((value) => value !== undefined);

/** A point in time as typed; `option` is for the message. */
export function readMoment(option: string, text: string): Moment {
  const moment = momentOf(text.trim());
  if (moment === undefined)
    throw new UsageError(
      `${quoted(text)} is not a date or time (${option}).`,
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
  if (!WRITTEN.test(text) || !isInCalendar(text)) return undefined;
  if (text.length === DAY) return { kind: 'day', date: text };
  const at = text.replace(/[t ]/, 'T');
  const ms = OFFSET.test(text) ? instantOf(at.toUpperCase()) : undefined;
  if (OFFSET.test(text)) return ms === undefined ? undefined : { kind: 'instant', ms };
  return { kind: 'local', at };
}

const DAY = 'YYYY-MM-DD'.length;
const WRITTEN = /^\d{4}-\d\d-\d\d(?:[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:[Zz]|[+-]\d\d:?\d\d)?)?$/;
const OFFSET = /(?:[Zz]|[+-]\d\d:?\d\d)$/;

/** Date.parse reads 2026-02-30 as a day of March. */
function isInCalendar(text: string): boolean {
  const date = text.slice(0, DAY);
  const midnight = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(midnight) && exactInstant(midnight).startsWith(date);
}

export const SUM_BY = ['day', 'week', 'month', 'market', 'side'] as const;
export type SumBy = (typeof SUM_BY)[number];

export interface HistoryIntent {
  narrowing: ListFilter;
  /** Undefined: record by record. */
  by: SumBy | undefined;
  /** A chart of the cumulative net P&L. */
  chart: boolean;
  /** Only so many of the newest; undefined: all. */
  limit: number | undefined;
}

export function readHistoryIntent(raw: RawInput): HistoryIntent {
  const by = optionText(raw, 'by');
  const chart = optionGiven(raw, 'chart');
  if (chart && by !== undefined)
    throw new UsageError('--chart and --by exclude each other.', 'Leave out one of them.');
  const limit = optionText(raw, 'limit');
  return {
    narrowing: readListFilter(raw),
    by: by === undefined ? undefined : oneOf(SUM_BY, by, 'a grouping (--by)'),
    chart,
    limit: limit === undefined ? undefined : readCount(limit),
  };
}

function readCount(text: string): number | undefined {
  if (text.toLowerCase() === 'all') return undefined;
  if (!/^[1-9]\d{0,5}$/.test(text))
    throw new UsageError(`${quoted(text)} is not a number of hedges.`, 'Write --limit 50, or --limit all.');
  return Number(text);
}
