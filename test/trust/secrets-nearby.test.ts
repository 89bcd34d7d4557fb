/**
 * S1: what runs beside the program, or is left when it dies, has not one byte of the key: reports of Node, the program
 * that prints the key, the keychain, and the list of processes.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltRun, HEDGE, IN_SHELL, runBuilt, runProgram } from '../support/built.ts';
import { filesWithCanary, holdsCanary } from '../support/canary.ts';
import { expectHeld, oneOfEach, SOAKING } from '../support/goal.ts';
import { DEBUGGED, keyHome, leaksOf } from '../support/key-home.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook, WITHOUT_LIMIT } from '../support/served-book.ts';
import { needs } from '../support/tools.ts';

let served: ServedBook;
let key: string;
beforeAll(async () => {
  served = await servedBook(WITHOUT_LIMIT);
  key = served.desk.service.keys.test;
});
afterAll(() => served.close());

describe('not one byte of the key is in', () => {
  it('an internal error, and the reports that Node then writes', async () => {
    const home = keyHome(served.way(''));
    const reports = temporaryFolder();
    const fault = join(reports, 'fault.cjs');
    const breaks = (how: string): Promise<BuiltRun> => {
      writeFileSync(fault, `JSON.stringify = () => { ${how} };`);
      return runBuilt(['account', '--json', '-v'], {
        env: {
          HEDGE_HOME: home,
          HEDGE_API_KEY: key,
          HEDGE_BASE_URL: served.desk.service.url,
          HEDGE_CA_FILE: served.way(home)['HEDGE_CA_FILE'] ?? '',
          NODE_OPTIONS: `${DEBUGGED.NODE_OPTIONS} --max-old-space-size=40 --report-directory=${reports} --require=${fault}`,
        },
      });
    };
    const heldOf = async (how: string): Promise<void> => {
      const ran = await breaks(how);
      wrong.push(...leaksOf(key, home, ran).map((where) => `${how}: ${where}`));
    };
    const wrong: string[] = [];
    const faults = [
      "throw new Error('broken on purpose')",
      "setImmediate(() => { throw new Error('nobody catches it') })",
      "Promise.reject(new Error('nobody waits for it'))",
      "process.kill(process.pid, 'SIGUSR2'); const until = Date.now() + 300; while (Date.now() < until);",
      'process.abort()',
      'for (const kept = [];;) kept.push(Array(1e5).fill(Math.random()))',
    ];
    const tried = SOAKING ? faults : [faults[1] ?? '', faults[5] ?? ''];
    for (const how of tried) await heldOf(how);
    expect(readdirSync(reports).filter((name) => name.startsWith('report.')).length).toBeGreaterThan(1);
    wrong.push(...filesWithCanary(key, reports).map((path) => `a report: ${path}`));
    expectHeld('S1 secrets', { runs: tried.length, wrong });
  });

  it(
    'the program that prints the key gets neither another key nor any part of this one',
    needs('/proc'),
    async () => {
      const folder = temporaryFolder();
      const [printer, store, seen] = [
        join(folder, 'printer.cjs'),
        join(folder, 'store'),
        join(folder, 'seen'),
      ];
      writeFileSync(store, key, { mode: 0o600 });
      const lookAround = `
      const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
      const read = (pid) => { try { return readFileSync('/proc/' + pid + '/cmdline', 'latin1'); } catch { return ''; } };
      const lines = readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map(read);
      writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ env: process.env, lines }));
      process.stderr.write(readFileSync(${JSON.stringify(store)}));
      process.stdout.write(readFileSync(${JSON.stringify(store)}));`;
      writeFileSync(printer, lookAround);
      const home = keyHome(served.way(''), { api_key_command: [process.execPath, printer] });
      const ran = await runBuilt(['account', '--json', '-v', '--profile', 'desk'], {
        env: { HEDGE_HOME: home, HEDGE_API_KEY: key },
      });
      expect(ran).toMatchObject({ code: 0 });
      expect(leaksOf(key, home, ran)).toEqual([]);
      expect(readFileSync(seen, 'utf8')).toContain('HEDGE_HOME');
      expect(readFileSync(seen, 'utf8')).toContain('account');
      expect(holdsCanary(key, readFileSync(seen))).toBe(false);
    },
  );

  it('the environment of that program, where it is asked with the variable', async () => {
    const folder = temporaryFolder();
    const seen = join(folder, 'seen');
    const script = `require('node:fs').writeFileSync(${JSON.stringify(seen)}, JSON.stringify(process.env)); console.log('no key')`;
    const home = keyHome(served.way(''), { api_key_command: [process.execPath, '-e', script] });
    const hidden = { HEDGE_API_KEY: key, UNRELATED: 'x' };
    const ran = await runBuilt(['account', '--profile', 'desk', '-v'], {
      env: { HEDGE_HOME: home, ...hidden },
    });
    expect(ran.code).toBe(4);
    expect(readFileSync(seen, 'utf8')).toContain('UNRELATED');
    const wrong = [...leaksOf(key, home, ran), ...filesWithCanary(key, folder)];
    expectHeld('S1 secrets', { runs: 1, wrong });
  });

  it('the words and the environment of any program that is started', needs('strace'), async () => {
    const folder = temporaryFolder();
    const [store, log] = [join(folder, 'store'), join(folder, 'execve')];
    writeFileSync(store, key, { mode: 0o600 });
    const wrong: string[] = [];
    const { HEDGE_BASE_URL: url = '', HEDGE_CA_FILE: caFile = '' } = served.way('');
    const lines = [
      `profile add a --base-url ${url} --ca-file ${caFile} --key-stdin`,
      `profile add b --base-url ${url} --ca-file ${caFile} --key-file ${store}`,
      `profile add c --base-url ${url} --ca-file ${caFile} --key-command ["cat","${store}"]`,
      `profile add d --base-url ${url} --ca-file ${caFile} --key-stdin --store keychain --no-check`,
      'account --profile a',
      'account --profile c',
      'practice advance 1h',
      'doctor --profile c',
    ];
    const tried = SOAKING ? lines : oneOfEach(lines, 2);
    let started = 0;
    for (const line of tried) {
      const words = [
        '-f',
        '-v',
        '-s',
        '100000',
        '-qq',
        '-o',
        log,
        '-e',
        'trace=execve',
        ...HEDGE,
        ...line.split(' '),
      ];
      const ran = await runProgram('strace', words, { env: { HEDGE_HOME: folder }, stdin: key });
      const calls = readFileSync(log, 'utf8');
      started += calls.split('execve(').length - 1;
      if (holdsCanary(key, calls)) wrong.push(`${line}: ${calls}`);
      if (holdsCanary(key, ran.out + ran.err)) wrong.push(`${line}: ${ran.out}${ran.err}`);
    }
    expect(started).toBeGreaterThan(tried.length);
    expectHeld('S1 secrets', { runs: tried.length, wrong });
  });

  it.runIf(SOAKING)(
    'any file of a profile whose key is in the keychain of the platform',
    SOAKING ? needs('bash', 'dbus-run-session', 'gnome-keyring-daemon') : {},
    async () => {
      const folder = temporaryFolder();
      const home = join(folder, 'home');
      const { HEDGE_BASE_URL: url = '', HEDGE_CA_FILE: caFile = '' } = served.way('');
      const script = `
      printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
      ${IN_SHELL} profile add desk --base-url ${url} --ca-file ${caFile} --key-stdin --store keychain -v
      ${IN_SHELL} account --profile desk --json -v && ${IN_SHELL} profile list`;
      const env = {
        HEDGE_HOME: home,
        HOME: folder,
        XDG_DATA_HOME: join(folder, 'data'),
        XDG_RUNTIME_DIR: folder,
      };
      const ran = await runProgram('dbus-run-session', ['--', 'bash', '--norc', '-ec', script], {
        env,
        stdin: key,
      });
      expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('"balance_usdc"') });
      const wrong = [...leaksOf(key, home, ran), ...filesWithCanary(key, home)];
      expectHeld('S1 secrets', { runs: 1, wrong });
    },
  );
});
