/** The lines of a file that may be large, in constant memory. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { DamagedFileError } from '../errors.ts';
import { codeOf, fileError } from './file-errors.ts';

export interface FileLine {
  /** Without its newline. */
  bytes: Buffer;
  /** It ends with a newline. */
  ended: boolean;
}

const CHUNK_BYTES = 262_144;
/** A longer line was not written by hedge: it is handed out in parts. */
export const LONGEST_LINE = 4 * 1_048_576;
const NEWLINE = 0x0a;

/** In order, in constant memory. @throws DamagedFileError for a file that cannot be read */
export function* linesOf(path: string): Generator<FileLine> {
  const fd = opened(path);
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const length = readSync(fd, chunk);
      if (length === 0) break;
      const bytes = Buffer.concat([rest, chunk.subarray(0, length)]);
      let from = 0;
      for (let to = bytes.indexOf(NEWLINE, rest.length); to !== -1; to = bytes.indexOf(NEWLINE, from)) {
        yield { bytes: bytes.subarray(from, to), ended: true };
        from = to + 1;
      }
      rest = bytes.subarray(from);
      if (rest.length < LONGEST_LINE) continue;
      yield { bytes: rest, ended: false };
      rest = Buffer.alloc(0);
    }
    if (rest.length > 0) yield { bytes: rest, ended: false };
  } catch (error) {
    throw codeOf(error) === '' ? error : fileError('read', path, error);
  } finally {
    closeSync(fd);
  }
}

function opened(path: string): number {
  try {
    // Opening a pipe without a writer would block.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (fstatSync(fd).isFile()) return fd;
    closeSync(fd);
  } catch (error) {
    throw fileError('read', path, error);
  }
  throw new DamagedFileError(path, { what: `${path} is not a regular file.` });
}
