/** The system's file errors in words, what to do about them, and the facts about a path (owner, mode, size) without opening it. */
import { accessSync, lstatSync, type Stats } from 'node:fs';
import { ownField } from '../domain/fields.ts';
import { DamagedFileError } from '../errors.ts';
import type { Host } from './host.ts';

const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  EIO: 'disk error',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it already exists',
  ENOTEMPTY: 'the folder is not empty',
  ENOENT: 'there is no such file or folder',
  ENAMETOOLONG: 'the path is too long',
  EMFILE: 'too many files are open',
};

/** The system's code of an error (`ENOENT`), or the empty string. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Why a file may not be used so, by the system's code; undefined: it may. `mode`: of `constants` in node:fs. */
export function refusedAccess(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

/** Why the system refused a file operation, as the end of a sentence. */
export const failureReason = (error: unknown): string => {
  const code = codeOf(error);
  return `${ownField(MEANINGS, code) ?? 'the system refused'}${code === '' ? '' : ` (${code})`}`;
};

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'Check who owns it, and its permissions and those of its folder.',
  EROFS: 'Make the disk writable.',
  ENOSPC: 'Free disk space.',
  EIO: 'Check the disk.',
};
const SAME_ADVICE: Readonly<Record<string, string>> = { EPERM: 'EACCES', EDQUOT: 'ENOSPC' };

/** Advice on a failed operation on a data file. */
export const fileAdvice = (error: unknown): string | undefined => {
  const code = codeOf(error);
  return ownField(ADVICE, ownField(SAME_ADVICE, code) ?? code);
};

/** The error for a failed file operation; `doing` is a verb: `write`. */
export function fileError(doing: string, path: string, cause: unknown): DamagedFileError {
  return new DamagedFileError(path, {
    what: `Cannot ${doing} ${path}: ${failureReason(cause)}.`,
    hint: `${fileAdvice(cause) ?? 'Fix that.'} Then try again.`,
    cause,
  });
}

/** `doing`: a verb. @throws DamagedFileError where the system refuses `work` */
export function attempting<T>(doing: string, path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fileError(doing, path, error);
  }
}

export type FileFacts =
  | { path: string; is: 'absent' }
  | { path: string; is: 'hidden'; why: string }
  | {
      path: string;
      is: 'folder' | 'file' | 'other';
      /** `0600`; undefined on Windows. */
      mode: string | undefined;
      /** Owned by this user; true on Windows. */
      ours: boolean;
      bytes: number;
    };

const PERMISSIONS = 0o777;

export function fileFacts(path: string, { uid }: Pick<Host, 'uid'>): FileFacts {
  let stats: Stats | undefined;
  try {
    stats = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return { path, is: 'hidden', why: failureReason(error) };
  }
  if (stats === undefined) return { path, is: 'absent' };
  return {
    path,
    is: stats.isDirectory() ? 'folder' : stats.isFile() ? 'file' : 'other',
    mode: uid === undefined ? undefined : `0${(stats.mode & PERMISSIONS).toString(8).padStart(3, '0')}`,
    ours: uid === undefined || stats.uid === uid,
    bytes: stats.size,
  };
}
