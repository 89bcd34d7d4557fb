/** Reads a file that the operator names: links are followed; only pipes and files that are too large are rejected. */
import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { readUpTo } from './atomic-file.ts';
import { failureReason } from './file-errors.ts';

/** `why`: the end of a sentence: `there is no such file`. */
export type UserFile = { bytes: Buffer } | { why: string };

/** `objection`: why a regular file is rejected. */
export function readUserFile(
  path: string,
  options: { maxBytes: number; objection?: (stats: Stats) => string | undefined },
): UserFile {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      const why = stats.isFile() ? options.objection?.(stats) : 'it is not a regular file';
      if (why !== undefined) return { why };
      const bytes = readUpTo(fd, options.maxBytes);
      return bytes === undefined
        ? { why: `it is larger than ${options.maxBytes.toString()} bytes` }
        : { bytes };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return { why: failureReason(error) };
  }
}
