/** The error that a command over several actions ends with: the worst, in the order of the exit codes of a batch. Pure. */
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

const WORST_FIRST = [
  InterruptedError,
  OutcomeUnknownError,
  PartialFillError,
  DamagedFileError,
  OutputError,
  CredentialError,
  UnavailableError,
  OrderFailedError,
  PendingError,
  StoppedError,
  RefusedError,
  UsageError,
  UnreadableAnswerError,
  ConditionError,
] as const;

/** An unknown effect is the worst; an internal error, which is of no kind, comes before wrong credentials. */
function rankOf(error: HedgeError): number {
  if (error.effect === 'unknown') return -1;
  const at = WORST_FIRST.findIndex((kind) => error instanceof kind);
  return at === -1 ? WORST_FIRST.indexOf(CredentialError) - 0.5 : at;
}

/** For a sort. */
export const bySeverity = (one: HedgeError, other: HedgeError): number => rankOf(one) - rankOf(other);

/** The first of the worst kind. */
export const worstError = (errors: readonly HedgeError[]): HedgeError | undefined =>
  errors.toSorted(bySeverity)[0];
