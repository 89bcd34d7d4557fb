/**
 * S1: not one byte of the key anywhere but in the 0600 file of the profiles and in the Authorization header, whatever
 * is run, whatever fails, and whoever debugs Node.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltRun, runBuilt } from '../support/built.ts';
import { filesWithCanary, holdsCanary } from '../support/canary.ts';
import { type Front, frontOf, type Meddling, refusal } from '../support/front.ts';
import { expectHeld, SOAKING } from '../support/goal.ts';
import { inLanes } from '../support/lanes.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';

let served: ServedBook;
let key: string;
beforeAll(async () => {
  served = await servedBook({ rate_limit: { burst: 10_000, per_second: 10_000 } });
  key = served.desk.service.keys.test;
});
afterAll(() => served.close());

const PROFILES = 'config/profiles.json';
const OPEN = 'open USDTNGN buy 10000 --tenor 3 --yes';

/** What shows more than a person asked for. */
const DEBUGGED = {
  NODE_DEBUG: '*',
  NODE_OPTIONS:
    '--report-on-fatalerror --report-uncaught-exception --report-on-signal --report-signal=SIGUSR2 --trace-warnings --trace-uncaught',
};

/** A home in which the key is stored under the profile `desk`, which is the default. */
function aHome(way: Record<string, string>, more: Record<string, unknown> = { api_key: key }): string {
  const home = temporaryFolder();
  mkdirSync(join(home, 'config'), { mode: 0o700 });
  const profile = {
    base_url: way['HEDGE_BASE_URL'],
    ca_file: way['HEDGE_CA_FILE'],
    added_at: '2026-11-20T09:00:00Z',
    ...more,
  };
  const file = { version: 1, default_profile: 'desk', profiles: { desk: profile } };
  writeFileSync(join(home, PROFILES), JSON.stringify(file), { mode: 0o600 });
  return home;
}

const leaks = (home: string, { out, err }: BuiltRun): readonly string[] => [
  ...(holdsCanary(key, out) ? [`standard output: ${out}`] : []),
  ...(holdsCanary(key, err) ? [`standard error: ${err}`] : []),
  ...filesWithCanary(key, home).filter((path) => path !== PROFILES),
];

