/** Errors to exit codes, the one place. README and `design` list the same table. */
import {
  ConditionError,
  CredentialError,
  DamagedFileError,
  type HedgeError,
  InterruptedError,
  OrderFailedError,
  OutcomeUnknownError,
  OutputError,
  PendingError,
  RefusedError,
  StoppedError,
  UnavailableError,
  UnreadableAnswerError,
  UsageError,
} from '../errors.ts';

export const EXIT_OK = 0;
export const EXIT_BUG = 1;

const EXIT_UNKNOWN = 7;
const NO_CHANGE: readonly number[] = [2, 3, 4, 5, 6, 10, 78];

type ErrorKind = abstract new (...args: never[]) => HedgeError;

const CODES: readonly (readonly [ErrorKind, number])[] = [
  [UsageError, 2],
  [RefusedError, 3],
  [CredentialError, 4],
  [UnavailableError, 5],
  [UnreadableAnswerError, 6],
  [OutcomeUnknownError, 7],
  [PendingError, 8],
  [OrderFailedError, 9],
  [StoppedError, 10],
  [ConditionError, 11],
  [OutputError, 74],
  [DamagedFileError, 78],
];

/**
 * The exit code of an error. What is none of ours is a bug: 1. A code that says that the book did not change is
 * not given where an action may have been done before: that is in doubt, whatever stopped it now.
 */
export function exitCodeOf(error: HedgeError): number {
  const code = CODES.find(([kind]) => error instanceof kind)?.[1] ?? EXIT_BUG;
  return error.effect === 'unknown' && NO_CHANGE.includes(code) ? EXIT_UNKNOWN : code;
}

/**
 * Several results in one run: which exit code stands for them all. In doubt first; then what ends every line
 * alike; then what a line came to, the changes of the book before the readings.
 */
const WORST_FIRST: readonly number[] = [7, 78, 74, EXIT_BUG, 4, 5, 9, 8, 10, 3, 2, 6, 11, EXIT_OK];

export const worseOf = (one: number, other: number): number =>
  WORST_FIRST.indexOf(one) <= WORST_FIRST.indexOf(other) ? one : other;

/** What a shell counts a process ended by a signal as. */
const DIED_BY: Readonly<Record<InterruptedError['signal'], number>> = {
  SIGHUP: 129,
  SIGINT: 130,
  SIGTERM: 143,
};

/** The code that a line of a batch would have ended a program of its own with. */
export function codeOfLine(error: HedgeError | undefined): number {
  if (error === undefined) return EXIT_OK;
  return error instanceof InterruptedError ? DIED_BY[error.signal] : exitCodeOf(error);
}
