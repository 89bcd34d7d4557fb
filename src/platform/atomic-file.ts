/**
 * Data files of this user: written atomically and durably, and read only if no other user could have changed them. Files
 * that the operator names: links are followed; only pipes and files that are too large are rejected.
 */

import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { say, shell } from '../domain/hint.ts';
import { DamagedFileError, type Hint, unless } from '../errors.ts';
import { attempting, codeOf, failureReason, fileError } from './file-errors.ts';
import type { Host, Machine } from './host.ts';
import { checkParents } from './parent-folders.ts';

const OTHERS = 0o077;
const OTHERS_MAY_WRITE = 0o022;

/**
 * Creates a data folder (0700) and its parents. An existing one must be a real folder of this user: read access of others
 * is removed, write access of others is rejected.
 */
export function ensureFolder(path: string, host: Host): void {
  const isNew = attempting('create the folder', path, () => makeFolders(path, host));
  // Another user may have created one of the missing parents.
  if (isNew) checkParents(path, host);
  checkFolder(path, host);
  if (host.uid === undefined) return;
  attempting('set the permissions of', path, () => {
    if ((lstatSync(path).mode & OTHERS) !== 0) chmodSync(path, 0o700);
  });
}

/**
 * Creates a folder (0700) and its parents, one by one: Node's recursive mkdir never ends under /proc. Each is synced before
 * the next is created in it. False when it was there.
 */
export function makeFolders(path: string, host: Host): boolean {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false;
  const above = dirname(path);
  if (above !== path) makeFolders(above, host);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process created it.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  syncFolder(above, host);
  return true;
}

/** Rejects anything but a folder, another user's folder, and one that others can write. Absent is fine. */
export function checkFolder(path: string, host: Host): void {
  const stats = statOf(path);
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw foreign(path, 'is not a folder', 'Move it away, then try again.');
  checkOwner(path, stats, host);
  if (host.uid !== undefined && (stats.mode & OTHERS_MAY_WRITE) !== 0) {
    throw foreign(path, 'can be written by other users', say`Run: ${shell`chmod 700 ${path}`}`);
  }
}

/**
 * Removes others' read access from a file that a library opens by name. Rejects one that others can write, a link and
 * another user's. Absent is fine.
 */
export function ensureClosed(path: string, host: Host): void {
  const stats = statOf(path);
  if (stats === undefined) return;
  checkRegular(path, stats, host);
  if (host.uid === undefined || (stats.mode & OTHERS) === 0) return;
  if ((stats.mode & OTHERS_MAY_WRITE) !== 0)
    throw foreign(path, 'can be written by other users', say`Run: ${shell`chmod 600 ${path}`}`);
  attempting('set the permissions of', path, () => chmodSync(path, 0o600));
}

/** Replaces a file (0600) atomically, also across a power cut; it is on disk on return. The folder must exist. */
export function writeAtomically(path: string, content: string | Uint8Array, machine: Machine): void {
  checkReplaceable(path, machine.host);
  const temporary = `${path}.${Buffer.from(machine.random.bytes(8)).toString('hex')}.tmp`;
  attempting('write', path, () => {
    // One of the same name is another's.
    closeSync(openSync(temporary, 'wx', 0o600));
    try {
      withOpened(temporary, 'r+', (fd) => {
        if (machine.host.uid !== undefined) fchmodSync(fd, 0o600);
        writeFileSync(fd, content);
        fsyncSync(fd);
      });
      renameSync(temporary, path);
    } catch (error) {
      removeLeft(temporary);
      throw error;
    }
    syncFolder(dirname(path), machine.host);
  });
}

/** A disk that refuses this too must not hide why the file was not written. */
export const removeLeft = (temporary: string): void =>
  unless(Error, () => rmSync(temporary, { force: true }));

