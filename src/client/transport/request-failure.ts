/**
 * One attempt that brought no usable answer, as facts: how far it got, and why it ended. What that means for
 * the caller is decided once, by retry-policy.ts and final-error.ts.
 */
import type { ClockReadings } from '../../domain/instants.ts';
import { forScreen } from '../../domain/sanitize.ts';
/**
 * `never_sent`: no byte of the request left, so the service cannot have acted.
 * `no_answer`: bytes may have left and nothing complete came back: it may have acted or not.
 * `answered`: a complete answer came, and it is no success.
 */
export type FailurePhase = 'never_sent' | 'no_answer' | 'answered';

/**
 * `unreachable`: no connection. `tls`: the other side could not prove who it is. `proxy`: the proxy said no.
 * `timeout`: an attempt's or the call's time is up. `lost`: the connection broke. `unreadable`: what came is not
 * what the service may send. `status`: a refusal or an error of the service. `stopped`: by the caller. `withheld`: it
 * may be too late for it.
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
  /** Half a sentence, lower case, no full stop: `connection reset (ECONNRESET)`. Never a key, and never long. */
  reason: string;
  /** The HTTP status, when one came. */
  status?: number | undefined;
  /** The service's `error.code`, when it gave one. */
  code?: string | undefined;
  /** The service's `error.message` and `error.details`, as they came but for the key. */
  message?: string | undefined;
  details?: unknown;
  /** The wait that the answer asked for. */
  retryAfterMs?: number | undefined;
  /** As the answer came. */
  clocks?: ClockReadings | undefined;
  /** What to do about it, when that is known here. */
  hint?: string | undefined;
  cause?: unknown;
}

export class RequestFailure extends Error {
  readonly parts: FailureParts;

  constructor(parts: FailureParts) {
    const says = forScreen(parts.reason);
    super(says, parts.cause === undefined ? undefined : { cause: parts.cause });
    this.name = 'RequestFailure';
    this.parts = {
      ...parts,
      reason: says,
      code: parts.code === undefined ? undefined : forScreen(parts.code),
    };
  }
}

const RATE_LIMITED = 429;
const FIRST_SERVER_ERROR = 500;

export const isRateLimit = (parts: FailureParts): boolean =>
  parts.status === RATE_LIMITED || parts.code === 'rate_limited';

/** §7: another request with this key is still in progress, so its outcome is not known yet. */
export const isInFlight = (parts: FailureParts): boolean => parts.code === 'idempotency_in_flight';

export const isServerError = (parts: FailureParts): boolean =>
  parts.kind === 'status' && (parts.status ?? 0) >= FIRST_SERVER_ERROR;

/** Sent, and nothing tells whether the service acted on it. A rate limit is a clear no. */
export const isUnclear = (parts: FailureParts): boolean =>
  parts.phase === 'no_answer' || parts.kind === 'unreadable' || isServerError(parts) || isInFlight(parts);
