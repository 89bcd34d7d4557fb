/** `hedge what-if`: P&L at other rates, the payoff confirmed by the service's own figure or named as assumed. */
import { describe, expect, it } from 'vitest';
import { aHedge, aMarket, aPosition, type Body } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import { csvLines } from '../support/csv.ts';
import { expectUsageError } from '../support/priced-service.ts';
import { type Exchange, ok, on, scriptedService } from '../support/scripted-service.ts';
import { testCli } from '../support/test-cli.ts';

/** Three days before the maturity of the hedge. */
const DATE = { date: 'Fri, 20 Nov 2026 09:02:59 GMT' };
const BUY = aHedge({ struck_rate: 1516.25 });
const SELL = aHedge({
  id: 'hdg_2',
  side: 'sell',
  client_reference: 'PAY-2',
  notional_usd: 4000,
  struck_rate: 1520,
});

/**
 * Buy 10,000 struck at 1,516.25, marked at 1,500: gross 10,000 × (1,500 − 1,516.25) / 1,500 = −108.333333, carry −5,
 * net −113.333333; margin 1,000 and a fee of 5, so closing returns 1,000 − 113.333333 − 5 = 881.666667.
 */
const LINE = {
  market: 'USDTNGN',
  side: 'buy',
  notional_usd: 10000,
  mark_price: 1500,
  gross_pnl_usd: -108.333333,
  accrued_carry_usdc: -5,
  net_pnl_usd: -113.333333,
  close_fee_usdc: 5,
  net_margin_usd: 881.666667,
};
/** Sell 4,000 struck at 1,520: gross 4,000 × (1,520 − 1,500) / 1,500 = 53.333333. */
const SELL_LINE = {
  ...LINE,
  side: 'sell',
  notional_usd: 4000,
  gross_pnl_usd: 53.333333,
  accrued_carry_usdc: 1,
  net_pnl_usd: 54.333333,
  close_fee_usdc: 2,
  net_margin_usd: 452.333333,
};

const reading = (
  hedges: readonly Body[],
  positions: readonly Body[],
  markets: readonly Body[] = [aMarket({ price: 1500 })],
): readonly Exchange[] => [
  on('GET /hedges?limit=500', ok(hedges, {}, DATE)),
  on('GET /positions', ok(positions, {}, DATE)),
  on('GET /markets', ok(markets, {}, DATE)),
];

const cliWith = async (...script: readonly Exchange[]) => cliFor(await scriptedService(script));
const dataOf = (ran: { document(): unknown }) => Object(ran.document()).data;
const WIDE = { terminal: { isTTY: true, width: 100, env: { NO_COLOR: '1' } } };

