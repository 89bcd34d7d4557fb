/**
 * Files of ours: written whole and durably or not at all, read only when they are truly ours. A file that
 * is damaged or foreign is named and left as it is. Knows nothing of what the files hold.
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
import { shellWord } from '../domain/quoted.ts';
import { DamagedFileError } from '../errors.ts';
import { cannot, codeOf } from './file-errors.ts';
import type { Host, Machine } from './host.ts';
import { checkParents } from './parent-folders.ts';

const OTHERS = 0o077;
const OTHERS_MAY_WRITE = 0o022;

/**
 * Makes a folder of ours, 0700, with the folders above it. One that is there must be a real folder of this
 * user; that others may read it is mended, that others could write into it is refused.
 */
export function ensureFolder(path: string, host: Host): void {
  let isNew: boolean;
  try {
    isNew = makeFolders(path, host);
  } catch (error) {
    throw cannot('make the folder', path, error);
  }
  // Another user may have been quicker with one of those that were missing.
  if (isNew) checkParents(path, host);
  checkFolder(path, host);
  if (host.uid === undefined) return;
  try {
    if ((lstatSync(path).mode & OTHERS) !== 0) chmodSync(path, 0o700);
  } catch (error) {
    throw cannot('close the folder to others', path, error);
  }
}

/**
 * Folder by folder from the first that is missing: Node's own recursive making never ends where a folder
 * cannot hold another (under /proc, for one). Each is on disk before anything in it counts as being there.
 */
function makeFolders(path: string, host: Host): boolean {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return false;
  const above = dirname(path);
  if (above !== path) makeFolders(above, host);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was quicker.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  syncFolder(above, host);
  return true;
}

/** Refuses a folder that is not one, is another user's, or that others can write into. Absent is fine. */
export function checkFolder(path: string, host: Host): void {
  const stats = statOf(path);
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw foreign(path, 'is not a folder', 'Move it away, then try again.');
  checkOwner(path, stats, host);
  if (host.uid !== undefined && (stats.mode & OTHERS_MAY_WRITE) !== 0) {
    throw foreign(path, 'can be written by other users', `Close it: chmod 700 ${shellWord(path)}`);
  }
}

/**
 * Closes a file of ours that others may read; one that they may write, a link and another user's are refused. Absent is
 * fine. For files that a library of its own opens by their names.
 */
export function ensureClosed(path: string, host: Host): void {
  const stats = statOf(path);
  if (stats === undefined) return;
  checkRegular(path, stats, host);
  if (host.uid === undefined || (stats.mode & OTHERS) === 0) return;
  if ((stats.mode & OTHERS_MAY_WRITE) !== 0)
    throw foreign(path, 'can be written by other users', `Close it: chmod 600 ${shellWord(path)}`);
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    throw cannot('close to others', path, error);
  }
}

/**
 * Replaces a file by `content`, 0600: whoever looks, even after a power cut, finds the old or the new one,
 * whole. When this returns the new one is on disk. The folder must be there (`ensureFolder`).
 */
export function writeAtomically(path: string, content: string | Uint8Array, machine: Machine): void {
  checkReplaceable(path, machine.host);
  const temporary = `${path}.${Buffer.from(machine.random.bytes(8)).toString('hex')}.tmp`;
  try {
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      fill(fd, content, machine.host);
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    syncFolder(dirname(path), machine.host);
  } catch (error) {
    throw cannot('write', path, error);
  }
}

/** Writes, syncs and closes a new file. */
function fill(fd: number, content: string | Uint8Array, host: Host): void {
  try {
    if (host.uid !== undefined) fchmodSync(fd, 0o600);
    writeFileSync(fd, content);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Refuses to put a file of ours in the place of a link, a folder, or a file of another user. */
export function checkReplaceable(path: string, host: Host): void {
  const stats = statOf(path);
  if (stats !== undefined) checkRegular(path, stats, host);
}

/** Makes a rename or a removal in the folder last through a power cut. Windows has no such call. */
export function syncFolder(path: string, host: Host): void {
  if (host.platform === 'win32') return;
  const fd = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * The bytes of a file of ours, or undefined when there is none. Follows no link, waits for no pipe, and
 * refuses what another user owns or could read or write, and what is larger than `maxBytes`.
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
        `Close it, and make a new key if others may have read this one: chmod 600 ${shellWord(path)}`,
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
    throw error instanceof DamagedFileError ? error : cannot('read', path, error);
  } finally {
    closeSync(fd);
  }
}

function open(path: string): number | undefined {
  // O_NONBLOCK: opening a pipe that nobody writes to would otherwise wait for ever. Windows has neither flag.
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'ELOOP') throw linked(path);
    throw cannot('read', path, error);
  }
}

/** All that is left of an open file, or undefined when that is more than `maxBytes`. */
export function readUpTo(fd: number, maxBytes: number): Buffer | undefined {
  // As large as the file, and one more: asked for as large as it may ever be, memory would be cleared first.
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

/** Some files, such as those of /proc, say that they are empty and are not. */
const SMALLEST_READ = 4096;

/** Refuses what is a link, is not a regular file, or is another user's. */
export function checkRegular(path: string, stats: Stats, host: Host): void {
  if (stats.isSymbolicLink()) throw linked(path);
  if (!stats.isFile()) throw foreign(path, 'is not a regular file', 'Move it away, then try again.');
  checkOwner(path, stats, host);
}

function checkOwner(path: string, stats: Stats, host: Host): void {
  if (host.uid !== undefined && stats.uid !== host.uid) {
    throw foreign(
      path,
      'belongs to another user',
      'Run hedge as that user, or set HEDGE_HOME to a folder of yours.',
    );
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw cannot('look at', path, error);
  }
}

/** The error for a file of ours that is a symbolic link. */
export const linked = (path: string): DamagedFileError =>
  foreign(path, 'is a symbolic link, which is not followed', 'Put the file itself there, or set HEDGE_HOME.');

const foreign = (path: string, how: string, hint: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} ${how}.`,
    book: 'Nothing was sent; the file was left as it is.',
    hint,
  });
