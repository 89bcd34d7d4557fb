/**
 * A file of ours that only grows: read whole and added to durably through one handle, so that what was
 * checked is what is written. The caller holds a lock. Knows nothing of what the file holds.
 *
 * The end of a file of ours that may be long: for what wants the latest of it fast and can do without. Whatever
 * is wrong with the file is as if it were not there.
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
import { checkRegular, linked, readUpTo, syncFolder } from './atomic-file.ts';
import { cannot, codeOf } from './file-errors.ts';
import type { Host } from './host.ts';
export interface AppendOnlyFile {
  /** All that is in it. */
  bytes: Buffer;
  /**
   * Adds to the end, in one write; when this returns it is on disk. Throws DamagedFileError, and then takes
   * back what was written of it.
   */
  append(content: string): void;
}

interface Limits {
  host: Host;
  /** The file is neither read nor let grow beyond this. */
  maxBytes: number;
  /** What to do about a file that has become too large. */
  tooLargeHint: string;
}

const ACCESSIBLE_BY_OTHERS = 0o077;
const { O_RDONLY, O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants;

/** The bytes, or undefined when there is no such file. Makes nothing. Refuses what `withGrowingFile` refuses. */
export function readAppendOnlyFile(path: string, limits: Limits): Buffer | undefined {
  const fd = opened(path, O_RDONLY);
  if (fd === undefined) return undefined;
  try {
    return readWhole(fd, path, limits);
  } finally {
    closeSync(fd);
  }
}

/**
 * Runs `body` over the file, which is made (0600) when it is absent; its folder must be there. Refuses a
 * link, a pipe, a folder, another user's file, and one that others can read or write.
 */
export function withAppendOnlyFile<T>(path: string, limits: Limits, body: (file: AppendOnlyFile) => T): T {
  const fd = opened(path, O_RDWR | O_APPEND) ?? made(path, limits.host);
  try {
    const bytes = readWhole(fd, path, limits);
    return body({ bytes, append: (content) => append({ fd, path, size: bytes.length }, content, limits) });
  } finally {
    closeSync(fd);
  }
}

/** Whether it could be added to, as far as opening it tells. Absent is fine. @throws DamagedFileError */
export function probeAppendOnlyFile(path: string): void {
  const fd = opened(path, O_RDWR | O_APPEND);
  if (fd !== undefined) closeSync(fd);
}

function opened(path: string, flags: number): number | undefined {
  try {
    return openSync(path, flags | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'ELOOP') throw linked(path);
    throw cannot('open', path, error);
  }
}

function made(path: string, host: Host): number {
  try {
    const fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    if (host.uid !== undefined) fchmodSync(fd, 0o600);
    return fd;
  } catch (error) {
    throw cannot('make', path, error);
  }
}

function readWhole(fd: number, path: string, { host, maxBytes, tooLargeHint }: Limits): Buffer {
  try {
    const stats = fstatSync(fd);
    checkRegular(path, stats, host);
    if (host.uid !== undefined && (stats.mode & ACCESSIBLE_BY_OTHERS) !== 0) {
      throw new DamagedFileError(path, {
        what: `${path} can be read or written by other users.`,
        book: 'Nothing was sent; the file was left as it is.',
        hint: `Make sure that nobody else has changed it, then close it: chmod 600 ${shellWord(path)}`,
      });
    }
    const bytes = readUpTo(fd, maxBytes);
    if (bytes === undefined) throw tooLarge(path, maxBytes, tooLargeHint);
    return bytes;
  } catch (error) {
    throw error instanceof DamagedFileError ? error : cannot('read', path, error);
  }
}

function append(
  file: { fd: number; path: string; size: number },
  content: string,
  { host, maxBytes, tooLargeHint }: Limits,
): void {
  const { fd, path, size } = file;
  const data = Buffer.from(content, 'utf8');
  if (size + data.length > maxBytes) throw tooLarge(path, maxBytes, tooLargeHint);
  try {
    for (let written = 0; written < data.length; ) written += writeSync(fd, data, written);
    fsyncSync(fd);
    // An empty file may be one whose maker died before its name was on disk.
    if (size === 0) syncFolder(dirname(path), host);
  } catch (error) {
    takeBack(fd, size);
    throw cannot('write', path, error);
  }
}

/** What could not be written whole and durably must not be read as if it had been. */
function takeBack(fd: number, size: number): void {
  try {
    ftruncateSync(fd, size);
    fsyncSync(fd);
  } catch {
    // The disk refuses this too. A cut line is known for one by whoever reads it.
  }
}

const tooLarge = (path: string, maxBytes: number, hint: string): DamagedFileError =>
  new DamagedFileError(path, {
    what: `${path} may not grow beyond ${maxBytes.toString()} bytes.`,
    book: 'Nothing was sent; the file was left as it is.',
    hint,
  });

const OTHERS = 0o077;

/** Up to `maxBytes` from its end, the first line that may be cut left out; undefined for a file that is not ours alone. */
export function readTail(
  path: string,
  { host, maxBytes }: { host: Host; maxBytes: number },
): string | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fstatSync(fd);
    checkRegular(path, stats, host);
    if (host.uid !== undefined && (stats.mode & OTHERS) !== 0) return undefined;
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
