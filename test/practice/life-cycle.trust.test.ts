/** `hedge practice serve` as a test suite uses it: a command of its own, a file of variables, its end, and the same everywhere. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bareEnvironment, runBuilt, toStart } from '../support/built.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { needs } from '../support/tools.ts';
import { mixedRequests, type Step } from './support/mixed-requests.ts';

const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite');

const MOCK = ['practice', 'serve', '--memory', '--seed', '7', '--clock', 'manual'];

interface Served {
  child: ChildProcess;
  base_url: string;
  ca_file: string;
  keys: { live: string; test: string };
  control: { base_url: string; key: string };
  books: readonly { name: string; base_url: string; keys: { live: string; test: string } }[];
  page_url: string;
}

/** Started with `--json`; it ends with the test. */
async function serve(words: readonly string[], env: Record<string, string>): Promise<Served> {
  const child = spawn(...toStart(...words, '--json'), {
    env: bareEnvironment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [printed]: Buffer[] = await once(child.stdout, 'data');
  return { child, ...JSON.parse(String(printed)).data };
}

const ended = async (child: ChildProcess): Promise<{ code: unknown; signal: unknown }> => {
  const [code, signal] = await once(child, 'exit');
  return { code, signal };
};

describe('a command after --', () => {
  const home = () => ({ env: { HEDGE_HOME: temporaryFolder() } });

  it('command: has the variables in its environment, prints its own output, and its exit code is that of hedge', async () => {
    const ran = await runBuilt(
      [...MOCK, '--books', 'a', '--', 'sh', '-c', 'env | grep ^HEDGE_ | sort; exit 7'],
      home(),
    );
    expect({ code: ran.code, err: ran.err }).toEqual({ code: 7, err: '' });
    const names = ran.out
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).toEqual([
      'HEDGE_API_KEY',
      'HEDGE_A_API_KEY',
      'HEDGE_A_BASE_URL',
      'HEDGE_A_LIVE_KEY',
      'HEDGE_BASE_URL',
      'HEDGE_CA_FILE',
      'HEDGE_CONTROL_KEY',
      'HEDGE_CONTROL_URL',
      'HEDGE_HOME',
      'HEDGE_LIVE_KEY',
    ]);
  });

  it('command: reaches the service, which has ended when it has', needs('curl'), async () => {
    const asked =
      'curl -sf --cacert "$HEDGE_CA_FILE" "$HEDGE_CONTROL_URL/health"; echo; echo "$HEDGE_CA_FILE"';
    const ran = await runBuilt([...MOCK, '--', 'sh', '-c', asked], home());
    const [health = '', caFile = ''] = ran.out.trim().split('\n');
    expect(JSON.parse(health)).toMatchObject({ data: { status: 'ok' } });
    expect(existsSync(caFile)).toBe(false);
  });

  it('command: its words, options and input are its own', async () => {
    const ran = await runBuilt(
      [...MOCK, '--', 'sh', '-c', 'cat; echo "$@"', 'sh', '--json', '-q', '--', 'x'],
      {
        ...home(),
        stdin: 'from the terminal ',
      },
    );
    expect(ran).toMatchObject({ code: 0, out: 'from the terminal --json -q -- x\n' });
  });

  it('command: one that a signal ends is 128 and the number of the signal', async () => {
    const ran = await runBuilt([...MOCK, '--', 'sh', '-c', 'kill -KILL $$'], home());
    expect(ran).toMatchObject({ code: 137, out: '' });
  });

  it('command: a profile that is chosen is no conflict for hedge in it', async () => {
    const [program, first] = toStart('account', '--json');
    const ran = await runBuilt([...MOCK, '--', program, ...first], {
      env: { HEDGE_HOME: temporaryFolder(), HEDGE_PROFILE: 'practice' },
    });
    expect(JSON.parse(ran.out)).toMatchObject({ data: { balance_usdc: 100_000 }, error: null });
  });

  it.each([
    [['--', 'no-such-program'], /"no-such-program" cannot be started: there is no such program/],
    [['--'], /There is no command after --/],
    [['--json', '--', 'true'], /The command after -- prints its own output/],
    [['--print-env', 'sh', '--', 'true'], /has the variables in its environment/],
    [['--stop-with-parent', '--', 'true'], /has the standard input/],
    [['--print-env', 'sh', '--json'], /--print-env and --json are two formats/],
    [['true'], /Too many arguments/],
    [
      ['--keys', '/no/such/folder/keys.json'],
      /keys file needs an existing folder: \/no\/such\/folder is not one/,
    ],
    [['--ca-file', '/no/such/folder/ca.pem'], /CA file needs an existing folder/],
    [['--write-env', '/no/such/folder/env'], /cannot be written/],
    [['--settings', '/no/such/file'], /There is no file/],
  ] as const)('command: %j is a usage error', async (words, message) => {
    const ran = await runBuilt([...MOCK, ...words], home());
    expect({ code: ran.code, wrong: message.test(`${ran.out}${ran.err}`) ? '' : ran }).toEqual({
      code: words[0] === '--write-env' ? 74 : 2,
      wrong: '',
    });
  });

  it('command: TERM reaches it first, and hedge dies by it when the command has ended', async () => {
    const folder = temporaryFolder();
    const child = spawn(
      ...toStart(
        ...MOCK,
        '--',
        'sh',
        '-c',
        'trap "sleep 3; echo late > ended; exit 5" TERM; echo up; while :; do sleep 0.1; done',
      ),
      { env: bareEnvironment({ HEDGE_HOME: folder }), cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect(await ended(child)).toEqual({ code: null, signal: 'SIGTERM' });
    expect(readFileSync(join(folder, 'ended'), 'utf8')).toBe('late\n');
  });
});

describe('the end of the service', () => {
  it('stop with parent: it ends with exit code 0 when its standard input closes', async () => {
    const env = { HEDGE_HOME: temporaryFolder() };
    const { child, ca_file: caFile } = await serve([...MOCK, '--stop-with-parent'], env);
    child.stdin?.write('not an end\n');
    child.stdin?.end();
    expect(await ended(child)).toEqual({ code: 0, signal: null });
    expect(existsSync(caFile)).toBe(false);
    const other = await serve(MOCK, env);
    other.child.stdin?.end();
    expect(other.child.exitCode).toBeNull();
  });

  it('write env: is there whole when the service is ready, for this user alone, and goes with it', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'practice.env');
    writeFileSync(path, 'HEDGE_BASE_URL=of an earlier run\n', { mode: 0o644 });
    const { child, ...served } = await serve([...MOCK, '--write-env', path], { HEDGE_HOME: folder });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    expect(lines).toContain(`HEDGE_BASE_URL=${served.base_url}`);
    expect(lines).toContain(`HEDGE_CONTROL_KEY=${served.control.key}`);
    expect(lines).toHaveLength(6);
    child.kill('SIGTERM');
    expect(await ended(child)).toEqual({ code: 0, signal: null });
    expect(existsSync(path)).toBe(false);
  });

  it('write env: Node takes --env-file for itself; where that file exists, it means the same', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'practice.env');
    const asked = [...MOCK, '--env-file', path, '--', 'sh', '-c', `cat ${path}`];
    writeFileSync(path, '');
    const ran = await runBuilt(asked, { env: { HEDGE_HOME: folder } });
    expect(ran.out).toMatch(/^HEDGE_BASE_URL=https:/);
    expect(existsSync(path)).toBe(false);
  });

  it('write env: one of an earlier run is removed before the service starts, also if it cannot', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'practice.env');
    writeFileSync(path, 'HEDGE_BASE_URL=of an earlier run\n');
    const ran = await runBuilt([...MOCK, '--write-env', path, '--settings', join(folder, 'none')], {
      env: { HEDGE_HOME: folder },
    });
    expect(ran.code).toBe(2);
    expect(existsSync(path)).toBe(false);
  });
});

