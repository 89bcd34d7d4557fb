/** `hedge cover`: coverage, deals, their file, what keeps a bucket outside its band, and services that send little. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aHedge, aMarket, anAccount, aPosition, aQuote, type Body, unspecified } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { csvLines, readCsv } from '../support/csv.ts';
import { dayIn } from '../support/exposure-files.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type Exchange, no, ok, on, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';

/** Wednesday 23 December 2026, 10:00 in Lagos. */
const DATE = { date: 'Wed, 23 Dec 2026 09:00:00 GMT' };
/** 10,000 × 1,516.25 = 15,162,500 naira, due tomorrow. */
const EXPOSURES = 'id,due,ngn,direction,certainty\nINV-1,2026-12-24,"15,162,500.00",receive,firm\n';
const POLICY = {
  buckets: [{ from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 100 }],
  before_days: 0,
  after_days: 0,
  forecast_weight_pct: 50,
};
const MARKET = aMarket({ price: 1516.25 });
/** 3,032,500 naira at 1,516.25: 20 % of the exposure. */
const HELD = aHedge({
  notional_usd: 2000,
  struck_rate: 1516.25,
  tenor_days: 1,
  opened_at: '2026-12-23T08:00:00Z',
  maturity_at: '2026-12-24T08:00:00Z',
});
const LINE = aPosition({ ...unspecified.position, notional_usd: 2000 });

/**
 * At the mid, for a day: carry 0.05 % and fee 0.10 % are 15 bps of the notional, and margin and fee 10.1 %. By hand for
 * 8,000: 4 + 8 = 12 USDC, upfront 800 + 8 = 808.
 */
const quoteFor = (notional: number, changes: Body = {}): Exchange =>
  on(
    'POST /quotes',
    ok(
      aQuote({
        notional_usd: notional,
        tenor_days: 1,
        pricing: { market_price: 1516.25, execution_price: 1516.25, price_impact_usd: 0 },
        carry: {
          daily_usdc: notional * 0.0005,
          daily_rate_pct: 0.05,
          total_usdc: notional * 0.0005,
          total_rate_pct: 0.05,
        },
        upfront: {
          required_margin_usdc: notional * 0.1,
          platform_fee_usdc: notional * 0.001,
          total_upfront_usdc: notional * 0.101,
        },
        ...changes,
      }),
    ),
  );

interface Script {
  hedges?: readonly Body[];
  positions?: readonly Body[];
  market?: Body;
  account?: Body;
  closed?: readonly Body[];
}
const readings = ({
  hedges = [],
  positions = [],
  market = MARKET,
  account = anAccount(),
  closed = [],
}: Script = {}): readonly Exchange[] => [
  on('GET /hedges?limit=500', ok(hedges, {}, DATE)),
  on('GET /positions', ok(positions, {}, DATE)),
  on('GET /markets', ok([market], {}, DATE)),
  on('GET /account', ok(account, {}, DATE)),
  on('GET /hedges?status=closed&limit=500', ok(closed, {}, DATE)),
];

interface Files {
  exposures?: string;
  policy?: Body;
  width?: number;
}
function filesIn(folder: string, { exposures = EXPOSURES, policy = POLICY }: Files = {}) {
  const paths = { exposures: join(folder, 'exposures.csv'), policy: join(folder, 'policy.json') };
  writeFileSync(paths.exposures, exposures);
  writeFileSync(paths.policy, JSON.stringify(policy));
  return ['cover', paths.exposures, '--policy', paths.policy];
}
async function coverWith(script: readonly Exchange[], files: Files = {}) {
  const cli = cliFor(await scriptedService(script));
  const folder = temporaryFolder();
  const words = filesIn(folder, files);
  const deals = join(folder, 'deals.csv');
  return {
    deals,
    run: (...more: readonly string[]) => cli.run([...words, ...more]),
    show: (...more: readonly string[]) => cli.run([...words, ...more], screenOf(files.width)),
  };
}
const screenOf = (width = 100) => ({ terminal: { isTTY: true, width, env: { NO_COLOR: '1' } } });
const SCREEN = screenOf();
const derivedOf = (ran: { document(): unknown }) => Object(ran.document()).data.derived;

