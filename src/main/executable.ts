/**
 * Where the single executable begins: it has the files of the program in itself, and their native parts, so that
 * it needs no Node and no package on the machine. Knows nothing of the program but where it begins.
 */
import { homedir } from 'node:os';
import { getAsset } from 'node:sea';
import { systemClock } from '../platform/clock.ts';
import { hostOf } from '../platform/host.ts';
import { pathsOf } from '../platform/paths.ts';
import { systemRandom } from '../platform/random.ts';
import type { Installed } from './launch.ts';
import { nativePart } from './native-part.ts';
import { programFiles } from './program-files.ts';

interface Start {
  main(process: NodeJS.Process, installed: Installed): Promise<number>;
}

/** Packages that are files in here, and native parts by the names that ask for them: .build/package.mjs puts them in. */
const PACKAGES: Readonly<Record<string, string>> = { '@photostructure/sqlite': 'sqlite.cjs' };
const NATIVE: Readonly<Record<string, string>> = {
  'node-gyp-build': 'sqlite.node',
  '@napi-rs/keyring': 'keyring.node',
};

/** The word that makes this process the one that speaks to the keychain; no help shows it. */
const KEYCHAIN = '__keychain';

const { process } = globalThis;
const read = (name: string): string => getAsset(name, 'utf8');
const files = programFiles({ folder: process.execPath, read, require: ask, kept: new Map() });

if (process.argv[2] === KEYCHAIN) {
  process.argv.splice(2, 1);
  files.load('keychain.cjs');
} else {
  void run();
}

async function run(): Promise<void> {
  const start = files.load('start.cjs');
  if (!isStart(start)) throw new Error('start.cjs is not of this build');
  process.exitCode = await start.main(process, {
    folder: process.execPath,
    read,
    require: ask,
    speaker: [process.execPath, KEYCHAIN],
  });
}

function isStart(exports: unknown): exports is Start {
  return typeof exports === 'object' && exports !== null && 'main' in exports;
}

/** What a file of the program may ask for beside the others. */
function ask(id: string): unknown {
  const file = PACKAGES[id];
  if (file !== undefined) return files.load(file);
  const part = NATIVE[id];
  if (part !== undefined) return part === 'sqlite.node' ? () => loaded(part) : loaded(part);
  const ofNode = process.getBuiltinModule(id);
  if (ofNode !== undefined) return ofNode;
  throw Object.assign(new Error(`${id} is not in this executable`), { code: 'MODULE_NOT_FOUND' });
}

function loaded(part: string): unknown {
  const host = hostOf(process);
  const path = nativePart(new Uint8Array(getAsset(part)), {
    cache: pathsOf({ env: process.env, host, home: homedir() }).cache,
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
