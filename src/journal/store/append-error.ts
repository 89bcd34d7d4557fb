/** Errors of an append in words: what they mean for the action whose record could not be written. */
import { andThen, say, shell } from '../../domain/hint.ts';
import { DamagedFileError, HedgeError } from '../../errors.ts';
import { isOfAction, type JournalRecord } from '../records.ts';

/** Carries a guard's error through the mapping of errors. */
export class StoppedByGuard extends Error {
  readonly reason: unknown;
  constructor(reason: unknown) {
    super('stopped by the guard');
    this.reason = reason;
  }
}

/** A record that could not be read back is never written. `how`: the end of a sentence. */
export class UnstorableRecord extends Error {
  constructor(how: string) {
    super(`a record for the journal ${how}`);
  }
}

/** The error of an append: after a send it must not say that nothing was sent. */
export function errorForRecords(error: unknown, records: readonly JournalRecord[]): unknown {
  const sent = sentAction(records);
  if (error instanceof DamagedFileError)
    return sent === undefined
      ? withoutMoving(error)
      : error.with(afterSend(sent, andThen(error.hint ?? FIX_IT, say`Then: ${shell`hedge check ${sent}`}`)));
  if (!(error instanceof UnstorableRecord)) return error;
  const [, field] = /at "([^"]+)"/.exec(error.message) ?? [];
  return new HedgeError({
    code: 'internal',
    what: `This action cannot be stored${field === undefined ? '' : ` (field ${field})`}.`,
    ...(sent === undefined
      ? { meaning: 'Nothing was sent.', hint: 'Run it again with -v for a stack trace, and report it.' }
      : afterSend(sent, say`Check first: ${shell`hedge check ${sent}`}. Report the error.`)),
    cause: error,
  });
}

/** The ID of an action of which bytes may have left. */
const sentAction = (records: readonly JournalRecord[]): string | undefined =>
  records
    .filter(isOfAction)
    .find(
      (record) =>
        record.kind !== 'intent' &&
        record.kind !== 'not_sent' &&
        (record.kind !== 'sending' || record.attempt !== 1),
    )?.action_id;

const afterSend = <T>(actionId: string, hint: T) =>
  ({
    meaning: `Action ${actionId} was sent; its outcome is not in the journal. Do not send it again.`,
    hint,
    effect: 'unknown',
    retry: 'after_check',
  }) as const;

/** Another HEDGE_HOME would have no limits, no halt and no unresolved actions. */
function withoutMoving(error: DamagedFileError): DamagedFileError {
  if (error.code !== 'damaged_file') return error;
  return error.with({ hint: andThen(error.hint ?? FIX_IT, NO_OTHER) });
}

const FIX_IT = 'Fix that.';
const NO_OTHER = 'hedge does not trade without its journal; another HEDGE_HOME has another journal.';
