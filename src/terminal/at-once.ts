/** A short text straight to standard output: the process's own stream takes longer to make than all else. */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';

/** The numbers that the system gives to a process's streams. */
export const DESCRIPTORS = { stdout: 1, stderr: 2 } as const;

/**
 * How many of the bytes the system has taken: fewer where it did not work out (a full disk, a closed or a busy
 * pipe), and the stream will know what to say. For what fits into any pipe: one that is full is waited for.
 */
export function takenAtOnce(bytes: Uint8Array): number {
  try {
    return writeSync(DESCRIPTORS.stdout, bytes);
  } catch {
    return 0;
  }
}

/** Linux' PIPE_BUF: so much goes into a pipe whole or not at all. */
const WHOLE_IN_A_PIPE = 4_096;

/**
 * The same into the pipe that standard output is: all of the bytes, or none where it is full, is no pipe, or is not on
 * Linux. By a way of our own into it, on which nobody waits: waiting here is deaf to signals.
 */
export function pipedAtOnce(bytes: Uint8Array): number {
  let taken = 0;
  if (bytes.length > WHOLE_IN_A_PIPE) return taken;
  try {
    const way = openSync(
      `/proc/self/fd/${DESCRIPTORS.stdout.toString()}`,
      constants.O_WRONLY | constants.O_NONBLOCK,
    );
    try {
      if (fstatSync(way).isFIFO()) taken = writeSync(way, bytes);
    } finally {
      closeSync(way);
    }
  } catch {
    // The stream will know what to say.
  }
  return taken;
}

/** False when it did not work out. */
export function writtenAtOnce(line: string): boolean {
  const bytes = Buffer.from(line);
  return takenAtOnce(bytes) === bytes.length;
}
