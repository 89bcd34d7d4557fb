import { describe, expect, it } from 'vitest';
import { anAccount, aQuote, aSellQuote, QUOTE_META } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { held, no, ok, on, scriptedService } from '../support/scripted-service.ts';
import { ON_A_TERMINAL, quickClock, testCli } from '../support/test-cli.ts';

const QUOTE = 'POST /quotes';
const ACCOUNT = 'GET /account';
const account = on(ACCOUNT, ok(anAccount()));

describe('quote', () => {
  it('prints one document: the service’s fields under their names, unknown ones too, and our figures', async () => {
    const sent = aQuote({
      venue_ref: 'v-77',
      pricing: { market_price: 1530, execution_price: 1530.918, price_impact_usd: -6, depth: 3 },
    });
    const service = await scriptedService([on(QUOTE, ok(sent, QUOTE_META)), account]);
    const ran = await cliFor(service).run('quote USDTNGN buy 10000 --tenor 3 --json');

    expect(ran.code).toBe(0);
    expect(JSON.parse(service.requests.find(({ line }) => line === QUOTE)?.body ?? '')).toEqual({
      market: 'USDTNGN',
      side: 'buy',
      notional_usd: 10000,
      tenor_days: 3,
    });
    // By hand. impact 10,000 × (1530.918 − 1530)/1530 = 6; cost 6 + 15 + 10 = 31, 31 bps of 10,000;
    // c = 25/10,000; K/(1 − c) = 1530.918/0.9975 = 1534.75488722; over 1530: + 0.310777 %.
    expect(ran.document()).toEqual({
      data: {
        ...sent,
        derived: {
          all_in_rate: 1534.75488722,
          move_to_break_even_pct: 0.310777,
          impact_cost_usd: 6,
          cost_usdc: 31,
          cost_bps: 31,
          notional_quote: 15309180,
          misses: [],
        },
      },
      error: null,
      meta: {
        schema: 1,
        command: 'quote',
        profile: 'env',
        environment: 'sandbox',
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        source: 'onchain',
        account: anAccount(),
      },
    });
    expect(ran.err).toBe('');
  });

  it('derives a sell by hand too: the carry earned and the fee, below the mid', async () => {
    const service = await scriptedService([on(QUOTE, ok(aSellQuote(), QUOTE_META)), account]);
    const ran = await cliFor(service).run('quote usdtngn SELL 10k --tenor 3d --json');
    // impact −10,000 × (1529.082 − 1530)/1530 = 6; cost 6 − 6 + 10 = 10, 10 bps; c = 4/10,000;
    // K/(1 + c) = 1529.082/1.0004 = 1528.47061176; over 1530: −0.099960 %.
    expect(ran.document()).toMatchObject({
      data: {
        derived: {
          all_in_rate: 1528.47061176,
          move_to_break_even_pct: -0.09996,
          impact_cost_usd: 6,
          cost_usdc: 10,
          cost_bps: 10,
          notional_quote: 15290820,
        },
      },
    });
  });

  it('keeps every digit that the service sent', async () => {
    const digits = '12345678901234567.123456789';
    const text = JSON.stringify({ data: aQuote({ depth_usd: 0 }), error: null, meta: {} }).replace(
      '"depth_usd":0',
      `"depth_usd":${digits}`,
    );
    const service = await scriptedService([
      on(QUOTE, { kind: 'body', status: 200, body: text, headers: { 'content-type': 'application/json' } }),
      account,
    ]);
    const ran = await cliFor(service).run('quote USDTNGN buy 10000 -t 3 --json');
    expect(ran.out).toContain(`"depth_usd":${digits}`);
  });

  it('asks for every tenor and the account at once', async () => {
    let release: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    const quoted = on(QUOTE, held(all, no(400, 'market_disabled')));
    const service = await scriptedService([quoted, quoted, quoted, on(ACCOUNT, held(all, ok(anAccount())))]);
    const running = cliFor(service).run('quote USDTNGN buy 10000 --json');
    // None is answered before all four have come.
    await service.arrived(4);
    release();
    expect((await running).code).toBe(3);
    const asked = service.requests
      .filter(({ line }) => line === QUOTE)
      .map(({ body }) => JSON.parse(body).tenor_days);
    expect(new Set(asked)).toEqual(new Set([1, 3, 7]));
  });

  it('puts the tenors side by side in their order', async () => {
    const ran = await testCli().run('--profile practice quote USDTNGN sell 50k --tenor 7,1,3 --json');
    expect(ran.document()).toMatchObject({ data: [{ tenor_days: 1 }, { tenor_days: 3 }, { tenor_days: 7 }] });
  });

  it('is shown without the account when that cannot be read', async () => {
    const service = await scriptedService([on(QUOTE, ok(aQuote())), on(ACCOUNT, no(400, 'account_closed'))]);
    const ran = await cliFor(service).run('quote USDTNGN buy 10000 -t 3');
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('account not read');
  });

  it.each([
    ['--worst-price 1530.918', 0, null],
    ['--worst-price 1530.9', 11, 'worse_price'],
    // A digit too many: it would hold whatever the price is.
    ['--worst-price 15309', 11, 'implausible_price'],
    ['--max-cost-bps 31', 0, null],
    ['--max-cost-bps 30.9', 11, 'cost_too_high'],
  ])('answers an alert without jq: %s exits %i', async (bound, code, error) => {
    const service = await scriptedService([on(QUOTE, ok(aQuote())), account]);
    const ran = await cliFor(service).run(`quote USDTNGN buy 10000 -t 3 ${bound} --json`);
    expect(ran.code).toBe(code);
    expect(ran.document()).toMatchObject({
      data: { market: 'USDTNGN', derived: { cost_bps: 31 } },
      error:
        error === null
          ? null
          : { code: error, effect: 'none', retry: error === 'implausible_price' ? 'never' : 'later' },
    });
  });

  it.each(['-t 3', ''])('says when the account has too little for it: %s', async (tenor) => {
    const words = `--profile practice quote USDTNGN buy 1.5m ${tenor}`;
    const { code, out } = await testCli().run(words, { terminal: { width: 200 } });
    expect(code).toBe(0);
    expect(out.match(/\(insufficient\)/g)).toHaveLength(2);
  });

  it('shows one tenor in full', async () => {
    const date = { date: 'Fri, 20 Nov 2026 09:02:11 GMT' };
    const service = await scriptedService([on(QUOTE, ok(aQuote({ lot: 'A1' }), {}, date)), account]);
    const ran = await cliFor(service).run('quote USDTNGN buy 10000 -t 3', ON_A_TERMINAL);
    expect(ran.out).toBe(`SANDBOX · env · the partner's test funds     indicative, Fri 20 Nov 09:02:11 UTC
Buy USDTNGN 10,000.00 USD = 15,309,180.00 NGN for 3 days, to
  Mon 23 Nov 09:02 UTC. Gains when the naira weakens.

Price       1,530.918   mid 1,530.00
Break-even  1,534.7549  0.31 % above the mid

Impact              6.00 USD
Carry              15.00 USDC  you pay 5.00 per day
Platform fee       10.00 USDC
Total cost         31.00 USDC  31 bps
Upfront         1,010.00 USDC  margin 1,000.00 + fee 10.00
Free           41,320.00 USDC
Headroom      425,000.00 USD
Lot           A1
`);
  });
});

