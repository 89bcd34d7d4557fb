/** One failed attempt as facts: how far it got and why it ended. retry-policy.ts and map-error.ts decide what it means. */

import type { ClockReadings } from '../../domain/instants.ts';
import { forScreen } from '../../domain/sanitize.ts';
/**
 * `never_sent`: no byte was sent, so the service cannot have acted.
 * `no_answer`: bytes may have been sent and no complete response came: the outcome is unknown.
 * `answered`: a complete response came, and it is not a success.
 */
export type FailurePhase = 'never_sent' | 'no_answer' | 'answered';

/**
 * `unreachable`: no connection. `tls`: the host could not be verified. `proxy`: the proxy refused.
 * `timeout`: the attempt's or the call's time is up. `lost`: the connection broke. `unreadable`: the response is
 * invalid. `status`: an error status of the service. `stopped`: by the caller. `withheld`: too late to send.
 */
export type FailureKind =
  | 'unreachable'
  | 'tls'
  | 'proxy'
  | 'timeout'
  | 'lost'
  | 'unreadable'
  | 'status'
  | 'stopped'
  | 'withheld';

export interface FailureParts {
  phase: FailurePhase;
  kind: FailureKind;
  /** Half a sentence, lower case, no full stop: `connection reset (ECONNRESET)`. Short, without a key. */
  reason: string;
  /** The HTTP status, if any. */
  status?: number | undefined;
  /** The service's `error.code`, if any. */
  code?: string | undefined;
  /** The service's `error.message` and `error.details` as sent, with the key masked. */
  message?: string | undefined;
  details?: unknown;
  /** The wait of the response's Retry-After. */
  retryAfterMs?: number | undefined;
  /** When the response arrived. */
  clocks?: ClockReadings | undefined;
  /** What to do, where the reason tells. */
  hint?: string | undefined;
  cause?: unknown;
}

export class RequestFailure extends Error {
  readonly parts: FailureParts;

  constructor(parts: FailureParts) {
    const reason = forScreen(parts.reason);
    super(reason, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'RequestFailure';
    this.parts = {
      ...parts,
      reason,
      code: parts.code === undefined ? undefined : forScreen(parts.code),
    };
  }
}

const RATE_LIMITED = 429;
const FIRST_SERVER_ERROR = 500;

export const isRateLimit = (parts: FailureParts): boolean =>
  parts.status === RATE_LIMITED || parts.code === 'rate_limited';

/** §7: a request with this key is still in progress. */
export const isInFlight = (parts: FailureParts): boolean => parts.code === 'idempotency_in_flight';

export const isServerError = (parts: FailureParts): boolean =>
  parts.kind === 'status' && (parts.status ?? 0) >= FIRST_SERVER_ERROR;

/** Sent, and it is unknown whether the service acted. A rate limit is a definite no. */
export const isOutcomeUnknown = (parts: FailureParts): boolean =>
  parts.phase === 'no_answer' || parts.kind === 'unreadable' || isServerError(parts) || isInFlight(parts);
