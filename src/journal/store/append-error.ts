/** Errors of an append in words: what they mean for the action whose record could not be written. */
import { DamagedFileError } from '../../errors.ts';
import { isOfAction, type JournalRecord } from '../records.ts';

/** Carries a guard's error through the mapping of errors. */
export class StoppedByGuard extends Error {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super('stopped by the guard');
    this.reason = reason;
  }
}

/** After a send the error must not say that nothing was sent. */
export function errorForRecords(
  error: DamagedFileError,
  records: readonly JournalRecord[],
): DamagedFileError {
  const sent = records
    .filter(isOfAction)
    .find(
      ({ kind, ...record }) =>
        !(
          kind === 'intent' ||
          kind === 'not_sent' ||
          (kind === 'sending' && 'attempt' in record && record.attempt === 1)
        ),
    );
  if (sent === undefined) return withoutMoving(error);
  return new DamagedFileError(error.path, {
    what: error.what,
    book: `Action ${sent.action_id} was sent; its outcome is not in the journal. Do not enter it again.`,
    hint: `${error.hint ?? 'Fix that.'} Then: hedge check ${sent.action_id}`,
    effect: 'unknown',
    retry: 'after_check',
    cause: error,
  });
}

/** Another HEDGE_HOME would have no limits, no halt and no unresolved actions. */
function withoutMoving(error: DamagedFileError): DamagedFileError {
  if (error.code !== 'damaged_file') return error;
  return new DamagedFileError(error.path, {
    what: error.what,
    book: error.book ?? 'Nothing was sent.',
    hint: `${error.hint ?? 'Fix that.'} hedge does not trade without its journal; another HEDGE_HOME has another journal.`,
    retry: error.retry,
    details: error.details,
    cause: error,
  });
}
