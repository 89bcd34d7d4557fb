/**
 * The index of the active segment: what the journal holds open at its end, and the terms of its records. Both files can be
 * made again from the segments at any time; checksums show when they are not as they were written.
 */
import { closeSync, constants, fchmodSync, openSync, renameSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { removeLeft } from '../platform/atomic-file.ts';
import { fileError } from '../platform/file-errors.ts';
import type { Host, Machine } from '../platform/host.ts';
import { hashOfLine, linkOf } from './chain.ts';
import { clearDerived, type FileMark, linesFrom, type OwnFile, openDerived } from './own-files.ts';
import { indexFile, termsFile } from './segments.ts';
import { readSnapshot, type Snapshot, snapshotText } from './snapshot.ts';
import type { TermList } from './terms.ts';

/** How much of the file of terms belongs to the index. */
export interface TermsOnDisk {
  bytes: number;
  crc: number;
  /** Its beginning that is sorted; absent: nothing. */
  sorted?: number;
}

export interface StoredIndex {
  snapshot: Snapshot;
  /** Of the segment after the last append. */
  mark: FileMark;
  terms: TermsOnDisk;
}

/** Undefined when there is none, or none that can be used. */
export function readIndex(folder: string, host: Host): StoredIndex | undefined {
  const file = openDerived(indexFile(folder), host);
  if (file === undefined) return undefined;
  try {
    return readIndexText(file.read(0, file.mark().bytes));
  } finally {
    file.close();
  }
}

/** Undefined for a text that is not as it was written, or of another version. */
function readIndexText(bytes: Buffer): StoredIndex | undefined {
  const crcAt = bytes.length - CRC_DIGITS;
  if (crcAt < 0 || checksum(bytes.subarray(0, crcAt)) !== bytes.toString('latin1', crcAt)) return undefined;
  const [head = '', rest = ''] = bytes.toString('utf8', 0, crcAt).split('\n');
  const snapshot = readSnapshot(rest);
  const read: Pick<StoredIndex, 'mark' | 'terms'> = JSON.parse(head);
  return snapshot && { snapshot, ...read };
}

const CRC_DIGITS = 8;

const checksum = (bytes: Uint8Array): string => crc32(bytes).toString(16).padStart(CRC_DIGITS, '0');

function indexText({ snapshot, mark, terms }: StoredIndex): string {
  const text = `${JSON.stringify({ mark, terms })}\n${snapshotText(snapshot)}\n`;
  return `${text}${checksum(Buffer.from(text))}`;
}

/**
 * Writes both files, without waiting for the disk: after a power cut the checksums tell whether they can be used. `before`:
 * the part of these terms that is on disk.
 */
export function writeIndex(
  folder: string,
  {
    snapshot,
    mark,
    terms,
    before: given,
  }: { snapshot: Snapshot; mark: FileMark; terms: TermList; before: TermsOnDisk | undefined },
  machine: Machine,
): TermsOnDisk {
  const before = terms.settle() ? undefined : given;
  const all = terms.bytes;
  const crc = before === undefined ? crc32(all) : crc32(all.subarray(before.bytes), before.crc);
  const path = termsFile(folder);
  if (before === undefined) replace(path, all, machine);
  else if (all.length > before.bytes) writeFrom(path, all.subarray(before.bytes), before.bytes);
  const onDisk = { bytes: all.length, crc, sorted: terms.sorted };
  replace(indexFile(folder), indexText({ snapshot, mark, terms: onDisk }), machine);
  return onDisk;
}

function replace(path: string, content: string | Uint8Array, { host, random }: Machine): void {
  clearDerived(path, host);
  const temporary = `${path}.${Buffer.from(random.bytes(8)).toString('hex')}.tmp`;
  try {
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      if (host.uid !== undefined) fchmodSync(fd, 0o600);
      writeAll(fd, typeof content === 'string' ? Buffer.from(content) : content, 0);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    removeLeft(temporary);
    throw fileError('write', path, error);
  }
}

function writeFrom(path: string, content: Uint8Array, offset: number): void {
  try {
    const fd = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      writeAll(fd, content, offset);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw fileError('write', path, error);
  }
}

function writeAll(fd: number, content: Uint8Array, offset: number): void {
  for (let written = 0; written < content.length; )
    written += writeSync(fd, content, written, content.length - written, offset + written);
}

/** Each line is the one that the next line refers to, and the last one is as it was. */
export function isPrefixWhole(file: OwnFile, { bytes, head }: Snapshot): boolean {
  let last: string | undefined;
  for (const line of linesFrom(file, 0, bytes)) {
    const link = linkOf(line.bytes);
    if (!line.ended || link === undefined || (last !== undefined && link.prev !== last)) return false;
    last = hashOfLine(line.bytes);
  }
  return (last ?? head) === head;
}
