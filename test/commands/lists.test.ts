import { describe, expect, it } from 'vitest';
import { aClosedHedge, aHedge, aMarket, aPosition, MARKETS_META, unspecified } from '../spec/bodies.ts';
import { cliFor, SANDBOX_KEY } from '../support/cli-for.ts';
import { filled, readCsv } from '../support/csv.ts';
import { ok, on, type ScriptedService, scriptedService } from '../support/scripted-service.ts';
import { ON_A_TERMINAL, type RunOptions, type TestCli, testCli } from '../support/test-cli.ts';

const DATE = { date: 'Fri, 20 Nov 2026 09:02:11 GMT' };
const opened = (id: string, at: string | null, more = {}) =>
  aHedge({ id, opened_at: at, status: 'submitted', ...more });
const HEDGES = [
  opened('today', '2026-11-20T00:00:00Z'),
  opened('late', '2026-11-19T23:59:59.999Z', { side: 'sell' }),
  opened('noon', '2026-11-19T12:00:00Z'),
  opened('week', '2026-11-13T09:02:11Z', { market: 'USDTKES' }),
  opened('old', '2026-10-01T00:00:00Z'),
];

/** The hedges that the words leave of HEDGES, asked on Fri 20 Nov 09:02:11. */
async function left(words: string, sent = HEDGES, limit = 500) {
  const service = await scriptedService([on(`GET /hedges?limit=${limit.toString()}`, ok(sent, {}, DATE))]);
  const ran = await cliFor(service).run(`hedges ${words} --json`);
  const { data, meta } = Object(ran.document());
  return { ids: data.map(({ id }: { id: string }) => id).join(' '), covers: meta.covers, ran };
}

/** A desk with a profile `lagos`, whose days are those of Africa/Lagos. */
async function deskInLagos(service: ScriptedService): Promise<TestCli> {
  const cli = testCli();
  const lagos = `--base-url ${service.url} --key-stdin --time-zone Africa/Lagos --ca-file`;
  const { home } = cliFor(service);
  const words = ['profile', 'add', 'lagos', ...lagos.split(' '), `${home}/ca.pem`, '--no-check'];
  expect((await cli.run(words, { stdin: SANDBOX_KEY })).code).toBe(0);
  return cli;
}

