import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import type { HedgeError } from '../../src/errors.ts';
import { openTerminal } from '../../src/terminal/streams.ts';
import { moduleArgs, runProgram } from '../support/built.ts';
import { recordingTerminal } from '../support/recording-terminal.ts';
import { needs } from '../support/tools.ts';

const scratch = mkdtempSync(join(tmpdir(), 'hedge-streams-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Writes `size` letters as a result; a failure becomes one line and exit 74, as in the program. */
const writer = (size: number): string => `
  import { DESCRIPTORS } from 'dist/terminal/sync-write.js';
  import { openTerminal } from 'dist/terminal/streams.js';
  const terminal = openTerminal({ process, env: process.env, descriptors: DESCRIPTORS });
  try {
    await terminal.writeResult('x'.repeat(${size}));
    terminal.writeNote('done');
  } catch (error) {
    terminal.writeNote(error.what);
    process.exitCode = 74;
  }
`;
const quoted = (args: readonly string[]): string =>
  args.map((arg) => `'${arg.replaceAll("'", String.raw`'\''`)}'`).join(' ');
const shell = (size: number, script: (program: string) => string) =>
  runProgram('bash', ['--norc', '-c', script(quoted([process.execPath, ...moduleArgs(writer(size))]))]);

const MEBIBYTE = 1_048_576;

describe('the result on standard output', needs('bash'), () => {
  it('arrives whole through a slow pipe', async () => {
    const ran = await shell(MEBIBYTE, (program) => `${program} | (sleep 0.3; wc -c)`);
    expect({ ...ran, out: ran.out.trim() }).toMatchObject({ out: String(MEBIBYTE), err: 'done\n' });
  });

  it('arrives whole through a pipe that somebody made non-blocking', async () => {
    const unblocked = "process.stdout.write('')";
    const ran = await shell(
      MEBIBYTE,
      (program) => `{ ${quoted([process.execPath, '-e', unblocked])}; ${program}; } | (sleep 0.3; wc -c)`,
    );
    expect({ ...ran, out: ran.out.trim() }).toMatchObject({ out: String(MEBIBYTE), err: 'done\n' });
  });

  it('ends silently when the reader closes', async () => {
    const { out, err } = await shell(
      MEBIBYTE,
      (program) => `${program} | head -c 1; echo " \${PIPESTATUS[0]}"`,
    );
    expect({ out, err }).toEqual({ out: 'x 0\n', err: 'done\n' });
  });

  it('says in one line that the disk is full', needs('bash', '/dev/full'), async () => {
    const { code, err } = await shell(10, (program) => `${program} > /dev/full`);
    expect(code).toBe(74);
    expect(err).toMatch(/^The result could not be written to standard output: .*ENOSPC.*\n$/);
  });

  it('notices a disk that fills up half-way, where the system reports a part as written', async () => {
    const file = join(scratch, `half`);
    const { code, err } = await shell(100_000, (program) => `ulimit -f 8; ${program} > ${file}`);
    expect(readFileSync(file).length).toBeLessThan(100_000);
    expect({ code, err }).toEqual({ code: 74, err: expect.stringMatching(/EFBIG/) });
  });

  it('is put into a file whole, behind what is there', async () => {
    const file = join(scratch, `whole`);
    const script = (program: string) => `echo first > ${file}; ${program} >> ${file}`;
    const { code } = await shell(MEBIBYTE, script);
    expect(code).toBe(0);
    expect(readFileSync(file).length).toBe(MEBIBYTE + 'first\n'.length);
  });

  it('does not mind that standard error is closed or full', needs('bash', '/dev/full'), async () => {
    const { code, out } = await shell(1, (program) => `${program} 2>/dev/full; echo " $?"`);
    expect({ code, out }).toEqual({ code: 0, out: 'x 0\n' });
  });
});

describe('notes', () => {
  it('says as much at once as there is to say, and Node adds no warning of its own', async () => {
    const body = `
      import { openTerminal } from 'dist/terminal/streams.js';
      const terminal = openTerminal({ process, env: process.env });
      for (let line = 0; line < 20; line += 1) terminal.writeNote('note');
    `;
    const { err } = await runProgram(process.execPath, moduleArgs(body));
    expect(err).toBe('note\n'.repeat(20));
  });

  it.each([
    ['ENOSPC', 'output_failed'],
    ['EIO', 'output_failed'],
    ['EPIPE', 'silent'],
  ])('%s from the system is %s', async (code, verdict) => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(`${code}: no`), { code })),
    });
    const process = { stdin: new PassThrough(), stdout, stderr: new PassThrough(), platform: 'linux' };
    const written = openTerminal({ process, env: {} }).writeResult('x');
    expect(await written.then(() => 'silent').catch((error: HedgeError) => error.code)).toBe(verdict);
  });
});