describe('what-if at one rate', () => {
  it('adds price, carry and the fee to close now', async () => {
    const cli = await cliWith(...reading([BUY], [LINE]));
    const ran = await cli.run('what-if --rate 1600 --json');
    expect(ran.code).toBe(0);
    // 523.4375 − 5 − 5 = 513.4375; 1,600 is (1,600/1,500 − 1) × 100 = 6.666667 % above the mid.
    expect(dataOf(ran)).toMatchObject({
      hedges: [BUY],
      positions: [LINE],
      derived: {
        market: 'USDTNGN',
        mid: 1500,
        at: 'now',
        payoff: 'confirmed',
        sides: [
          {
            side: 'buy',
            payoff_check: { status: 'confirmed', computed_usd: -108.333333, difference_usd: 0 },
          },
        ],
        scenarios: [
          {
            rate: 1600,
            move_pct: 6.666667,
            payoff_usd: 523.4375,
            accrued_carry_usdc: -5,
            carry_to_maturity_usdc: 0,
            close_fee_usdc: 5,
            net_pnl_usd: 513.4375,
            hedges: [{ id: 'hdg_01JD8K', payoff_usd: 523.4375 }],
          },
        ],
      },
    });
  });

  it('at maturity adds the carry of the days to come instead of a fee', async () => {
    const cli = await cliWith(...reading([BUY], [LINE]));
    const ran = await cli.run('what-if --rate 1600 --at maturity --json');
    // 10,000 × 0.05 % × 3 days = 15: 523.4375 − 5 − 15 = 503.4375.
    expect(dataOf(ran).derived.scenarios[0]).toMatchObject({
      carry_to_maturity_usdc: -15,
      close_fee_usdc: 0,
      net_pnl_usd: 503.4375,
    });
  });

  it('says which margin is used up at the mid already', async () => {
    // 881.666667 − 900: a margin of 100 for a loss of 108.333333.
    const lost = { ...LINE, net_margin_usd: -18.333333 };
    const cli = await cliWith(...reading([BUY, SELL], [lost, SELL_LINE]));
    const { out } = await cli.run('what-if --rate 1600', WIDE);
    expect(out).toMatch(
      /^Margin, buy: 100\.00 USDC, ALREADY USED UP below 1,50\d\.\d\d; the mid is 1,500\.00\.$/m,
    );
    expect(out).toMatch(/^Margin, sell: 400\.00 USDC, used up at /m);
  });

  it('adds both sides, and says at which rate each margin is used up', async () => {
    const script = reading([BUY, SELL], [LINE, SELL_LINE]);
    const cli = await cliWith(...script, ...script);
    const { derived } = dataOf(await cli.run('what-if --rate 1600 --json'));
    // Sell 4,000 × (1,520 − 1,600) / 1,600 = −200; total 323.4375; carry −5 + 1, fees 5 + 2: net 312.4375.
    expect(derived.scenarios[0]).toMatchObject({
      payoff_usd: 323.4375,
      net_pnl_usd: 312.4375,
      sides: [
        { side: 'buy', net_pnl_usd: 513.4375 },
        { side: 'sell', payoff_usd: -200, net_pnl_usd: -201 },
      ],
    });
    // Margins: 881.666667 + 113.333333 + 5 = 1,000, and 452.333333 − 54.333333 + 2 = 400.
    // 15,162,500 / 11,000 and 6,080,000 / 3,600 = 1,688.888…
    expect(derived.sides).toMatchObject([
      { margin_usdc: 1000, margin_used_up_at: 1378.40909091 },
      { margin_usdc: 400, margin_used_up_at: 1688.88888889 },
    ]);
    const { out } = await cli.run('what-if --rate 1600', WIDE);
    expect(out).toMatch(/At 1,600\.00, 6\.67 % above the mid: a weaker naira/);
    expect(out).toMatch(/Would realize +\+312\.44 USD/);
    expect(out).toContain('Margin, buy: 1,000.00 USDC, used up at 1,378.41 (-8.11 %).');
    expect(out).toContain('Margin, sell: 400.00 USDC, used up at 1,688.89 (+12.59 %).');
    expect(out).toContain('Payoff, buy: confirmed, the service has -108.33 USD at its mark 1,500.00.');
    expect(out.match(/USDC counts as USD/g)).toHaveLength(1);
    expect(out).not.toContain('liquidat');
  });
});

describe('what-if for moves', () => {
  it('shows each hedge at each move of the mid, in CSV as in the document', async () => {
    const script = reading([BUY], [LINE]);
    const cli = await cliWith(...script, ...script);
    const { derived } = dataOf(await cli.run('what-if --move -10%,+10% --json'));
    // 1,350: 10,000 × −166.25 / 1,350 = −1,231.481481; 1,650: 10,000 × 133.75 / 1,650 = 810.606061.
    expect(derived.scenarios).toMatchObject([
      { rate: 1350, move_pct: -10, payoff_usd: -1231.481481 },
      { rate: 1650, move_pct: 10, payoff_usd: 810.606061 },
    ]);
    const { out } = await cli.run('what-if --move -10%,+10% --csv');
    expect(csvLines(out).map((cells) => [cells[0], cells[2], cells[9]])).toEqual([
      ['rate', 'id', 'payoff_usd'],
      ['1350', 'hdg_01JD8K', '-1231.481481'],
      ['1650', 'hdg_01JD8K', '810.606061'],
    ]);
  });

  it('takes only the columns that are named, on a screen too', async () => {
    const cli = await cliWith(...reading([BUY], [LINE]));
    const { out } = await cli.run('what-if --move +10% --columns side,payoff_usd', WIDE);
    expect(out).toMatch(/^SIDE +GROSS P&L USD$/m);
    expect(out).toMatch(/^buy +\+810\.61$/m);
  });
});

