import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliFor, LIVE_KEY, SANDBOX_KEY } from '../support/cli-for.ts';
import { unusedPort } from '../support/ports.ts';
import { html, no, on, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';

const NOWHERE = 'https://127.0.0.1:9/v2';

describe('a terminal with TERM=dumb', () => {
  it.each(['open', 'close USDTNGN buy'])(
    'is not taken for none: hedge %s says why nothing is asked',
    async (words) => {
      const terminal = { isTTY: true, env: { TERM: 'dumb', HEDGE_PROFILE: 'practice' } };
      const ran = await testCli({ env: { HEDGE_PROFILE: 'practice' } }).run(words, { terminal });
      expect([ran.code, ran.err]).toEqual([2, expect.stringContaining('TERM=dumb cannot show questions')]);
    },
  );
});

describe('a failing command', () => {
  it('exits 4 without a key, and names both ways out', async () => {
    const ran = await testCli().run('markets');
    expect(ran.code).toBe(4);
    expect(ran.out).toBe('');
    expect(ran.err).toContain('--profile practice');
    expect(ran.err).toContain('hedge profile add');
  });

  it.each([
    ['a key without an address', { HEDGE_API_KEY: SANDBOX_KEY }],
    ['an address without a key', { HEDGE_BASE_URL: NOWHERE }],
    ['both and a profile', { HEDGE_API_KEY: SANDBOX_KEY, HEDGE_BASE_URL: NOWHERE, HEDGE_PROFILE: 'desk' }],
  ])('exits 4 on conflicting or half credentials: %s', async (_what, env) => {
    const ran = await testCli({ env }).run('markets --json');
    expect(ran.code).toBe(4);
    expect(ran.document()).toMatchObject({
      data: null,
      error: { code: 'credential_conflict', effect: 'none', retry: 'never' },
    });
    expect(ran.out + ran.err).not.toContain(SANDBOX_KEY);
  });

  it.each([
    ['quote USDTNGN buy 1mm', 'Write 1m'],
    ['quote USDTNGN buy 10000 USDT --tenor 3', 'hedge quote USDTNGN buy 10000 --tenor 3'],
    ['quote USDTNGN buy 10000 --tenor 2', '1, 3 or 7'],
    ['quote USDTNGN hold 10000', 'buy or sell'],
    ['quote buy USDTNGN 10000', 'hedge quote USDTNGN buy 10000'],
    ['quote USDTNGN buy', 'NOTIONAL'],
    ['quote USDTNGN buy 10000 -t 3 -t 7', 'given twice'],
    ['profile limit desk --read-only --no-read-only', 'contradict each other'],
    ['--profile a quote USDTNGN buy 10000 --profile b', 'given twice'],
    ['qoute USDTNGN buy 10000', 'quote'],
    ['markets --tenor 3', '--tenor'],
    ['hedges hdg_1 --status filled', 'no filters'],
    ['hedges --limit 501', '500'],
    ['profile', 'add, list, show, use, set, limit, remove'],
    ['help nope', 'No help found for "nope"'],
  ])('exits 2 and says what is allowed: %s', async (line, allowed) => {
    const service = await scriptedService([]);
    const cli = cliFor(service);
    const person = await cli.run(line);
    expect(person.code).toBe(2);
    expect(person.out).toBe('');
    expect(person.err).toContain(allowed);
    const program = await cli.run(`${line} --json`);
    expect(program.code).toBe(2);
    expect(program.document()).toMatchObject({ data: null, error: { code: 'usage', effect: 'none' } });
    expect(service.requests).toEqual([]);
  });

  it.each([
    ['close', 'hedge close MARKET SIDE'],
    ['close USDTNGN', 'hedge close USDTNGN SIDE'],
    ['close USDTNGN buy 5000', 'hedge reduce USDTNGN buy 5000'],
    ['add USDTNGN', 'hedge add USDTNGN SIDE NOTIONAL'],
    ['open USDTNGN buy 10k 3 --yes', 'hedge open USDTNGN buy 10k --tenor 3 --yes'],
  ])('exits 2 on the words of %j, with the line to type', async (line, hint) => {
    const ran = await testCli().run(line);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(hint);
  });

  it.each([
    ['markets --csv --json', 'markets'],
    ['--json profile add desk --nope', 'profile add'],
    ['journal 7c1e --output json --output csv', 'journal'],
    ['quote USDTNGN buy --json', 'quote'],
    ['--json', 'hedge'],
    ['acount --json', ''],
  ])('names the command in the document of a wrong line: %s', async (line, command) => {
    const { code, document } = await testCli().run(line);
    expect([code, document()]).toMatchObject([line === '--json' ? 0 : 2, { meta: { command } }]);
  });

  it('exits 5 when no service listens', async () => {
    const port = await unusedPort();
    const env = { HEDGE_API_KEY: SANDBOX_KEY, HEDGE_BASE_URL: `https://127.0.0.1:${port}/v2` };
    const ran = await testCli({ env }).run('account --json');
    expect(ran.code).toBe(5);
    expect(ran.document()).toMatchObject({ error: { code: 'unavailable', effect: 'none', retry: 'later' } });
    // A reading is nothing that could have been sent.
    expect(ran.err).toMatch(/^Nothing was changed\.$/m);
  });

  it('says in three lines that no service listens, and where only with -v', async () => {
    const port = await unusedPort();
    const env = { HEDGE_API_KEY: SANDBOX_KEY, HEDGE_BASE_URL: `https://127.0.0.1:${port}/v2` };
    const { err } = await testCli({ env }).run('markets');
    expect(err.trimEnd().split('\n')).toHaveLength(3);
    expect(err).not.toMatch(/127\.0\.0\.1|ECONNREFUSED/);
    const verbose = await testCli({ env }).run('markets -v');
    expect(verbose.err).toContain(`no response from 127.0.0.1:${port} in `);
    expect(verbose.err).toContain('(ECONNREFUSED)');
  });

  it('exits 5 on 503 for ever, after a bounded number of tries', async () => {
    const away = on('GET /account', no(503, 'maintenance'));
    const service = await scriptedService([away, away, away, away]);
    const ran = await cliFor(service).run('account --json');
    expect(ran.code).toBe(5);
    expect(ran.document()).toMatchObject({ error: { effect: 'none', retry: 'later' } });
    expect(service.requests).toHaveLength(4);
  });

  it('exits 6 on HTML instead of JSON', async () => {
    const service = await scriptedService([on('GET /account', html(200))]);
    const ran = await cliFor(service).run('account --json');
    expect(ran.code).toBe(6);
    expect(ran.document()).toMatchObject({ error: { code: 'unreadable_answer' } });
  });

  it('exits 4 when the service turns the key down', async () => {
    const service = await scriptedService([on('GET /account', no(401, 'unauthorized'))]);
    const ran = await cliFor(service).run('account --json');
    expect(ran.code).toBe(4);
    expect(ran.document()).toMatchObject({ error: { code: 'unauthorized', http_status: 401 } });
    expect(ran.out + ran.err).not.toContain(SANDBOX_KEY);
  });

  it.each(['', '{', '[]', '{"version":2,"profiles":{}}', '\u0000'])(
    'exits 78 on a damaged profiles file and leaves it as it was: %j',
    async (content) => {
      const cli = testCli();
      const path = join(cli.home, 'config', 'profiles.json');
      mkdirSync(join(cli.home, 'config'), { mode: 0o700 });
      writeFileSync(path, content, { mode: 0o600 });
      for (const line of ['markets --json', 'profile list --json', '--profile desk account --json']) {
        const ran = await cli.run(line);
        expect(ran.code).toBe(78);
        expect(ran.document()).toMatchObject({ error: { code: 'damaged_file' } });
        expect(ran.err).toContain(path);
      }
      expect(readFileSync(path, 'utf8')).toBe(content);
    },
  );

  it.each([
    [LIVE_KEY, 'sandbox'],
    [SANDBOX_KEY, 'live'],
    [SANDBOX_KEY, 'practice'],
  ])('exits 10 before the network when a promise about the environment is broken', async (key, promised) => {
    const service = await scriptedService([]);
    const ran = await cliFor(service, { key }).run(`markets --json --expect-env ${promised}`);
    expect(ran.code).toBe(10);
    expect(ran.document()).toMatchObject({ error: { code: 'env_mismatch', effect: 'none' } });
    expect(service.requests).toEqual([]);
  });

  it('names the environment that the key selects', async () => {
    const service = await scriptedService([
      on('GET /positions', {
        kind: 'body',
        status: 200,
        body: '{"data":[],"error":null,"meta":{}}',
        headers: {},
      }),
    ]);
    const ran = await cliFor(service, { key: LIVE_KEY }).run('positions');
    expect(ran.out).toMatch(/^LIVE · env · real money/);
  });

  it('traces requests on standard error with -v, the key masked', async () => {
    const service = await scriptedService([on('GET /account', no(401, 'unauthorized'))]);
    const ran = await cliFor(service).run('-v account');
    expect(ran.err).toContain('GET /account');
    expect(ran.err).toContain('hk_test_…');
    expect(ran.err).not.toContain(SANDBOX_KEY);
  });
});
