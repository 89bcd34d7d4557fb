/** An action that could not be looked at: a reading that failed leaves it as unknown, or as much in flight, as it was. */
import {
  CredentialError,
  HedgeError,
  OutcomeUnknownError,
  RefusedError,
  UnavailableError,
  UnreadableAnswerError,
} from '../../errors.ts';
import { type Action, awaitsEnd, isUnresolved } from '../../journal/fold.ts';
import type { ActionReport } from '../dealing.ts';
import { reportOf } from '../report/report.ts';
import { unknownError } from '../report/report-errors.ts';
import { stillPending } from '../report/still-open.ts';

const READING_FAILURES = [
  UnavailableError,
  UnreadableAnswerError,
  RefusedError,
  CredentialError,
  OutcomeUnknownError,
] as const;

export const isReadingFailure = (error: unknown): error is HedgeError =>
  error instanceof HedgeError && READING_FAILURES.some((kind) => error instanceof kind);

/** Undefined for an action whose end is known. */
export function couldNotLook(action: Action, error: HedgeError, nowMs: number): ActionReport | undefined {
  const what = `It could not be looked at: ${error.what}`;
  if (isUnresolved(action)) {
    const cause = new OutcomeUnknownError({ what, httpStatus: error.httpStatus, cause: error });
    return reportOf('unknown', { entry: action, finding: unknownError(action, cause) });
  }
  if (!awaitsEnd(action)) return undefined;
  const says = `it could not be looked at: ${error.what.replace(/\.$/, '')}`;
  return reportOf('pending', { entry: action, finding: stillPending(action, says, nowMs) });
}
