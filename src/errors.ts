/** The error tree: each error has a code, its effect on the position, and whether a retry helps. */

/** Effect of the failed command on the position. `unknown` does not mean `none`. */
export type Effect = 'none' | 'pending' | 'unknown' | 'done';

/** Whether and how to retry the same command. */
export type Retry = 'never' | 'later' | 'same_key' | 'after_check';

/** Codes of hedge. Codes of the service are passed through unchanged. */
export const OWN_CODES = [
  'usage',
  'no_profile',
  'unknown_profile',
  'credential_conflict',
  'credential_unusable',
  'env_mismatch',
  'unavailable',
  'rate_limited',
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
  'nothing_to_add',
  'size_not_found',
  'book_unclear',
  'book_changed',
  'payoff_unconfirmed',
  'breaks_found',
  'worse_price',
  'implausible_price',
  'cost_too_high',
  'cover_incomplete',
  'limit_exceeded',
  'read_only',
  'halted',
  'deal_id_used',
  'similar_deal_id',
  'not_alone',
  'roll_unfinished',
  'roll_missed',
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
  'closes_side',
  'declined',
  'not_run',
  'unhealthy',
  'journal_changed',
  'empty_journal',
  'no_snapshot',
  'interrupted',
  'port_taken',
  'damaged_file',
  'journal_rewound',
  'journal_earlier',
  'desk_unreachable',
  'desk_rewound',
  'desk_changed',
  'desk_newer',
  'desk_unfit',
  'desk_joined',
  'desk_left',
  'no_desk',
  'clock_changed',
  'not_approver',
  'output_failed',
  'internal',
] as const;
export type OwnCode = (typeof OWN_CODES)[number];

/** A rejection by the service with one of these means what it means for hedge: the reason is the same. */
const SHARED_CODES: readonly string[] = [
  'exposure_exceeded',
  'capacity_exceeded',
  'insufficient_balance',
  'market_disabled',
  'market_not_found',
  'no_open_hedge',
  'idempotency_key_reuse',
  'rate_limited',
] satisfies OwnCode[];

/** Whether a rejection with the code is one for hedge too. */
export const isSharedCode = (code: string): boolean => SHARED_CODES.includes(code);

export const isOwnCode = (code: string): boolean => OWN_CODES.some((each) => each === code);

interface CodeAndDetails {
  code: string;
  details?: unknown;
}

/**
 * The code and details of an error of the service. One of our codes would be taken for ours: then it is
 * `details.service_code`, and `otherwise` is the code.
 */
export function serviceCode(code: string | undefined, otherwise: string, details?: unknown): CodeAndDetails {
  if (code === undefined || !isOwnCode(code)) return { code: code ?? otherwise, details };
  const sent = typeof details === 'object' && details !== null && !Array.isArray(details);
  const others = details === undefined ? {} : sent ? details : { service_details: details };
  return { code: otherwise, details: { ...others, service_code: code } };
}

/** The same of a rejection. */
export const serviceRejection = (
  code: string | undefined,
  status: number | undefined,
  details?: unknown,
): CodeAndDetails =>
  code !== undefined && isSharedCode(code)
    ? { code, details }
    : serviceCode(code, `http_${status ?? 'error'}`, details);

/** A command line as words, which are quoted for a shell where it is shown (domain/hint.ts). */
export type CommandWords = readonly string[];

/** Text with the commands in it. */
export type Sentence = string | { readonly parts: readonly (string | CommandWords)[] };

/** A command to run next. */
export interface NextStep {
  command: CommandWords;
  /** Its effect; empty for a command that needs no description. */
  does: Sentence;
  /** `To retry:`, above the command on a screen. */
  lead: string | undefined;
}

export type HintLine = Sentence | NextStep;
export type Hint = HintLine | readonly HintLine[];

export const hintLines = (hint: Hint | undefined): readonly HintLine[] =>
  hint === undefined ? [] : isSeveral(hint) ? hint : [hint];

const isSeveral = (hint: Hint): hint is readonly HintLine[] => Array.isArray(hint);

