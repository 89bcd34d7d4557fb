/** Exit codes: which errors end with them, and what they mean. */
import {
  ConditionError,
  CredentialError,
  DamagedFileError,
  type HedgeError,
  InterruptedError,
  OrderFailedError,
  OutcomeUnknownError,
  OutputError,
  PartialFillError,
  PendingError,
  RefusedError,
  StoppedError,
  UnavailableError,
  UnreadableAnswerError,
  UsageError,
} from '../errors.ts';

export const EXIT_OK = 0;
export const EXIT_INTERNAL_ERROR = 1;

const EXIT_UNKNOWN = 7;
const NO_CHANGE: readonly number[] = [2, 3, 4, 5, 6, 10, 78];

type ErrorKind = abstract new (...args: never[]) => HedgeError;

interface ExitCode {
  code: number;
  meaning: string;
  /** The errors that end with it. */
  kinds?: readonly ErrorKind[];
}

/** As help and README list them. */
export const EXIT_CODES: readonly ExitCode[] = [
  { code: EXIT_OK, meaning: 'success; an action was filled, or accepted with --no-wait' },
  { code: EXIT_INTERNAL_ERROR, meaning: 'internal error' },
  {
    code: 2,
    meaning: 'invalid command line, or a confirmation is missing without a terminal; nothing was sent',
    kinds: [UsageError],
  },
  {
    code: 3,
    meaning: 'rejected by the service, with its own code; nothing was executed',
    kinds: [RefusedError],
  },
  { code: 4, meaning: 'API key or base address missing, wrong or in conflict', kinds: [CredentialError] },
  {
    code: 5,
    meaning: 'the service is unreachable or failing; nothing was executed',
    kinds: [UnavailableError],
  },
  {
    code: 6,
    meaning: 'unreadable response to a request that changes nothing',
    kinds: [UnreadableAnswerError],
  },
  {
    code: 7,
    meaning:
      'outcome unknown: an attempt, now or in an earlier run of the same action, had no response; or readings disagree; or several hedges have one deal ID: use hedge check or hedge resume. Also an open that was filled in part (partial_fill, effect done)',
    kinds: [OutcomeUnknownError, PartialFillError],
  },
  {
    code: 8,
    meaning: 'accepted; timed out waiting for the fill: use hedge wait',
    kinds: [PendingError],
  },
  {
    code: 9,
    meaning: 'the order failed or was not executed; nothing was opened',
    kinds: [OrderFailedError],
  },
  {
    code: 10,
    meaning: 'blocked locally by a pre-trade check or --expect-env, or you declined; nothing was sent',
    kinds: [StoppedError],
  },
  {
    code: 11,
    meaning: 'a check failed or a condition was not met (--worst-price, --max-cost-bps)',
    kinds: [ConditionError],
  },
  {
    code: 74,
    meaning:
      'the result could not be written (full disk), or --query does not match it; a closed pipe is silent',
    kinds: [OutputError],
  },
  {
    code: 78,
    meaning: 'a hedge data file is corrupt, not owned by you, or unwritable; nothing was sent',
    kinds: [DamagedFileError],
  },
];

export const SIGNAL_EXIT_TEXT =
  'Ctrl-C, TERM, HUP: the process ends by the signal, so a shell loop stops too';

/** Unknown errors exit 1. Codes that promise no change are not used while an earlier attempt is unknown: that is 7. */
export function exitCodeOf(error: HedgeError): number {
  const code =
    EXIT_CODES.find(({ kinds = [] }) => kinds.some((kind) => error instanceof kind))?.code ??
    EXIT_INTERNAL_ERROR;
  return error.effect === 'unknown' && NO_CHANGE.includes(code) ? EXIT_UNKNOWN : code;
}

/** The exit code of a batch is the worst of its lines: unknown outcomes first, then failures that end every line. */
export const EXIT_CODES_BY_SEVERITY: readonly number[] = [
  7,
  78,
  74,
  EXIT_INTERNAL_ERROR,
  4,
  5,
  9,
  8,
  10,
  3,
  2,
  6,
  11,
  EXIT_OK,
];

export const worseExitCode = (one: number, other: number): number =>
  EXIT_CODES_BY_SEVERITY.indexOf(one) <= EXIT_CODES_BY_SEVERITY.indexOf(other) ? one : other;

/** As a shell reports a process that a signal ended. */
const DIED_BY: Readonly<Record<InterruptedError['signal'], number>> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
};

/** The exit code of a line in a batch. */
export function codeOfLine(error: HedgeError | undefined): number {
  if (error === undefined) return EXIT_OK;
  return error instanceof InterruptedError ? DIED_BY[error.signal] : exitCodeOf(error);
}
