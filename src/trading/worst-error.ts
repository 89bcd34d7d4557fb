/**
 * The error that a command over several actions ends with: the worst, in the order of the exit codes of a batch, with the
 * effect of the whole command. Pure.
 */
import {
  ConditionError,
  CredentialError,
  DamagedFileError,
  type Effect,
  type ErrorParts,
  HedgeError,
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

const EFFECTS_BY_SEVERITY: readonly Effect[] = ['unknown', 'pending', 'done', 'none'];

/** The worst of the actions of one command; `none` without any. */
export const worstEffect = (effects: readonly Effect[]): Effect =>
  EFFECTS_BY_SEVERITY.find((each) => effects.includes(each)) ?? 'none';

/** Another error of the same kind and code, so with the same exit code. Parts left out are those of `error`. */
export function sameKind(error: HedgeError, changed: Partial<Omit<ErrorParts, 'code'>>): HedgeError {
  const { code, what, book, hint, effect, retry, details, said, httpStatus } = error;
  const parts = {
    code,
    what,
    book,
    hint,
    effect,
    retry,
    details,
    said,
    httpStatus,
    cause: error,
    ...changed,
  };
  if (error instanceof OutcomeUnknownError) return new OutcomeUnknownError(parts, error.refusal);
  if (error instanceof InterruptedError) return new InterruptedError(error.signal, parts);
  if (error instanceof DamagedFileError)
    return new DamagedFileError(error.path, { ...parts, code: dataCode(error) });
  if (error instanceof UsageError) return new UsageError(parts.what, parts.hint, parts.details);
  const kind = OTHER_KINDS.find((each) => error instanceof each) ?? HedgeError;
  return new kind(parts);
}

const dataCode = ({ code }: DamagedFileError) =>
  code === 'journal_rewound' || code === 'journal_earlier' ? code : 'damaged_file';

const OTHER_KINDS = [
  PartialFillError,
  OrderFailedError,
  PendingError,
  CredentialError,
  UnavailableError,
  UnreadableAnswerError,
  RefusedError,
  StoppedError,
  ConditionError,
  OutputError,
] as const;