export interface ErrorParts {
  /** A code of hedge or of the service. */
  code: OwnCode | (string & {});
  /** The event, in one or two sentences. */
  what: string;
  /** The effect on the position. */
  meaning?: string | undefined;
  /** The next step. */
  hint?: Hint | undefined;
  effect?: Effect | undefined;
  retry?: Retry | undefined;
  details?: unknown;
  /** The service's full message, if `what` has only its beginning. */
  said?: string | undefined;
  httpStatus?: number | undefined;
  /** The code of the service as sent; `code` unless hedge has a code of that name. */
  serviceCode?: string | undefined;
  cause?: unknown;
}

type PartsWithoutCode = Omit<ErrorParts, 'code'>;

export class HedgeError extends Error {
  declare readonly code: string;
  declare readonly what: string;
  declare readonly meaning: string | undefined;
  declare readonly hint: readonly HintLine[] | undefined;
  declare readonly effect: Effect;
  declare readonly retry: Retry;
  declare readonly details: unknown;
  declare readonly said: string | undefined;
  declare readonly httpStatus: number | undefined;
  declare readonly serviceCode: string | undefined;

  constructor({ cause, ...parts }: ErrorParts) {
    const { what, meaning, hint, effect = 'none', retry = 'never' } = parts;
    super(meaning === undefined ? what : `${what} ${meaning}`, cause === undefined ? undefined : { cause });
    const lines = hint && hintLines(hint);
    Object.assign(this, { name: new.target.name }, parts, { hint: lines, effect, retry });
  }

  /** The event, without its full stop. */
  get clause(): string {
    return this.what.endsWith('.') ? this.what.slice(0, -1) : this.what;
  }

  /** A copy with other parts, of the same class and with all that the class adds. Its cause is this error. */
  with(changed: Partial<PartsWithoutCode>): this {
    const parts = Object.assign({}, this, { cause: this }, changed);
    return Object.setPrototypeOf(new HedgeError(parts), Object.getPrototypeOf(this));
  }
}

/** A kind with one code, and its usual effect and retry. */
const coded = (code: OwnCode, effect: Effect, retry: Retry) =>
  class extends HedgeError {
    constructor(parts: PartsWithoutCode) {
      super({ effect, retry, ...parts, code });
    }
  };

/** The command line is wrong or incomplete, or a confirmation is needed without a terminal. */
export class UsageError extends HedgeError {
  constructor(what: string, hint?: Hint, details?: unknown) {
    super({ code: 'usage', what, hint, details });
  }
}

/** Credentials or base URL are missing, wrong, in conflict, or rejected by the service (401, 403). */
export class CredentialError extends HedgeError {}

/** Blocked locally before anything was sent: a pre-trade check, --expect-env, or the operator declined. */
export class StoppedError extends HedgeError {}

export const nothingSent = (parts: Omit<ErrorParts, 'meaning'>): StoppedError =>
  new StoppedError({ ...parts, meaning: 'Nothing was sent.' });

/** For what would have changed files of this machine, or its desk. */
export const nothingChanged = (parts: Omit<ErrorParts, 'meaning'>): StoppedError =>
  new StoppedError({ ...parts, meaning: 'Nothing was changed.' });

/** The journal lacks records that were written; it is of an earlier version; everything else. */
type DataCode = 'journal_rewound' | 'journal_earlier' | 'damaged_file';

/** A data file of hedge is corrupt, not owned by the user, or unwritable. By default nothing was sent: after a send, say what it means. */
export class DamagedFileError extends HedgeError {
  readonly path: string;
  constructor(path: string, parts: PartsWithoutCode & { code?: DataCode }) {
    super({ code: 'damaged_file', meaning: 'Nothing was sent.', ...parts });
    this.path = path;
  }
}

/** Rejected by the service with a 4xx error: nothing was done. */
export class RefusedError extends HedgeError {}

/** The service is unreachable or failing, and nothing was done. */
export class UnavailableError extends HedgeError {}

/** An unreadable response: not JSON, not the envelope, or not the specified schema. */
export class UnreadableAnswerError extends HedgeError {}

