/**
 * The files that a command ran, as one script, with V8's compiled code of it: one sealed file per command, build of hedge
 * and version of Node, since V8 runs damaged or foreign code as it is. The gain is in load-program.ts.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dropIfOlder } from '../platform/cache-file.ts';
import type { Machine } from '../platform/host.ts';
import type { Paths } from '../platform/paths.ts';
import { openSealedCache } from './sealed-cache.ts';

export interface StoredScript {
  text: string;
  /** Code cache of V8; empty for a text that did not run yet. */
  code: Buffer;
}

export interface CodeCache {
  read(): StoredScript | undefined;
  write(script: StoredScript): void;
}

const FOLDER = 'code';
const MAX_BYTES = 16_777_216;
/** More than there are commands: mistyped commands must not fill a disk. */
const MOST_FILES = 60;
const FORGOTTEN_AFTER_MS = 604_800_000;
/** Apart from an upgrade, another installation and another Node may be in use. */
const OTHER_BUILDS = 3;
const LENGTH_BYTES = 4;
const HEAD_BYTES = LENGTH_BYTES + 1;

/** `variant`: the builds of hedge and Node. `command`: letters and dashes only. */
export function openCodeCache(
  places: Pick<Paths, 'cache' | 'config'>,
  { variant, command, machine }: { variant: string; command: string; machine: Machine },
): CodeCache {
  const sealed = openSealedCache(places, machine);
  const all = join(places.cache, FOLDER);
  const name = join(FOLDER, variant, command);
  return {
    read: () => unpacked(sealed.read(name, MAX_BYTES)),
    write(script) {
      const others = namesIn(join(all, variant));
      if (others === undefined) sweep(all, machine.clock.now());
      if ((others?.length ?? 0) < MOST_FILES || others?.includes(command) === true)
        sealed.write(name, packed(script));
    },
  };
}

/** Both are read faster than UTF-8. The bundles have few other letters than those of the first. */
const ENCODINGS = ['latin1', 'utf16le'] as const;

/** The length of the text in bytes, its encoding, the text, the code. */
function packed({ text, code }: StoredScript): Buffer {
  const encoding = /[^\0-\u{ff}]/u.test(text) ? 1 : 0;
  const bytes = Buffer.from(text, ENCODINGS[encoding]);
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(bytes.length);
  head.writeUInt8(encoding, LENGTH_BYTES);
  return Buffer.concat([head, bytes, code]);
}

function unpacked(content: Buffer | undefined): StoredScript | undefined {
  if (content === undefined) return undefined;
  const codeStart = HEAD_BYTES + content.readUInt32BE();
  const encoding = ENCODINGS[content.readUInt8(LENGTH_BYTES)];
  return { text: content.toString(encoding, HEAD_BYTES, codeStart), code: content.subarray(codeStart) };
}

function namesIn(folder: string): string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

/** Removes the code of builds that were not started for a week, and of all but the latest few. */
function sweep(folder: string, now: number): void {
  const builds = (namesIn(folder) ?? [])
    .map((name) => ({ path: join(folder, name), at: modifiedAt(join(folder, name)) }))
    .toSorted((one, other) => other.at - one.at);
  for (const [index, { path }] of builds.entries())
    dropIfOlder(path, index < OTHER_BUILDS ? now - FORGOTTEN_AFTER_MS : Number.POSITIVE_INFINITY);
}

function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
