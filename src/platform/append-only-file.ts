/**
 * A durable append-only file of this user, checked and appended through one handle while the caller holds a lock;
 * and its tail, for readers that need only the latest lines.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { shellWord } from '../domain/quoted.ts';
import { DamagedFileError } from '../errors.ts';
import { checkRegular, symbolicLinkError, syncFolder } from './atomic-file.ts';
import { codeOf, fileError } from './file-errors.ts';
import type { Host } from './host.ts';

export interface AppendOnlyFile {
  /** Before any append. */
  readonly bytes: number;
  /** Appends in one write; it is on disk on return. @throws DamagedFileError after removing what was written. */
  append(content: string): void;
}

const ACCESSIBLE_BY_OTHERS = 0o077;
const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Runs `body` with the file, created (0600) if absent in an existing folder. Rejects a link, a pipe, a folder, another
 * user's file, and one that others can read or write.
 */
export function withAppendOnlyFile<T>(path: string, host: Host, body: (file: AppendOnlyFile) => T): T {
  const fd = opened(path, O_RDWR | O_APPEND) ?? created(path, host);
  try {
    const bytes = checkedSize(fd, path, host);
    return body({ bytes, append: (content) => append({ fd, path, size: bytes }, content, host) });
  } finally {
    closeSync(fd);
  }
}

/** Checks that the file, if it exists, can be opened for appending. @throws DamagedFileError */
export function probeAppendOnlyFile(path: string): void {
  const fd = opened(path, O_RDWR | O_APPEND);
  if (fd !== undefined) closeSync(fd);
}

function opened(path: string, flags: number): number | undefined {
  try {
    return openSync(path, flags | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'ELOOP') throw symbolicLinkError(path);
    throw fileError('open', path, error);
  }
}

function created(path: string, host: Host): number {
  try {
    const fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    if (host.uid !== undefined) fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    throw fileError('create', path, error);
  }
}

function checkedSize(fd: number, path: string, host: Host): number {
  try {
    const stats = fstatSync(fd);
    checkRegular(path, stats, host);
    if (host.uid === undefined || (stats.mode & ACCESSIBLE_BY_OTHERS) === 0) return stats.size;
  } catch (error) {
    throw error instanceof DamagedFileError ? error : fileError('read', path, error);
  }
  throw new DamagedFileError(path, {
    what: `${path} can be read or written by other users.`,
    book: 'Nothing was sent.',
    hint: `Check that nobody else changed it, then: chmod 600 ${shellWord(path)}`,
  });
}

function append(
  { fd, path, size }: { fd: number; path: string; size: number },
  content: string,
  host: Host,
): void {
  const data = Buffer.from(content, 'utf8');
  try {
    for (let written = 0; written < data.length; ) written += writeSync(fd, data, written);
    fsyncSync(fd);
    // The creator of an empty file may have died before the folder entry was on disk.
    if (size === 0) syncFolder(dirname(path), host);
  } catch (error) {
    takeBack(fd, size);
    throw fileError('write', path, error);
  }
}

/** A partial write must not be read as a complete one. */
function takeBack(fd: number, size: number): void {
  try {
    ftruncateSync(fd, size);
    fsyncSync(fd);
  } catch {
    // The disk refuses this too; readers recognize a cut line.
  }
}

/** Up to `maxBytes` from the end, whole lines only; undefined for a file that others can access. */
export function readTail(
  path: string,
  { host, maxBytes }: { host: Host; maxBytes: number },
): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fstatSync(fd);
    checkRegular(path, stats, host);
    if (host.uid !== undefined && (stats.mode & ACCESSIBLE_BY_OTHERS) !== 0) return undefined;
    const from = Math.max(0, stats.size - maxBytes);
    const buffer = Buffer.alloc(stats.size - from);
    const text = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, from)).toString('utf8');
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
