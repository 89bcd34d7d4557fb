/**
 * Compiled code on disk, one file a command, for one build of hedge under one build of Node. V8 takes damaged
 * code as it comes, so every file holds it twice (the library for a sum would take a tenth of a start to load), and
 * is a private file of ours or is not read.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dropIfOlder, readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';

export interface CompiledCode {
  read(): ReadonlyMap<string, Buffer>;
  write(code: ReadonlyMap<string, Uint8Array>): void;
}

const MAX_BYTES = 16_777_216;
/** More than there are commands: words that are none must not fill a disk. */
const MOST_FILES = 60;
const FORGOTTEN_AFTER_MS = 604_800_000;
const LENGTH_BYTES = 4;

/** `variant`: the builds of hedge and Node. `use`: the command, in letters alone. */
export function compiledCodeIn(
  cache: string,
  { variant, use, machine }: { variant: string; use: string; machine: Machine },
): CompiledCode {
  const { host, clock } = machine;
  const folder = join(cache, 'code', variant);
  const path = join(folder, use);
  return {
    read: () => unpacked(readCacheFile(path, { host, maxBytes: MAX_BYTES })),
    write(code) {
      const others = namesIn(folder);
      if (others === undefined) sweep(join(cache, 'code'), clock.now());
      if ((others?.length ?? 0) < MOST_FILES || others?.includes(use) === true) {
        writeCacheFile(path, packed(code), { ...machine, within: cache });
      }
    },
  };
}

/** The same twice over: the length of an index; the index, as name and length of each; the code. */
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

/** Empty where it is none of ours: both halves may have been changed alike, by whatever rewrote the file as text. */
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

/** A new build begins: what no other has used for long goes. */
function sweep(folder: string, now: number): void {
  for (const name of namesIn(folder) ?? []) dropIfOlder(join(folder, name), now - FORGOTTEN_AFTER_MS);
}
