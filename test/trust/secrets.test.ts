/**
 * S1: not one byte of the key anywhere but in the 0600 file of the profiles and in the Authorization header, whatever
 * is run, whatever fails, and whoever debugs Node.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBuilt, runShell } from '../support/built.ts';
import { filesWithCanary, holdsCanary } from '../support/canary.ts';
import { type Front, frontOf, type Meddling, refusal } from '../support/front.ts';
import { aQuarterOf, expectHeld, IN_FULL, SOAKING } from '../support/goal.ts';
import { runHedge } from '../support/in-process.ts';
import { DEBUGGED, keyHome, leaksOf, PROFILES } from '../support/key-home.ts';
import { inLanes } from '../support/lanes.ts';
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

const OPEN = 'open USDTNGN buy 10000 --tenor 3 --yes';

describe('the hunt', () => {
  it.each<[string, (text: string) => string]>([
    ['as it is', (text) => text],
    ['in part', (text) => text.slice(12, 22)],
    ['in small letters', (text) => text.toLowerCase()],
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
    const home = keyHome(served.way(''));
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
  'api POST /quotes -f market=USDTNGN -f side=buy -F notional_usd=10 -F tenor_days=3',
  'doctor',
  'resume --yes',
  'wait hdg_none --timeout 1',
  'hedges --since today --side buy',
  'history --by day --chart',
  'batch -',
  'profile list',
  'profile show',
  'profile list --json',
  '--version',
  'help keys',
  'practice status',
  'profile limit desk --max-notional 50k',
  'profile use desk',
  'completion bash',
  '__complete hedges hdg',
  '__complete --profile=',
  'nonsense',
  'profile remove desk --yes',
];

/** What goes on until it is ended. */
const WATCHES: readonly string[] = [
  'watch --every 1.5',
  'watch --every 1.5 --json',
  'price --watch 1',
  'hedges --watch 1 --json',
];

describe('the key is in nothing that is written by', () => {
  it.each(SOAKING ? WATCHES : WATCHES.slice(1, 3))(
    'hedge %s, -v and Node being debugged',
    needs('bash'),
    async (line) => {
      const home = keyHome(served.way(''));
      const script = `hedge ${line} -v 2> "$HEDGE_HOME/err" | head -1; cat "$HEDGE_HOME/err" >&2`;
      const ran = await runShell(script, { env: { HEDGE_HOME: home, ...DEBUGGED } });
      expect(ran.out).not.toBe('');
      expectHeld('S1 secrets', { runs: 1, wrong: leaksOf(key, home, ran) });
    },
  );

  it.each(['--json -v', ...(SOAKING ? [''] : [])])(
    'any command with "%s", while Node itself is debugged',
    async (options) => {
      await served.reset();
      const home = keyHome(served.way(''));
      const found: string[] = [];
      // Every day those that ask the service for an action, and an account.
      const lines = COMMANDS.filter(
        (line) => IN_FULL || /^(?:open|add|reduce|close|api|account|profile remove)\b/.test(line),
      );
      for (const line of lines) {
        const words = `${line} ${/--(csv|query|output)/.test(line) ? '' : options}`.split(' ');
        const ran = await runBuilt(words.filter(Boolean), {
          env: { HEDGE_HOME: home, ...DEBUGGED },
          stdin: 'quote USDTNGN buy 10k --tenor 3\nhedges\n',
        });
        found.push(...leaksOf(key, home, ran).map((where) => `${line}: ${where}`));
      }
      expectHeld('S1 secrets', { runs: lines.length, wrong: found });
      expect(served.changes().length).toBeGreaterThan(3);
      expect(readFileSync(join(home, PROFILES), 'latin1')).not.toContain(key);
    },
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
    const tried = aQuarterOf(cases);
    const found = await inLanes(lanes, tried, async (front, { fault, line }) => {
      const home = keyHome(front.way(''));
      front.meddle(fault);
      const ran = await runBuilt(line.split(' '), { env: { HEDGE_HOME: home, NODE_DEBUG: 'http,tls' } });
      return leaksOf(key, home, ran).map((where) => `${line}: ${where}`);
    });
    expectHeld('S1 secrets', { runs: tried.length, wrong: found.flat() });
  });

  it('a file of profiles that cannot be read', async () => {
    const whole = readFileSync(join(keyHome(served.way('')), PROFILES), 'utf8');
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
        const ran = await runHedge(words, { env: { HEDGE_HOME: home } });
        expect({ content, leaks: leaksOf(key, home, ran) }).toEqual({ content, leaks: [] });
      }
    }
  });
});
