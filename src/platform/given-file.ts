/**
 * Files that the operator names: theirs to own and to link as they like, so only what could hang the
 * program or fill its memory is refused. What a refusal means is for the caller to say.
 */
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { readUpTo } from './durable-file.ts';
import { whyNot } from './file-errors.ts';

/** The bytes, or why there are none, as the end of a sentence: `there is no such file`. */
export type GivenFile = { bytes: Buffer } | { why: string };

export function readGivenFile(path: string, options: { maxBytes: number }): GivenFile {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      if (!fstatSync(fd).isFile()) return { why: 'it is not a regular file' };
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
