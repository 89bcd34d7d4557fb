/** Files that the user names on the command line. */
import { dirname } from 'node:path';
import { PracticeInputError } from '../domain/practice-types.ts';

/** `kind`: `keys file`. The message says what to change. */
export function namedFileError(
  field: string,
  { kind, path, error }: { kind: string; path: string; error: unknown },
): PracticeInputError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const [, reason = 'it cannot be written'] =
    error instanceof Error ? (/^E[A-Z]+: ([^,]+)/.exec(error.message) ?? []) : [];
  const message =
    code === 'ENOENT' || code === 'ENOTDIR'
      ? `The ${kind} needs an existing folder: ${dirname(path)} is not one.`
      : `The ${kind} ${path} cannot be used: ${reason}.`;
  return new PracticeInputError(field, message);
}
