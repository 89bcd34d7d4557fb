import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPractice, testClock } from '../practice/support/practice-service.ts';
import { SANDBOX_KEY } from '../support/cli-for.ts';
import { TUESDAY } from '../support/moving-clock.ts';
import { quickClock, testCli } from '../support/test-cli.ts';

const { DatabaseSync } = createRequire(import.meta.url)('@photostructure/sqlite');

describe('hedge practice faults and advance under a profile of a service that is served', () => {
  it('say whose faults and clock they are', async () => {
    const { run } = testCli();
    await run('profile add served --base-url https://127.0.0.1:4870/practice/v2 --key-stdin --no-check', {
      stdin: SANDBOX_KEY,
    });
    for (const words of ['practice faults --only open --fail-before 100%', 'practice advance 1h'])
      expect((await run(`--profile served ${words}`)).err).toContain('served elsewhere');
    expect((await run('practice faults clear')).err).not.toContain('served elsewhere');
  });
});

describe('practice status', () => {
  it('practice status: shows book time, both books and the faults', async () => {
    const cli = testCli();
    const person = await cli.run('practice status');
    expect(person.out).toMatch(/Free balance \(USDC\) +100,000\.00 +100,000\.00/);
    expect(person.out).toContain('No faults');
    expect((await cli.run('practice status --json')).document()).toMatchObject({
      data: { books: { live: { balance_usdc: '100000' }, test: { orders_in_flight: 0 } } },
      meta: { command: 'practice status', profile: null, environment: null },
    });
  });
});

describe('practice data that cannot be used', () => {
  it('damaged: exits 78, says that it was left as it is, and offers to move the file away', async () => {
    const cli = testCli();
    await cli.run('practice status');
    const path = join(cli.home, 'state', 'practice', 'practice.sqlite');
    const book = new DatabaseSync(path);
    book.exec("UPDATE accounts SET environment = 'nowhere' WHERE environment = 'live'");
    book.close();
    const ran = await cli.run('practice status');
    expect(ran.code).toBe(78);
    expect(ran.err.replaceAll(/\s+/g, ' ')).toContain(
      `The practice book ${path} is damaged: no account of live. Nothing in it was changed. The practice data was left as it is. Move that file away`,
    );
  });

  it('a folder that cannot be made: exits 78 and offers to move nothing away', async () => {
    const cli = testCli();
    mkdirSync(join(cli.home, 'state'), { mode: 0o700 });
    writeFileSync(join(cli.home, 'state', 'practice'), '');
    const ran = await cli.run('practice status');
    expect(ran.code).toBe(78);
    expect(ran.err).not.toContain('Move that file away');
  });
});

describe('practice reset', () => {
  it('practice reset: without a terminal it needs --yes and resets nothing', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('open USDTNGN buy 1k --tenor 3 --deal-id KEEP-1 --yes');
    const ran = await cli.run('practice reset');
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain('--yes');
    expect((await cli.run('hedges KEEP-1')).out).toContain('KEEP-1');
    expect((await cli.run('practice reset -y')).code).toBe(0);
    expect((await cli.run('hedges')).out).not.toContain('KEEP-1');
  });

  it('practice reset: an action whose outcome is known keeps it, and nobody is advised to record another', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('open USDTNGN buy 1k --tenor 3 --deal-id PAY-1 --yes');
    const [{ short_id: id }] = JSON.parse((await cli.run('journal --json')).out).data;
    await cli.run('practice reset --yes');
    const { err } = await cli.run(`check ${id}`);
    expect(err).toContain(`its outcome stays. To see it: hedge journal ${id}`);
    expect(err).not.toContain('resolve');
  });

  it('practice reset: empties both books and gives them a new book ID', async () => {
    const cli = testCli();
    const bookId = async (line: string) => {
      const document: unknown = (await cli.run(`${line} --json`)).document();
      return JSON.stringify(document).match(/"book_id":"([^"]+)"/)?.[1];
    };
    const first = await bookId('practice status');
    const second = await bookId('practice reset --balance 5000.25 --yes');
    expect(second).not.toBe(first);
    expect((await cli.run('--profile practice account --json')).document()).toMatchObject({
      data: { balance_usdc: 5000.25 },
    });
  });
});

