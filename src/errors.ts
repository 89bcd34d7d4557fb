/**
 * The error tree of the desk, by phase: before anything left this machine, while an answer was awaited,
 * and what the service said. Each error knows its code, what it did to the book and whether trying again
 * helps. It knows neither exit codes (cli/exit-codes.ts) nor how it is shown (output/).
 */

/** What the failed command did to the book. `unknown` is honest, not a synonym of `none`. */
export type Effect = 'none' | 'pending' | 'unknown' | 'done';

/** Whether and how the same command may be tried again. */
export type Retry = 'never' | 'later' | 'same_key' | 'after_check';

/** Codes of our own. The service's codes travel beside them, spelled as they came. */
export const OWN_CODES = [
  'usage',
  'no_profile',
  'unknown_profile',
  'credential_conflict',
  'credential_unusable',
  'env_mismatch',
  'unavailable',
  'unreadable_answer',
  'outcome_unknown',
  'pending',
  'order_failed',
  'partial_fill',
  'exposure_exceeded',
  'capacity_exceeded',
  'insufficient_balance',
  'market_disabled',
  'market_not_found',
  'no_reference',
  'no_open_hedge',
  'more_than_open',
  'nothing_to_reduce',
  'book_unclear',
  'book_changed',
  'worse_price',
  'implausible_price',
  'cost_too_high',
  'limit_exceeded',
  'read_only',
  'halted',
  'deal_id_used',
  'account_unclear',
  'idempotency_key_reuse',
  'settled',
  'not_sent',
  'duplicate',
  'unresolved',
  'in_flight',
  'end_known',
  'key_expired',
  'too_late',
  'unusual_size',
  'declined',
  'not_run',
  'unhealthy',
  'interrupted',
  'port_taken',
  'damaged_file',
  'output_failed',
  'internal',
] as const;
export type OwnCode = (typeof OWN_CODES)[number];

export interface ErrorParts {
  /** A code of ours, or the service's own. */
  code: OwnCode | (string & {});
  /** What happened, as one or two sentences. */
  what: string;
  /** What it means for the book. */
  book?: string | undefined;
  /** What to do next. */
  hint?: string | undefined;
  effect?: Effect | undefined;
  retry?: Retry | undefined;
  details?: unknown;
  /** All of the service's words of which `what` has the beginning. */
  said?: string | undefined;
  httpStatus?: number | undefined;
  cause?: unknown;
}

export class HedgeError extends Error {
  readonly code: string;
  readonly what: string;
  readonly book: string | undefined;
  readonly hint: string | undefined;
  readonly effect: Effect;
  readonly retry: Retry;
  readonly details: unknown;
  readonly said: string | undefined;
  readonly httpStatus: number | undefined;

  constructor(parts: ErrorParts) {
    super(
      parts.book === undefined ? parts.what : `${parts.what} ${parts.book}`,
      parts.cause === undefined ? undefined : { cause: parts.cause },
    );
    this.name = new.target.name;
    this.code = parts.code;
    this.what = parts.what;
    this.book = parts.book;
    this.hint = parts.hint;
    this.effect = parts.effect ?? 'none';
    this.retry = parts.retry ?? 'never';
    this.details = parts.details;
    this.said = parts.said;
    this.httpStatus = parts.httpStatus;
  }
}

/** The command line does not say what to do, or asks a question that nobody is there to answer. */
export class UsageError extends HedgeError {
  constructor(what: string, hint?: string, details?: unknown) {
    super({ code: 'usage', what, hint, details });
  }
}

/** Credentials or base address are missing, wrong, in conflict, or turned down by the service (401, 403). */
export class CredentialError extends HedgeError {}

/** Stopped here before anything was sent: a guard, a broken promise, or the operator's own no. */
export class StoppedError extends HedgeError {}

/** A file of ours is damaged, foreign, or cannot be read or written. `path` names it. */
export class DamagedFileError extends HedgeError {
  readonly path: string;
  constructor(path: string, parts: Omit<ErrorParts, 'code'>) {
    super({ ...parts, code: 'damaged_file' });
    this.path = path;
  }
}

/** The service refused by an envelope with a 4xx: definite, nothing was done. */
export class RefusedError extends HedgeError {}

/** The service cannot be reached, or is unwell, and nothing can have been done. */
export class UnavailableError extends HedgeError {}

/** An answer that cannot be read: not JSON, not the envelope, or not the shape the specification shows. */
export class UnreadableAnswerError extends HedgeError {}

/**
 * An action was sent and nothing tells whether the service acted: no usable answer, even after resending with
 * the same key, or a refusal that came only after such an attempt. `refusal` is that later refusal. Or readings
 * disagree on whether there is anything to act on: then nothing was sent, and the effect is `none`.
 */
export class OutcomeUnknownError extends HedgeError {
  readonly refusal: { code: string | undefined; message: string | undefined } | undefined;
  constructor(
    parts: Omit<ErrorParts, 'code'>,
    refusal?: { code: string | undefined; message: string | undefined },
  ) {
    super({ effect: 'unknown', retry: 'after_check', ...parts, code: 'outcome_unknown' });
    this.refusal = refusal;
  }
}

/** The service accepted an action and its end was not seen in the time given: it will come. */
export class PendingError extends HedgeError {
  constructor(parts: Omit<ErrorParts, 'code' | 'effect' | 'retry'>) {
    super({ ...parts, code: 'pending', effect: 'pending', retry: 'after_check' });
  }
}

/** An accepted open whose order did not land: nothing was opened (specification §3). */
export class OrderFailedError extends HedgeError {
  constructor(parts: Omit<ErrorParts, 'code' | 'effect' | 'retry'>) {
    super({ ...parts, code: 'order_failed', effect: 'none', retry: 'later' });
  }
}

/** An open of which less was filled than was asked: done, not as asked, and never to be sent again for the rest. */
export class PartialFillError extends HedgeError {
  constructor(parts: Omit<ErrorParts, 'code' | 'effect' | 'retry'>) {
    super({ ...parts, code: 'partial_fill', effect: 'done', retry: 'never' });
  }
}

/** A condition that was asked about does not hold. The reading itself succeeded. */
export class ConditionError extends HedgeError {}

/** The result could not be written to standard output (a full disk). */
export class OutputError extends HedgeError {}

/** The operator's Ctrl-C, or a TERM or HUP: the process dies by `signal` once all is said. */
export class InterruptedError extends HedgeError {
  readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP';
  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', parts: Omit<ErrorParts, 'code'>) {
    super({ ...parts, code: 'interrupted' });
    this.signal = signal;
  }
}
