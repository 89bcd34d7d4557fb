/** What `npm pack` makes of the program, installed as a user would have it: nothing of this clone beside it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bareEnvironment } from '../support/built.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { needs } from '../support/tools.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TWO_MEGABYTES = 2_000_000;
/** The only package beside the program, and what it needs: it has native parts. */
const BESIDE = ['@photostructure/sqlite', 'node-gyp-build'];

function packed(folder: string): string {
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  execFileSync('npm', args, { cwd: ROOT, env: bareEnvironment({ HOME: folder }) });
  return join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');
}

describe('the package', needs('tar'), () => {
  it('is small, and works with only its native parts', () => {
    const folder = temporaryFolder();
    const tarball = packed(folder);
    expect(statSync(tarball).size).toBeLessThan(TWO_MEGABYTES);

    const modules = join(folder, 'lib', 'node_modules');
    const installed = join(modules, 'hedge-cli');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
    for (const name of BESIDE) {
      mkdirSync(join(modules, name, '..'), { recursive: true });
      symlinkSync(realpathSync(join(ROOT, 'node_modules', name)), join(modules, name));
    }
    const { dependencies }: { dependencies: object } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    );
    expect(Object.keys(dependencies)).toEqual(BESIDE.slice(0, 1));
    expect(readdirSync(installed).toSorted()).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'bin', 'dist', 'package.json']),
    );

    const hedge = join(folder, 'hedge');
    symlinkSync(join(installed, 'bin', 'hedge.js'), hedge);
    const env = bareEnvironment({ HEDGE_HOME: join(folder, 'home'), HEDGE_PROFILE: 'practice' });
    const ask = (words: string): unknown =>
      JSON.parse(execFileSync(process.execPath, [hedge, ...words.split(' '), '--json'], { env }).toString());
    expect(ask('--version')).toMatchObject({ data: { node: process.versions.node } });
    expect(ask('open USDTNGN buy 10000 --tenor 3 --yes --no-wait')).toMatchObject({
      data: { outcome: 'submitted' },
      meta: { environment: 'practice' },
    });
  });
});