/** A home with a stored book that `change` has gone over. */
async function homeWith(change: (path: string) => void, settings: readonly string[] = []): Promise<string> {
  const home = temporaryFolder();
  const env = { HEDGE_HOME: home };
  expect((await runBuilt(['practice', 'settings', 'margin_pct=11', ...settings], { env })).code).toBe(0);
  change(join(home, 'state', 'practice', 'practice.sqlite'));
  return home;
}

const overwritten = (path: string): void =>
  writeFileSync(path, 'not a database, longer than its header. '.repeat(40));
function ofNewerVersion(path: string): void {
  const book = new DatabaseSync(path);
  book.exec('PRAGMA user_version = 99');
  book.close();
}

describe('a book in memory', () => {
  it.each([
    ['is damaged', () => homeWith(overwritten)],
    ['is of a newer version', () => homeWith(ofNewerVersion)],
    ['is in a folder that is none', async () => '/proc/nowhere'],
  ])('memory: starts where the stored book %s', async (_what, home) => {
    const env = { HEDGE_HOME: await home() };
    const ran = await runBuilt([...MOCK, '--', 'true'], { env });
    expect(ran).toMatchObject({ code: 0, out: '', err: '' });
    expect((await runBuilt(['practice', 'serve', '--', 'true'], { env })).code).toBe(78);
    expect((await runBuilt([...MOCK, '--settings', 'stored', '--', 'true'], { env })).code).toBe(78);
  });

  it('memory: has the default settings, those of a file, or the stored ones', async () => {
    const home = await homeWith(() => undefined);
    const env = { HEDGE_HOME: home };
    const file = join(home, 'settings.json');
    const settingsOf = async (...words: string[]) => {
      const { child, ...served } = await serve([...MOCK, ...words], env);
      const { body } = parted(await sendRaw(served, { api: 'control', method: 'GET', path: '/settings' }));
      child.kill('SIGTERM');
      return JSON.parse(body).data.settings;
    };
    expect(await settingsOf()).toMatchObject({ margin_pct: 10 });
    writeFileSync(file, JSON.stringify({ margin_pct: 20, markets: { USDTNGN: { swing: 0 } } }));
    expect(await settingsOf('--settings', file)).toMatchObject({
      margin_pct: 20,
      markets: { USDTNGN: { swing: 0, base_rate: 1530 } },
    });
    expect(await settingsOf('--settings', 'stored')).toMatchObject({ margin_pct: 11 });
    const printed = await runBuilt(['practice', 'settings', '--json'], { env });
    writeFileSync(file, printed.out);
    expect(await settingsOf('--settings', file)).toMatchObject({ margin_pct: 11 });
    const { data } = JSON.parse(printed.out);
    for (const [document, code] of [
      [data, 0],
      [{ ...data, margin_pct: 12 }, 2],
      [{ data, margin_pct: 12 }, 2],
    ]) {
      writeFileSync(file, JSON.stringify(document));
      expect((await runBuilt([...MOCK, '--settings', file, '--', 'true'], { env })).code).toBe(code);
    }
    writeFileSync(file, '{"margin_pct": "much"}');
    const wrong = await runBuilt([...MOCK, '--settings', file, '--', 'true'], { env });
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('margin_pct: must be a number.');
    const stored = await runBuilt(['practice', 'serve', '--settings', file], { env });
    expect(stored.err).toContain('--settings is for books in memory.');
  });
});

