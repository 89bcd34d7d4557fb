/** Files of the journal, read in parts: only this user's, no links, not accessible to others. */
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, rmdirSync, rmSync } from 'node:fs';
import { shellWord } from '../domain/quoted.ts';
import { DamagedFileError } from '../errors.ts';
import { checkRegular, checkReplaceable, symbolicLinkError } from '../platform/atomic-file.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import type { Host } from '../platform/host.ts';
import { hashOfFile } from './chain.ts';

/** A file as the system sees it: it changes with every change of the file. */
export interface FileMark {
  bytes: number;
  /** Of the last change, in nanoseconds. */
  mtime: string;
  inode: string;
}

export const isSameMark = (one: FileMark, other: FileMark): boolean =>
  one.bytes === other.bytes && one.mtime === other.mtime && one.inode === other.inode;

export interface OwnFile {
  path: string;
  mark(): FileMark;
  /** Fewer bytes at the end of the file. */
  read(offset: number, length: number): Buffer;
  /** Returns how many bytes were read. */
  readInto(buffer: Buffer, offset: number): number;
  close(): void;
}

const OTHERS = 0o077;

/** Undefined when there is no such file. @throws DamagedFileError */
export function openOwn(path: string, host: Host): OwnFile | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    if (codeOf(error) === 'ELOOP') throw symbolicLinkError(path);
    throw fileError('open', path, error);
  }
  const close = (): void => closeSync(fd);
  try {
    checkOwn(fd, path, host);
  } catch (error) {
    close();
    throw error instanceof DamagedFileError ? error : fileError('read', path, error);
  }
  const readInto = (buffer: Buffer, offset: number): number => readFully(fd, { path, buffer, offset });
  return {
    path,
    mark: () => markOf(fd),
    read(offset, length) {
      const buffer = Buffer.allocUnsafe(length);
      return buffer.subarray(0, readInto(buffer, offset));
    },
    readInto,
    close,
  };
}

/** A file that can be made again is not read where it is a link or where others could have changed it. */
export function openDerived(path: string, host: Host): OwnFile | undefined {
  try {
    return openOwn(path, host);
  } catch (error) {
    if (error instanceof DamagedFileError) return undefined;
    throw error;
  }
}

/** Makes room for a file that can be made again. @throws DamagedFileError for a folder that has something. */
export function clearDerived(path: string, host: Host): void {
  try {
    checkReplaceable(path, host);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    try {
      if (lstatSync(path).isDirectory()) rmdirSync(path);
      else rmSync(path);
    } catch (cause) {
      throw fileError('replace', path, cause);
    }
  }
}

export function markOf(fd: number): FileMark {
  const { size, mtimeNs, ino } = fstatSync(fd, { bigint: true });
  return { bytes: Number(size), mtime: mtimeNs.toString(), inode: ino.toString() };
}

/** @throws DamagedFileError for anything but a regular file of this user that others cannot access. */
export function checkOwn(fd: number, path: string, host: Host): void {
  const stats = fstatSync(fd);
  checkRegular(path, stats, host);
  if (host.uid === undefined || (stats.mode & OTHERS) === 0) return;
  throw new DamagedFileError(path, {
    what: `${path} can be read or written by other users.`,
    book: 'Nothing was sent.',
    hint: `Check that nobody else changed it, then: chmod 600 ${shellWord(path)}`,
  });
}

function readFully(
  fd: number,
  { path, buffer, offset }: { path: string; buffer: Buffer; offset: number },
): number {
  try {
    let read = 0;
    while (read < buffer.length) {
      const more = readSync(fd, buffer, read, buffer.length - read, offset + read);
      if (more === 0) break;
      read += more;
    }
    return read;
  } catch (error) {
    throw fileError('read', path, error);
  }
}

/** Undefined when there is no such file. */
export function readPart(path: string, host: Host, offset: number, length: number): Buffer | undefined {
  const file = openOwn(path, host);
  try {
    return file?.read(offset, length);
  } finally {
    file?.close();
  }
}

export interface FileLine {
  offset: number;
  /** Without its newline. */
  bytes: Buffer;
  /** It ends with a newline. */
  ended: boolean;
}

const CHUNK_BYTES = 262_144;
const FIRST_BYTES = 65_536;
const NEWLINE = 0x0a;

/** In order, in constant memory. */
export function* linesFrom(file: OwnFile, from: number, to = Infinity): Generator<FileLine> {
  let start = from;
  let rest: Buffer = Buffer.alloc(0);
  for (let at = from; at < to; ) {
    const chunk = file.read(at, Math.min(CHUNK_BYTES, to - at));
    if (chunk.length === 0) break;
    at += chunk.length;
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let begun = 0;
    for (let end = bytes.indexOf(NEWLINE, rest.length); end !== -1; end = bytes.indexOf(NEWLINE, begun)) {
      yield { offset: start + begun, bytes: bytes.subarray(begun, end), ended: true };
      begun = end + 1;
    }
    rest = bytes.subarray(begun);
    start += begun;
  }
  if (rest.length > 0) yield { offset: start, bytes: rest, ended: false };
}

/** The last line first. */
export function* linesBack(file: OwnFile, to: number): Generator<FileLine> {
  if (to === 0) return;
  // A page of the journal needs little of it.
  let chunk = FIRST_BYTES;
  let ended = file.read(to - 1, 1)[0] === NEWLINE;
  let at = ended ? to - 1 : to;
  let rest: Buffer = Buffer.alloc(0);
  while (at > 0) {
    const length = Math.min(chunk, at);
    chunk = CHUNK_BYTES;
    at -= length;
    const read = file.read(at, length);
    const bytes = rest.length === 0 ? read : Buffer.concat([read, rest]);
    let end = bytes.length;
    for (let newline = newlineBefore(bytes, end); newline !== -1; newline = newlineBefore(bytes, end)) {
      yield { offset: at + newline + 1, bytes: bytes.subarray(newline + 1, end), ended };
      ended = true;
      end = newline;
    }
    rest = bytes.subarray(0, end);
  }
  yield { offset: 0, bytes: rest, ended };
}

const newlineBefore = (bytes: Buffer, end: number): number =>
  end === 0 ? -1 : bytes.lastIndexOf(NEWLINE, end - 1);

/** The line that starts there. */
export function lineAt(file: OwnFile, offset: number): Buffer {
  for (let length = 4_096; ; length *= 4) {
    const bytes = file.read(offset, length);
    const end = bytes.indexOf(NEWLINE);
    if (end !== -1) return bytes.subarray(0, end);
    if (bytes.length < length) return bytes;
  }
}

/** SHA-256 of a whole file; undefined when there is none. Hexadecimal. */
export function hashOwn(path: string, host: Host): string | undefined {
  const file = openOwn(path, host);
  try {
    return file && hashOfFile(file);
  } finally {
    file?.close();
  }
}
