/**
 * The files that a command ran, as one script, with V8's compiled code of it: one private file per command, build of hedge
 * and version of Node. V8 runs damaged code as it is, so each file holds it twice and is read only if both halves agree;
 * loading node:crypto for a checksum would cost more. The gain is in load-program.ts.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { dropIfOlder, readCacheFile, writeCacheFile } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';

export interface StoredScript {
  text: string;
  /** Of V8; empty for a text that did not run yet. */
  code: Buffer;
}

export interface CodeCache {
  read(): StoredScript | undefined;
  write(script: StoredScript): void;
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
    write(script) {
      const others = namesIn(folder);
      if (others === undefined) sweep(join(cache, 'code'), clock.now());
      if ((others?.length ?? 0) < MOST_FILES || others?.includes(command) === true) {
        writeCacheFile(path, packed(script), { ...machine, within: cache });
      }
    },
  };
}

/** Written twice in a row: the lengths of the text and of the code, the text, the code. */
function packed({ text, code }: StoredScript): Buffer {
  const bytes = Buffer.from(text);
  const lengths = Buffer.alloc(2 * LENGTH_BYTES);
  lengths.writeUInt32BE(bytes.length);
  lengths.writeUInt32BE(code.length, LENGTH_BYTES);
  return Buffer.concat([lengths, bytes, code, lengths, bytes, code]);
}

/** Undefined for a foreign file, too: a tool that rewrote it as text changed both halves alike. */
function unpacked(file: Buffer | undefined): StoredScript | undefined {
  if (file === undefined || file.length < 4 * LENGTH_BYTES) return undefined;
  const half = file.subarray(0, file.length / 2);
  if (!half.equals(file.subarray(file.length / 2))) return undefined;
  const codeStart = 2 * LENGTH_BYTES + half.readUInt32BE();
  if (codeStart + half.readUInt32BE(LENGTH_BYTES) !== half.length) return undefined;
  return { text: half.toString('utf8', 2 * LENGTH_BYTES, codeStart), code: half.subarray(codeStart) };
}

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
