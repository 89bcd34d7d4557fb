/** The errors of the practice service as those of hedge; loaded when there is one. */
import { DamagedFileError, type Hint, StoppedError, UnavailableError, UsageError } from '../errors.ts';
import { codeOf, failureReason, fileAdvice } from '../platform/file-errors.ts';
import { permissionAdvice } from '../platform/permission-advice.ts';
import type { PracticeInputError, PracticeStoreError } from '../practice/index.ts';

interface Practice {
  PracticeStoreError: typeof PracticeStoreError;
  PracticeInputError: typeof PracticeInputError;
}

/** Any other error is returned as it is. */
export function mapPracticeError(error: unknown, practice: Practice): unknown {
  if (error instanceof practice.PracticeStoreError)
    return error.trouble === 'busy' ? bookBusy(error) : storeFailure(error);
  if (error instanceof practice.PracticeInputError) return new UsageError(error.message);
  if (!isPortTaken(error)) return error;
  return new StoppedError({
    code: 'port_taken',
    what: `${addressOf(error)} is in use or not permitted.`,
    hint: 'Choose another with --port, or omit --port for any free one.',
    cause: error,
  });
}

const bookBusy = (cause: PracticeStoreError): UnavailableError =>
  new UnavailableError({
    code: 'unavailable',
    what: cause.message,
    hint: 'Try again in a moment.',
    retry: 'later',
    cause,
  });

/** A file that the disk alone makes unusable stays where it is. */
function storeFailure(error: PracticeStoreError): DamagedFileError {
  const isOfSystem = /^E[A-Z]+$/.test(codeOf(error.cause));
  const isOnDisk = isOfSystem || error.trouble === 'disk';
  const reason = isOfSystem ? `: ${failureReason(error.cause)}` : '';
  return new DamagedFileError(error.path, {
    what: `${error.message.replace(/\.$/, '')}${reason}.`,
    meaning: isOnDisk ? 'The practice data itself is not damaged.' : 'The practice data was left as it is.',
    hint: isOnDisk
      ? diskAdvice(error)
      : 'Move that file away to start with new practice data, or set HEDGE_HOME to another folder.',
    cause: error,
  });
}

/** SQLite says no more than that it cannot read or write the file: the permissions may show why. */
function diskAdvice({ path, cause }: PracticeStoreError): Hint {
  const known = fileAdvice(cause);
  const isOfPermission = known === undefined || ['EACCES', 'EPERM'].includes(codeOf(cause));
  return (
    (isOfPermission ? permissionAdvice(path) : undefined) ??
    `${known ?? 'Free disk space or make the disk writable.'} Or set HEDGE_HOME to another folder.`
  );
}

/** The native addon may be missing or not executable. */
export function mapLoadError(cause: unknown): unknown {
  if (!(cause instanceof Error && 'path' in cause && typeof cause.path === 'string')) return cause;
  return new DamagedFileError(cause.path, {
    what: `The practice service cannot be loaded: ${'what' in cause ? String(cause.what) : cause.message}`,
    meaning: 'Nothing was changed.',
    hint: 'Fix that, or set HEDGE_HOME to a folder from which programs may be loaded.',
    cause,
  });
}

const isPortTaken = (error: unknown): error is Error =>
  error instanceof Error && 'port' in error && ['EADDRINUSE', 'EACCES'].includes(codeOf(error));

/** `Port 4870 of 127.0.0.1` */
const addressOf = (error: Error): string =>
  'port' in error && 'address' in error
    ? `Port ${String(error.port)} of ${String(error.address)}`
    : 'That port';