describe('what a practice serve has left', () => {
  it('prices and a manual clock are shown by the status, and ended by a reset, for a running service too', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('practice settings fill_seconds.min=0 fill_seconds.max=0');
    const store = join(cli.home, 'state', 'practice');
    const clock = testClock(Date.now());
    const served = await startPractice({ store, clock, settings: null, modes: { clockMode: 'manual' } });
    const points = [{ at: '2026-12-01T08:00Z', price: 9_000 }];
    await served.control('PUT', '/prices', { market: 'USDTNGN', points });
    const left = (await cli.run('practice status')).out;
    expect(left).toContain('(manual clock)');
    expect(left).toContain('Prices set by a program: USDTNGN');

    const reset = (await cli.run('practice reset --yes')).out;
    expect(reset).toContain('(now)');
    expect(reset).not.toContain('Prices set by a program');
    expect((await cli.run('open USDTNGN buy 1k --tenor 3 --any-price --yes')).code).toBe(0);
    const position = (await served.get('/positions', { as: 'test' })).body.data[0];
    expect(position.mark_price).toBeLessThan(2_000);
    clock.pass(60_000);
    expect((await served.control('GET', '/clock')).body.data.mode).toBe('wall');
    expect((await served.get('/account')).headers['date']).toBe(new Date(clock.now()).toUTCString());
  });
});

describe('practice advance', () => {
  it('practice advance: moves the time that answers carry', async () => {
    const cli = testCli();
    const ran = await cli.run('practice advance 3d --json');
    expect(ran.document()).toMatchObject({ data: { advanced_ms: 259_200_000 } });
    const at = JSON.stringify((await cli.run('--profile practice account --json')).document()).match(
      /"at":"([^"]+)"/,
    )?.[1];
    expect(Date.parse(at ?? '') - Date.now()).toBeGreaterThan(259_000_000);
  });

  it.each([
    ['30m', '30 min'],
    ['2d3h', '2 d 3 h'],
  ])('practice advance: %s is shown by the status', async (duration, words) => {
    const cli = testCli();
    await cli.run(['practice', 'advance', duration]);
    expect((await cli.run('practice status')).out).toContain(`(${words} ahead of`);
  });

  it.each(['3', '0d', '3x', '-1d', '1h2d', ''])(
    'practice advance: refuses the duration %j',
    async (duration) => {
      expect((await testCli().run(['practice', 'advance', '--json', '--', duration])).code).toBe(2);
    },
  );
});