/** Opens a file for `work`, and closes it. A new one is 0600. */
export function withOpened<T>(path: string, flags: string | number, work: (fd: number) => T): T {
  const fd = openSync(path, flags, 0o600);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/** Rejects replacing a link, a folder, or a file of another user. */
export function checkReplaceable(path: string, host: Host): void {
  const stats = statOf(path);
  if (stats !== undefined) checkRegular(path, stats, host);
}

/** Makes a rename or a removal in the folder durable. Windows has no such call. */
export function syncFolder(path: string, host: Host): void {
  if (host.platform !== 'win32') withOpened(path, constants.O_RDONLY, fsyncSync);
}

/**
 * Undefined when there is no file. Rejects links, pipes, another user's file, one that others can read or write, and one
 * larger than `maxBytes`.
 */
export function readOwnFile(path: string, options: { host: Host; maxBytes: number }): Buffer | undefined {
  const fd = open(path);
  if (fd === undefined) return undefined;
  try {
    const stats = fstatSync(fd);
    checkRegular(path, stats, options.host);
    if (options.host.uid !== undefined && (stats.mode & OTHERS) !== 0) {
      throw foreign(
        path,
        'can be read or written by other users',
        say`If it contains an API key, replace the key. Then: ${shell`chmod 600 ${path}`}`,
      );
    }
    const bytes = readUpTo(fd, options.maxBytes);
    if (bytes !== undefined) return bytes;
    throw foreign(
      path,
      `is larger than ${options.maxBytes.toString()} bytes`,
      'Move it away, then try again.',
    );
  } catch (error) {
    throw error instanceof DamagedFileError ? error : fileError('read', path, error);
  } finally {
    closeSync(fd);
  }
}

function open(path: string): number | undefined {
  // O_NONBLOCK: opening a pipe without a writer would block. Windows has neither flag.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'ELOOP') throw symbolicLinkError(path);
    throw fileError('read', path, error);
  }
}

/** The rest of an open file; undefined when it is larger than `maxBytes`. */
export function readUpTo(fd: number, maxBytes: number): Buffer | undefined {
  // The buffer has the file's size: one of the largest size would take long to clear.
  let buffer = Buffer.alloc(Math.min(Math.max(fstatSync(fd).size, SMALLEST_READ), maxBytes) + 1);
  let length = 0;
  for (;;) {
    const read = readSync(fd, buffer, length, buffer.length - length, null);
    if (read === 0) return buffer.subarray(0, length);
    length += read;
    if (length > maxBytes) return undefined;
    if (length === buffer.length) {
      const larger = Buffer.alloc(Math.min(2 * length, maxBytes + 1));
      buffer.copy(larger);
      buffer = larger;
    }
  }
}

/** Files of /proc have size 0 and are not empty. */
const SMALLEST_READ = 4096;

/** Rejects anything but a regular file, also a link, and another user's file. */
export function checkRegular(path: string, stats: Stats, host: Host): void {
  if (stats.isSymbolicLink()) throw symbolicLinkError(path);
  if (!stats.isFile()) throw foreign(path, 'is not a regular file', 'Move it away, then try again.');
  checkOwner(path, stats, host);
}

function checkOwner(path: string, stats: Stats, host: Host): void {
  if (host.uid !== undefined && stats.uid !== host.uid) {
    throw foreign(
      path,
      'belongs to another user',
      'Run hedge as that user, or set HEDGE_HOME to your own folder.',
    );
  }
}

/** Undefined when nothing is there. A link is not followed. @throws DamagedFileError */
export const statOf = (path: string): Stats | undefined =>
  attempting('inspect', path, () => lstatSync(path, { throwIfNoEntry: false }));

/** The error for a data file that is a symbolic link. */
export const symbolicLinkError = (path: string): DamagedFileError =>
  foreign(path, 'is a symbolic link', 'Replace it with the file itself, or set HEDGE_HOME.');

const foreign = (path: string, how: string, hint: Hint): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} ${how}.`,
    hint,
  });

/** `why`: the end of a sentence: `there is no such file`. */
export type UserFile = { bytes: Buffer } | { why: string; absent?: true };

/** `objection`: why a regular file is rejected. */
export function readUserFile(
  path: string,
  options: { maxBytes: number; objection?: (stats: Stats) => string | undefined },
): UserFile {
  try {
    return withOpened(path, constants.O_RDONLY | constants.O_NONBLOCK, (fd) => {
      const stats = fstatSync(fd);
      const why = stats.isFile() ? options.objection?.(stats) : 'it is not a regular file';
      if (why !== undefined) return { why };
      const bytes = readUpTo(fd, options.maxBytes);
      return bytes === undefined
        ? { why: `it is larger than ${options.maxBytes.toString()} bytes` }
        : { bytes };
    });
  } catch (error) {
    return { why: failureReason(error), ...(codeOf(error) === 'ENOENT' ? { absent: true } : {}) };
  }
}
