/**
 * Native parts that the single executable carries: the system loads them from files alone, so each is put into a
 * private folder of ours, under the sum of its bytes, and given out only when its bytes are the ones carried.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ensureFolder } from '../platform/atomic-file.ts';
import { dropIfOlder, readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import { cannot } from '../platform/file-errors.ts';
import type { Machine } from '../platform/host.ts';

const FORGOTTEN_AFTER_MS = 2_592_000_000;

/** The path of a file that holds `bytes` and is this user's alone. DamagedFileError where there is no place for one. */
export function nativePart(
  bytes: Uint8Array,
  { cache, machine }: { cache: string; machine: Machine },
): string {
  const { host, clock } = machine;
  const folder = join(cache, 'native');
  const path = join(folder, `${createHash('sha256').update(bytes).digest('hex')}.node`);
  const isThere = (): boolean =>
    readCacheFile(path, { host, maxBytes: bytes.length })?.equals(bytes) === true;
  // Whoever may write into a folder can put another file in the place of the one that was looked at.
  for (const each of [cache, folder]) ensureFolder(each, host);
  if (isThere()) return path;
  for (const name of readdirSync(folder)) dropIfOlder(join(folder, name), clock.now() - FORGOTTEN_AFTER_MS);
  writeCacheFile(path, bytes, { ...machine, within: cache });
  if (isThere()) return path;
  throw cannot('keep', path, undefined);
}