describe('the settlements of practice advance', () => {
  it.each([
    [80, /^AT UTC +WHAT +HEDGE +SIDE +(?:NOTIONAL )?USD +RESULT USD$/m],
    [60, /^AT UTC +WHAT +MARKET +SIDE +(?:NOTIONAL )?USD +RESULT USD$/m],
  ])('keep side and size at %d columns; what a dealer needs least is hidden first', async (width, header) => {
    const cli = testCli({ clock: quickClock(() => TUESDAY), env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('practice settings fill_seconds.min=0 fill_seconds.max=0');
    await cli.run('open USDTNGN buy 30k --tenor 3 --deal-id PAYOUT-2026-11-23-A --any-price --yes');
    await cli.run('open USDTNGN sell 7k --tenor 1 --any-price --yes');
    const { out } = await cli.run('practice advance 3d', {
      terminal: { isTTY: { stdout: true }, width, env: { NO_COLOR: '1' } },
    });
    expect(out).toMatch(header);
    expect(out).toMatch(/Hidden columns: (?:HEDGE|MARKET), RATE[.]/);
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  });
});

it('practice advance: at 80 columns the settlements of two equal hedges have their long deal IDs', async () => {
  const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
  await cli.run('practice settings fill_seconds.min=0 fill_seconds.max=0');
  // oxlint-disable-next-line no-await-in-loop
  for (const row of ['1', '2'])
    await cli.run(
      `open USDTNGN buy 32860.69 --tenor 1 --deal-id COVER-20261214-BUY-80b0a6-${row} --any-price --yes`,
    );
  const { out } = await cli.run('practice advance 2d', {
    terminal: { isTTY: { stdout: true }, width: 80, env: { NO_COLOR: '1' } },
  });
  expect(out).toMatch(/^.* settled +COVER-20261214-BUY-80b0a6-1 .*$/m);
  expect(out).toMatch(/^.* settled +COVER-20261214-BUY-80b0a6-2 .*$/m);
});

describe('a loss beyond the free balance', () => {
  it('practice advance and status: say that the free balance is negative', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('practice reset --balance 1010 --yes');
    await cli.run('practice settings fill_seconds.min=0 fill_seconds.max=0 markets.USDTNGN.swing=0');
    await cli.run('open USDTNGN buy 10k --tenor 3 --deal-id LOSS-1 --any-price --yes');
    await cli.run('practice settings markets.USDTNGN.base_rate=1100');
    expect((await cli.run('practice advance 3d')).out).toContain('practice: free balance negative');
    const { out } = await cli.run('practice status');
    expect(out).toContain('Opens and adds are rejected.');
    expect(out).not.toContain('practice-live: free');
  });
});

describe('practice settings', () => {
  it('practice settings: hedges on a market that was switched off can be reduced and closed', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('practice settings fill_seconds.min=0 fill_seconds.max=0 markets.USDTKES.enabled=true');
    await cli.run('open USDTKES buy 3k --tenor 3 --any-price --yes');
    await cli.run('practice settings markets.USDTKES.enabled=false');
    expect(await cli.run('reduce USDTKES buy 1k --yes')).toMatchObject({ code: 0 });
    expect(await cli.run('close USDTKES buy --yes')).toMatchObject({ code: 0 });
    expect((await cli.run('positions')).out).not.toContain('USDTKES');
  });

  it('practice settings: shows them as they are typed, and a change counts for the next command', async () => {
    const cli = testCli();
    expect((await cli.run('practice settings')).out).toContain(
      '\nmarkets.USDTNGN.carry_daily_pct.buy=0.05\n',
    );
    const changed = await cli.run('practice settings margin_pct=12 markets.USDTNGN.carry_daily_pct.buy=0.06');
    expect(changed).toMatchObject({ code: 0, err: '' });
    expect(changed.out).toContain('\nmargin_pct=12\n');
    expect((await cli.run('practice settings close_fee_pct=0 -q')).out).toBe('');
    expect((await cli.run('practice settings --json')).document()).toMatchObject({
      data: { version: 3, settings: { margin_pct: 12, close_fee_pct: 0 } },
      meta: { command: 'practice settings' },
    });
    const quoted = await cli.run('--profile practice quote USDTNGN buy 10000 -t 3 --json');
    expect(quoted.document()).toMatchObject({
      data: { carry: { daily_rate_pct: 0.06 }, upfront: { required_margin_usdc: 1_200 } },
    });
  });

  it.each([
    ['margin_pct', 'KEY=VALUE'],
    ['margin_pct=', 'KEY=VALUE'],
    ['margn_pct=1', 'margn_pct'],
    ['margin_pct=101', 'margin_pct'],
  ])('practice settings: %s is a usage error that names it', async (words, named) => {
    const ran = await testCli().run(['practice', 'settings', words]);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(named);
  });
});

