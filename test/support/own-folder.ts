/** A folder for one test, the machine it runs on with time standing still, and other processes beside it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { DamagedFileError } from '../../src/errors.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { hostOf, type Machine } from '../../src/platform/host.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { type BuiltRun, moduleArgs } from './built.ts';

/** An empty folder that goes when the test ends. Tests that run at the same time hand in their own hook. */
export function temporaryFolder(finished: (then: () => void) => void = onTestFinished): string {
  const path = mkdtempSync(join(realpathSync(tmpdir()), 'hedge-test-'));
  finished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** `600` */
export const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** What `work` throws; fails when that is another error, or none. */
export function damagedFileError(work: () => unknown): DamagedFileError {
  try {
    work();
  } catch (error) {
    if (error instanceof DamagedFileError) return error;
    throw error;
  }
  throw new Error('no error was thrown');
}

export interface SteppingClock extends Clock {
  /** Milliseconds slept so far. */
  slept(): number;
}

/** A clock on which a sleep takes no time and is counted. Deadlines never come. */
export function steppingClock(): SteppingClock {
  let slept = 0;
  return {
    now: () => slept,
    monotonic: () => slept,
    slept: () => slept,
    async sleep(ms) {
      slept += ms;
      await nextTurn();
    },
    after: () => () => undefined,
  };
}

/** This machine and process, with a stepping clock unless another is given. */
export const testMachine = (clock: Clock = steppingClock()): Machine => ({
  clock,
  random: systemRandom,
  host: hostOf(process),
});

/** Runs `body` with the umask set, and puts it back. */
export async function withUmask<T>(umask: number, body: () => T | Promise<T>): Promise<T> {
  const before = process.umask(umask);
  try {
    return await body();
  } finally {
    process.umask(before);
  }
}

/**
 * Runs the built program's modules in a process of its own: `script` is a module whose words after `--` are
 * in `process.argv.slice(1)`, and `dist` in it stands for the folder of the build. Killed when the test ends.
 * `fileKb` is how large the system lets its files grow.
 */
export function runModule(
  script: string,
  args: readonly string[] = [],
  { fileKb }: { fileKb?: number } = {},
): { child: ChildProcess; ended: Promise<BuiltRun> } {
  const { NODE_EXTRA_CA_CERTS: _dropped, ...env } = process.env;
  // POSIX counts the limit in blocks of 512 bytes.
  const limit = fileKb === undefined ? '' : `ulimit -f ${(fileKb * 2).toString()} && `;
  const module = [process.execPath, ...moduleArgs(script), '--', ...args];
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', ...module], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
  const ended = Promise.all([closed, text(child.stdout), text(child.stderr)]).then(([end, out, err]) => ({
    ...end,
    out,
    err,
  }));
  return { child, ended };
}
