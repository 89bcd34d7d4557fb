/** A file that may be lost and only grows, added to by several processes at once. Nothing here throws or waits. */
import { closeSync, constants, fstatSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { checkFolders } from './cache-file.ts';
import { checkRegular, ensureFolder } from './durable-file.ts';
import type { Host } from './host.ts';

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Adds to the end in one write, not synced; the file is made (0600) when it is absent. Gives its size in bytes
 * afterwards, or undefined when nothing was added: a link, a pipe, another user's file, a full disk. `within` as of
 * writeCacheFile.
 */
export function appendCacheFile(
  path: string,
  content: string,
  { host, within }: { host: Host; within: string },
): number | undefined {
  let fd: number | undefined;
  try {
    checkFolders(within, dirname(path), host);
    fd = opened(path, host);
    const stats = fstatSync(fd);
    checkRegular(path, stats, host);
    return stats.size + writeSync(fd, content);
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function opened(path: string, host: Host): number {
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
  try {
    return openSync(path, flags, 0o600);
  } catch {
    ensureFolder(dirname(path), host);
    return openSync(path, flags, 0o600);
  }
}
