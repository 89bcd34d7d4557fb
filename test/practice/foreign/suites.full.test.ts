/** Suites of a backend in Python and in Java, each with a server of its own, eight at once in an empty home. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runBuilt, runProgram } from '../../support/built.ts';
import { temporaryFolder } from '../../support/own-folder.ts';
import { needs } from '../../support/tools.ts';

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const SERVERS = 8;
const SERVE = ['practice', 'serve', '--memory', '--seed', '7', '--clock', 'manual', '--fill-after', '2'];

/** Output and exit code of the command, for each of the servers. */
async function eachServer(command: readonly string[]) {
  // Nobody has made the folder yet.
  const home = join(temporaryFolder(), 'home');
  const started = Array.from({ length: SERVERS }, () =>
    runBuilt([...SERVE, '--', ...command], { env: { HEDGE_HOME: home } }),
  );
  return Promise.all(started);
}

/** Packages of Debian: python3-pytest and python3-requests. */
const PYTHON = spawnSync('python3', ['-c', 'import pytest, requests']).status === 0;
const pythonSuite = PYTHON
  ? needs('python3')
  : { skip: true, meta: { missingTools: ['python3-pytest and python3-requests'] } };

it(
  `suites: one in Python passes against each of ${SERVERS} servers that start at once`,
  pythonSuite,
  async () => {
    const ran = await eachServer([
      'python3',
      '-B',
      '-m',
      'pytest',
      '-q',
      '-p',
      'no:cacheprovider',
      file('mock_suite.py'),
    ]);
    for (const { code, out, err } of ran) {
      expect({ code, err, out: code === 0 ? '' : out }).toEqual({ code: 0, err: '', out: '' });
      expect(out).toMatch(/^\.{21} .*\n21 passed in /);
    }
  },
);

it(
  `suites: one in Java passes against each of ${SERVERS} servers that start at once`,
  needs('java', 'javac'),
  async () => {
    const classes = temporaryFolder();
    const compiled = await runProgram('javac', ['-d', classes, file('MockSuite.java')], {});
    expect(compiled).toMatchObject({ code: 0, out: '', err: '' });
    const ran = await eachServer(['java', '-cp', classes, 'MockSuite']);
    expect(ran.map(({ code, out, err }) => ({ code, out, err }))).toEqual(
      ran.map(() => ({ code: 0, out: '6 tests passed\n', err: '' })),
    );
  },
);
