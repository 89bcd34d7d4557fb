/** Instants as people read them, in a zone and relative to a given now. */
import { instantOf, isoSeconds } from '../domain/instants.ts';
export type TimeStyle = 'date' | 'minute' | 'second';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** Whether `zone` is an IANA name that this machine has. */
export function isKnownZone(zone: string): boolean {
  return formatterOf(zone) !== undefined;
}

/**
 * `Fri 20 Nov 10:02:11 WAT`, `Fri 20 Nov 10:02 WAT` or `Fri 20 Nov`, with the year unless it is that of `now`. An
 * unknown zone is UTC. `iso`: `2026-11-20T09:02:11Z` or `2026-11-20`. Undefined when `at` is not an instant.
 */
export function formatTime(
  at: string,
  context: { zone: string; now: number; iso?: boolean },
  style: TimeStyle = 'second',
): string | undefined {
  const instant = instantOf(at);
  if (instant === undefined) return undefined;
  if (context.iso === true) return isoSeconds(instant).slice(0, style === 'date' ? DAY_LENGTH : undefined);
  const local = localParts(instant, context.zone);
  const thisYear = localParts(context.now, context.zone).year;
  const date = `${local.weekday} ${local.day} ${local.month}${local.year === thisYear ? '' : ` ${local.year}`}`;
  if (style === 'date') return date;
  const clock = style === 'minute' ? `${local.hour}:${local.minute}` : local.clock;
  return `${date} ${clock} ${zoneName(instant, context.zone)}`;
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** `10:02:11`, of milliseconds since the epoch. */
export const formatClock = (ms: number, zone: string): string => localParts(ms, zone).clock;

/** Whether the instant falls on a Saturday or a Sunday in `zone`. */
export function isWeekend(at: string, zone: string): boolean {
  const instant = instantOf(at);
  if (instant === undefined) return false;
  const { weekday } = localParts(instant, zone);
  return weekday === 'Sat' || weekday === 'Sun';
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

const HOUR_MS = 3_600_000;

/** `in 2 d 3 h`, `in 12 min 05 s`, `5 s ago`: to the second in the last hour. */
export function formatUntil(at: string, now: number): string | undefined {
  const instant = instantOf(at);
  if (instant === undefined) return undefined;
  const left = instant - now;
  if (left <= 60_000 || left >= HOUR_MS) return formatRelative(at, now);
  const seconds = Math.floor(left / 1_000);
  return `in ${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

interface LocalParts {
  year: string;
  month: string;
  day: string;
  weekday: string;
  hour: string;
  minute: string;
  clock: string;
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

function localParts(instant: number, zone: string): LocalParts {
  if (zone === 'UTC') return partsInUtc(new Date(instant));
  const formatter = formatterOf(zone) ?? formatterOf('UTC');
  const parts = new Map(formatter?.formatToParts(instant).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const [year, month, day] = [part('year'), part('month'), part('day')];
  const weekday = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDay();
  return {
    year,
    month: MONTHS[Number(month) - 1] ?? month,
    day: String(Number(day)),
    weekday: DAYS[weekday] ?? '',
    hour: part('hour'),
    minute: part('minute'),
    clock: `${part('hour')}:${part('minute')}:${part('second')}`,
  };
}

const two = (number: number): string => String(number).padStart(2, '0');

/** Without Intl, whose first formatter takes as long as a request. */
function partsInUtc(at: Date): LocalParts {
  const [hour, minute] = [two(at.getUTCHours()), two(at.getUTCMinutes())];
  return {
    year: String(at.getUTCFullYear()),
    month: MONTHS[at.getUTCMonth()] ?? '',
    day: String(at.getUTCDate()),
    weekday: DAYS[at.getUTCDay()] ?? '',
    hour,
    minute,
    clock: `${hour}:${minute}:${two(at.getUTCSeconds())}`,
  };
}

/** Each has the everyday zone names of its region; elsewhere it gives `GMT+1`. */
const NAMING_LOCALES = ['en-NG', 'en-GB', 'en-US'];

function zoneName(instant: number, zone: string): string {
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