describe('practice faults', () => {
  it('practice faults: last until they are cleared', async () => {
    const cli = testCli();
    await cli.run('practice faults --fail-before 100% --delay-before 5');
    const away = await cli.run('--profile practice markets --json');
    expect(away.code).toBe(5);
    expect((await cli.run('practice faults --json')).document()).toMatchObject({
      data: { fail_before: 1, delay_before_ms: 5, only: 'all' },
    });
    expect((await cli.run('practice faults clear')).out).toContain('No faults');
    expect((await cli.run('--profile practice markets')).code).toBe(0);
  });

  it('practice faults: --once ends after that many requests, and a read succeeds on retry', async () => {
    const cli = testCli();
    await cli.run('practice faults --lost-before 1 --once 2');
    expect((await cli.run('--profile practice account')).code).toBe(0);
    expect((await cli.run('practice faults')).out).toContain('No faults');
  });

  it('practice faults: shows the faults that are set alone, a share as a percentage', async () => {
    const cli = testCli();
    const words =
      'practice faults --lost-after 12.5% --rate-limited 0.07 --only open --spare-replays --once 2';
    const told = await cli.run(`${words} --disable USDTNGN`);
    const set = [
      'Faults',
      '7 % of the next 2 opens are rejected before they execute (429).',
      '12.5 % of the next 2 opens execute, but lose the connection before the response.',
      'USDTNGN is disabled: opens, adds and quotes are rejected (400).',
      'A resend whose key has a response gets no fault. ',
    ].join(' ');
    expect(told.out.replaceAll(/\s+/g, ' ')).toBe(set);
    expect((await cli.run('practice status')).out.replaceAll(/\s+/g, ' ')).toContain(set);
    expect((await cli.run('practice faults --json')).document()).toMatchObject({
      data: { lost_after: 0.125 },
    });
  });

  it.each([
    ['--fail-before 1 --only open --once 3', 'The next 3 opens fail before they execute (503).'],
    ['--fail-before 1 --only open --once 1', 'The next open fails before it executes (503).'],
    ['--delay-after 800', 'Requests execute, and get the response 800 ms later.'],
    ['--answer revoked-key', 'Requests are rejected as if the API key were revoked (401).'],
    ['--answer bad-gateway-after=25% --only actions', '25 % of actions execute, but get an HTML page (502).'],
    [
      '--script fail-before,lost-after,none --only open',
      'The next opens, in turn: fails before it executes (503); executes, but loses the connection before the response; gets no fault.',
    ],
  ])('practice faults: %s is said as "%s"', async (words, sentence) => {
    const told = await testCli().run(`practice faults ${words}`);
    expect(told.out.replaceAll(/\s+/g, ' ')).toBe(`Faults ${sentence} `);
  });

  it('practice faults: a script gives each of the next opens its own fault', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('practice faults --script bad-gateway-before,lost-after,none --only open');
    const opened = await cli.run('open USDTNGN buy 1k --tenor 3 --any-price --no-wait --yes --json');
    expect(opened.code).toBe(0);
    expect((await cli.run('practice faults')).out).toBe('No faults\n');
    expect((await cli.run('hedges --json')).document()).toMatchObject({ data: [{ notional_usd: 1_000 }] });
  });

  it('practice faults: --latency names the two options that it has become', async () => {
    for (const command of ['faults', 'serve'])
      expect((await testCli().run(`practice ${command} --latency 5`)).err).toMatch(
        /--delay-before[^]*--delay-after/,
      );
  });

  it('practice faults: a change prints nothing with -q, a question prints always, and so does a document', async () => {
    const cli = testCli();
    expect(await cli.run('practice faults --delay-before 5 -q')).toMatchObject({ code: 0, out: '', err: '' });
    expect((await cli.run('practice faults -q')).out).toMatch(/Requests wait 5 ms before they execute\.\n$/);
    expect((await cli.run('practice faults --once 7 -q --json')).document()).toMatchObject({
      data: { once: 7 },
    });
    expect((await cli.run('practice faults clear -q')).out).toBe('');
    expect((await cli.run('practice faults')).out).toBe('No faults\n');
  });

  it('practice faults: a disabled market is listed as disabled and refuses quotes', async () => {
    const cli = testCli();
    await cli.run('practice faults --disable usdtngn');
    expect((await cli.run('--profile practice markets')).out).toContain('disabled');
    const refused = await cli.run('--profile practice quote USDTNGN buy 10000 -t 3 --json');
    expect(refused.code).toBe(3);
    expect(refused.document()).toMatchObject({ error: { code: 'market_disabled' } });
  });

  it.each([
    '--fail-before 1.5',
    '--fail-before -1',
    '--delay-before 1.5',
    '--only opens',
    'none',
    'clear --delay-before 5',
    '--latency 5',
    '--answer fail',
    '--answer truncated=2',
    '--script fail-before,later',
    '--script fail-before,non',
    '--script fail-before --once 2',
    '--disable NOPE',
    '--lost-before 0.6 --lost-after 0.6',
  ])('practice faults: refuses %s', async (words) => {
    const cli = testCli();
    const ran = await cli.run(`practice faults ${words} --json`);
    expect(ran.code).toBe(2);
    expect((await cli.run('practice faults')).out).toContain('No faults');
  });
});

describe('practice serve', () => {
  it('practice serve: names the port that is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port.toString() : '';
    const ran = await testCli().run(`practice serve --port ${port}`);
    expect(ran.code).toBe(10);
    expect(ran.err).toContain(`Port ${port} of 127.0.0.1 is in use or not permitted`);
  });
});