describe('cover', () => {
  it('proposes what is missing to the target, at the quoted price', async () => {
    const { run } = await coverWith([...readings(), quoteFor(8000)]);
    const ran = await run('--json');
    expect(ran.code).toBe(0);
    expect(derivedOf(ran)).toMatchObject({
      market: 'USDTNGN',
      zone: 'UTC',
      today: '2026-12-23',
      buckets: [
        {
          from: '2026-12-23',
          to: '2026-12-30',
          receive_ngn: 15162500,
          pay_ngn: 0,
          net_ngn: 15162500,
          side: 'buy',
          coverage_pct: 0,
          status: 'below',
          // 80 % of 15,162,500 / 1,516.25.
          deals_usd: 8000,
          covered_after_ngn: 12130000,
          coverage_after_pct: 80,
          status_after: 'inside',
          constraint: null,
        },
      ],
      deals: [
        {
          due: '2026-12-24',
          side: 'buy',
          notional_usd: 8000,
          tenor_days: 1,
          rolls: [],
          matures_on: '2026-12-24',
          cost_usdc: 12,
          chain_cost_usdc: 12,
          upfront_usdc: 808,
        },
      ],
      total: { notional_usd: 8000, upfront_usdc: 808, cost_usdc: 12 },
    });
  });

  it('counts open hedges at notional × struck rate, and proposes the rest', async () => {
    const script = readings({ hedges: [HELD], positions: [LINE] });
    const { run } = await coverWith([...script, quoteFor(6000)]);
    const ran = await run('--json');
    // 3,032,500 are 20 %; to 80 % it takes 9,097,500 more: 6,000 USD.
    expect(derivedOf(ran)).toMatchObject({
      buckets: [{ covered_ngn: 3032500, coverage_pct: 20, deals_usd: 6000, coverage_after_pct: 80 }],
    });
    expect(Object(ran.document()).data.hedges).toMatchObject([
      {
        id: HELD['id'],
        derived: { covered_ngn: 3032500, allotted: [{ due: '2026-12-24', ngn: 3032500 }], unused_ngn: 0 },
      },
    ]);
  });

  it('quotes again at the size that the first price gives, until it is within 1 bp', async () => {
    const at = (price: number) => ({
      pricing: { market_price: 1516.25, execution_price: price, price_impact_usd: -5 },
    });
    // 12,130,000 / 1,520 = 7,980.26315…, which is 24.7 bps less than 8,000; the second quote is for that size.
    const { run } = await coverWith([...readings(), quoteFor(8000, at(1520)), quoteFor(7980.26, at(1520))]);
    const [deal] = derivedOf(await run('--json')).deals;
    expect(deal).toMatchObject({ notional_usd: 7980.26, covers_ngn: 12129995.2 });
  });

  it('shows coverage, deals and totals', async () => {
    const { show } = await coverWith([...readings(), quoteFor(8000)], { width: 120 });
    const { out } = await show();
    expect(out).toContain('Cover of 1 exposure in USDTNGN, mid 1,516.25. Today is Wed 23 Dec, UTC.');
    expect(out).toMatch(
      /^0–7 +buy +\+15,162,500\.00 .*0\.00 % +60–100 % +8,000\.00 +80\.00 % +below → inside$/m,
    );
    expect(out).toContain('Nothing was sent. USDC counts as USD.');
    expect(out).toMatch(
      /^Thu 24 Dec +buy +8,000\.00 .*1 d +Thu 24 Dec +1,516\.2500 +12\.00 +15 +COVER-20261224-BUY-[0-9a-f]{6}$/m,
    );
    expect(out).toMatch(/^Upfront +808\.00 USDC +margin and fee$/m);
    expect(out.match(/USDC counts as USD/g)).toHaveLength(1);
  });

  it('shows what of each date is left to cover, where a payment is set against a receipt', async () => {
    const exposures = `${EXPOSURES}B,2026-12-26,3032500,payable,firm\n`;
    const { show } = await coverWith([...readings(), quoteFor(6400)], { exposures });
    const { out } = await show();
    expect(out).toMatch(/^DUE +RECEIVE NGN +PAY NGN +NET TO COVER NGN +COVERED NGN$/m);
    expect(out).toMatch(/^Thu 24 Dec +15,162,500\.00 +0\.00 +12,130,000\.00 +0\.00$/m);
    expect(out).toMatch(/^Sat 26 Dec \(!\) +0\.00 +3,032,500\.00 +0\.00 +0\.00$/m);
    const { show: showOne } = await coverWith([...readings(), quoteFor(8000)]);
    expect((await showOne()).out).not.toContain('NET TO COVER');
  });

  it('shows a date that no hedge matures close to, though its bucket is inside the band', async () => {
    const exposures = `${EXPOSURES}B,2026-12-28,5m,receive,firm\n`;
    // 20,014,500 naira that mature on the 28th: 99 % of the bucket, and nothing of its first date.
    const held = { ...HELD, notional_usd: 13200, maturity_at: '2026-12-28T08:00:00Z' };
    const positions = [aPosition({ ...unspecified.position, notional_usd: 13200 })];
    const script = readings({ hedges: [held], positions });
    const { show } = await coverWith(script, { exposures });
    const { code, out } = await show();
    expect(code).toBe(0);
    expect(out).toContain('No deals: no bucket is below its band.');
    expect(out).toMatch(/^Thu 24 Dec +15,162,500\.00 +0\.00 +15,162,500\.00 +0\.00$/m);
    expect(out).toMatch(/^Mon 28 Dec \(!\) +5,000,000\.00 +0\.00 +5,000,000\.00 +20,014,500\.00$/m);
    expect(out).toContain(
      'Days 0–7 count as a whole: hedges that mature close to Thu 24 Dec cover less than 60 % of it.',
    );
    expect(out).toContain('Mon 28 Dec, Boxing Day');
    const { run } = await coverWith(readings({ hedges: [held], positions }), { exposures });
    const [{ dues }] = derivedOf(await run('--json')).buckets;
    expect(dues).toMatchObject([
      { due: '2026-12-24', lacks_minimum: true },
      { due: '2026-12-28', lacks_minimum: false },
    ]);
  });

  it('names the days that the policy left out between two buckets, if something falls due on them', async () => {
    const [first] = POLICY.buckets;
    const policy = { ...POLICY, buckets: [first, { ...first, from_days: 10, to_days: 30 }] };
    const exposures = `${EXPOSURES}B,2026-12-31,5m,receive,firm\nC,2027-01-01,2m,pay,firm\n`;
    const { show } = await coverWith([...readings(), quoteFor(8000)], { exposures, policy });
    expect((await show()).out.replaceAll(/\s+/g, ' ')).toContain(
      'In no bucket: 2 exposures, receive 5,000,000.00 NGN, pay 2,000,000.00 NGN: B (Thu 31 Dec), C (Fri 1 Jan 2027 (!)). The policy has no bucket for days 8–9.',
    );
  });

  it("says which due dates it read as a spreadsheet's numbers", async () => {
    const exposures = `${EXPOSURES}B,46700,5m,receive,firm\n`;
    const { show } = await coverWith([...readings(), quoteFor(8000)], { exposures });
    expect((await show()).out).toContain(
      "1 due date read as a spreadsheet's number of a day: 46700 is Tue 9 Nov 2027.",
    );
  });

  it('ends in three lines at most', async () => {
    const exposures = `${EXPOSURES.replace('2026-12-24', '2026-12-25')}B,2026-12-20,5m,receive,firm\n`;
    const { show } = await coverWith([...readings(), quoteFor(8000)], { exposures });
    const { out } = await show();
    const footer = out.slice(out.indexOf('In no bucket')).trimEnd().split('\n');
    expect(footer).toEqual([
      expect.stringContaining('B (Sun 20 Dec (!))'),
      '(!) Weekend, or public holiday: Fri 25 Dec, Christmas Day.',
      'Nothing was sent. USDC counts as USD. Rounded half up; full precision: --json',
    ]);
  });

  it('at 60 columns still shows that a bucket is below its band now', async () => {
    const { show } = await coverWith([...readings(), quoteFor(8000)], { width: 60 });
    const { out } = await show();
    expect(out).toMatch(/^0–7 .* 0\.00 % .* 80\.00 % +below → inside$/m);
  });

  it('sums the naira of unused hedges by side, and counts those that it does not name', async () => {
    const far = { ...HELD, maturity_at: '2026-12-28T08:00:00Z' };
    const hedges = [
      { ...HELD, id: 'hdg_sell', side: 'sell' },
      ...['1', '2', '3', '4', '5'].map((digit) => ({ ...far, id: `hdg_${digit}` })),
    ];
    const positions = [
      aPosition({ ...unspecified.position, side: 'sell', notional_usd: 2000 }),
      aPosition({ ...unspecified.position, notional_usd: 10000 }),
    ];
    const { show } = await coverWith([...readings({ hedges, positions }), quoteFor(8000)]);
    const { out } = await show();
    expect(out).toContain(
      'Of the open buys, 15,162,500.00 NGN cover no due date: hdg_1, hdg_2, hdg_3 and 2 more',
    );
    expect(out).toContain('Of the open sells, 3,032,500.00 NGN cover no due date: hdg_sell.');
  });

  it('asks for no roll of a hedge whose exposure is gone: nothing is due that it would cover', async () => {
    const sell = { ...HELD, id: 'hdg_sell', side: 'sell', client_reference: 'COVER-20261228-SELL-6eed55' };
    const buy = { ...HELD, notional_usd: 10_000 };
    const positions = [
      aPosition({ ...unspecified.position, side: 'sell', notional_usd: 2000 }),
      aPosition({ ...unspecified.position, notional_usd: 10_000 }),
    ];
    const exposures = `${EXPOSURES}INV-2,2026-12-28,"1,000,000.00",receive,firm\n`;
    const { show } = await coverWith(readings({ hedges: [sell, buy], positions }), { exposures });
    const { out } = await show();
    expect(out).not.toContain('must be rolled');
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      'cover no due date: hdg_sell. Let them settle, or close the side.',
    );
  });

  it('lists every date of its buckets, so that they add up, and says that forecasts are weighted', async () => {
    const buy = { ...HELD, notional_usd: 10_000 };
    const positions = [aPosition({ ...unspecified.position, notional_usd: 10_000 })];
    const exposures = `${EXPOSURES}INV-2,2026-12-28,"4,000,000.00",receive,forecast\n`;
    const { show } = await coverWith(readings({ hedges: [buy], positions }), { exposures });
    const { out } = await show();
    expect(out).toMatch(/^DUE +RECEIVE NGN, WEIGHTED +PAY NGN, WEIGHTED/m);
    expect(out).toMatch(/^Thu 24 Dec +15,162,500\.00 /m);
    expect(out).toMatch(/^Mon 28 Dec \(!\) +2,000,000\.00 /m);
  });

  it('says that forecasts count in part, and not where they count in full', async () => {
    const exposures = EXPOSURES.replace('firm', 'forecast');
    const half = await coverWith([...readings(), quoteFor(4000)], { exposures });
    expect((await half.show()).out).toContain('NET NGN counts 1 forecast at 50 % of the amount.');
    const elsewhere = `${EXPOSURES}B,2027-12-31,5m,pay,forecast\n`;
    const outside = await coverWith([...readings(), quoteFor(8000)], { exposures: elsewhere });
    expect((await outside.show()).out).toMatch(
      /NET NGN counts 1 forecast at 50 % of the amount\.[^]*In no bucket: 1 exposure, pay 2,500,000\.00 NGN:/,
    );
    const whole = await coverWith([...readings(), quoteFor(8000)], {
      exposures,
      policy: { ...POLICY, forecast_weight_pct: 100 },
    });
    expect((await whole.show()).out).not.toContain('NET NGN counts');
  });

  it('without deals says whether none is needed or none fits', async () => {
    const held = { ...HELD, notional_usd: 8000 };
    const positions = [aPosition({ ...unspecified.position, notional_usd: 8000 })];
    const enough = await coverWith(readings({ hedges: [held], positions }));
    expect((await enough.show()).out).toContain('No deals: no bucket is below its band.');
    const full = await coverWith(readings({ account: anAccount({ available_exposure_usd: 0 }) }));
    expect((await full.show()).out).toContain('No deals: none fits, for the reason above.');
  });

  it('in CSV is one bucket a line', async () => {
    const { run } = await coverWith([...readings(), quoteFor(8000)]);
    const [bucket] = readCsv((await run('--csv')).out);
    expect(bucket).toMatchObject({ from_days: '0', net_ngn: '15162500', status: 'below', deals_usd: '8000' });
  });

  it('cuts days in the zone of the profile: 14 hours ahead of UTC it may be tomorrow', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const words = filesIn(temporaryFolder());
    await cli.run('profile set practice --time-zone Pacific/Kiritimati');
    const ran = await cli.run([...words, '--json']);
    const now = new Date(Object(ran.document()).meta.at);
    expect(derivedOf(ran)).toMatchObject({
      zone: 'Pacific/Kiritimati',
      today: new Date(now.getTime() + 14 * 3_600_000).toISOString().slice(0, 10),
    });
  });

  it('names exposures in no bucket, a hedge that covers nothing, and columns that it did not read', async () => {
    const exposures = `${EXPOSURES.replace('\n', ',bank\n')}OLD,2026-12-22,5,pay,firm\nFAR,24/01/2027,5,pay,firm,x\n`;
    const sell = { ...HELD, id: 'hdg_sell', side: 'sell' };
    const lines = [aPosition({ ...unspecified.position, side: 'sell', notional_usd: 2000 })];
    const script = [...readings({ hedges: [sell], positions: lines }), quoteFor(8000)];
    const { show } = await coverWith(script, { exposures });
    const { out } = await show();
    expect(out).toContain(
      'In no bucket: 2 exposures (1 past due), pay 10.00 NGN: OLD (Tue 22 Dec), FAR (Sun 24 Jan 2027 (!)).',
    );
    expect(out).toContain('Of the open sells, 3,032,500.00 NGN cover no due date: hdg_sell.');
    expect(out).toContain('Columns not read: bank.');
    expect(out).toContain('Dates were read with the day first.');
  });
});