describe('a margin that is used up', () => {
  it('marks the rates at which it is, in a range and at a point', async () => {
    const script = reading([BUY], [LINE]);
    const cli = await cliWith(...script, ...script, ...script);
    const range = (await cli.run('what-if --rate 1350..1450', WIDE)).out;
    expect(range).toMatch(/^1,370\.00 .* buy$/m);
    expect(range).toMatch(/^1,380\.00 .*\d$/m);
    const used = (await cli.run('what-if --rate 1370', WIDE)).out;
    expect(used).toMatch(/^At 1,370\.00, .*\. MARGIN USED UP: buy$/m);
    const unused = (await cli.run('what-if --rate 1380', WIDE)).out;
    expect(unused).toMatch(/^At 1,380\.00, .*naira$/m);
  });
});

describe('what-if over a range', () => {
  it('has eleven rates, and draws their curve', async () => {
    const script = reading([BUY], [LINE]);
    const cli = await cliWith(...script, ...script, ...script);
    const { scenarios } = dataOf(await cli.run('what-if --rate 1400..1700 --json')).derived;
    expect(scenarios).toHaveLength(11);
    // −830.357143 − 10 and 10,000 × 183.75 / 1,700 − 10 = 1,080.882353 − 10.
    expect([scenarios[0], scenarios[10]]).toMatchObject([
      { rate: 1400, net_pnl_usd: -840.357143 },
      { rate: 1700, net_pnl_usd: 1070.882353 },
    ]);
    const { out } = await cli.run('what-if --rate 1400..1700', WIDE);
    expect(out).toMatch(/^\+1,070\.88 ┤ +╭─*$/m);
    expect(out).toMatch(/^ *-840\.36 ┤─/m);
    expect(out).toMatch(/^ +1,400\.00 +1,700\.00$/m);
    const csv = csvLines((await cli.run('what-if --rate 1400..1700 --csv')).out);
    expect(csv.map(([rate]) => rate)).toHaveLength(12);
    expect(csv[11]?.at(-1)).toBe('1070.882353');
  });
});

describe('a payoff that the service does not confirm', () => {
  it('is not projected: exit code 6, and the figures of the service', async () => {
    const script = reading([BUY], [{ ...LINE, gross_pnl_usd: -107.17 }]);
    const cli = await cliWith(...script, ...script);
    const ran = await cli.run('what-if --rate 1600 --json');
    expect(ran.code).toBe(6);
    expect(ran.document()).toMatchObject({
      data: { positions: [{ gross_pnl_usd: -107.17 }], derived: { payoff: 'unconfirmed', scenarios: [] } },
      error: {
        code: 'payoff_unconfirmed',
        effect: 'none',
        details: [{ side: 'buy', gross_pnl_usd: -107.17, computed_usd: -108.333333, tolerance_usd: 0.01 }],
      },
    });
    const { code, out, err } = await cli.run('what-if --rate 1600', WIDE);
    expect(code).toBe(6);
    expect(out).toContain('Payoff, buy: the service has -107.17 USD at its mark 1,500.00; an NDF payoff is');
    expect(out).toMatch(/GROSS P&L|CLOSING/);
    expect(out).not.toContain('1,600');
    expect(err).toContain('Nothing is projected.');
  });

  it('is looked at twice where the hedges are not those of the position, and then not projected', async () => {
    const other = reading([BUY], [{ ...LINE, notional_usd: 25000 }]);
    const cli = await cliWith(...other, ...other);
    const ran = await cli.run('what-if --rate 1600 --json');
    expect(ran.code).toBe(6);
    expect(Object(ran.document()).error).toMatchObject({
      code: 'payoff_unconfirmed',
      retry: 'later',
      message: expect.stringContaining('total 10,000.00 USD, but the position is 25,000.00 USD'),
    });
  });

  it('is projected when the second reading has them', async () => {
    const cli = await cliWith(
      ...reading([BUY], [LINE, SELL_LINE]),
      ...reading([BUY, SELL], [LINE, SELL_LINE]),
    );
    const ran = await cli.run('what-if --rate 1600 --json');
    expect(ran.code).toBe(0);
    expect(dataOf(ran).derived.scenarios[0].payoff_usd).toBe(323.4375);
  });
});

