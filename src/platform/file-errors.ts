/** The system's file errors in words, what to do about each, and the facts about a path (owner, mode, size) without opening it. */
import { lstatSync, type Stats } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { ownField } from '../domain/fields.ts';
import { shellWord } from '../domain/quoted.ts';
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
  ENOENT: 'there is no such file or folder',
  ENAMETOOLONG: 'the path is too long',
  EMFILE: 'too many files are open',
};

/** The system's code of an error (`ENOENT`), or the empty string. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Why the system refused a file operation, as the end of a sentence. */
export const failureReason = (error: unknown): string => {
  const code = codeOf(error);
  return `${ownField(MEANINGS, code) ?? 'the system refused'}${code === '' ? '' : ` (${code})`}`;
};

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'Check its owner and permissions, and those of its folder; or set HEDGE_HOME to your own folder.',
  EPERM: 'Check its owner and permissions, and those of its folder; or set HEDGE_HOME to your own folder.',
  EROFS: 'Make the disk writable, then try again; or set HEDGE_HOME to a folder on another disk.',
  ENOSPC: 'Free space on the disk, then try again; or set HEDGE_HOME to a folder on another disk.',
  EDQUOT: 'Free space in your quota, then try again; or set HEDGE_HOME to a folder on another disk.',
  EFBIG: 'Raise the limit (ulimit -f), then try again.',
  EIO: 'Check the disk, then try again; or set HEDGE_HOME to a folder on another disk.',
  ENOTDIR: 'Move away the file that is in its place, then try again; or set HEDGE_HOME to another folder.',
  EISDIR: 'Move the folder away, then try again.',
  EEXIST: 'Move it away, then try again.',
  ENAMETOOLONG: 'Set HEDGE_HOME to a folder with a shorter path.',
  EMFILE: 'Raise the limit of open files (ulimit -n), then try again.',
};

/** What to do about a failed operation on a data file; undefined if the cause is not known. `uid`: of this user. */
export function fileAdvice(path: string, cause: unknown, uid = userInfo().uid): string | undefined {
  const known = ownField(ADVICE, codeOf(cause));
  return known === undefined || NO_PERMISSION.includes(codeOf(cause))
    ? (permissionAdvice(path, uid) ?? known)
    : known;
}

const NO_PERMISSION: readonly string[] = ['EACCES', 'EPERM'];

/** For the first part of the path that this user may not use: its owner, or the command that permits it. */
function permissionAdvice(path: string, uid: number): string | undefined {
  // Windows has no owners.
  if (uid < 0) return undefined;
  const folders = foldersAbove(path).filter((folder) => statsOf(folder) !== undefined);
  const needs: readonly (readonly [path: string, bits: number])[] = [
    ...folders.map((folder) => [folder, SEARCH] as const),
    [path, READ_WRITE],
    ...folders.slice(-1).map((folder) => [folder, WRITE_IN] as const),
  ];
  for (const [part, bits] of needs) {
    const stats = statsOf(part);
    if (stats === undefined) continue;
    const asked = stats.isDirectory() ? bits | SEARCH : bits & READ_WRITE;
    if (stats.uid === uid) {
      if ((stats.mode & asked) === asked) continue;
      const word = stats.isDirectory() ? 'u+rwx' : 'u+rw';
      return `Permit yourself to use it (chmod ${word} ${shellWord(part)}), then try again.`;
    }
    if ((stats.mode & (asked >> OTHERS_SHIFT)) === asked >> OTHERS_SHIFT) continue;
    return `${part} belongs to another user (ID ${stats.uid.toString()}). Run hedge as that user, or set HEDGE_HOME to your own folder.`;
  }
  return undefined;
}

/** Bits of the owner; those of all others are six places lower. */
const SEARCH = 0o100;
const WRITE_IN = 0o300;
const READ_WRITE = 0o600;
const OTHERS_SHIFT = 6;

/** The topmost first. */
function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [...foldersAbove(above), above];
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The error for a failed file operation; `doing` is a verb: `write`. */
export function fileError(doing: string, path: string, cause: unknown): DamagedFileError {
  return new DamagedFileError(path, {
    what: `Cannot ${doing} ${path}: ${failureReason(cause)}.`,
    book: 'Nothing was sent.',
    hint: fileAdvice(path, cause) ?? 'Fix that, then try again.',
    cause,
  });
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