describe('a column for the currency', () => {
  const withCurrency = (...rows: readonly string[]) => ({
    exposures: ['id,due,ngn,direction,certainty,Currency', ...rows].join('\n'),
  });

  it('is read: a row in another one is wrong, whatever else it says', async () => {
    const exposures = withCurrency(
      `INV-1,${dayIn(4)},90m,receive,firm,NGN`,
      `PAY-1,${dayIn(4)},"50,000.00",pay,firm,USD`,
    );
    const { show } = await coverWith([], exposures);
    const { code, err } = await show();
    expect(code).toBe(2);
    expect(err.replaceAll(/\s+/g, ' ')).toContain(
      'Line 3: its currency is "USD": amounts of this file are naira.',
    );
  });

  it('changes nothing where all of it is naira', async () => {
    const exposures = `${EXPOSURES.replace('\n', ',ccy\n')}OTHER,${dayIn(400)},5,pay,firm,ngn\n`;
    const { show } = await coverWith([...readings({}), quoteFor(8000)], { exposures });
    const { out } = await show();
    expect(out).toContain('In no bucket: 1 exposure');
    expect(out).not.toContain('Columns not read');
  });
});

describe('cover on practice', () => {
  const BUCKETS = [
    { from_days: 0, to_days: 7, min_pct: 60, target_pct: 80, max_pct: 100 },
    { from_days: 8, to_days: 30, min_pct: 30, target_pct: 50, max_pct: 80 },
  ];
  const files = (): Files => ({
    policy: { ...POLICY, buckets: BUCKETS, before_days: 1, after_days: 1 },
    exposures: [
      'id,due,ngn,direction,certainty',
      `A,${dayIn(2)},"25,000,000.00",receive,firm`,
      `B,${dayIn(7)},40m,receive,firm`,
      `C,${dayIn(8)},30m,receive,forecast`,
      `D,${dayIn(20)},60m,receive,firm`,
    ].join('\n'),
  });

  it('proposes deals that, once they are open, bring every bucket into its band', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const folder = temporaryFolder();
    const deals = join(folder, 'deals.csv');
    const words = [...filesIn(folder, files()), '--deals', deals, '--json'];
    const first = await cli.run(words);
    expect(first.code).toBe(0);
    const rows = readCsv(readFileSync(deals, 'utf8'));
    expect(rows.length).toBe(4);
    for (const row of rows) {
      const { deal_id: id, market, side, notional_usd: size, tenor_days: tenor, max_cost_bps: bps } = row;
      const line = `open ${String(market)} ${String(side)} ${String(size)} --tenor ${String(tenor)} --deal-id ${String(id)} --max-cost-bps ${String(bps)} --yes -q`;
      // oxlint-disable-next-line no-await-in-loop
      expect(await cli.run(line)).toMatchObject({ code: 0 });
    }
    const again = await cli.run(words);
    expect(again.code).toBe(0);
    expect(derivedOf(again).buckets).toMatchObject([
      { status: 'inside', deals_usd: 0 },
      { status: 'inside', deals_usd: 0 },
    ]);
    // The first leg of day 20 matures in a week, and is counted for the date that its deal ID names.
    const later = Object(again.document()).data.hedges.find(({ client_reference: reference }: Body) =>
      String(reference).startsWith(`COVER-${dayIn(20).replaceAll('-', '')}`),
    );
    expect(later).toMatchObject({
      tenor_days: 7,
      derived: {
        opened_for: dayIn(20),
        unused_ngn: 0,
        // 7 + 7 more end one day after it.
        must_roll: { due: dayIn(20), matures_on: dayIn(7), tenors_days: [7, 7] },
      },
    });
    const onScreen = words.filter((word) => word !== '--json');
    const { out } = await cli.run(onScreen, SCREEN);
    const [, command = ''] =
      /They must be rolled, and no\s+roll\s+is\s+planned[^:]*:\s+hedge (roll \S+ .*?) +matures/.exec(out) ??
      [];
    expect(command).toMatch(/^roll COVER-\S+ --tenor 7 --at maturity$/);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /On live add --max-cost-bps: the BPS of this quote, .* not known: hedge quote USDTNGN buy [\d.]+ --tenor 7 /,
    );
    expect((await cli.run(`${command} --yes`)).code).toBe(0);
    expect((await cli.run(onScreen, SCREEN)).out).not.toContain('no roll is planned');
    expect(csvLines(readFileSync(deals, 'utf8'))).toHaveLength(1);
  }, 60_000);

  it('names the rolls of a due date beyond seven days, and the assumption', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const words = filesIn(temporaryFolder(), files());
    const { deals } = derivedOf(await cli.run([...words, '--json']));
    const far = deals.find(({ due }: Body) => due === dayIn(20));
    // 7 + 7 + 7 = 21 days, one day after; each roll on the day that the leg before it matures.
    expect(far).toMatchObject({
      tenor_days: 7,
      rolls: [
        { date: dayIn(7), tenor_days: 7 },
        { date: dayIn(14), tenor_days: 7 },
      ],
      matures_on: dayIn(21),
    });
    const { out } = await cli.run(words, SCREEN);
    const text = out.replaceAll(/\s+/g, ' ');
    expect(text).toMatch(
      /7 d now, roll \w{3} \d+ \w{3}.* for 7 d, .* for 7 d, to \w{3} \d+ \w{3}.*\. Costs [\d.]+ USDC in all\./,
    );
    expect(text).toContain("if every leg is at today's quotes");
    expect(out).toMatch(/^hedge roll COVER-\S+ --tenor 7 --at maturity --max-cost-bps [\d.]+\s+due /m);
  });

  it('names a reduction that, once it is sent, brings a side with too much cover inside its band', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const words = filesIn(temporaryFolder(), {
      policy: {
        ...POLICY,
        buckets: [
          { from_days: 0, to_days: 4, min_pct: 60, target_pct: 80, max_pct: 100 },
          { from_days: 5, to_days: 9, min_pct: 1, target_pct: 50, max_pct: 100 },
          { from_days: 10, to_days: 30, min_pct: 30, target_pct: 50, max_pct: 80 },
        ],
        before_days: 1,
        after_days: 1,
      },
      exposures: [
        'id,due,ngn,direction,certainty',
        `A,${dayIn(1)},15m,receive,firm`,
        `B,${dayIn(3)},30m,receive,firm`,
        `C,${dayIn(7)},90m,receive,firm`,
        `D,${dayIn(20)},60m,receive,firm`,
      ].join('\n'),
    });
    // oxlint-disable-next-line no-await-in-loop
    for (const [size, tenor] of [
      ['20,123.45', 1],
      ['19,999.99', 3],
      ['10,000', 7],
      ['7,777', 7],
    ] as const)
      expect(await cli.run(`open USDTNGN buy ${size} --tenor ${tenor.toString()} --yes -q`)).toMatchObject({
        code: 0,
      });
    const { code, out } = await cli.run(words, SCREEN);
    expect(code).toBe(11);
    expect(out.replaceAll(/\s+/g, ' ')).toMatch(
      /Days 0–4 stay above the band: the hedges cover [\d,.]+ NGN, [\d,.]+ NGN too much\. Reduce the buy side: hdg_\w+ has most of it\./,
    );
    const [, command = '', percent = ''] =
      /^Reduce before you open the deals below, then run hedge cover again:\s+hedge (reduce USDTNGN buy --ngn [\d.]+) +takes ([\d.]+) % of every buy$/m.exec(
        out,
      ) ?? [];
    expect(Number(percent)).toBeGreaterThan(0);
    expect(await cli.run(`${command} --yes`)).toMatchObject({ code: 0 });
    const after = await cli.run([...words, '--json']);
    expect(derivedOf(after).buckets).toMatchObject([
      { status: 'inside' },
      { status: 'inside' },
      { status: 'below' },
    ]);
    // No more than the rounding of cents is below the maximum.
    expect(100 - derivedOf(after).buckets[0].coverage_pct).toBeLessThan(0.001);
    expect((await cli.run(words, SCREEN)).out).not.toContain('hedge reduce');
  });

  it('gives the same deal IDs as long as nothing is opened', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const words = [...filesIn(temporaryFolder(), files()), '--query', 'data.derived.deals[].rows[].deal_id'];
    expect((await cli.run(words)).out).toBe((await cli.run(words)).out);
  });

  it('splits a deal above the limit of the profile into rows of at most that', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('profile limit practice --max-notional 5000.01');
    const { deals } = derivedOf(await cli.run([...filesIn(temporaryFolder(), files()), '--json']));
    for (const { notional_usd: whole, rows } of deals) {
      const sizes = rows.map(({ notional_usd: size }: Body) => Number(size));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(5000.01);
      expect(sizes.reduce((sum: number, size: number) => sum + size, 0)).toBeCloseTo(Number(whole), 6);
      expect(new Set(rows.map(({ deal_id: id }: Body) => id)).size).toBe(rows.length);
    }
    expect(deals.some(({ rows }: { rows: readonly unknown[] }) => rows.length > 1)).toBe(true);
  });

  it.each([
    [
      '30000',
      '9999',
      /^Total .*\nLeft today +20,001\.00 USD +of the daily limit: hedge deals run would open no row\.\s+Open fewer deals\s+until\s+00:00/m,
    ],
    [
      '9999',
      '9999',
      /^Total .*\nLeft today +0\.00 USD +of the daily limit: hedge deals run would open no row\.\s+Wait\s+until\s+00:00/m,
    ],
  ])('says what is left of a daily limit of %s USD that the deals exceed', async (limit, opened, words) => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    const cover = filesIn(temporaryFolder(), files());
    await cli.run(`open USDTNGN sell ${opened} --tenor 1 --yes -q`);
    expect((await cli.run(cover, SCREEN)).out).not.toContain('daily limit');
    await cli.run(`profile limit practice --max-daily-notional ${limit}`);
    expect((await cli.run(cover, SCREEN)).out).toMatch(words);
    await cli.run('profile limit practice --max-daily-notional 1m');
    expect((await cli.run(cover, SCREEN)).out).not.toContain('daily limit');
  });

  it.each([
    ['whole', 'split'],
    ['split', 'whole'],
  ])(
    'opens a due date once from two files of one position under different limits: %s, then %s',
    async (...order) => {
      const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
      const folder = temporaryFolder();
      const words = filesIn(folder, {
        exposures: `id,due,ngn,direction,certainty\nA,${dayIn(2)},15m,receive,firm\n`,
      });
      const limited = (usd: string) => cli.run(`profile limit practice --max-notional ${usd}`);
      for (const [name, limit] of [
        ['whole', '100k'],
        ['split', '6000'],
      ] as const) {
        await limited(limit);
        await cli.run([...words, '--deals', join(folder, name)]);
      }
      await limited('100k');
      const run = (name = '') => cli.run(['deals', 'run', join(folder, name), '--yes', '--json']);
      expect((await run(order[0])).code).toBe(0);
      const [opened] = Object(await cli.run('positions --json').then((ran) => ran.document())).data;
      const second = await run(order[1]);
      expect([second.code, second.document()]).toMatchObject([10, { error: { code: 'deal_id_used' } }]);
      expect(await cli.run('positions --json').then((ran) => ran.document())).toMatchObject({
        data: [{ notional_usd: opened.notional_usd }],
      });
    },
  );

  it('prices the rows of a split deal as they are sent, each with its own limit and note', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    await cli.run('profile limit practice --max-notional 6000');
    const folder = temporaryFolder();
    const deals = join(folder, 'deals.csv');
    const exposures = `id,due,ngn,direction,certainty\nA,${dayIn(2)},15m,receive,firm\n`;
    const policy = { ...POLICY, before_days: 1, after_days: 1 };
    const words = [...filesIn(folder, { exposures, policy }), '--deals', deals];
    const [deal] = derivedOf(await cli.run([...words, '--json'])).deals;
    const rows = readCsv(readFileSync(deals, 'utf8'));
    expect(rows).toHaveLength(2);
    for (const [index, row] of rows.entries()) {
      const { market, side, notional_usd: size, tenor_days: tenor, max_cost_bps: limit, note } = row;
      const line = `quote ${String(market)} ${String(side)} ${String(size)} --tenor ${String(tenor)} --json`;
      // oxlint-disable-next-line no-await-in-loop
      const bps = Number(derivedOf(await cli.run(line)).cost_bps);
      // Up to a tenth, and the two sizes may differ by a cent.
      expect(Number(limit) - 10 - bps).toBeGreaterThan(-0.001);
      expect(Number(limit) - 10 - bps).toBeLessThan(0.101);
      const [part, whole] = [deal.rows[index].covers_ngn, deal.covers_ngn].map((ngn: number) =>
        ngn.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
      );
      expect(note).toContain(
        `cover of ${String(part)} NGN due ${dayIn(2)}, row ${String(index + 1)} of 2 for ${String(whole)} NGN`,
      );
    }
    const { out } = await cli.run([...words, '--wide'], SCREEN);
    expect(out).toContain(`${deal.rows[0].deal_id} to -2`);
    expect(out).toMatch(/^Total .* in 1 deal of 2 rows$/m);
  });
});