describe('hedges', () => {
  it.each([
    ['--since yesterday', 'today late noon'],
    ['--until yesterday', 'late noon week old'],
    ['--since yesterday --until yesterday', 'late noon'],
    ['--since 2026-11-19 --until 2026-11-19', 'late noon'],
    ['--since 2026-11-19T12:00 --until 2026-11-20T00:00', 'late noon'],
    ['--since today', 'today'],
    ['--since 7d', 'today late noon week'],
    ['--since 10h', 'today late'],
    ['--since 2026-11-20T02:00+02:00', 'today'],
    ['--side sell', 'late'],
    ['--market usdtkes', 'week'],
    ['--since 2026-11-13 --side buy --market USDTNGN', 'today noon'],
    ['--until 2026-01-01', ''],
  ])('%s leaves %s', async (words, ids) => {
    expect((await left(words)).ids).toBe(ids);
  });

  it.each([
    ['hedges --market usdtngm', 'GET /hedges?limit=500', HEDGES],
    ['hedges --market usdtngm', 'GET /hedges?limit=500', []],
    ['history --market usdtngm', 'GET /hedges/history', [aClosedHedge({ market: 'USDTNGN' })]],
    ['history --by day --market usdtngm --csv', 'GET /hedges/history', [aClosedHedge()]],
  ])('%s tells a market that the account has not from one with nothing on it', async (words, line, sent) => {
    const markets = on('GET /markets', ok([aMarket()], MARKETS_META));
    const service = await scriptedService([on(line, ok(sent, {}, DATE)), markets]);
    const ran = await cliFor(service).run(words);
    expect([ran.code, ran.out]).toEqual([3, '']);
    expect(ran.err).toBe(
      [
        'This account has no market USDTNGM (market_not_found).',
        'Nothing was changed.',
        'Did you mean USDTNGN? To list them: hedge markets',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['hedges --market usdtkes', 'GET /hedges?limit=500'],
    ['history --market usdtkes', 'GET /hedges/history'],
  ])('%s is an empty list where the market is there and nothing is on it', async (words, line) => {
    const markets = on('GET /markets', ok([aMarket({ market: 'USDTKES' })], MARKETS_META));
    const service = await scriptedService([on(line, ok([], {}, DATE)), markets]);
    const ran = await cliFor(service).run(`${words} --json`);
    expect([ran.code, ran.document()]).toMatchObject([0, { data: [] }]);
  });

  it('says in meta.covers what was asked of which field, and of how many', async () => {
    const { covers } = await left('--since 2026-11-19 --until 2026-11-19 --side sell');
    expect(covers).toEqual({
      count: 1,
      from: '2026-11-19T23:59:59.999Z',
      to: '2026-11-19T23:59:59.999Z',
      maybe_truncated: false,
      limit: 500,
      of: 5,
      by: 'opened_at',
      since: '2026-11-19T00:00:00Z',
      until: '2026-11-20T00:00:00Z',
      zone: 'UTC',
      market: null,
      side: 'sell',
      lacking: {},
    });
  });

  it('asks for the largest page to pick from, or for what --limit says', async () => {
    expect((await left('--side sell')).ids).toBe('late');
    expect((await left('--side sell --limit 5', HEDGES, 5)).covers).toMatchObject({ maybe_truncated: true });
  });

  it('is not cut off where the page reaches further back than was asked', async () => {
    expect((await left('--since 7d --limit 5', HEDGES, 5)).covers).toMatchObject({ maybe_truncated: false });
    const mixed = HEDGES.toReversed();
    expect((await left('--since 7d --limit 5', mixed, 5)).covers).toMatchObject({ maybe_truncated: true });
  });

  it('counts those whose value is unknown, but not those that another field rules out', async () => {
    const sent = [...HEDGES, opened('undated', null), opened('undated2', null, { side: 'sell' })];
    const { ids, covers } = await left('--since today --side buy', sent);
    expect([ids, covers.lacking]).toEqual(['today', { opened_at: 1 }]);
  });

  it('tells a person the span, in words and in time of the zone', async () => {
    const sent = [...HEDGES, opened('undated', null)];
    const service = await scriptedService([on('GET /hedges?limit=6', ok(sent, {}, DATE))]);
    const ran = await cliFor(service).run('hedges --until yesterday --side sell --limit 6', ON_A_TERMINAL);
    expect(ran.out).toContain('1 of 6 hedges returned: opened before Fri 20 Nov 00:00 UTC, side sell.');
    expect(ran.out).toContain('6 returned; the service may have more. Ask for more: --limit 500');
  });

  it('takes the days of the profile’s zone', async () => {
    const service = await scriptedService([on('GET /hedges?limit=500', ok(HEDGES, {}, DATE))]);
    const cli = await deskInLagos(service);
    const ran = await cli.run('hedges --since today --until today --profile lagos --json');
    expect(ran.document()).toMatchObject({
      data: [{ id: 'today' }, { id: 'late' }],
      meta: {
        covers: { zone: 'Africa/Lagos', since: '2026-11-19T23:00:00Z', until: '2026-11-20T23:00:00Z' },
      },
    });
  });

  it.each([
    ['hedges --since soon', 'not a date or time (--since)'],
    ['hedges --since 1/11/2026', 'Write the year first: 2026-11-01 or 2026-01-11.'],
    ['history --since 14/11/2026', 'Write the year first: 2026-11-14.'],
    ['hedges --since 2026-11-02 --until 2026-11-01', 'The time span is empty'],
    ['history --since today --until yesterday', 'The time span is empty'],
    ['hedges --side long', 'not a side'],
    ['hedges hdg_1 --since today', 'takes no filters'],
    ['history --by year', 'not a grouping (--by)'],
  ])('%s is refused before anything is asked', async (words, said) => {
    const ran = await cliFor(await scriptedService([])).run(words);
    expect(ran).toMatchObject({ code: 2, out: '' });
    expect(ran.err).toContain(said);
  });
});

const closed = (at: string, net: number, more = {}) =>
  aClosedHedge({ closed_at: at, net_pnl_usd: net, market: 'USDTNGN', ...more });
const CLOSED = [
  closed('2026-11-20T08:00:00Z', 0.1, { side: 'buy', notional_usd: 10000, carry_usdc: -1.5, fees_usdc: 10 }),
  closed('2026-11-20T07:00:00Z', 0.2, { side: 'sell', notional_usd: 5000, carry_usdc: 0.5 }),
  closed('2026-11-18T07:00:00Z', -3, { side: 'buy', notional_usd: 1000, carry_usdc: -0.1, fees_usdc: 1 }),
];

const NONE = { notional_usd: 0, gross_pnl_usd: 0, carry_usdc: 0, fees_usdc: 0, net_pnl_usd: 0 };

async function history(words: string, options: RunOptions = {}) {
  const cli = cliFor(await scriptedService([on('GET /hedges/history', ok(CLOSED, {}, DATE))]));
  return cli.run(`history ${words}`, options);
}

describe('history', () => {
  it('is narrowed by when a hedge was closed', async () => {
    const ran = await history('--since today --side buy --json');
    expect(ran.document()).toMatchObject({
      data: [CLOSED[0]],
      meta: { covers: { count: 1, of: 3, by: 'closed_at', since: '2026-11-20T00:00:00Z', until: null } },
    });
  });

  it('is summed by day, the total last, and says of which figures some are lacking', async () => {
    const { out } = await history('--by day', ON_A_TERMINAL);
    const rows = out.split('\n').map((line) => line.trim().split(/\s+/).join(' '));
    expect(rows).toContain('2026-11-20 2 15,000.00 paid 1.00 10.00 +0.30');
    expect(rows).toContain('2026-11-18 1 1,000.00 paid 0.10 1.00 -3.00');
    expect(rows).toContain('TOTAL 3 16,000.00 paid 1.10 11.00 -2.70');
    expect(out).toContain('The service did not send gross P&L.');
    expect(out.replace(/\s+/g, ' ')).toContain('The sum of fees covers 2 of 3 hedges');
    expect(out).toContain('Grouped by close date (UTC)');
    expect(out).toContain('3 hedges, closed from Wed 18 Nov 07:00 UTC to Fri 20 Nov 08:00 UTC.');
  });

  it('summed says what period is in the sums, also of one hedge, of none, and of times that did not come', async () => {
    expect((await history('--by side --since today --side buy')).out).toContain(
      '1 hedge, closed 2026-11-20T08:00:00Z.',
    );
    expect((await history('--by market --since 1h')).out).not.toContain('Of 0');
    const undated = [aClosedHedge(), aClosedHedge({ closed_at: 'soon' })];
    const cli = cliFor(await scriptedService([on('GET /hedges/history', ok(undated, {}, DATE))]));
    expect((await cli.run('history --by side')).out).toContain('2 hedges; the service sent no closed times.');
  });

  it('gives its sums as derived, exact, with what is lacking', async () => {
    const ran = await history('--by side --json');
    expect(Object(ran.document()).data).toEqual({
      derived: {
        of: 'closed_hedges',
        by: 'side',
        zone: null,
        groups: [
          {
            side: 'buy',
            count: 2,
            notional_usd: 11000,
            gross_pnl_usd: null,
            carry_usdc: -1.6,
            fees_usdc: 11,
            net_pnl_usd: -2.9,
            lacking: { ...NONE, gross_pnl_usd: 2 },
          },
          {
            side: 'sell',
            count: 1,
            notional_usd: 5000,
            gross_pnl_usd: null,
            carry_usdc: 0.5,
            fees_usdc: null,
            net_pnl_usd: 0.2,
            lacking: { ...NONE, gross_pnl_usd: 1, fees_usdc: 1 },
          },
        ],
        total: {
          count: 3,
          notional_usd: 16000,
          gross_pnl_usd: null,
          carry_usdc: -1.1,
          fees_usdc: 11,
          net_pnl_usd: -2.7,
          lacking: { ...NONE, gross_pnl_usd: 3, fees_usdc: 1 },
        },
      },
    });
  });

  it('is summed within a span, and into CSV', async () => {
    const ran = await history('--since today --by week --csv');
    expect(filled(readCsv(ran.out))).toEqual([
      {
        week: '2026-W47',
        from: '2026-11-16T00:00:00Z',
        until: '2026-11-23T00:00:00Z',
        count: '2',
        notional_usd: '15000',
        carry_usdc: '-1',
        fees_usdc: '10',
        net_pnl_usd: '0.3',
        'lacking.notional_usd': '0',
        'lacking.gross_pnl_usd': '2',
        'lacking.carry_usdc': '0',
        'lacking.fees_usdc': '1',
        'lacking.net_pnl_usd': '0',
      },
    ]);
  });

  it('says that nothing fits, summed or not', async () => {
    expect((await history('--since 1h')).out).toContain('No matching hedges');
    expect((await history('--since 1h --by day')).out).toContain('No closed hedges');
  });
});

describe('a list as a person reads it', () => {
  it('has as many decimals down a column, and says where it cut some off', async () => {
    const sent = [
      aPosition({ net_pnl_usd: -6.002093, entry_price: 1519.31023952, mark_price: 1518.4 }),
      aPosition({ net_pnl_usd: 0.005, entry_price: 1519, mark_price: 1518 }),
    ];
    const ran = await cliFor(await scriptedService([on('GET /positions', ok(sent))])).run('positions');
    const rows = ran.out.split('\n').map((line) => line.trim().split(/\s+/).join(' '));
    expect(rows).toContain('1,519.3102 1,518.4000 -6.00 1,012.50');
    expect(rows).toContain('1,519.0000 1,518.0000 +0.01 1,012.50');
    expect(ran.out).toContain('Rounded: money to 2 decimals, rates to 4. Full precision: --json');
  });

  it('says nothing of digits where it shows them all', async () => {
    const ran = await cliFor(await scriptedService([on('GET /positions', ok([aPosition()]))])).run(
      'positions',
    );
    expect(ran.out).not.toContain('every digit');
  });

  it('keeps every digit in records, where a window is too narrow for columns', async () => {
    const sent = [aPosition({ ...unspecified.position, net_pnl_usd: -6.002093, entry_price: 1519.31023952 })];
    const service = await scriptedService([on('GET /positions', ok(sent))]);
    const ran = await cliFor(service).run('positions', { terminal: { isTTY: { stdout: true }, width: 31 } });
    expect(ran.out).toContain('1,519.31023952');
    expect(ran.out).toContain('-6.002093');
    expect(ran.out).not.toContain('every digit');
  });

  it('marks maturities on a weekend, of what is still to mature', async () => {
    const saturday = '2026-11-21T09:00:00Z';
    const sent = [
      opened('runs', '2026-11-20T08:00:00Z', { maturity_at: saturday }),
      opened('ended', '2026-11-18T08:00:00Z', { maturity_at: saturday, status: 'closed' }),
    ];
    const service = await scriptedService([
      on('GET /hedges?limit=100', ok(sent)),
      on('GET /hedges?limit=100', ok([sent[1]])),
    ]);
    const cli = cliFor(service);
    const both = await cli.run('hedges', ON_A_TERMINAL);
    expect(both.out).toMatch(/^runs .*Sat 21 Nov(?: 2026)? \(!\)/m);
    expect(both.out).toMatch(/^ended .*Sat 21 Nov(?: 2026)?$/m);
    expect(both.out).toContain('(!) Weekend.');
    expect((await cli.run('hedges')).out).not.toContain('(!)');
  });

  it('marks the weekend of one hedge in full only while it runs', async () => {
    const one = (status: string) =>
      on(
        'GET /hedges/hdg_1',
        ok(aHedge({ id: 'hdg_1', status, maturity_at: '2026-11-21T09:00:00Z' }), {}, DATE),
      );
    const cli = cliFor(await scriptedService([one('filled'), one('closed')]));
    expect((await cli.run('hedges hdg_1', ON_A_TERMINAL)).out).toContain(
      'Sat 21 Nov 09:00 UTC (!) (in 23 h 57 min)',
    );
    expect((await cli.run('hedges hdg_1', ON_A_TERMINAL)).out).toMatch(/Maturity +Sat 21 Nov 09:00 UTC$/m);
  });

  it('marks the weekend of the profile’s zone, like the day next to it', async () => {
    const friday = opened('runs', '2026-11-20T08:00:00Z', { maturity_at: '2026-11-20T23:30:00Z' });
    const sunday = opened('later', '2026-11-20T08:00:00Z', { maturity_at: '2026-11-22T23:30:00Z' });
    const asked = on('GET /hedges?limit=100', ok([friday, sunday], {}, DATE));
    const service = await scriptedService([asked, asked]);
    const cli = await deskInLagos(service);
    const inUtc = await cliFor(service).run('hedges', ON_A_TERMINAL);
    expect(inUtc.out).toMatch(/^runs .*Fri 20 Nov\s*$/m);
    expect(inUtc.out).toMatch(/^later .*Sun 22 Nov \(!\)/m);
    const inLagos = await cli.run('hedges --profile lagos', ON_A_TERMINAL);
    expect(inLagos.out).toMatch(/^runs .*Sat 21 Nov(?: 2026)? \(!\)/m);
    expect(inLagos.out).toMatch(/^later .*Mon 23 Nov\s*$/m);
  });

  it('tells of one hedge how far off its maturity is, by the service’s clock', async () => {
    const hedge = opened('hdg_1', '2026-11-20T08:00:00Z', { maturity_at: '2026-11-23T11:30:00Z' });
    const service = await scriptedService([on('GET /hedges/hdg_1', ok(hedge, {}, DATE))]);
    expect((await cliFor(service).run('hedges hdg_1', ON_A_TERMINAL)).out).toMatch(
      /Matures +Mon 23 Nov 11:30 UTC \(in 3 d 2 h\)/,
    );
  });
});
