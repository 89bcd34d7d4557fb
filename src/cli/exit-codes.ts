/** Exit codes, and which errors end with them. */

import { ERROR_KINDS, type HedgeError, InterruptedError, kindOf } from '../errors.ts';

export const EXIT_OK = 0;
export const EXIT_INTERNAL_ERROR = 1;

const EXIT_UNKNOWN = 7;
const NO_CHANGE: readonly number[] = [2, 3, 4, 5, 6, 10, 78];

/** Codes that promise no change are not used while an earlier attempt is unknown: that is 7. */
export function exitCodeOf(error: HedgeError): number {
  const { exitCode = EXIT_INTERNAL_ERROR } = kindOf(error);
  return error.effect === 'unknown' && NO_CHANGE.includes(exitCode) ? EXIT_UNKNOWN : exitCode;
}

/** The exit code of a batch is the worst of its lines: unknown outcomes first, then failures that end every line. */
export const EXIT_CODES_BY_SEVERITY: readonly number[] = [
  ...new Set(ERROR_KINDS.flatMap(({ exitCode = [] }) => exitCode)),
  EXIT_OK,
];

/** In the order of help and README; cli/help/markdown.ts has their meanings. */
export const EXIT_CODES = EXIT_CODES_BY_SEVERITY.toSorted((one, other) => one - other);

export const worseExitCode = (one: number, other: number): number =>
  EXIT_CODES_BY_SEVERITY.indexOf(one) <= EXIT_CODES_BY_SEVERITY.indexOf(other) ? one : other;

/** The codes with which a shell reports a process that a signal ended. */
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