const ASSUMED = 'assumed NDF payoff, not confirmed by the service';

describe('what-if with a service that sends', () => {
  it('only the specified fields projects the price, and names what is missing', async () => {
    const script = reading([BUY], [aPosition()]);
    const cli = await cliWith(...script, ...script);
    const ran = await cli.run('what-if --rate 1600 --at maturity --json');
    expect(ran.code).toBe(0);
    expect(dataOf(ran).derived).toMatchObject({
      payoff: 'assumed',
      payoff_note: ASSUMED,
      sides: [{ margin_usdc: null, margin_used_up_at: null }],
      scenarios: [
        { payoff_usd: 523.4375, accrued_carry_usdc: null, carry_to_maturity_usdc: -15, net_pnl_usd: null },
      ],
    });
    const { out } = await cli.run('what-if --rate 1600', WIDE);
    expect(out).toContain(`Payoff, buy: ${ASSUMED} (the service sends no gross P&L).`);
    expect(out).toMatch(/Accrued carry +— +not included: not known from what the service sends/);
    expect(out).toMatch(/Would realize +— +not known without these/);
    expect(out).toContain('Margin, buy: not known from what the service sends.');
  });

  it('two positions without their sides projects both sides, and attributes no figure to either', async () => {
    const nameless = {
      gross_pnl_usd: -108.333333,
      mark_price: 1500,
      net_pnl_usd: -113.333333,
      net_margin_usd: 881.67,
    };
    const cli = await cliWith(...reading([BUY, SELL], [nameless, { ...nameless, gross_pnl_usd: 53.333333 }]));
    const ran = await cli.run('what-if --rate 1600 --json');
    expect(ran.code).toBe(0);
    expect(dataOf(ran).derived).toMatchObject({
      payoff: 'assumed',
      scenarios: [{ payoff_usd: 323.4375, net_pnl_usd: null }],
      sides: [{ margin_usdc: null }, { margin_usdc: null }],
    });
  });

  it.each<[string, Body, number | null]>([
    [
      'names of its own',
      { direction: 'buy', size: 10000, mark: 1500, pnl: -108.33, net_margin_usd: 881.67 },
      null,
    ],
    ['money as text', { ...LINE, gross_pnl_usd: '-108.333333', net_pnl_usd: '-113.333333' }, null],
    ['nulls', { ...LINE, gross_pnl_usd: null, net_pnl_usd: null, mark_price: null }, null],
    // Carry is net less gross, so it needs no mark: 523.4375 − 5 − 5.
    ['a mark of zero', { ...LINE, mark_price: 0 }, 513.4375],
  ])('%s is projected under the label of an assumption', async (_which, sent, net) => {
    const cli = await cliWith(...reading([BUY], [sent]));
    const ran = await cli.run('what-if --rate 1600 --json');
    expect(ran.code).toBe(0);
    expect(dataOf(ran).derived).toMatchObject({
      payoff_note: ASSUMED,
      scenarios: [{ payoff_usd: 523.4375, net_pnl_usd: net }],
    });
  });

  it.each([
    ['carry with the opposite sign', { accrued_carry_usdc: 5 }],
    ['no net P&L to tell the sign of the carry by', { net_pnl_usd: undefined }],
    ['a fee below zero', { close_fee_usdc: -5 }],
  ])('%s has no net figure, and the price is as confirmed', async (_which, changes) => {
    const cli = await cliWith(...reading([BUY], [{ ...LINE, ...changes }]));
    const { derived } = dataOf(await cli.run('what-if --rate 1600 --json'));
    expect(derived).toMatchObject({
      payoff: 'confirmed',
      scenarios: [{ payoff_usd: 523.4375, net_pnl_usd: null }],
    });
  });

  it('a margin that closing does not return leaves out the rate at which it is used up', async () => {
    const cli = await cliWith(...reading([BUY], [{ ...LINE, margin_usdc: 2000 }]));
    expect(dataOf(await cli.run('what-if --rate 1600 --json')).derived.sides[0].margin_used_up_at).toBeNull();
  });

  it('a fill without its struck rate leaves that hedge out, by name, and all figures of its side but the price', async () => {
    const late = aHedge({ id: 'hdg_late', struck_rate: null, notional_usd: 5000 });
    const cli = await cliWith(...reading([late, BUY], [{ ...LINE, notional_usd: 15000 }]));
    const { derived } = dataOf(await cli.run('what-if --rate 1600 --json'));
    expect(derived).toMatchObject({
      payoff: 'assumed',
      left_out: [{ id: 'hdg_late', why: 'no struck rate yet' }],
      scenarios: [{ payoff_usd: 523.4375, net_pnl_usd: null }],
    });
  });

  it('a list that may be incomplete projects what it has, and says so', async () => {
    const five = [1, 2, 3, 4, 5].map((count) =>
      aHedge({ id: `hdg_${count.toString()}`, struck_rate: 1516.25 }),
    );
    const cut = ['filled', 'submitted', 'submitting'].map((status) =>
      on(`GET /hedges?status=${status}&limit=500`, ok(five, {}, DATE)),
    );
    const script = [...reading(five, [aPosition()]), on('GET /hedges?limit=1', ok(five, {}, DATE)), ...cut];
    const cli = await cliWith(...script, ...reading(five, [aPosition()]), ...script.slice(3));
    const { derived } = dataOf(await cli.run('what-if --rate 1600 --json'));
    // 5 × 523.4375
    expect(derived).toMatchObject({
      maybe_truncated: true,
      scenarios: [{ payoff_usd: 2617.1875, net_pnl_usd: null }],
    });
    const { out } = await cli.run('what-if --rate 1600', WIDE);
    expect(out.replace(/\s+/g, ' ')).toContain(`${ASSUMED} (the list of hedges may be incomplete)`);
    expect(out).toContain('The service may have more hedges than it listed.');
  });

  it('an open that may still fill is named and not counted', async () => {
    const coming = aHedge({
      id: 'hdg_new',
      status: 'submitted',
      opened_at: undefined,
      maturity_at: undefined,
    });
    const cli = await cliWith(...reading([coming, BUY], [LINE]), ...reading([coming, BUY], [LINE]));
    const { out } = await cli.run('what-if --rate 1600', WIDE);
    expect(out).toContain('Not included: hedge hdg_new: submitted, may still fill.');
    const { err } = await cli.run('what-if --rate 1600 --query length(data.hedges)');
    expect(err).toContain('Not included: hedge hdg_new: submitted, may still fill.');
    expect(out).toMatch(/Gross P&L +\+523\.44 USD/);
  });
});

