/** Errors to exit codes, the one place. README and `design` list the same table. */
import {
  ConditionError,
  CredentialError,
  DamagedFileError,
  type HedgeError,
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

/** The exit code of an error. What is none of ours is a bug: 1. */
export function exitCodeOf(error: HedgeError): number {
  return CODES.find(([kind]) => error instanceof kind)?.[1] ?? EXIT_BUG;
}
