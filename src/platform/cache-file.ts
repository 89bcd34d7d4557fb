/**
 * Files that may be lost: read only when they are truly ours, written whole or not at all, and whatever is
 * wrong with one, or with the place it should stand in, is as if it were not there. Nothing here throws.
 *
 * A file that may be lost and only grows, added to by several processes at once. Nothing here throws or waits.
 */
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
import { checkFolder, checkRegular, checkReplaceable, ensureFolder, readOwnFile } from './atomic-file.ts';
import type { Host } from './host.ts';
import type { Random } from './random.ts';
/** The bytes of a file of ours that nobody else could have read or written; undefined for any other. */
export function readCacheFile(path: string, options: { host: Host; maxBytes: number }): Buffer | undefined {
  try {
    return readOwnFile(path, options);
  } catch {
    return undefined;
  }
}

/**
 * Replaces the file, 0600, in a folder made for it, 0700. Not synced: a power cut may take it. `within`: the folder of
 * ours that it is somewhere below; nothing is written where one on the way is a link, or others could write into it.
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

/** Refuses a folder, or one above it up to `within`, that is no real folder of this user alone. Absent is fine. */
export function checkFolders(within: string, folder: string, host: Host): void {
  for (let each = folder; each.length >= within.length; each = dirname(each)) checkFolder(each, host);
}

/** Removes a file, or a folder with all in it, that nobody has written to since then. */
export function dropIfOlder(path: string, thanMs: number): void {
  try {
    if (statSync(path).mtimeMs < thanMs) dropCacheFile(path);
  } catch {
    // Another process was quicker.
  }
}

function dropCacheFile(path: string): void {
  try {
    rmSync(path, { force: true, recursive: true });
  } catch {
    // It may be lost, and it may stay.
  }
}

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
