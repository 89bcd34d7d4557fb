/**
 * S19: the packages that hedge loads come from where npm installed it. One that is missing there is not taken from a folder
 * further up, from the home folder or from NODE_PATH, where it would get the key.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { isExecutable, runProgram } from '../support/built.ts';
import { filesWithCanary } from '../support/canary.ts';
import { SANDBOX_KEY } from '../support/cli-for.ts';
import { aQuarterOf, expectHeld } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const GOAL = 'S19 packages';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const DATABASE = '@photostructure/sqlite';

/** A program without its packages, but for those given, at this path below a new folder. */
function aProgram(path: string, packages: readonly string[] = [DATABASE]): { top: string; own: string } {
  const top = temporaryFolder();
  const own = join(top, path);
  for (const name of ['bin', 'dist/program', 'package.json'])
    cpSync(join(ROOT, name), join(own, name), { recursive: true });
  for (const name of packages) {
    mkdirSync(join(own, 'node_modules', name, '..'), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), join(own, 'node_modules', name));
  }
  return { top, own };
}

/** A package that writes what it is given into a file beside it. */
function plant(modules: string, name: string): string {
  const folder = join(modules, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
  writeFileSync(
    join(folder, 'index.js'),
    `const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
     const stolen = require('node:path').join(__dirname, 'stolen');
     appendFileSync(stolen, 'loaded ');
     exports.Entry = class {
       setPassword(text) { appendFileSync(stolen, text); writeFileSync(stolen + '-kept', text); }
       getPassword() { return readFileSync(stolen + '-kept', 'utf8'); }
       deletePassword() { return true; }
     };`,
  );
  return folder;
}

const ADD = 'profile add desk --base-url https://127.0.0.1:9/v2 --store keychain --key-stdin --no-check';

const run = (own: string, words: string, env: Record<string, string>) =>
  runProgram(process.execPath, [join(own, 'bin/hedge.js'), ...words.split(' ')], { env, stdin: SANDBOX_KEY });

// An executable has its packages inside.
describe.skipIf(isExecutable)('a package that is missing', () => {
  const places: readonly [where: string, path: string, modules: string][] = [
    ['a folder above a clone', 'a/hedge', 'node_modules'],
    ['the folder above a clone', 'a/hedge', 'a/node_modules'],
    ['a folder above the installation', 'a/node_modules/hedge-cli', 'node_modules'],
    ['the home folder', 'a/hedge', '.node_modules'],
    ['NODE_PATH', 'a/hedge', 'path'],
  ];
  const packages: readonly [name: string, words: string][] = [
    ['@napi-rs/keyring', ADD],
    [DATABASE, '--profile practice account'],
  ];
  const cases = places.flatMap((place) => packages.map((each) => [...place, ...each] as const));

  it.each(aQuarterOf(cases))('is not taken from %s (program at %s, package in %s: %s)', async (...one) => {
    const [where, path, modules, name, words] = one;
    const { top, own } = aProgram(path, name === DATABASE ? [] : [DATABASE]);
    const planted = plant(join(top, modules), name);
    const found: Record<string, string> = where === 'NODE_PATH' ? { NODE_PATH: join(top, modules) } : {};
    const ran = await run(own, words, { HOME: top, HEDGE_HOME: join(top, 'data'), ...found });
    const stolen = filesWithCanary(SANDBOX_KEY, top);
    expectHeld(GOAL, {
      runs: 1,
      wrong: [
        ...(stolen.length > 0 ? [`the key is in ${stolen.join(', ')}`] : []),
        ...(isLoaded(planted) ? ['it was loaded'] : []),
        ...(ran.code === 0 ? ['it ended well'] : []),
      ],
    });
    if (name === '@napi-rs/keyring')
      expect(ran).toMatchObject({ code: 4, err: expect.stringContaining('its library is not installed') });
  });

  it('of the keychain’s own package is not loaded from above either', async () => {
    const { top, own } = aProgram('a/node_modules/hedge-cli');
    const keyring = join(top, 'a/node_modules/@napi-rs/keyring');
    mkdirSync(keyring, { recursive: true });
    writeFileSync(join(keyring, 'index.js'), "module.exports = require('@napi-rs/keyring-part');");
    const planted = plant(join(top, 'node_modules'), '@napi-rs/keyring-part');
    const ran = await run(own, ADD, { HOME: top, HEDGE_HOME: join(top, 'data') });
    expect({ code: ran.code, loaded: isLoaded(planted) }).toEqual({ code: 4, loaded: false });
  });
});

describe.skipIf(isExecutable)('a package that is installed', () => {
  it.each([
    ['beside the program', 'a/node_modules/hedge-cli', 'a/node_modules'],
    ['below the program', 'a/node_modules/hedge-cli', 'a/node_modules/hedge-cli/node_modules'],
    ['below a clone', 'a/hedge', 'a/hedge/node_modules'],
  ])('%s is loaded', async (_what, path, modules) => {
    const { top, own } = aProgram(path);
    const installed = plant(join(top, modules), '@napi-rs/keyring');
    const ran = await run(own, ADD, { HOME: top, HEDGE_HOME: join(top, 'data') });
    expect(ran).toMatchObject({ code: 0 });
    expect(isLoaded(installed)).toBe(true);
  });

  it('as pnpm does, by links and with its parts beside it, is loaded', async () => {
    const { top, own } = aProgram('a/node_modules/.pnpm/hedge-cli@1/node_modules/hedge-cli');
    const store = join(top, 'a/node_modules/.pnpm/keyring@2/node_modules/@napi-rs');
    mkdirSync(join(store, 'keyring'), { recursive: true });
    writeFileSync(join(store, 'keyring/index.js'), "module.exports = require('@napi-rs/keyring-part');");
    const part = plant(join(store, '..'), '@napi-rs/keyring-part');
    mkdirSync(join(own, '../@napi-rs'));
    symlinkSync(join(store, 'keyring'), join(own, '../@napi-rs/keyring'));
    const ran = await run(own, ADD, { HOME: top, HEDGE_HOME: join(top, 'data') });
    expect(ran).toMatchObject({ code: 0 });
    expect(isLoaded(part)).toBe(true);
    rmSync(top, { recursive: true });
  });
});

function isLoaded(folder: string): boolean {
  try {
    return readFileSync(join(folder, 'stolen'), 'utf8').includes('loaded');
  } catch {
    return false;
  }
}