describe('the hunt', () => {
  it.each<[string, (text: string) => string]>([
    ['as it is', (text) => text],
    ['in part', (text) => text.slice(12, 22)],
    ['in base64', (text) => Buffer.from(`Bearer ${text}`).toString('base64')],
    ['in base64 behind another word', (text) => Buffer.from(`ab${text}`).toString('base64')],
    ['percent-encoded', (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
    ['in UTF-16', (text) => Buffer.from(text, 'utf16le').toString('latin1')],
  ])('finds a key %s', (_, hidden) => {
    const otherKey = `hk_test_${'otherKey'.repeat(4)}`;
    expect(holdsCanary(key, `<${hidden(key)}>`)).toBe(true);
    expect(holdsCanary(key, `<${hidden(otherKey)}>`)).toBe(false);
  });

  it('finds it in a file that should not hold it', () => {
    const home = aHome(served.way(''));
    expect(filesWithCanary(key, home)).toEqual([PROFILES]);
  });
});

const COMMANDS: readonly string[] = [
  '',
  'markets',
  'price --chart',
  'quote USDTNGN buy 10000',
  'hedges',
  'hedges --csv',
  'history',
  'positions',
  'account --output jsonl',
  'account --query data',
  'markets --query @',
  'journal',
  'check',
  OPEN,
  'add USDTNGN buy 1000 --yes',
  'reduce USDTNGN buy 1000 --yes',
  'close USDTNGN buy --yes --if-open',
  'halt drill',
  'unhalt --yes',
  'api GET /account',
  'api GET /nowhere?a=b',
  'batch -',
  'profile list',
  'profile show',
  'profile limit desk --max-notional 50k',
  'profile use desk',
  'completion bash',
  '__complete hedges',
  '__complete profiles',
  'nonsense',
  'profile remove desk --yes',
];

describe('the key is in nothing that is written by', () => {
  it.each(['--json -v', ...(SOAKING ? ['', '-q'] : [])])(
    'any command with "%s", while Node itself is debugged',
    async (options) => {
      await served.reset();
      const home = aHome(served.way(''));
      const found: string[] = [];
      for (const line of COMMANDS) {
        const words = `${line} ${/--(csv|query|output)/.test(line) ? '' : options}`.split(' ');
        const ran = await runBuilt(words.filter(Boolean), {
          env: { HEDGE_HOME: home, ...DEBUGGED },
          stdin: 'quote USDTNGN buy 10k --tenor 3\nhedges\n',
        });
        found.push(...leaks(home, ran).map((where) => `${line}: ${where}`));
      }
      expectHeld('S1 secrets', { runs: COMMANDS.length, wrong: found });
      expect(served.changes().length).toBeGreaterThan(3);
      expect(readFileSync(join(home, PROFILES), 'latin1')).not.toContain(key);
    },
    60_000,
  );

  it('any failure of the service, its own words with the key in them among those', async () => {
    const echo = (status: number): Meddling => {
      const body = `{"data":null,"error":{"code":"x ${key}","message":"Bearer ${key}","details":{"${key}":"${key}"}},"meta":{"key":"${key}"}}`;
      return () => Promise.resolve({ status, headers: { 'x-key': key, location: `https://${key}/` }, body });
    };
    const html: Meddling = () =>
      Promise.resolve({ status: 502, headers: {}, body: `<html>${key} ${btoa(key)}</html>` });
    const faults: readonly Meddling[] = [
      ...[200, 307, 400, 401, 403, 404, 409].map(echo),
      html,
      () => Promise.resolve('cut'),
      () => Promise.resolve(refusal(429, 'rate_limited', { 'retry-after': '9999' })),
      () => Promise.resolve({ status: 200, headers: {}, body: `{"data": {"k": "${key}` }),
      () =>
        Promise.resolve({
          status: 200,
          headers: {},
          body: JSON.stringify({ data: [{ id: key, name: encodeURIComponent(key) }], error: null, meta: {} }),
        }),
    ];
    const lanes: Front[] = [];
    for (let lane = 0; lane < 8; lane += 1) lanes.push(await frontOf(served, temporaryFolder()));
    const lines = ['account --json -v', `${OPEN} -v`, 'hedges'];
    const cases = faults.flatMap((fault, index) => {
      const first = index % lines.length;
      return (SOAKING ? lines : lines.slice(first, first + 1)).map((line) => ({ fault, line }));
    });
    const found = await inLanes(lanes, cases, async (front, { fault, line }) => {
      const home = aHome(front.way(''));
      front.meddle(fault);
      const ran = await runBuilt(line.split(' '), { env: { HEDGE_HOME: home, NODE_DEBUG: 'http,tls' } });
      return leaks(home, ran).map((where) => `${line}: ${where}`);
    });
    expectHeld('S1 secrets', { runs: cases.length, wrong: found.flat() });
  }, 120_000);

  it('a fault of ours, and the reports that Node then writes', async () => {
    const home = aHome(served.way(''));
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
          NODE_OPTIONS: `${DEBUGGED.NODE_OPTIONS} --report-directory=${reports} --require=${fault}`,
        },
      });
    };
    const faults = [
      "throw new Error('broken on purpose')",
      "setImmediate(() => { throw new Error('nobody catches it') })",
      "Promise.reject(new Error('nobody waits for it'))",
      "process.kill(process.pid, 'SIGUSR2'); const until = Date.now() + 300; while (Date.now() < until);",
    ];
    for (const how of SOAKING ? faults : faults.slice(1, 2))
      expect({ how, leaks: leaks(home, await breaks(how)) }).toEqual({ how, leaks: [] });
    expect(readdirSync(reports).filter((name) => name.startsWith('report.')).length).toBeGreaterThan(0);
    expect(filesWithCanary(key, reports)).toEqual([]);
  });

  it('the program that prints the key is lent neither another key nor a word of this one', async () => {
    const folder = temporaryFolder();
    const [printer, store, seen] = [join(folder, 'printer.cjs'), join(folder, 'store'), join(folder, 'seen')];
    writeFileSync(store, key, { mode: 0o600 });
    const lookAround = `
      const { readdirSync, readFileSync, writeFileSync } = require('node:fs');
      const read = (pid) => { try { return readFileSync('/proc/' + pid + '/cmdline', 'latin1'); } catch { return ''; } };
      const lines = readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map(read);
      writeFileSync(${JSON.stringify(seen)}, JSON.stringify({ env: process.env, lines }));
      process.stderr.write(readFileSync(${JSON.stringify(store)}));
      process.stdout.write(readFileSync(${JSON.stringify(store)}));`;
    writeFileSync(printer, lookAround);
    const home = aHome(served.way(''), { api_key_command: [process.execPath, printer] });
    const ran = await runBuilt(['account', '--json', '-v', '--profile', 'desk'], {
      env: { HEDGE_HOME: home, HEDGE_API_KEY: key },
    });
    expect(ran).toMatchObject({ code: 0 });
    expect(leaks(home, ran)).toEqual([]);
    expect(readFileSync(seen, 'utf8')).toContain('HEDGE_HOME');
    expect(readFileSync(seen, 'utf8')).toContain('account');
    expect(holdsCanary(key, readFileSync(seen))).toBe(false);
  });

  it('a file of profiles that cannot be read', async () => {
    const whole = readFileSync(join(aHome(served.way('')), PROFILES), 'utf8');
    const from = whole.indexOf(key);
    const broken = [
      ...[4, 16, key.length, key.length + 1].map((length) => whole.slice(0, from + length)),
      whole.replace(key, `${key}" "`),
      whole.replace('"api_key"', '"api_key_command"'),
      whole.replace('"version":1', '"version":2'),
      whole.replace('"desk":', `"${key}":`),
      whole.replace(/"base_url":"[^"]*"/, `"base_url":"https://${key}@127.0.0.1:1/v2"`),
      whole.replace(/"ca_file":"[^"]*"/, `"ca_file":"/${key}"`),
    ];
    for (const content of SOAKING ? broken : broken.slice(3, 9)) {
      const home = temporaryFolder();
      mkdirSync(join(home, 'config'), { mode: 0o700 });
      writeFileSync(join(home, PROFILES), content, { mode: 0o600 });
      for (const words of [
        ['account', '-v'],
        ['profile', 'list', '--json'],
      ]) {
        const ran = await runBuilt(words, { env: { HEDGE_HOME: home } });
        expect({ content, leaks: leaks(home, ran) }).toEqual({ content, leaks: [] });
      }
    }
  });
});