describe('weekends and Nigerian public holidays', () => {
  const exposures = 'id,due,ngn,direction,certainty\nINV-1,2026-12-25,"15,162,500.00",receive,firm\n';

  it('are marked where a due date or a roll falls on one, and are not moved', async () => {
    const script = [...readings(), quoteFor(8000)];
    const { run, show } = await coverWith([...script, ...script], { exposures });
    const derived = derivedOf(await run('--json'));
    expect(derived.buckets[0].dues).toMatchObject([
      { due: '2026-12-25', weekend: false, holiday: 'Christmas Day' },
    ]);
    expect(derived.deals).toMatchObject([
      {
        due: '2026-12-25',
        holiday: 'Christmas Day',
        rolls: [{ date: '2026-12-24', tenor_days: 1, weekend: false, holiday: null }],
      },
    ]);
    const { out } = await show();
    expect(out).toContain('Fri 25 Dec (!)');
    expect(out).toContain('(!) Public holiday: Fri 25 Dec, Christmas Day.');
    // The leg that is opened now matures on the day of its roll.
    expect(out).toMatch(/^Fri 25 Dec \(!\) .* 1 d +Thu 24 Dec /m);
    // No holiday that follows the moon can fall on one of these dates.
    expect(out).not.toContain('Islamic');
  });

  it('are marked where only the maturity of a deal falls on one', async () => {
    const early = exposures.replace('2026-12-25', '2026-12-28');
    const policy = { ...POLICY, before_days: 2 };
    const script = [...readings(), quoteFor(8000), quoteFor(8000, { tenor_days: 3 })];
    const { show } = await coverWith(script, { exposures: early, policy });
    const { out } = await show();
    expect(out).toMatch(/^Mon 28 Dec \(!\) .* 3 d +Sat 26 Dec \(!\) /m);
    expect(out).toContain(
      '(!) Public holiday: Sat 26 Dec, Boxing Day; Mon 28 Dec, Boxing Day (in lieu, if declared).',
    );
  });

  it('are those of a file of your own, which is read before any request', async () => {
    const script = [...readings(), quoteFor(8000)];
    const { show, deals } = await coverWith(script, { exposures });
    const none = await show('--holidays', deals);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('(--holidays)')]);
    writeFileSync(deals, 'date,name\n2026-12-24,Founders Day\n');
    const { out } = await show('--holidays', deals);
    expect(out).toContain('(!) Public holiday: Thu 24 Dec, Founders Day.');
    expect(out).not.toContain('Fri 25 Dec (!)');
    expect(out).not.toContain('Islamic');
  });
});

