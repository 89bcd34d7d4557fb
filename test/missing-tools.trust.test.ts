/** A run of tests on a machine where tools are missing, as its last line tells it. */
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runProgram } from './support/built.ts';
import { IN_FULL } from './support/goal.ts';
import { temporaryFolder } from './support/own-folder.ts';
import { expectNeeded } from './support/tools.ts';

const VITEST = fileURLToPath(new URL('../node_modules/vitest/vitest.mjs', import.meta.url));

/** Runs a file of tests where these programs alone are on the path, each a script of sh. */
async function runWith(file: string, programs: Readonly<Record<string, string>>, CI?: string) {
  const project = file.startsWith('test/trust/') ? 'trust' : 'unit';
  const folder = temporaryFolder();
  symlinkSync('/bin/sh', join(folder, 'sh'));
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const words = [VITEST, 'run', '--config', 'test/vitest.config.ts', '--project', project, file];
  const env = { PATH: folder, NO_COLOR: '1', ...(CI === undefined ? {} : { CI }) };
  const { code, out, err } = await runProgram(process.execPath, words, { env });
  return { code, out, last: err.trimEnd().split('\n').at(-1) ?? '' };
}

describe('where tools are missing', () => {
  const ends = [
    ['true', 1, ' With CI set, that is a failure.'],
    [undefined, 0, ''],
    ['', 0, ''],
  ] as const;
  it.each(IN_FULL ? ends : ends.slice(0, 1))(
    'the last line names them and counts the tests, and CI=%s ends with %i',
    async (CI, code, more) => {
      const ran = await runWith('test/args/open-command-line.test.ts', {}, CI);
      expect(ran).toMatchObject({
        code,
        out: expect.stringMatching(/5 passed \| 1 skipped/),
        last: `1 test did not run, because these tools are missing: bash 1.${more}`,
      });
    },
  );

  it('a tool that is there and cannot work is one of them', async () => {
    const ran = await runWith('test/trust/least-contact.test.ts', { bash: 'exit 0', strace: 'exit 1' });
    expect(ran.code).toBe(0);
    expect(ran.last).toMatch(
      /^(\d+) tests did not run, because these tools are missing: strace \(cannot work here\) \1\.$/,
    );
  });
});

it('a test that starts a program of the machine without saying that it needs it fails everywhere', () => {
  expect(() => expectNeeded('bash')).toThrow("it must say needs('bash')");
  expect(() => expectNeeded(process.execPath)).not.toThrow();
});
