/** A short line straight to standard output: the process's own stream takes longer to make than all else. */
import { writeSync } from 'node:fs';

const STANDARD_OUTPUT = 1;

/** False when it did not work out (a full disk, a closed or a busy pipe): the stream will know what to say. */
export function writtenAtOnce(line: string): boolean {
  try {
    return writeSync(STANDARD_OUTPUT, line) === Buffer.byteLength(line);
  } catch {
    return false;
  }
}
