/**
 * Loads the native addons inside the single executable. The system loads them from files only, so each is written to
 * a private folder, under the SHA-256 of its bytes, and used only if its bytes are the ones in the executable. The folder is
 * in the config folder: who can write there can replace a file after the check, and has the key anyway.
 */
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { ensureFolder } from '../platform/atomic-file.ts';
import { dropIfOlder, readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import { systemClock } from '../platform/clock.ts';
import { fileError } from '../platform/file-errors.ts';
import { hostOf, type Machine } from '../platform/host.ts';
import { pathsOf } from '../platform/paths.ts';
import { systemRandom } from '../platform/random.ts';

const FORGOTTEN_AFTER_MS = 2_592_000_000;

/** The exports of the addon. An error names the `path` of the file that could not be loaded. */
export function loadAddon(bytes: Uint8Array, process: NodeJS.Process): unknown {
  const host = hostOf(process);
  const path = extractAddon(bytes, {
    config: pathsOf({ env: process.env, host, home: homedir() }).config,
    machine: { clock: systemClock, random: systemRandom, host },
  });
  const module = { exports: {} };
  try {
    process.dlopen(module, path);
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
  return module.exports;
}

/** The path of a private file with these bytes. Throws DamagedFileError where there is no place for one. */
export function extractAddon(
  bytes: Uint8Array,
  { config, machine }: { config: string; machine: Machine },
): string {
  const { host, clock } = machine;
  const folder = join(config, 'native');
  const path = join(folder, `${createHash('sha256').update(bytes).digest('hex')}.node`);
  const isThere = (): boolean =>
    readCacheFile(path, { host, maxBytes: bytes.length })?.equals(bytes) === true;
  // Anyone who can write to the folder could replace the file after the check.
  for (const each of [config, folder]) ensureFolder(each, host);
  if (isThere()) return path;
  for (const name of readdirSync(folder)) dropIfOlder(join(folder, name), clock.now() - FORGOTTEN_AFTER_MS);
  writeCacheFile(path, bytes, { ...machine, within: config });
  if (isThere()) return path;
  throw fileError('keep', path, undefined);
}
