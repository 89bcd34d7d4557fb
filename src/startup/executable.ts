/**
 * Entry of the single executable, which holds the program's files and its native addons: it needs neither Node nor a
 * package on the machine. It gains an installation without Node, and 2 ms: a quote takes
 * 68 ms, 70 ms with the same Node 26 installed. Built only by npm run package.
 */
import { getAsset } from 'node:sea';
import { loadAddon } from './extract-addon.ts';
import { type Installed, moduleLoader } from './load-program.ts';

interface Start {
  main(process: NodeJS.Process, installed: Installed): Promise<number>;
}

/** Packages that are assets, and addons by the name that asks for them: .build/package.mjs puts them in. */
const PACKAGES: Readonly<Record<string, string>> = { '@photostructure/sqlite': 'sqlite.cjs' };
const ADDONS: Readonly<Record<string, string>> = {
  'node-gyp-build': 'sqlite.node',
  '@napi-rs/keyring': 'keyring.node',
};

/** An internal first argument: this process then talks to the keychain. */
const KEYCHAIN = '__keychain';

const { process } = globalThis;
const read = (name: string): string => getAsset(name, 'utf8');
const modules = moduleLoader({ folder: process.execPath, read, require: ask, kept: undefined });

if (process.argv[2] === KEYCHAIN) {
  process.argv.splice(2, 1);
  modules.load('keychain.cjs');
} else {
  void run();
}

async function run(): Promise<void> {
  const start = modules.load('start.cjs');
  if (!isStart(start)) throw new Error('start.cjs does not belong to this build');
  process.exitCode = await start.main(process, {
    folder: process.execPath,
    read,
    require: ask,
    keychainCommand: [process.execPath, KEYCHAIN],
  });
}

function isStart(exports: unknown): exports is Start {
  return typeof exports === 'object' && exports !== null && 'main' in exports;
}

/** Resolves what a program file requires, apart from other program files. */
function ask(id: string): unknown {
  const file = PACKAGES[id];
  if (file !== undefined) return modules.load(file);
  const addon = ADDONS[id];
  if (addon !== undefined) return addon === 'sqlite.node' ? () => loaded(addon) : loaded(addon);
  const builtIn = process.getBuiltinModule(id);
  if (builtIn !== undefined) return builtIn;
  throw Object.assign(new Error(`${id} is not in this executable`), { code: 'MODULE_NOT_FOUND' });
}

function loaded(addon: string): unknown {
  return loadAddon(new Uint8Array(getAsset(addon)), process);
}
