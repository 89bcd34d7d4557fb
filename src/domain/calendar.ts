/** Days, weeks and months of a time zone, and relative dates such as `yesterday`. Loaded only for dates (temporal-polyfill). */

import { Temporal } from 'temporal-polyfill';

/** A point in time as it was written; what it is as an instant depends on the zone and on now. */
export type Moment =
  /** `2026-11-01`: the whole day. */
  | { kind: 'day'; date: string }
  /** `today` 0, `yesterday` 1: the whole day. */
  | { kind: 'day_ago'; days: number }
  /** `2026-11-01T10:00` on the clocks of the zone. */
  | { kind: 'local'; at: string }
  /** An instant that was typed with its offset. */
  | { kind: 'instant'; ms: number }
  /** `7d` at the same time of the clock, `12h` by the hour. */
  | { kind: 'ago'; unit: 'days' | 'hours'; count: number };

export interface LocalClock {
  /** IANA name. */
  zone: string;
  /** Milliseconds since the epoch. */
  nowMs: number;
}

/** Milliseconds since the epoch at which what was written begins. A clock time that is skipped counts as the one after. */
export function startOfMoment(moment: Moment, here: LocalClock): number {
  if (moment.kind === 'instant') return moment.ms;
  if (moment.kind === 'local')
    return Temporal.PlainDateTime.from(moment.at).toZonedDateTime(here.zone).epochMilliseconds;
  if (moment.kind === 'ago') return nowIn(here).subtract({ [moment.unit]: moment.count }).epochMilliseconds;
  return midnight(dateOf(moment, here), here.zone);
}

/** Milliseconds since the epoch before which it ends: of a day the midnight after it, of a time that time. */
export function endOfMoment(moment: Moment, here: LocalClock): number {
  return moment.kind === 'day' || moment.kind === 'day_ago'
    ? midnight(dateOf(moment, here).add({ days: 1 }), here.zone)
    : startOfMoment(moment, here);
}

export type Period = 'day' | 'week' | 'month';

export interface NamedPeriod {
  /** `2026-11-20`, `2026-W47` (ISO 8601, from Monday), `2026-11`. */
  name: string;
  /** Its first instant, and that of the period after it, in milliseconds since the epoch. */
  fromMs: number;
  untilMs: number;
}

/** The day, week or month of `zone` that an instant falls in. */
export function periodOf(ms: number, period: Period, zone: string): NamedPeriod {
  const date = nowIn({ zone, nowMs: ms }).toPlainDate();
  const first = firstOf(date, period);
  const next = first.add(period === 'day' ? { days: 1 } : period === 'week' ? { days: 7 } : { months: 1 });
  return { name: nameOf(date, period), fromMs: midnight(first, zone), untilMs: midnight(next, zone) };
}

/** The Monday of a week by its name, `2026-W47`, as a date; undefined for text that names none. */
export function mondayOf(week: string): string | undefined {
  const [, year = '', count = ''] = /^(\d{4})-?W(\d\d)$/i.exec(week) ?? [];
  if (year === '') return undefined;
  // The fourth of January is in the first week.
  const first = firstOf(Temporal.PlainDate.from(`${year}-01-04`), 'week');
  const monday = first.add({ weeks: Number(count) - 1 });
  return nameOf(monday, 'week') === `${year}-W${count}` ? monday.toString() : undefined;
}

function firstOf(date: Temporal.PlainDate, period: Period): Temporal.PlainDate {
  if (period === 'month') return date.with({ day: 1 });
  return period === 'week' ? date.subtract({ days: date.dayOfWeek - 1 }) : date;
}

function nameOf(date: Temporal.PlainDate, period: Period): string {
  if (period === 'week')
    return `${date.yearOfWeek?.toString() ?? ''}-W${(date.weekOfYear ?? 0).toString().padStart(2, '0')}`;
  return (period === 'month' ? date.toPlainYearMonth() : date).toString();
}

const nowIn = ({ zone, nowMs }: LocalClock): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(zone);

const dateOf = (
  moment: Extract<Moment, { kind: 'day' | 'day_ago' }>,
  here: LocalClock,
): Temporal.PlainDate =>
  moment.kind === 'day'
    ? Temporal.PlainDate.from(moment.date)
    : nowIn(here).toPlainDate().subtract({ days: moment.days });

/** The first instant of a day: where clocks skip midnight, the one they skip to. */
const midnight = (date: Temporal.PlainDate, zone: string): number =>
  date.toZonedDateTime(zone).epochMilliseconds;

/** A day of a zone and an hour of it. */
export interface LocalHour {
  /** `2026-11-20`. */
  date: string;
  /** 0 to 23. */
  hour: number;
  /** Its first instant, and that of the hour after it, in milliseconds since the epoch. */
  fromMs: number;
  untilMs: number;
}

export function localHourOf(ms: number, zone: string): LocalHour {
  const at = nowIn({ zone, nowMs: ms });
  const from = at.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  return {
    date: at.toPlainDate().toString(),
    hour: at.hour,
    fromMs: from.epochMilliseconds,
    untilMs: from.add({ hours: 1 }).epochMilliseconds,
  };
}

/** `date` at that hour of the zone's clocks, in milliseconds since the epoch. */
export const instantAtHour = (date: string, hour: number, zone: string): number =>
  Temporal.PlainDate.from(date).toZonedDateTime({ timeZone: zone, plainTime: { hour } }).epochMilliseconds;

/** From now on: days at the same time of the clock, or hours. Milliseconds since the epoch. */
export const instantAhead = (count: number, unit: 'days' | 'hours', here: LocalClock): number =>
  nowIn(here).add({ [unit]: count }).epochMilliseconds;