describe('the deals file', () => {
  it('has a row per deal, with a bound of 10 bps above the cost of now', async () => {
    const { run, deals } = await coverWith([...readings(), quoteFor(8000)]);
    await run('--deals', deals);
    const text = readFileSync(deals, 'utf8');
    expect(text.split('\r\n')[0]).toBe('deal_id,market,side,notional_usd,tenor_days,max_cost_bps,note');
    expect(readCsv(text)).toEqual([
      {
        deal_id: expect.stringMatching(/^COVER-20261224-BUY-[0-9a-f]{6}$/),
        market: 'USDTNGN',
        side: 'buy',
        notional_usd: '8000',
        tenor_days: '1',
        max_cost_bps: '25',
        note: 'cover of 12,130,000.00 NGN due 2026-12-24',
      },
    ]);
  });

  it('is written again by the next run', async () => {
    const script = [...readings(), quoteFor(8000)];
    const { run, deals } = await coverWith([...script, ...script]);
    await run('--deals', deals);
    const first = readFileSync(deals, 'utf8');
    expect((await run('--deals', deals)).code).toBe(0);
    expect(readFileSync(deals, 'utf8')).toBe(first);
  });
});

describe('a bucket that stays outside its band', () => {
  it.each<[string, Script, string, number | undefined]>([
    ['headroom', { account: anAccount({ available_exposure_usd: 5000 }) }, 'headroom', 5000],
    [
      'capacity',
      { market: aMarket({ price: 1516.25, available_capacity_usd: { buy: 4000, sell: 1 } }) },
      'capacity',
      4000,
    ],
    ['nothing left', { account: anAccount({ available_exposure_usd: 0 }) }, 'headroom', undefined],
    ['a mid of zero', { market: { ...MARKET, price: 0 } }, 'quote', undefined],
    ['a closed market', { market: { ...MARKET, status: 'disabled' } }, 'market', undefined],
  ])('because of %s names it, ends with 11 and writes what fits', async (_why, script, constraint, size) => {
    const { run, deals } = await coverWith([
      ...readings(script),
      ...(size === undefined ? [] : [quoteFor(size)]),
    ]);
    const ran = await run('--deals', deals, '--json');
    expect(ran.code).toBe(11);
    expect(ran.document()).toMatchObject({
      data: { derived: { buckets: [{ status_after: 'below', constraint, deals_usd: size ?? 0 }] } },
      error: { code: 'cover_incomplete', effect: 'none', details: [{ constraint }] },
      meta: { deals: { rows: size === undefined ? 0 : 1 } },
    });
    expect(csvLines(readFileSync(deals, 'utf8'))).toHaveLength(size === undefined ? 1 : 2);
  });

  it.each<[string, Script, number, string]>([
    [
      'headroom',
      { account: anAccount({ available_exposure_usd: 5000.019 }) },
      5000.01,
      'short of 60 %: headroom. Headroom: 5,000.01 USD for all deals together; the deals below take 5,000.01 USD of it.',
    ],
    [
      'capacity',
      { market: aMarket({ price: 1516.25, available_capacity_usd: { buy: 4000, sell: 1 } }) },
      4000,
      'short of 60 %: capacity of the buy side. Capacity: 4,000.00 USD for all buys together; the deals below take 4,000.00 USD of it.',
    ],
  ])('because of %s says once how much of it all deals share', async (_name, script, size, words) => {
    const { show } = await coverWith([...readings(script), quoteFor(size)]);
    const { out, err } = await show();
    expect(out.replaceAll(/\s+/g, ' ')).toContain(words);
    expect(`${out}${err}`.match(/Nothing was sent\./g)).toHaveLength(1);
  });

  it('because of the balance is quoted again at the size that it pays for', async () => {
    // 404 × 8,000 / 808 = 4,000.
    const script = [
      ...readings({ account: anAccount({ balance_usdc: 404 }) }),
      quoteFor(8000),
      quoteFor(4000),
    ];
    const ran = await (await coverWith(script)).run('--json');
    expect(ran.code).toBe(11);
    expect(derivedOf(ran)).toMatchObject({
      buckets: [{ constraint: 'balance', coverage_after_pct: 40 }],
      deals: [{ notional_usd: 4000, upfront_usdc: 404 }],
    });
  });

  it('because of the tenor is due today, where no hedge matures', async () => {
    const today = EXPOSURES.replace('2026-12-24', '2026-12-23');
    const { run } = await coverWith(readings(), { exposures: today });
    const ran = await run('--json');
    expect(ran.code).toBe(11);
    expect(derivedOf(ran)).toMatchObject({ buckets: [{ constraint: 'tenor' }], deals: [] });
  });

  it('because of the minimum of the policy', async () => {
    const policy = { ...POLICY, min_notional_usd: 12000 };
    const ran = await (await coverWith([...readings(), quoteFor(12000)], { policy })).run('--json');
    expect(ran.code).toBe(11);
    expect(derivedOf(ran)).toMatchObject({ buckets: [{ constraint: 'minimum' }], deals: [] });
  });

  it('because of a rejected quote has the words of the service', async () => {
    const rejected = on('POST /quotes', no(400, 'size_too_small', { message: 'at least 20,000 USD' }));
    const { show } = await coverWith([...readings(), rejected]);
    const ran = await show();
    expect(ran.code).toBe(11);
    expect(ran.out.replaceAll(/\s+/g, ' ')).toMatch(
      /Days 0–7 stay below the band, 9,097,500\.00 NGN short of 60 %: quote, rejected: .*at least 20,000 USD\./,
    );
  });

  it('because hedges cover too much opens nothing', async () => {
    const many = { ...HELD, notional_usd: 20000 };
    const line = aPosition({ ...unspecified.position, notional_usd: 20000 });
    const { run } = await coverWith(readings({ hedges: [many], positions: [line] }));
    const ran = await run('--json');
    expect(ran.code).toBe(11);
    // 20,000 × 1,516.25 are 200 %.
    expect(derivedOf(ran)).toMatchObject({
      buckets: [{ coverage_pct: 200, status: 'above', constraint: 'above_max' }],
      reductions: [{ side: 'buy', ngn: 15162500, side_pct: 50, closes_side: false, falls_below: [] }],
      deals: [],
    });
  });

  it('because hedges cover too much shows the reduction that is enough', async () => {
    const many = { ...HELD, notional_usd: 20000 };
    const line = aPosition({ ...unspecified.position, notional_usd: 20000 });
    const { show } = await coverWith(readings({ hedges: [many], positions: [line] }));
    const { out } = await show();
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      `Days 0–7 stay above the band: the hedges cover 30,325,000.00 NGN, 15,162,500.00 NGN too much. Reduce the buy side: ${String(HELD['id'])} has most of it.`,
    );
    expect(out).toMatch(
      /^Reduce, then run hedge cover again:\s+hedge reduce USDTNGN buy --ngn 15162500 +takes 50 % of every buy$/m,
    );
  });
});