/** The bytes of a response; empty for a lost one. */
function sendRaw(
  served: Omit<Served, 'child'>,
  { api, method, path, as = 'test', ...step }: Step,
): Promise<string> {
  const book = served.books.find(({ name }) => name === step.book) ?? served;
  const url = new URL(api === 'control' ? served.control.base_url : book.base_url);
  const key = api === 'control' ? served.control.key : book.keys[as];
  const body = step.body === undefined ? '' : JSON.stringify(step.body);
  const lines = [
    `${method} ${url.pathname}${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${key}`,
    ...(step.key === undefined ? [] : [`Idempotency-Key: ${step.key}`]),
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body).toString()}`,
    'Connection: close',
  ];
  const socket = connect({ host: '127.0.0.1', port: Number(url.port), ca: readFileSync(served.ca_file) });
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
  socket.on('error', () => undefined);
  return text(socket).catch(() => '');
}

function parted(response: string): { head: string; body: string } {
  const at = response.indexOf('\r\n\r\n');
  return { head: response.slice(0, at), body: response.slice(at + 4) };
}

const REQUESTS = 1_000;

describe('two machines', () => {
  it(`the same seed gives equal bytes over ${REQUESTS} requests, whatever books and settings they have stored`, async () => {
    const homes = await Promise.all([
      homeWith(() => undefined, ['exposure_cap_usd=1000', 'markets.USDTNGN.base_rate=1234', 'seed=other']),
      homeWith(overwritten, ['platform_fee_pct=5']),
    ]);
    const all = mixedRequests(REQUESTS);
    const [first = [], second = []] = await Promise.all(
      homes.map(async (home) => {
        const served = await serve([...MOCK, '--books', 'a'], { HEDGE_HOME: home });
        const seen: string[] = [];
        // oxlint-disable-next-line no-await-in-loop
        for (const step of all) seen.push(await sendRaw(served, step));
        served.child.kill('SIGTERM');
        await ended(served.child);
        return seen;
      }),
    );
    expect(second.findIndex((bytes, index) => bytes !== first[index])).toBe(-1);
    expect(second).toHaveLength(REQUESTS);
    const statuses = new Set(first.map((bytes) => bytes.slice(9, 12)));
    expect([...statuses].toSorted()).toEqual(['', '200', '201', '400', '404', '405', '409', '429', '503']);
  });
});

describe('several services at once', () => {
  it('eight start at the same time in an empty home, in memory and stored', async () => {
    for (const words of [MOCK, ['practice', 'serve']]) {
      const home = join(temporaryFolder(), 'home');
      const env = { HEDGE_HOME: home, HERE: temporaryFolder() };
      // None ends before all are there: a port that is free again may be given again.
      const command =
        'echo "$HEDGE_BASE_URL"; : > "$HERE/$$"; until [ "$(ls "$HERE" | wc -l)" -ge 8 ]; do sleep 0.05; done';
      const all = await Promise.all(
        Array.from({ length: 8 }, () => runBuilt([...words, '--', 'sh', '-c', command], { env })),
      );
      expect(all.map(({ code, err }) => ({ code, err }))).toEqual(all.map(() => ({ code: 0, err: '' })));
      expect(all).toHaveLength(8);
      expect(new Set(all.map(({ out }) => out)).size).toBe(8);
    }
  });
});