describe('a market that the account does not have', () => {
  it.each(['quote USTDNGN buy 10k', 'quote USTDNGN buy 10k --curve', 'open USTDNGN buy 10k -t 3 --yes'])(
    'is answered with the one that was meant: %s',
    async (words) => {
      const ran = await testCli({ env: { HEDGE_PROFILE: 'practice' } }).run(words);
      expect(ran.err).toContain('This account has no market USTDNGN');
      expect(ran.err).toContain('Did you mean USDTNGN? To list them: hedge markets');
    },
  );
});

describe('the table of a quote', () => {
  it('rounds money to cents and says so, and shows the break-even at 60 columns', async () => {
    // A Monday, of which no tenor matures on a weekend: the mark takes the room of the break-even.
    const clock = quickClock(() => Date.parse('2026-11-23T09:00:00Z'));
    const cli = testCli({ clock, env: { HEDGE_PROFILE: 'practice' } });
    const ran = await cli.run('quote USDTNGN buy 209406.97', {
      terminal: { isTTY: true, width: 60, env: { NO_COLOR: '1' } },
    });
    expect(ran.out).toMatch(/^TENOR +MATURES +PRICE +TOTAL COST +BPS +BREAK-EVEN$/m);
    expect(ran.out).toMatch(/^3 d .* 1,\d{3}\.\d{4} +1,\d{3}\.\d\d +[\d.]+ +1,\d{3}\.\d\d$/m);
    expect(ran.out).toMatch(/^Rounded to 2 decimals, prices to 4\. Full precision:/m);
  });
});

describe('a quote above the capacity', () => {
  it.each([
    [
      'quote USDTNGN sell 20m',
      /takes up to ([\d,.]+) USD on sell\. Nothing/,
      ['hedge quote USDTNGN sell --max', 'A notional is in USD; for naira: --ngn 20000000.'],
    ],
    [
      'quote USDTNGN buy --ngn 800bn',
      /takes up to ([\d,.]+) USD on buy\. /,
      ['hedge quote USDTNGN buy --max'],
    ],
    [
      'quote USDTNGN buy 3m --tenor 3 --curve',
      /takes up to ([\d,.]+) USD on buy\. /,
      ['hedge quote USDTNGN buy --max'],
    ],
    [
      'quote USDTNGN --sides buy,sell --sizes 900m --tenor 3',
      /takes up to ([\d,.]+) USD on buy, [\d,.]+ USD on sell\. /,
      ['hedge quote USDTNGN buy --max', 'hedge quote USDTNGN sell --max'],
    ],
  ])('names the capacity now and a size that fits: %s', async (words, message, hints) => {
    const ran = await testCli({ env: { HEDGE_PROFILE: 'practice' } }).run(`${words} --json`);
    const { error } = JSON.parse(ran.out);
    expect([ran.code, error.code]).toEqual([3, 'capacity_exceeded']);
    expect(error.message).toMatch(message);
    expect(error.details.available_capacity_usd.buy).toBe(
      Number(message.exec(error.message)?.[1]?.replaceAll(',', '')),
    );
    expect(error.hint.split('\n').map((line: string) => line.replace(/ {4,}.*/, ''))).toEqual(hints);
  });
});
