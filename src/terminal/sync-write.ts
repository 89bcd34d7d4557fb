/** Writes text completely to a stream, or directly to a file descriptor, which is faster than creating a stream. */
import { fstatSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** File descriptors. */
export const DESCRIPTORS = { stdout: 1, stderr: 2 } as const;

/** How many bytes were written: fewer on a full disk or a closed or busy pipe; the stream then reports the error. */
export function writePartSync(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch {
    return 0;
  }
}

/** False when not all was written. */
export function writeAllSync(line: string): boolean {
  const bytes = Buffer.from(line);
  return writePartSync(DESCRIPTORS.stdout, bytes) === bytes.length;
}

export type Written = 'whole' | 'nobody reads';

export type OutputStream = Writable & { isTTY?: boolean; columns?: number; rows?: number; fd?: number };

/**
 * Resolves once all of `text` has left this process, or `nobody reads` when the other end of a pipe is
 * closed. Rejects with the system's error otherwise (ENOSPC, EIO, EFBIG).
 */
export async function writeWhole(stream: OutputStream, text: string | Uint8Array): Promise<Written> {
  if (text.length === 0) return 'whole';
  try {
    const descriptor = fileDescriptor(stream);
    if (descriptor === undefined) await writeToStream(stream, text);
    else writeToFile(descriptor, typeof text === 'string' ? Buffer.from(text, 'utf8') : text);
    return 'whole';
  } catch (error) {
    if (nobodyReads(error)) return 'nobody reads';
    throw error;
  }
}

const nobodyReads = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && CLOSED.has(String(error.code));

const CLOSED = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END']);

function writeToStream(stream: OutputStream, text: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    // The callback comes when the system has taken the bytes; `error` may come without it.
    const waiting = waitingFor(stream);
    waiting.add(reject);
    stream.write(text, (error) => {
      waiting.delete(reject);
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}

/** Pending writes share one error listener, as Node warns about many. */
const waitingOn = new WeakMap<OutputStream, Set<(error: Error) => void>>();

function waitingFor(stream: OutputStream): Set<(error: Error) => void> {
  const known = waitingOn.get(stream);
  if (known !== undefined) return known;
  const waiting = new Set<(error: Error) => void>();
  stream.on('error', (error) => {
    for (const fail of waiting) fail(error);
    waiting.clear();
  });
  waitingOn.set(stream, waiting);
  return waiting;
}

/**
 * A disk that becomes full writes a part without an error, and Node's file stream ignores that: the rest would be lost.
 */
function writeToFile(descriptor: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function fileDescriptor(stream: OutputStream): number | undefined {
  if (stream.fd === undefined || stream.isTTY === true) return undefined;
  const stat = fstatSync(stream.fd);
  return stat.isFile() || stat.isCharacterDevice() ? stream.fd : undefined;
}
