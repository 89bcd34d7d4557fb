/** A short text straight to standard output: the process's own stream takes longer to make than all else. */
import { writeSync } from 'node:fs';

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

/** False when it did not work out. */
export function writtenAtOnce(line: string): boolean {
  const bytes = Buffer.from(line);
  return takenAtOnce(bytes) === bytes.length;
}