describe('what the terminal knows of its streams', () => {
  it('decides standard output and standard error apart', () => {
    const { terminal } = recordingTerminal({ isTTY: { stderr: true }, width: 120 });
    expect(terminal.stdout).toMatchObject({ isTTY: false, colour: 0, width: 80 });
    expect(terminal.stderr).toMatchObject({ isTTY: true, colour: 2, width: 120 });
  });

  it.each([
    ['a person at a terminal', { isTTY: true }, true, true],
    ['the result in a file', { isTTY: { stdin: true, stderr: true } }, true, true],
    ['input from a pipe', { isTTY: { stdout: true, stderr: true } }, false, true],
    ['standard error in a file', { isTTY: { stdin: true, stdout: true } }, false, false],
    ['a dumb terminal', { isTTY: true, env: { TERM: 'dumb' } }, false, false],
    ['CI', { isTTY: true, env: { CI: '1' } }, true, false],
    ['CI=false', { isTTY: true, env: { CI: 'false' } }, true, true],
    ['a terminal that reports no columns', { isTTY: true, width: 0 }, true, false],
    ['--quiet', { isTTY: true, flags: { quiet: true } }, true, false],
    ['a cron job', {}, false, false],
  ])('%s: asks and draws where it can', (_, options, canPrompt, canDraw) => {
    const { terminal } = recordingTerminal(options);
    expect({ canPrompt: terminal.canPrompt, canDraw: terminal.canDraw }).toEqual({ canPrompt, canDraw });
  });

  it('makes a note harmless, and leaves what the presentation painted', () => {
    const { terminal, err } = recordingTerminal();
    terminal.writeNote('a\u001b[31mb\nc');
    terminal.writeNote('\u001b[31mred\u001b[39m\n', { painted: true });
    expect(err()).toBe('a\ufffdb c\n\u001b[31mred\u001b[39m\n');
  });

  it('takes the overruled of two colour variables away, so that Node does not warn', async () => {
    const body = `
      import { openTerminal } from 'dist/terminal/streams.js';
      import { styleText } from 'node:util';
      openTerminal({ process, env: process.env });
      console.error({ a: styleText('red', 'x') });
      process.stderr.getColorDepth?.();
      await import('@inquirer/prompts');
      await import('ora');
    `;
    const { err } = await runProgram(process.execPath, moduleArgs(body), {
      env: { NO_COLOR: '1', FORCE_COLOR: '1' },
    });
    expect(err).toBe("{ a: 'x' }\n");
  });
});

describe('a note', () => {
  const NOTE = '10:02:58  sending    action 7c1e: OPEN buy USDTNGN';
  const noted = (options: { isTTY?: boolean }, ...how: readonly { whole?: boolean }[]): string => {
    const { terminal, err } = recordingTerminal({ ...options, width: 40 });
    for (const each of how) terminal.writeNote(NOTE, each);
    return err();
  };

  it('is broken between its words on a terminal, and goes on under its own column', () => {
    expect(noted({ isTTY: true }, {})).toBe(
      '10:02:58  sending    action 7c1e: OPEN\n                    buy USDTNGN\n',
    );
  });

  it('is one line in a pipe, and one where it is to be pasted', () => {
    expect(noted({}, {})).toBe(`${NOTE}\n`);
    expect(noted({ isTTY: true }, { whole: true })).toBe(`${NOTE}\n`);
  });
});
