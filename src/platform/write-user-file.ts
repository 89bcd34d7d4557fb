/** Writes a file that the operator names. Loaded only by commands that do. */
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { failureReason } from './file-errors.ts';
import type { Machine } from './host.ts';

/**
 * Makes or replaces a file that the operator names, atomically; its permissions stay, unless it is a secret, and a link is
 * followed. Undefined: written. Otherwise why not, as the end of a sentence.
 */
export function writeUserFile(
  path: string,
  content: string | Uint8Array,
  { random, isSecret = false }: Pick<Machine, 'random'> & { isSecret?: boolean },
): string | undefined {
  try {
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const target = isLink ? realpathSync(path) : path;
    const before = statSync(target, { throwIfNoEntry: false });
    if (before?.isFile() === false) return 'it is not a regular file';
    const temporary = `${target}.${Buffer.from(random.bytes(8)).toString('hex')}.tmp`;
    try {
      const fd = openSync(temporary, 'wx', before === undefined && !isSecret ? 0o666 : 0o600);
      try {
        // The umask limits the mode of a new file.
        if (before !== undefined && !isSecret) fchmodSync(fd, before.mode & 0o777);
        writeFileSync(fd, content);
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      renameSync(temporary, target);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
    return undefined;
  } catch (error) {
    return failureReason(error);
  }
}
