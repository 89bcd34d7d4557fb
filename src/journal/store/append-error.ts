/** Errors of an append in words: what they mean for the action whose record could not be written. */
import { andThen, say, shell } from '../../domain/hint.ts';
import { type DamagedFileError } from '../../errors.ts';
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
  return error.with({
    meaning: `Action ${sent.action_id} was sent; its outcome is not in the journal. Do not enter it again.`,
    hint: andThen(error.hint ?? FIX_IT, say`Then: ${shell`hedge check ${sent.action_id}`}`),
    effect: 'unknown',
    retry: 'after_check',
  });
}

/** Another HEDGE_HOME would have no limits, no halt and no unresolved actions. */
function withoutMoving(error: DamagedFileError): DamagedFileError {
  if (error.code !== 'damaged_file') return error;
  return error.with({
    meaning: error.meaning ?? 'Nothing was sent.',
    hint: andThen(error.hint ?? FIX_IT, NO_OTHER),
  });
}

const FIX_IT = 'Fix that.';
const NO_OTHER = 'hedge does not trade without its journal; another HEDGE_HOME has another journal.';
