/** Exit codes, and which errors end with them. */

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
  /** The errors that end with it. */
  kinds: readonly ErrorKind[];
}

/** In the order of help and README; cli/help/markdown.ts has their meanings. */
export const EXIT_CODES: readonly ExitCode[] = [
  { code: EXIT_OK, kinds: [] },
  { code: EXIT_INTERNAL_ERROR, kinds: [] },
  { code: 2, kinds: [UsageError] },
  { code: 3, kinds: [RefusedError] },
  { code: 4, kinds: [CredentialError] },
  { code: 5, kinds: [UnavailableError] },
  { code: 6, kinds: [UnreadableAnswerError] },
  { code: 7, kinds: [OutcomeUnknownError, PartialFillError] },
  { code: 8, kinds: [PendingError] },
  { code: 9, kinds: [OrderFailedError] },
  { code: 10, kinds: [StoppedError] },
  { code: 11, kinds: [ConditionError] },
  { code: 74, kinds: [OutputError] },
  { code: 78, kinds: [DamagedFileError] },
];

/** Unknown errors exit 1. Codes that promise no change are not used while an earlier attempt is unknown: that is 7. */
export function exitCodeOf(error: HedgeError): number {
  const code =
    EXIT_CODES.find(({ kinds }) => kinds.some((kind) => error instanceof kind))?.code ?? EXIT_INTERNAL_ERROR;
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