describe('what-if', () => {
  it('without open hedges projects nothing', async () => {
    const script = reading([aHedge({ status: 'closed' })], []);
    const cli = await cliWith(...script, ...script);
    expect(await cli.run('what-if --rate 1600')).toMatchObject({
      code: 0,
      out: expect.stringContaining('No open hedges'),
    });
    expect(dataOf(await cli.run('what-if --rate 1600 --json')).derived.scenarios).toEqual([]);
  });

  it.each([
    ['no market of the hedges', [aMarket({ market: 'USDTKES' })]],
    ['a mid of zero', [aMarket({ price: 0 })]],
  ])('with %s needs a rate: a move has none, exit code 6', async (_which, markets) => {
    const script = reading([BUY], [LINE], markets);
    const cli = await cliWith(...script, ...script);
    const ran = await cli.run('what-if --move +10% --json');
    expect(ran.code).toBe(6);
    expect(Object(ran.document()).error.code).toBe('unreadable_answer');
    const { derived } = dataOf(await cli.run('what-if --rate 1600 --json'));
    expect(derived.scenarios).toMatchObject([{ move_pct: null, net_pnl_usd: 513.4375 }]);
  });

  it('with hedges in two markets asks for one', async () => {
    const kes = aHedge({ id: 'hdg_kes', market: 'USDTKES', struck_rate: 129 });
    const kesLine = {
      ...LINE,
      market: 'USDTKES',
      gross_pnl_usd: 0,
      mark_price: 129,
      net_pnl_usd: -5,
      net_margin_usd: 990,
    };
    const markets = [aMarket({ price: 1500 }), aMarket({ market: 'USDTKES', price: 129 })];
    const script = reading([BUY, kes], [LINE, kesLine], markets);
    const cli = await cliWith(...script, ...script);
    const asked = await cli.run('what-if --move +10%');
    expect(asked.code).toBe(2);
    expect(asked.err).toContain('--market USDTNGN');
    const ran = await cli.run('what-if --move +10% --market usdtkes --json');
    // 129 × 1.1 = 141.9: 10,000 × 12.9 / 141.9 = 909.090909
    expect(dataOf(ran).derived.scenarios).toMatchObject([{ rate: 141.9, payoff_usd: 909.090909 }]);
  });

  it.each([
    ['what-if', 'Missing --rate or --move: '],
    ['what-if --rate 1600 --move +1%', '--rate and --move exclude each other.'],
    ['what-if --rate 1,400,1600', 'is not a price'],
    ['what-if --rate 1700..1400', 'is not a range'],
    ['what-if --rate 1400..1500..1600', 'is not a range'],
    ['what-if --rate 0', 'is not a price'],
    ['what-if --move 10', 'is not a move in percent'],
    ['what-if --move -100%', 'is not a move in percent'],
    ['what-if --move +1%,', 'is not a move in percent'],
    ['what-if --rate 1600 --at noon', 'is not now or maturity'],
  ])('%s is a usage error before any request', (words, says) => expectUsageError(words, says));

  it('confirms the payoff of practice after an add and a reduce', async () => {
    const cli = testCli({ env: { HEDGE_PROFILE: 'practice' } });
    // oxlint-disable-next-line no-await-in-loop
    for (const line of [
      'open USDTNGN buy 10k --tenor 3 --yes -q',
      'open USDTNGN sell 5k --tenor 7 --yes -q',
      'practice advance 1d -q',
      'add USDTNGN buy 7k --yes -q',
      'reduce USDTNGN buy --by 30% --yes -q',
    ])
      expect(await cli.run(line)).toMatchObject({ code: 0 });
    const { derived } = dataOf(await cli.run('what-if --move -10%..+10% --at maturity --json'));
    expect(derived.payoff).toBe('confirmed');
    expect(derived.scenarios).toHaveLength(11);
    expect(
      derived.scenarios.every((each: { net_pnl_usd: unknown }) => typeof each.net_pnl_usd === 'number'),
    ).toBe(true);
  });
});
