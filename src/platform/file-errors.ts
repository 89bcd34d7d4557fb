/** What the system's refusals over files mean, in words. Knows no file. */
import { ownField } from '../domain/fields.ts';
import { DamagedFileError } from '../errors.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file may not grow so large',
  EIO: 'the disk reports an error',
  ENOTDIR: 'something on the way to it is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'something else has its name',
  ENOENT: 'there is no such file or folder',
  ENAMETOOLONG: 'the path is too long',
  EMFILE: 'too many files are open',
};

/** The system's code of an error (`ENOENT`), or the empty string. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Why the system would not do something with a file, as the end of a sentence. */
export const whyNot = (error: unknown): string => {
  const code = codeOf(error);
  return `${ownField(MEANINGS, code) ?? 'the system refused'}${code === '' ? '' : ` (${code})`}`;
};

/** The error for something that could not be done to a file: `doing` is a verb, `write`. */
export function cannot(doing: string, path: string, cause: unknown): DamagedFileError {
  return new DamagedFileError(path, {
    what: `Cannot ${doing} ${path}: ${whyNot(cause)}.`,
    book: 'Nothing was sent.',
    hint: 'Mend that, and try again.',
    cause,
  });
}