/**
 * An action was sent without a usable response, even after retries with the same key; `refusal` is a later rejection.
 * Or readings disagree on whether anything is open: then nothing was sent, and the effect is `none`.
 */
export class OutcomeUnknownError extends HedgeError {
  readonly refusal: { code: string | undefined; message: string | undefined } | undefined;
  constructor(parts: PartsWithoutCode, refusal?: { code: string | undefined; message: string | undefined }) {
    super({ effect: 'unknown', retry: 'after_check', ...parts, code: 'outcome_unknown' });
    this.refusal = refusal;
  }
}

/** The service accepted an action, and its outcome did not come before the timeout. */
export class PendingError extends coded('pending', 'pending', 'after_check') {}

/** The order of an accepted open failed: nothing was opened (specification §3). */
export class OrderFailedError extends coded('order_failed', 'none', 'later') {}

/** An open that was filled in part: executed, and not to be sent again for the rest. */
export class PartialFillError extends coded('partial_fill', 'done', 'never') {}

/** A condition was not met. The reading itself succeeded. */
export class ConditionError extends HedgeError {}

/** The result could not be written to standard output (a full disk). */
export class OutputError extends HedgeError {}

/** Ctrl-C, TERM or HUP: the process ends by `signal` after its last output. */
export class InterruptedError extends HedgeError {
  readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP';
  constructor(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP', parts: PartsWithoutCode) {
    super({ ...parts, code: 'interrupted' });
    this.signal = signal;
  }
}

type ErrorClass = abstract new (...args: never[]) => Error;

interface ErrorKind {
  kind?: ErrorClass;
  exitCode?: number;
}

/** An error of no other kind. */
const INTERNAL: ErrorKind = { exitCode: 1 };

/** The worst first, with their exit codes. A signal has none: the process ends by it. */
export const ERROR_KINDS: readonly ErrorKind[] = [
  { kind: InterruptedError },
  { kind: OutcomeUnknownError, exitCode: 7 },
  { kind: PartialFillError, exitCode: 7 },
  { kind: DamagedFileError, exitCode: 78 },
  { kind: OutputError, exitCode: 74 },
  INTERNAL,
  { kind: CredentialError, exitCode: 4 },
  { kind: UnavailableError, exitCode: 5 },
  { kind: OrderFailedError, exitCode: 9 },
  { kind: PendingError, exitCode: 8 },
  { kind: StoppedError, exitCode: 10 },
  { kind: RefusedError, exitCode: 3 },
  { kind: UsageError, exitCode: 2 },
  { kind: UnreadableAnswerError, exitCode: 6 },
  { kind: ConditionError, exitCode: 11 },
];

export const kindOf = (error: HedgeError): ErrorKind =>
  ERROR_KINDS.find(({ kind }) => kind !== undefined && error instanceof kind) ?? INTERNAL;

/** For a promise: undefined where it fails with an error of one of these kinds. */
export const without =
  (...kinds: readonly ErrorClass[]) =>
  (error: unknown): undefined => {
    if (!kinds.some((kind) => error instanceof kind)) throw error;
  };

/** Undefined where `read` fails with an error of this kind. */
export function unless<T>(kind: ErrorClass, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    return without(kind)(error);
  }
}

/** An unknown effect is the worst. */
const rankOf = (error: HedgeError): number =>
  error.effect === 'unknown' ? -1 : ERROR_KINDS.indexOf(kindOf(error));

export const bySeverity = (one: HedgeError, other: HedgeError): number => rankOf(one) - rankOf(other);

/** The first of the worst kind. */
export const worstError = (errors: readonly HedgeError[]): HedgeError | undefined =>
  errors.toSorted(bySeverity)[0];

const EFFECTS_BY_SEVERITY: readonly Effect[] = ['unknown', 'pending', 'done', 'none'];

/** The worst of the actions of one command; `none` without any. */
export const worstEffect = (effects: readonly Effect[]): Effect =>
  EFFECTS_BY_SEVERITY.find((each) => effects.includes(each)) ?? 'none';
