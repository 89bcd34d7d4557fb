/**
 * S11: the program that prints the key runs only from a file that its user alone could have written, without a shell,
 * within its limits, and takes no input of anybody's.
 */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltRun } from '../support/built.ts';
import { eventually, isRunning } from '../support/eventually.ts';
import { expectHeld } from '../support/goal.ts';
import { openBuilt, runHedge } from '../support/in-process.ts';
import { keyHome, PROFILES } from '../support/key-home.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook, WITHOUT_LIMIT } from '../support/served-book.ts';
import { quickClock, testCli } from '../support/test-cli.ts';

const GOAL = 'S11 commands in config';
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

let served: ServedBook;
let key: string;
beforeAll(async () => {
  served = await servedBook(WITHOUT_LIMIT);
  key = served.desk.service.keys.test;
});
afterAll(() => served.close());

/** A home whose profile runs this script of Node, and the file in which the script says that it ran. */
function aHome(script: string): { home: string; ran: string } {
  const ran = join(temporaryFolder(), 'ran');
  const whole = `require('node:fs').writeFileSync(${JSON.stringify(ran)}, String(process.pid)); ${script}`;
  return { ran, home: keyHome(served.way(''), { api_key_command: [process.execPath, '-e', whole] }) };
}

const printing = (text: string): string => `process.stdout.write(${JSON.stringify(text)});`;

interface Foreign {
  what: string;
  make(home: string): void;
  possible?: boolean;
}

const FOREIGN: readonly Foreign[] = [
  { what: 'a file that its group may write', make: (home) => chmodSync(join(home, PROFILES), 0o620) },
  { what: 'a file that all may write', make: (home) => chmodSync(join(home, PROFILES), 0o602) },
  { what: 'a folder that its group may write', make: (home) => chmodSync(join(home, 'config'), 0o770) },
  { what: 'a folder that all may write', make: (home) => chmodSync(join(home, 'config'), 0o777) },
  {
    what: 'a link',
    make(home) {
      renameSync(join(home, PROFILES), join(home, 'elsewhere'));
      symlinkSync(join(home, 'elsewhere'), join(home, PROFILES));
    },
  },
  {
    what: 'a file of another user',
    make: (home) => chownSync(join(home, PROFILES), NOBODY, NOBODY),
    possible: isRoot,
  },
  {
    what: 'a folder of another user',
    make: (home) => chownSync(join(home, 'config'), NOBODY, NOBODY),
    possible: isRoot,
  },
];

