/** S12: what is installed and what is published is known: no script runs, nothing comes that was not meant. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { HEDGE, runBuilt, runProgram } from '../support/built.ts';
import { expectHeld, SOAKING } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const jsonOf = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

interface Locked {
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
  optional?: boolean;
  link?: boolean;
}
const { packages }: { packages: Record<string, Locked> } = JSON.parse(
  readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
);
const locked = Object.entries(packages).filter(([path]) => path !== '');

describe('the lock file', () => {
  it('names every package that runs or builds here by its content, and none by a place', () => {
    // A tool's binary for another system has no content that was ever seen on this one.
    const ours = locked.filter(([, { dev, optional }]) => dev !== true || optional !== true);
    const unnamed = ours.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''));
    const placed = locked.filter(([, { resolved, link }]) => resolved !== undefined || link === true);
    const wrong = [...unnamed, ...placed].map(([path]) => path);
    expectHeld('S12 supply chain', { runs: ours.length, wrong });
  });

  it('brings few packages to run with, and one script, which looks for what is built already', () => {
    const runtime = locked.filter(([, { dev }]) => dev !== true).map(([path]) => path);
    const plain = runtime.filter((path) => !path.startsWith('node_modules/@napi-rs/keyring-'));
    expect(plain.toSorted()).toEqual([
      'node_modules/@napi-rs/keyring',
      'node_modules/@photostructure/sqlite',
      'node_modules/node-addon-api',
      'node_modules/node-gyp-build',
    ]);
    const withScript = runtime.filter((path) => packages[path]?.hasInstallScript === true);
    expect(withScript).toEqual(['node_modules/@photostructure/sqlite']);
    expect(jsonOf('node_modules/@photostructure/sqlite/package.json')).toMatchObject({
      scripts: { install: 'node-gyp-build' },
    });
    expect(existsSync(join(ROOT, 'node_modules/@photostructure/sqlite/prebuilds'))).toBe(true);
  });
});

describe('what is published', () => {
  it('is the program, its licence, its help and its completions, and nothing of anybody', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: ROOT,
      maxBuffer: 16 * 1024 * 1024,
    });
    const [{ files }]: [{ files: { path: string; mode: number }[] }] = JSON.parse(stdout);
    const paths = files.map(({ path }) => path);
    const manual = /^dist\/man\/hedge(-[a-z-]+)?\.[17]$/;
    const program = /^dist\/program\/[\w.-]+\.cjs(\.map)?$/;
    expect(paths.filter((path) => !program.test(path) && !manual.test(path)).toSorted()).toEqual(PUBLISHED);
    expect(files.filter(({ path, mode }) => (mode & 0o111) !== 0 && !path.startsWith('bin/'))).toEqual([]);
    const telling = paths.filter((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return text.includes(ROOT) || text.includes('sourcesContent') || /-----BEGIN \w*PRIVATE KEY/.test(text);
    });
    expect(telling).toEqual([]);
  });
});

const PUBLISHED = [
  'LICENSE',
  'README.md',
  'bin/hedge.js',
  'bin/keychain.js',
  'bin/own-packages.js',
  'bin/package.json',
  'completions/_hedge',
  'completions/hedge.bash',
  'completions/hedge.fish',
  'dist/program/LICENSES.txt',
  'package.json',
];

/** What an install needs of the folder. */
const SOURCES = ['.npmrc', '.build', 'bin', 'src', 'package.json', 'package-lock.json', 'tsconfig.json'];

describe('an install that runs no script', () => {
  it('runs, with the practice service in it, from the packages that run alone', async () => {
    const folder = temporaryFolder();
    for (const name of ['bin', 'dist/program', 'package.json'])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    for (const [path, { dev }] of locked) {
      if (dev === true || !existsSync(join(ROOT, path))) continue;
      mkdirSync(join(folder, path, '..'), { recursive: true });
      symlinkSync(join(ROOT, path), join(folder, path));
    }
    const words = ['--profile', 'practice', 'account', '--json'];
    const env = { HEDGE_HOME: join(folder, 'home') };
    const ran = await runProgram(process.execPath, [join(folder, 'bin/hedge.js'), ...words], { env });
    expect(ran).toMatchObject({ code: 0 });
    expect(JSON.parse(ran.out)).toMatchObject({ data: { balance_usdc: 100_000 } });
  });

  it.runIf(SOAKING)('builds the same program', async () => {
    const folder = temporaryFolder();
    for (const name of SOURCES) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options);
    await promisify(execFile)('npm', ['run', 'build'], options);
    const there = await runProgram(process.execPath, [join(folder, 'bin/hedge.js'), '--help'], {});
    expect(there).toEqual(await runBuilt(['--help']));
    expect(HEDGE.every((path) => existsSync(path))).toBe(true);
  });
});
