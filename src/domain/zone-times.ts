/** Instants as words in a time zone, `Fri 20 Nov 10:02 WAT`; how far off they are; and the mark of a date that is no business day. */
import { HOUR_MS, instantOf, isoSeconds, utcDay } from './instants.ts';

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

/** Undefined where a maturity is on a business day of the zone. `holiday`: undefined on a weekend that is none. */
export function restDayOf(
  { at, holiday }: { at: string; holiday?: string | null },
  { zone, holidayOf }: { zone: string; holidayOf?: ((date: string) => string | undefined) | undefined },
): { holiday: string | undefined } | undefined {
  const instant = instantOf(at);
  if (instant === undefined) return undefined;
  const { weekday, iso } = localParts(instant, zone);
  const name = holiday === undefined ? holidayOf?.(iso) : (holiday ?? undefined);
  return name !== undefined || weekday.startsWith('S') ? { holiday: name } : undefined;
}

/** Explains the mark. `holidays`: `Fri 25 Dec, Christmas Day`. */
export const restDaysNote = (holidays: readonly string[], someWeekend: boolean): string => {
  const named = `public holiday: ${holidays.join('; ')}`;
  if (holidays.length === 0) return `${REST_DAY} Weekend.`;
  return `${REST_DAY} ${someWeekend ? `Weekend, or ${named}` : `P${named.slice(1)}`}.`;
};

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

/** `{ year: '2026', date: '20 Nov', weekday: 'Fri', clock: '10:02:11', iso: '2026-11-20' }` */
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
  iso: utcDay(at.getTime()),
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

/** Sentences carry times in UTC, `2026-11-20 10:02:58 UTC`: here they are those of the zone. Not in a pipe. */
export const inZone = (
  text: string,
  { zone = 'UTC', now = 0, iso = false }: { zone?: string; now?: number; iso?: boolean },
): string =>
  iso || zone === 'UTC'
    ? text
    : text.replace(
        /\b(\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?) UTC\b/g,
        (words, at: string, seconds?: string) =>
          formatTime(at, { zone, now }, seconds === undefined ? 'minute' : 'second') ?? words,
      );

/** Behind a date on a weekend or a public holiday, and nothing else. */
export const REST_DAY = '(!)';