describe('an uncertain position', () => {
  it.each<[string, readonly Body[], readonly Body[], string]>([
    ['an open that may still fill', [{ ...HELD, status: 'submitted' }], [], 'submitted and may still fill'],
    ['an unknown status', [{ ...HELD, status: 'rolling' }], [LINE], 'unknown status'],
    ['a fill without a rate', [{ ...HELD, struck_rate: null }], [LINE], 'filled without a struck rate'],
  ])('with %s proposes no deals, and leaves the file alone', async (_what, hedges, positions, words) => {
    const script = readings({ hedges, positions });
    const { run, deals } = await coverWith(script);
    const ran = await run('--deals', deals, '--json');
    expect(ran.code).toBe(11);
    expect(ran.document()).toMatchObject({
      data: { derived: { deals: [], buckets: [{ constraint: 'unclear' }] } },
      error: { code: 'book_unclear', effect: 'none', retry: 'later' },
      meta: { deals: null },
    });
    expect(JSON.stringify(derivedOf(ran).uncertain)).toContain(words);
    expect(ran.err + JSON.stringify(ran.document())).toContain(
      'A deals file of an earlier run was left as it is',
    );
    expect(existsSync(deals)).toBe(false);
  });

  it('whose hedges and positions differ is read again', async () => {
    const other = aPosition({ ...unspecified.position, notional_usd: 3000 });
    const book = (line: Body) => readings({ hedges: [HELD], positions: [line] });
    const { run } = await coverWith([...book(other), ...book(LINE).slice(0, 2), quoteFor(6000)]);
    expect((await run('--json')).code).toBe(0);
  });
});

