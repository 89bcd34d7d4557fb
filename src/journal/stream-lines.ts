/** Reads a whole file of the journal line by line, in constant memory, so that the process still answers to Ctrl-C. */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { DamagedFileError } from '../errors.ts';
import { symbolicLinkError } from '../platform/atomic-file.ts';
import { codeOf, fileError } from '../platform/file-errors.ts';
import type { Host } from '../platform/host.ts';
import { checkOwn } from './own-files.ts';

export interface LineReader {
  /** Without its newline. Valid only during the call: the next line reuses its memory. */
  line(bytes: Buffer): void;
  /** The last line, which has no newline. */
  rest(bytes: Buffer): void;
  /** Bytes of the file as they come. */
  chunk?(bytes: Buffer): void;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const NEWLINE = 0x0a;
const CHUNK_BYTES = 262_144;

/** A longer line was not written by hedge. */
const LONGEST_LINE = 4 * 1_048_576;

/**
 * Returns the number of bytes read. Bytes that are appended meanwhile are read too.
 * A line of more than 4 MB is handed out in pieces. @throws DamagedFileError when there is no such file, for a link, a folder, a file of another
 * user, and one that others can access.
 */
export async function streamLines(path: string, host: Host, reader: LineReader): Promise<number> {
  const handle = await opened(path);
  try {
    checkOwn(handle.fd, path, host);
    return await readAll(handle, reader);
  } catch (error) {
    throw codeOf(error) === '' || error instanceof DamagedFileError ? error : fileError('read', path, error);
  } finally {
    await handle.close();
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ELOOP') throw symbolicLinkError(path);
    throw fileError('open', path, error);
  }
}

async function readAll(handle: FileHandle, reader: LineReader): Promise<number> {
  let buffer = Buffer.allocUnsafe(2 * CHUNK_BYTES);
  let kept = 0;
  let total = 0;
  for (;;) {
    if (buffer.length - kept < CHUNK_BYTES) {
      if (kept > LONGEST_LINE) {
        reader.line(buffer.subarray(0, kept));
        kept = 0;
      } else buffer = Buffer.concat([buffer.subarray(0, kept)], 2 * buffer.length);
    }
    const { bytesRead } = await handle.read(buffer, kept, CHUNK_BYTES, total);
    if (bytesRead === 0) break;
    const end = kept + bytesRead;
    reader.chunk?.(buffer.subarray(kept, end));
    total += bytesRead;
    let from = 0;
    // The kept bytes have no newline.
    for (let at = buffer.indexOf(NEWLINE, kept); at !== -1 && at < end; at = buffer.indexOf(NEWLINE, from)) {
      reader.line(buffer.subarray(from, at));
      from = at + 1;
    }
    buffer.copyWithin(0, from, end);
    kept = end - from;
  }
  if (kept > 0) reader.rest(buffer.subarray(0, kept));
  return total;
}
