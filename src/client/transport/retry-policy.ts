/**
 * Whether an attempt is made again, and after how long. Pure: it sees how far the failed attempt got and the
 * service's code, never a message. An action is only ever repeated with the same key and the same bytes.
 */
import { type FailureParts, isInFlight, isRateLimit, isServerError, isUnclear } from './request-failure.ts';
/** A reading changes nothing; an action may have changed the book. */
export type Effectful = 'reading' | 'action';

/** Time for a whole call, its waits included. */
export const TOTAL_MS = 30_000;
export const READING_ATTEMPTS = 4;
/** Attempts of an action that may each have acted. */
export const UNCLEAR_SENDS = 3;
export const NEVER_SENT_ATTEMPTS = 3;
/** Bounds what a rate limit or a request in flight can cost within TOTAL_MS, at the shortest waits. */
export const ACTION_ATTEMPTS = 8;

const BASE_MS = 500;
const RATE_LIMIT_BASE_MS = 1000;
const LONGEST_MS = 8000;

export interface Tried {
  effect: Effectful;
  /** The failure of the last attempt. */
  last: FailureParts;
  /** Attempts so far, the last one included. */
  attempts: number;
  /** Those of them that left it unclear whether the service acted. */
  unclear: number;
  /** Why no other attempt left, in words, though one was to be made. */
  withheld?: string | undefined;
}

export function shouldRetry({ effect, last, attempts, unclear }: Tried): boolean {
  if (!isPassing(effect, last)) return false;
  if (effect === 'reading') return attempts < READING_ATTEMPTS;
  if (attempts >= ACTION_ATTEMPTS) return false;
  if (last.phase === 'never_sent') return attempts < NEVER_SENT_ATTEMPTS;
  // A request in flight is one of those already counted: asking after it adds no other.
  return isInFlight(last) || unclear < UNCLEAR_SENDS;
}

/** Whether the trouble is of a kind that passes by itself. */
function isPassing(effect: Effectful, last: FailureParts): boolean {
  switch (last.kind) {
    case 'unreachable':
    case 'timeout':
    case 'lost':
      return true;
    case 'tls':
    case 'proxy':
    case 'stopped':
    case 'withheld':
      return false;
    case 'status':
      return isRateLimit(last) || isInFlight(last) || isServerError(last);
    case 'unreadable':
      // The same key asks for the original answer, which may be readable; a page or a redirect stays one.
      return effect === 'action' && isUnclear(last) && (last.status ?? 200) < 300;
  }
  return last.kind satisfies never;
}

/**
 * Milliseconds before the next attempt: drawn evenly from a window that doubles up to 8 s (full jitter). A
 * Retry-After is a floor, with a little jitter above it so that many clients do not return in one instant.
 * `fraction` is in [0, 1).
 */
export function retryDelay({ last, attempts }: Pick<Tried, 'last' | 'attempts'>, fraction: number): number {
  const base = isRateLimit(last) ? RATE_LIMIT_BASE_MS : BASE_MS;
  const jittered = fraction * Math.min(LONGEST_MS, base * 2 ** (attempts - 1));
  return Math.round(last.retryAfterMs === undefined ? jittered : last.retryAfterMs + fraction * BASE_MS);
}
