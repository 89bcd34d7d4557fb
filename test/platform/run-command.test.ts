/** Running one program: what comes back, and that nothing is left running. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type ProcessLimits, runCommand } from '../../src/platform/run-command.ts';
import { eventually, isRunning } from '../support/eventually.ts';
import { steppingClock, temporaryFolder } from '../support/own-folder.ts';

const LIMITS: ProcessLimits = { clock: steppingClock(), env: {}, timeoutMs: 30_000, maxBytes: 1_000 };
const node = (script: string, limits: Partial<ProcessLimits> = {}) =>
  runCommand([process.execPath, '-e', script], { ...LIMITS, ...limits });

describe('a program', () => {
  it.each([
    ["process.stdout.write('a\\nb')", { code: 0, signal: null, stdout: 'a\nb' }],
    ["console.error('secret'); process.exitCode = 3", { code: 3, signal: null, stdout: '' }],
    [
      "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)",
      { code: null, signal: 'SIGTERM', stdout: '' },
    ],
  ])('%s comes back with how it ended', async (script, result) => {
    expect(await node(script)).toEqual({ outcome: 'ended', ...result });
  });

  it('finds its standard input empty', async () => {
    const result = await node("process.stdin.on('end', () => console.log('end')).resume()");
    expect(result).toMatchObject({ stdout: 'end\n' });
  });

  it('has the environment it is given and no other, and no shell reads its words', async () => {
    const script = 'console.log(JSON.stringify([process.env, process.argv[1]]))';
    const result = await runCommand([process.execPath, '-e', script, '$HOME;`id`'], {
      ...LIMITS,
      env: { A: 'b', NONE: undefined },
    });
    expect(result).toMatchObject({ stdout: `${JSON.stringify([{ A: 'b' }, '$HOME;`id`'])}\n` });
  });

  it.each<{ what: string; argv: [string, ...string[]]; errno: string }>([
    { what: 'is missing', argv: ['/nowhere/op'], errno: 'ENOENT' },
    { what: 'is not a program', argv: ['/etc'], errno: 'EACCES' },
    { what: 'cannot be named so', argv: [process.execPath, 'a\0b'], errno: '' },
  ])('that $what is distinguished', async ({ argv, errno }) => {
    expect(await runCommand(argv, LIMITS)).toEqual({ outcome: 'not_started', errno });
  });

  it('that prints without end is ended', async () => {
    expect(await node("for (;;) console.log('y'.repeat(1000))")).toEqual({ outcome: 'too_long' });
  });

  it.each(['time', 'the operator'])('is ended when %s ends the waiting', async (ender) => {
    const file = join(temporaryFolder(), 'pid');
    let timeIsUp = (): void => undefined;
    const operator = new AbortController();
    const asked: number[] = [];
    const clock = {
      ...systemClock,
      after: (ms: number, then: () => void) => {
        asked.push(ms);
        timeIsUp = then;
        return () => asked.push(-1);
      },
    };
    const script = `fs.writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`;
    const running = node(script, { clock, signal: operator.signal });
    await eventually(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
    if (ender === 'time') timeIsUp();
    else operator.abort();
    expect(await running).toEqual({ outcome: ender === 'time' ? 'timed_out' : 'interrupted' });
    expect(asked).toEqual([30_000, -1]);
    await eventually(() => !isRunning(Number(readFileSync(file, 'utf8'))));
  });

  it('is not begun when the operator has already said stop', async () => {
    const file = join(temporaryFolder(), 'begun');
    const script = `fs.writeFileSync(${JSON.stringify(file)}, '')`;
    expect(await node(script, { signal: AbortSignal.abort() })).toEqual({ outcome: 'interrupted' });
    expect(existsSync(file)).toBe(false);
  });
});
