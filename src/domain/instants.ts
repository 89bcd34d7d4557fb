/**
 * ISO 8601 timestamps, and the time elapsed by several clocks. A wall clock can be set, a monotonic clock stops while the
 * machine sleeps (on Linux), and the service's Date may be off: so only differences count, and only if the clocks agree.
 */
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const HAS_OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/;

export const hasOffset = (at: string): boolean => HAS_OFFSET.test(at);

/** Milliseconds since the epoch of an ISO 8601 instant; without an offset it is UTC (specification §1). */
export function instantOf(at: string): number | undefined {
  if (!ISO.test(at)) return undefined;
  const spelled = at.replace(' ', 'T');
  const parsed = Date.parse(spelled.length === 10 || HAS_OFFSET.test(spelled) ? spelled : `${spelled}Z`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** `2026-11-20T09:02:11.000Z`, of milliseconds since the epoch: all of one length, in order as text. */
export const exactInstant = (ms: number): string => new Date(ms).toISOString();

/** `2026-11-20` */
export const utcDay = (ms: number): string => exactInstant(ms).replace(/T.*$/, '');

/** `2026-11-20T09:02:11Z`, with milliseconds where there are some. */
export const instantText = (ms: number): string => exactInstant(ms).replace(/\.000Z$/, 'Z');

/** `2026-11-20T09:02:11Z`, of milliseconds since the epoch. */
export const isoSeconds = (ms: number): string => exactInstant(ms).replace(/\.\d+Z$/, 'Z');

/** One moment by several clocks, in milliseconds; each clock has its own zero. */
export interface ClockReadings {
  /** This machine's wall clock, since the epoch. */
  wall: number;
  /** The clock of this process; undefined where another process read the clocks. */
  monotonic?: number | undefined;
  /** The Date of a response that came at this moment; never the time of practice, which can be advanced. */
  service?: number | undefined;
}

export interface Elapsed {
  /** From the first moment to the last, by the clock that counts the longest. */
  ms: number;
  /** How far the clocks are apart about it. */
  apartMs: number;
}

/** Clocks that are further apart than this tell no time: the machine slept or was too busy, or a clock was set. */
export const MAX_CLOCK_SKEW_MS = 5_000;

/** `moments`: in the order in which they were. */
export function elapsedOver(moments: readonly ClockReadings[]): Elapsed {
  const stretches = moments.slice(1).map((to, at) => differences(moments[at] ?? to, to));
  const pairs = moments.flatMap((from, at) => moments.slice(at + 1).map((to) => differences(from, to)));
  return {
    ms: stretches.reduce((sum, by) => sum + Math.max(...by), 0),
    // Time never goes back: a clock that does is apart from time itself.
    apartMs: Math.max(0, ...pairs.map((by) => Math.max(0, ...by) - Math.min(...by))),
  };
}

export const clocksDisagree = ({ apartMs }: Elapsed): boolean => apartMs > MAX_CLOCK_SKEW_MS;

/** By each clock that was read at both moments. */
const differences = (from: ClockReadings, to: ClockReadings): readonly number[] => [
  to.wall - from.wall,
  ...known(from.monotonic, to.monotonic),
  ...known(from.service, to.service),
];

const known = (first: number | undefined, last: number | undefined): readonly number[] =>
  first === undefined || last === undefined ? [] : [last - first];

/** `30 s`, `4 min`, `2 h`. */
export function durationInWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds.toString()} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes.toString()} min` : `${Math.floor(minutes / 60).toString()} h`;
}