describe('cover of a service', () => {
  it.each<[string, readonly Body[]]>([
    ['that sends the specified fields alone', [aPosition()]],
    [
      'that names its unspecified fields otherwise',
      [{ instrument: 'USDTNGN', direction: 'buy', size: 1, net_margin_usd: 1 }],
    ],
    [
      'that has other words for its sides and markets',
      [{ market: 'USDT-NGN', side: 'long', notional_usd: 2000, net_margin_usd: 1 }],
    ],
  ])('%s has the same figures, and says what it cannot tell', async (_which, positions) => {
    const hedge = { ...HELD, client_reference: undefined, units: undefined, order_key: undefined };
    const script = [...readings({ hedges: [hedge], positions }), quoteFor(6000)];
    const { show } = await coverWith([...script, ...script]);
    const ran = await show('--json');
    expect(ran.code).toBe(0);
    expect(derivedOf(ran)).toMatchObject({
      sides_known: false,
      buckets: [{ covered_ngn: 3032500, coverage_pct: 20, deals_usd: 6000 }],
    });
    expect((await show()).out).toContain('The positions do not name their sides');
  });

  it('that quotes another size than it was asked for is unreadable: no figure is made of it', async () => {
    const ran = await (await coverWith([...readings(), quoteFor(10000)])).run('--json');
    expect(ran.code).toBe(6);
    expect(ran.document()).toMatchObject({ data: null, error: { code: 'unreadable_answer' } });
  });

  it('without a naira market, or with several, says which to name', async () => {
    const eur = { ...MARKET, market: 'USDTEUR' };
    const none = await (await coverWith(readings({ market: eur }))).run();
    expect(none).toMatchObject({ code: 2 });
    expect(none.err).toContain('no naira market');
    const other = await (await coverWith(readings({ market: eur }))).run('--market', 'USDTEUR');
    expect(other.err).toContain('is not a naira market');
    const unknown = await (await coverWith(readings())).run('--market', 'USDTGHS', '--json');
    expect(unknown.code).toBe(3);
    expect(unknown.document()).toMatchObject({ error: { code: 'market_not_found' } });
  });
});

