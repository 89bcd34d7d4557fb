/**
 * Files that the operator names: theirs to own and to link as they like, so only what could hang the
 * program or fill its memory is refused. What a refusal means is for the caller to say.
 */
import { closeSync, constants, fstatSync, openSync, type Stats } from 'node:fs';
import { readUpTo } from './atomic-file.ts';
import { whyNot } from './file-errors.ts';
/** The bytes, or why there are none, as the end of a sentence: `there is no such file`. */
export type UserFile = { bytes: Buffer } | { why: string };

/** `objection`: why a regular file is refused all the same. */
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
    return { why: whyNot(error) };
  }
}
