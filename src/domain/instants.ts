/** Instants as the service writes them: ISO 8601 text to milliseconds since the epoch, and back. Knows no zone. */

const ISO = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;
const HAS_OFFSET = /(?:Z|[+-]\d\d:?\d\d)$/;

/** Milliseconds since the epoch of an ISO 8601 instant; without an offset it is UTC (specification §1). */
export function instantOf(at: string): number | undefined {
  if (!ISO.test(at)) return undefined;
  const spelled = at.replace(' ', 'T');
  const parsed = Date.parse(spelled.length === 10 || HAS_OFFSET.test(spelled) ? spelled : `${spelled}Z`);
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** `2026-11-20T09:02:11.000Z`, of milliseconds since the epoch: all of one length, in order as text. */
export const exactInstant = (ms: number): string => new Date(ms).toISOString();

/** `2026-11-20T09:02:11Z`, with milliseconds where there are some. */
export const instantText = (ms: number): string => exactInstant(ms).replace(/\.000Z$/, 'Z');

/** `2026-11-20T09:02:11Z`, of milliseconds since the epoch. */
export const isoSeconds = (ms: number): string => exactInstant(ms).replace(/\.\d+Z$/, 'Z');
