/**
 * Whether and when to retry, from how far the failed attempt got and the service's code, never from a message.
 * An action is only ever resent with the same key and the same bytes.
 */
import {
  type FailureParts,
  isInFlight,
  isOutcomeUnknown,
  isPassing,
  isRateLimit,
  isUnknownConflict,
} from './request-failure.ts';

/** A reading changes nothing; an action may have changed the position. */
export type CallEffect = 'reading' | 'action';

/** For a whole call, waits included. */
export const TOTAL_MS = 30_000;
export const READING_ATTEMPTS = 4;
/** Attempts of an action that may each have been executed. */
export const UNKNOWN_OUTCOME_SENDS = 3;
export const NEVER_SENT_ATTEMPTS = 3;
/** Limits the attempts within TOTAL_MS when a rate limit or a request in flight asks for the shortest waits. */
export const ACTION_ATTEMPTS = 8;

const BASE_MS = 500;
const RATE_LIMIT_BASE_MS = 1000;
const LONGEST_MS = 8000;

export interface RetryState {
  effect: CallEffect;
  /** The failure of the last attempt. */
  last: FailureParts;
  /** Attempts so far, the last one included. */
  attempts: number;
  /** Those after which it is unknown whether the service acted. */
  unclear: number;
  /** Why a further attempt was due and not sent. */
  withheld?: string | undefined;
}

export function shouldRetry({ effect, last, attempts, unclear }: RetryState): boolean {
  if (!isTemporary(effect, last)) return false;
  if (effect === 'reading') return attempts < READING_ATTEMPTS;
  if (attempts >= ACTION_ATTEMPTS) return false;
  if (last.phase === 'never_sent') return attempts < NEVER_SENT_ATTEMPTS;
  // A request in flight is counted already: asking for its result adds no other.
  return isInFlight(last) || unclear < UNKNOWN_OUTCOME_SENDS;
}

/** Whether a failure of this kind is temporary. */
function isTemporary(effect: CallEffect, last: FailureParts): boolean {
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
      return (
        isRateLimit(last) ||
        isInFlight(last) ||
        isPassing(last) ||
        (effect === 'action' && isUnknownConflict(last))
      );
    case 'unreadable':
      // The same key returns the original response, which may be readable; a page or a redirect stays one.
      return effect === 'action' && isOutcomeUnknown(last) && (last.status ?? 200) < 300;
  }
  return last.kind satisfies never;
}

/** Milliseconds before the next attempt: full jitter up to 8 s; a Retry-After plus some jitter. `fraction`: in [0, 1). */
export function retryDelay(
  { last, attempts }: Pick<RetryState, 'last' | 'attempts'>,
  fraction: number,
): number {
  const base = isRateLimit(last) ? RATE_LIMIT_BASE_MS : BASE_MS;
  const jittered = fraction * Math.min(LONGEST_MS, base * 2 ** (attempts - 1));
  return Math.round(last.retryAfterMs === undefined ? jittered : last.retryAfterMs + fraction * BASE_MS);
}
