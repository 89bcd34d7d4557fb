/**
 * The end of a file of ours that may be long: for what wants the latest of it fast and can do without. Whatever
 * is wrong with the file is as if it were not there.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { checkRegular } from './durable-file.ts';
import type { Host } from './host.ts';

const OTHERS = 0o077;

/** Up to `maxBytes` from its end, the first line that may be cut left out; undefined for a file that is not ours alone. */
export function readTail(
  path: string,
  { host, maxBytes }: { host: Host; maxBytes: number },
): string | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let fd: number | undefined;
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stats = fstatSync(fd);
    checkRegular(path, stats, host);
    if (host.uid !== undefined && (stats.mode & OTHERS) !== 0) return undefined;
    const from = Math.max(0, stats.size - maxBytes);
    const buffer = Buffer.alloc(stats.size - from);
    const text = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, from)).toString('utf8');
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