/** An operator's slip: the key in the place of something else. */
const SLIPS: readonly { words: string; env?: Readonly<Record<string, string>> }[] = [
  { words: 'KEY' },
  { words: 'markets KEY' },
  { words: 'markets --KEY' },
  { words: 'help KEY' },
  { words: 'markets --profile KEY' },
  { words: 'markets --expect-env KEY' },
  { words: 'markets --output KEY' },
  { words: 'markets --query KEY(' },
  { words: 'profile add KEY --base-url https://127.0.0.1:1/v2' },
  { words: 'profile add desk --base-url KEY --key-stdin' },
  { words: 'profile add desk --base-url https://KEY/v2 --key-stdin' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --key KEY' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --api-key=KEY' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --key-file KEY' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --key-command ["KEY"]' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --key-command KEY' },
  { words: 'profile add desk --base-url https://127.0.0.1:1/v2 --ca-file KEY' },
  { words: 'profile show', env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://u:KEY@127.0.0.1:1/v2' } },
  { words: 'profile use KEY' },
  { words: 'profile show KEY' },
  { words: 'quote KEY buy 10k --profile practice' },
  { words: 'quote USDTNGN KEY 10k --profile practice' },
  { words: 'quote USDTNGN buy KEY --profile practice' },
  { words: 'hedges KEY -v --profile practice' },
  { words: 'hedges --deal-id KEY -v --profile practice' },
  { words: 'journal KEY' },
  { words: 'journal settle 7c1e --as done --because KEY' },
  { words: 'wait KEY --profile practice' },
  { words: 'open USDTNGN buy 10k --tenor 3 --yes --profile practice --deal-id KEY' },
  { words: 'open USDTNGN buy 10k --tenor 3 --yes --profile practice --idempotency-key KEY' },
  { words: 'open USDTNGN buy 10k --tenor 3 --yes --profile practice --despite KEY' },
  { words: 'api GET /KEY -v --profile practice' },
  { words: 'api KEY /account --profile practice' },
  { words: 'halt KEY' },
  { words: 'batch KEY' },
  { words: 'batch - --name KEY --yes --profile practice' },
  { words: 'completion KEY' },
  { words: 'practice advance KEY' },
  { words: '__complete KEY' },
  { words: 'markets', env: { HEDGE_PROFILE: 'KEY' } },
  { words: 'markets --profile practice', env: { HEDGE_EXPECT_ENV: 'KEY' } },
  { words: 'markets', env: { HEDGE_API_KEY: 'https://127.0.0.1:1/v2', HEDGE_BASE_URL: 'KEY' } },
  { words: 'markets', env: { HEDGE_API_KEY: 'KEY KEY', HEDGE_BASE_URL: 'https://127.0.0.1:1/v2' } },
  { words: 'markets', env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://u:KEY@127.0.0.1:1/v2' } },
  { words: 'markets', env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://127.0.0.1:1/v2?key=KEY' } },
  { words: 'markets', env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://127.0.0.1:1/KEY' } },
  {
    words: 'markets',
    env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://127.0.0.1:1/v2', HEDGE_CA_FILE: 'KEY' },
  },
  {
    words: 'markets',
    env: {
      HEDGE_API_KEY: 'KEY',
      HEDGE_BASE_URL: 'https://x.invalid/v2',
      HTTPS_PROXY: 'http://KEY:KEY@127.0.0.1:1',
    },
  },
  {
    words: 'markets',
    env: { HEDGE_API_KEY: 'KEY', HEDGE_BASE_URL: 'https://x.invalid/v2', HTTPS_PROXY: 'KEY' },
  },
];

describe('a key in the place of something else', () => {
  it('is repeated to nobody and kept nowhere', async () => {
    const put = (text: string): string => text.replaceAll('KEY', key);
    const found = await inLanes([1, 2, 3, 4], SLIPS, async (_, { words, env = {} }) => {
      const home = temporaryFolder();
      const given = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, put(value)]));
      const ran = await runBuilt(put(words).split(' '), {
        env: { HEDGE_HOME: home, ...given },
        stdin: `open USDTNGN buy 10k --tenor 3 --deal-id ${key}\nhedges ${key}\n`,
      });
      return leaks(home, ran).map((where) => `${words} ${JSON.stringify(env)}: ${where}`);
    });
    expectHeld('S1 secrets', { runs: SLIPS.length, wrong: found.flat() });
  }, 60_000);
});