describe('before any request, cover rejects', () => {
  it.each([
    ['no policy', (words: readonly string[]) => words.slice(0, 2), 'Missing --policy: '],
    [
      'an exposures file that there is not',
      ([, , ...rest]: readonly string[]) => ['cover', 'nofile.csv', ...rest],
      'There is no file',
    ],
    [
      'a policy that there is not',
      (words: readonly string[]) => [...words.slice(0, 3), 'nofile.json'],
      'There is no file',
    ],
    [
      'an order of dates',
      (words: readonly string[]) => [...words, '--dates', 'ymd'],
      'is not an order of dates',
    ],
    [
      'an empty name',
      (words: readonly string[]) => [...words, '--deals', ' '],
      '--deals needs the name of a file',
    ],
    // Its own exposures.
    [
      'a target that is no deals file',
      (words: readonly string[]) => [...words, '--deals', words[1] ?? ''],
      'is not a deals file',
    ],
  ])('%s', async (_what, change, message) => {
    const cli = cliFor(await scriptedService([]));
    const words = filesIn(temporaryFolder());
    const ran = await cli.run([...change(words)]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
    expect(readFileSync(words[1] ?? '', 'utf8')).toBe(EXPOSURES);
  });
});

it('a deals file that cannot be written ends with 74, and the coverage is shown', async () => {
  const { run } = await coverWith([...readings(), quoteFor(8000)]);
  const ran = await run('--deals', join(temporaryFolder(), 'nowhere', 'deals.csv'), '--json');
  expect(ran.code).toBe(74);
  expect(ran.document()).toMatchObject({
    data: { derived: { total: { notional_usd: 8000 } } },
    error: { code: 'output_failed', effect: 'none' },
    meta: { deals: null },
  });
});