describe('a command that prints the key', () => {
  it('runs from a file of this user alone', async () => {
    const { home, ran } = aHome(printing(key));
    expect(await runHedge(['account'], { env: { HEDGE_HOME: home } })).toMatchObject({ code: 0 });
    expect(existsSync(ran)).toBe(true);
  });

  it.each(FOREIGN.filter(({ possible }) => possible !== false))(
    'does not run from $what',
    async ({ make }) => {
      const { home, ran } = aHome(printing(key));
      make(home);
      const wrong: string[] = [];
      for (const line of ['account', 'doctor', 'profile show desk', 'open USDTNGN buy 10k --tenor 3 --yes']) {
        const { code, err, out } = await runHedge(line.split(' '), { env: { HEDGE_HOME: home } });
        if (existsSync(ran)) wrong.push(`it ran for ${line}`);
        if (code !== (line === 'doctor' ? 11 : 78)) wrong.push(`${line}: ${String(code)} ${err}${out}`);
      }
      expectHeld(GOAL, { runs: 4, wrong });
      expect(served.changes()).toEqual([]);
    },
  );

  it.each([
    [
      'a shell’s words',
      (folder: string) => ['echo', `$(touch ${folder}/bitten)`, `; touch ${folder}/bitten`],
    ],
    ['a line in one word', (folder: string) => [`touch ${folder}/bitten`]],
  ])('is %s to no shell', async (_, argv) => {
    const folder = temporaryFolder();
    const home = keyHome(served.way(''), { api_key_command: argv(folder) });
    expect((await runHedge(['account'], { env: { HEDGE_HOME: home } })).code).toBe(4);
    expect(existsSync(join(folder, 'bitten'))).toBe(false);
  });

  it.each([
    ['prints no key', printing('CANARY of no key'), /is not usable/],
    ['prints a key and more', "process.stdout.write('hk_test_forTestsAlone0001 CANARY')", /is not usable/],
    ['prints two lines', "process.stdout.write('hk_test_forTestsAlone0001\\nCANARY')", /more than one line/],
    [
      'prints without end',
      "for (;;) process.stdout.write('CANARY'.repeat(1_000))",
      /printed more than a key/,
    ],
    ['prints 64 KiB and a byte', "process.stdout.write('x'.repeat(65_537))", /printed more than a key/],
    ['fails, and says the key', "console.error('CANARY'); process.exit(3)", /exited with 3/],
  ])('that %s leaves nothing sent, and what it printed is not shown', async (_, script, says) => {
    const { home } = aHome(script);
    const before = served.desk.log.length;
    const { code, err, out } = await runHedge(['account', '-v'], { env: { HEDGE_HOME: home } });
    const wrong = [
      ...(code === 4 ? [] : [`it ended with ${String(code)}`]),
      ...(says.test(err.replaceAll('\n', ' ')) ? [] : [`it says ${err}`]),
      ...((err + out).includes('CANARY') ? [`it shows ${err}${out}`] : []),
      ...(served.desk.log.length > before ? ['something was sent'] : []),
    ];
    expectHeld(GOAL, { runs: 1, wrong });
  });

  it('is ended after 30 s, and so is what it started', async () => {
    const { home, ran } = aHome('setInterval(() => undefined, 1_000)');
    const clock = quickClock();
    const asked: number[] = [];
    const cli = testCli({
      home,
      clock: {
        ...clock,
        after(ms, then) {
          asked.push(ms);
          if (ms !== 30_000) return clock.after(ms, then);
          void eventually(() => existsSync(ran) && readFileSync(ran, 'utf8') !== '').then(then);
          return () => undefined;
        },
      },
    });
    const { code, err } = await cli.run('account');
    expect({ code, err, asked }).toMatchObject({ code: 4, err: expect.stringContaining('within 30 s') });
    expect(asked).toContain(30_000);
    const pid = Number(readFileSync(ran, 'utf8'));
    await eventually(() => !isRunning(pid));
  });

  it('takes no line of a batch, and nothing that is typed', async () => {
    const reads = `let got = 0; process.stdin.on('data', (part) => (got += part.length)).on('end', () => {
      if (got === 0) ${printing(key)} });`;
    const { home } = aHome(reads);
    const stdin = 'hedges\naccount\npositions\n';
    const batch: BuiltRun = await runHedge(['batch', '-'], { env: { HEDGE_HOME: home }, stdin });
    expect({ ...batch, lines: batch.out.trim().split('\n').length }).toMatchObject({ code: 0, lines: 3 });
    const words = ['open', 'USDTNGN', 'buy', '10k', '--tenor', '3'];
    const screen = openBuilt(words, { env: { HEDGE_HOME: home } });
    screen.send('typed ahead');
    await screen.until('(y/N) typed ahead');
    screen.send('\u0015n\r');
    expect(await screen.exit).toMatchObject({ code: 10 });
    expectHeld(GOAL, { runs: 2, wrong: [] });
  });
});

const run = (words: readonly string[], env: Record<string, string>, from = '/') =>
  runHedge(words, { env, from });

/** A program in `folder` that prints the key and leaves a file beside it; both are this user's. */
function aProgram(
  folder = temporaryFolder(),
  name = 'get-key',
): { folder: string; path: string; ran: string } {
  const [path, ran] = [join(folder, name), join(temporaryFolder(), 'ran')];
  writeFileSync(path, `#!/bin/sh\necho run > '${ran}'\necho '${key}'\n`, { mode: 0o755 });
  return { folder, path, ran };
}

interface ForeignProgram {
  what: string;
  spoil(made: { folder: string; path: string }): string | void;
  possible?: boolean;
}

