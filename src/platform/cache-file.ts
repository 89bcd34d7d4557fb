/** Cache files: private to this user, written atomically or appended; any problem counts as absent, and nothing throws. */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { unless } from '../errors.ts';
import { checkFolder, checkRegular, checkReplaceable, ensureFolder, readOwnFile } from './atomic-file.ts';
import type { Host } from './host.ts';
import type { Random } from './random.ts';

/** Undefined for a file that is absent, or that others could have read or written. */
export const readCacheFile = (path: string, options: { host: Host; maxBytes: number }): Buffer | undefined =>
  unless(Error, () => readOwnFile(path, options));

/**
 * Replaces the file (0600) and creates its folder (0700); not synced. Nothing is written when a folder from `within` down
 * is a link or writable by others.
 */
export function writeCacheFile(
  path: string,
  content: string | Uint8Array,
  { host, random, within }: { host: Host; random: Random; within: string },
): void {
  const temporary = `${path}.${Buffer.from(random.bytes(8)).toString('hex')}.tmp`;
  try {
    checkFolders(within, dirname(path), host);
    ensureFolder(dirname(path), host);
    checkReplaceable(path, host);
    writeFileSync(temporary, content, { flag: 'wx', mode: 0o600 });
    renameSync(temporary, path);
  } catch {
    dropCacheFile(temporary);
  }
}

/** Checks the folder and those above it up to `within`. Absent is fine. */
export function checkFolders(within: string, folder: string, host: Host): void {
  for (let each = folder; each.length >= within.length; each = dirname(each)) checkFolder(each, host);
}

/** Removes a file or a whole folder that was not modified since then. */
export function dropIfOlder(path: string, thanMs: number): void {
  unless(Error, () => {
    // Another process may have removed it.
    if (statSync(path).mtimeMs < thanMs) dropCacheFile(path);
  });
}

/** A cache file may stay. */
const dropCacheFile = (path: string): void =>
  unless(Error, () => rmSync(path, { force: true, recursive: true }));

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Appends in one write, not synced, and creates the file (0600). Returns its size, or undefined when nothing was written. */
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
