/**
 * V8's compiled code on disk: one private file per command, build of hedge and version of Node. V8 runs damaged
 * code as it is, so each file holds it twice and is read only if both halves agree; loading node:crypto for a
 * checksum would cost more. The gain is in load-program.ts.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dropIfOlder, readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';

export interface CodeCache {
  read(): ReadonlyMap<string, Buffer>;
  write(code: ReadonlyMap<string, Uint8Array>): void;
}

const MAX_BYTES = 16_777_216;
/** More than there are commands: mistyped commands must not fill a disk. */
const MOST_FILES = 60;
const FORGOTTEN_AFTER_MS = 604_800_000;
const LENGTH_BYTES = 4;

/** `variant`: the builds of hedge and Node. `command`: letters and dashes only. */
export function openCodeCache(
  cache: string,
  { variant, command, machine }: { variant: string; command: string; machine: Machine },
): CodeCache {
  const { host, clock } = machine;
  const folder = join(cache, 'code', variant);
  const path = join(folder, command);
  return {
    read: () => unpacked(readCacheFile(path, { host, maxBytes: MAX_BYTES })),
    write(code) {
      const others = namesIn(folder);
      if (others === undefined) sweep(join(cache, 'code'), clock.now());
      if ((others?.length ?? 0) < MOST_FILES || others?.includes(command) === true) {
        writeCacheFile(path, packed(code), { ...machine, within: cache });
      }
    },
  };
}

/** Written twice in a row: the length of the index, the index (name and length of each file), the code. */
function packed(code: ReadonlyMap<string, Uint8Array>): Buffer {
  const index = Buffer.from(JSON.stringify([...code].map(([name, bytes]) => [name, bytes.length])));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(index.length);
  const once = [length, index, ...code.values()];
  return Buffer.concat([...once, ...once]);
}

function unpacked(file: Buffer | undefined): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  if (file === undefined || file.length < 2 * LENGTH_BYTES) return found;
  const body = file.subarray(0, file.length / 2);
  if (!body.equals(file.subarray(file.length / 2))) return found;
  const indexEnd = LENGTH_BYTES + body.readUInt32BE();
  const index = indexIn(body.toString('utf8', LENGTH_BYTES, indexEnd));
  const end = index.reduce((sum, [, length]) => sum + length, indexEnd);
  if (end !== body.length) return found;
  let at = indexEnd;
  for (const [name, length] of index) {
    found.set(name, body.subarray(at, at + length));
    at += length;
  }
  return found;
}

/** Empty for a foreign file: a tool that rewrote it as text changed both halves alike. */
function indexIn(text: string): readonly [name: string, length: number][] {
  try {
    const index: unknown = JSON.parse(text);
    return Array.isArray(index) && index.every(isEntry) ? index : [];
  } catch {
    return [];
  }
}

const isEntry = (entry: unknown): entry is [string, number] =>
  Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number';

function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

/** Removes the code of builds that were not started for a week. */
function sweep(folder: string, now: number): void {
  for (const name of namesIn(folder) ?? []) dropIfOlder(join(folder, name), now - FORGOTTEN_AFTER_MS);
}