const FOREIGN_PROGRAMS: readonly ForeignProgram[] = [
  { what: 'that all may write', spoil: ({ path }) => chmodSync(path, 0o757) },
  { what: 'that its group may write', spoil: ({ path }) => chmodSync(path, 0o775) },
  { what: 'in a folder that all may write', spoil: ({ folder }) => chmodSync(folder, 0o777) },
  { what: 'of another user', spoil: ({ path }) => chownSync(path, NOBODY, NOBODY), possible: isRoot },
  {
    what: 'in a folder of another user',
    spoil: ({ folder }) => chownSync(folder, NOBODY, NOBODY),
    possible: isRoot,
  },
  {
    what: 'behind a link, in a folder that all may write',
    spoil({ folder, path }) {
      const link = join(temporaryFolder(), 'get-key');
      symlinkSync(path, link);
      chmodSync(folder, 0o777);
      return link;
    },
  },
];

describe('the files of a key command', () => {
  const ways: readonly (readonly [name: string, argv: (path: string) => string[]])[] = [
    ['as the program', (path) => [path]],
    ['as an argument', (path) => ['sh', path]],
    ['as the value of an option', (path) => ['env', `GIVEN=${path}`, 'sh', '-c', '"$GIVEN"']],
  ];

  it.each(FOREIGN_PROGRAMS.filter(({ possible }) => possible !== false))(
    'are not used when one is $what',
    async ({ spoil }) => {
      const wrong: string[] = [];
      for (const [name, argv] of ways) {
        const made = aProgram();
        const path = spoil(made) ?? made.path;
        const home = keyHome(served.way(''), { api_key_command: argv(path) });
        const stored = await run(['account'], { HEDGE_HOME: home });
        const words = ['profile', 'add', 'desk', '--base-url', served.desk.service.url, '--no-check'];
        const added = await run([...words, '--key-command', JSON.stringify(argv(path))], {
          HEDGE_HOME: temporaryFolder(),
        });
        if (existsSync(made.ran)) wrong.push(`${name}: it ran`);
        for (const { code, err } of [stored, added])
          if (code !== 4 || !err.includes('was not run')) wrong.push(`${name}: ${String(code)} ${err}`);
      }
      expectHeld(GOAL, { runs: ways.length * 2, wrong });
    },
  );

  it.each(ways)('of this user and of root are used (%s)', async (_, argv) => {
    const shared = temporaryFolder();
    chmodSync(shared, 0o1777);
    for (const { path, ran } of [aProgram(), aProgram(shared)]) {
      const home = keyHome(served.way(''), { api_key_command: argv(path) });
      expect(await run(['account'], { HEDGE_HOME: home })).toMatchObject({ code: 0 });
      expect(existsSync(ran)).toBe(true);
    }
  });

  it.each([
    ['a relative program', ['./get-key'], {}],
    ['a relative program without a dot', ['sub/../get-key'], {}],
    ['a relative argument', ['sh', 'get-key'], {}],
    ['a program in an empty part of PATH', ['get-key'], { PATH: `:${process.env['PATH'] ?? ''}` }],
    ['a program in a relative folder of PATH', ['get-key'], { PATH: `.:${process.env['PATH'] ?? ''}` }],
  ])('are not looked for in the working folder: %s', async (_, argv, env) => {
    const { folder, ran } = aProgram();
    mkdirSync(join(folder, 'sub'));
    const home = keyHome(served.way(''), { api_key_command: argv });
    const { code, err } = await run(['account'], { HEDGE_HOME: home, ...env }, folder);
    expect({ code, ran: existsSync(ran) }).toEqual({ code: 4, ran: false });
    expect(err.replaceAll(/\s+/g, ' ')).toMatch(/full (path|ones)/);
  });

  it('are given by their full path when a profile is added from their folder', async () => {
    const { folder, path, ran } = aProgram();
    const home = temporaryFolder();
    const words = ['profile', 'add', 'desk', '--base-url', served.desk.service.url];
    const caFile = served.way('')['HEDGE_CA_FILE'] ?? '';
    const added = await run(
      [...words, '--ca-file', caFile, '--key-command', '["./get-key"]'],
      { HEDGE_HOME: home },
      folder,
    );
    expect(added).toMatchObject({ code: 0 });
    expect(readFileSync(join(home, PROFILES), 'utf8')).toContain(JSON.stringify(path));
    const elsewhere = aProgram();
    expect(
      await run(['account'], { HEDGE_HOME: home, HEDGE_PROFILE: 'desk' }, elsewhere.folder),
    ).toMatchObject({ code: 0 });
    expect([existsSync(ran), existsSync(elsewhere.ran)]).toEqual([true, false]);
  });
});
