import { describe, expect, it } from 'vitest';
import { aMarket, anAccount } from '../spec/bodies.ts';
import { cliFor } from '../support/cli-for.ts';
import {
  type Asked,
  expectUsageError,
  type PricedService,
  priced,
  pricedService,
  type Reply,
} from '../support/priced-service.ts';
import { ON_A_TERMINAL, quickClock, testCli } from '../support/test-cli.ts';

const QUOTES = 'POST /quotes';
const GRID = 'quote USDTNGN --sides buy,sell --sizes 10k,20k --tenor all';

interface Cell {
  side: string;
  notional_usd: number;
  tenor_days: number;
  derived: Record<string, unknown>;
}

async function gridOf(service: PricedService, words = `${GRID} --json`) {
  const ran = await cliFor(service).run(words);
  const { data }: { data: Cell[] } = JSON.parse(ran.out);
  const cell = (side: string, size: number, tenor: number): Cell => {
    const found = data.find(
      (each) => each.side === side && each.notional_usd === size && each.tenor_days === tenor,
    );
    if (found === undefined) throw new Error(`no cell ${side} ${size} ${tenor}`);
    return found;
  };
  return { ran, data, cell };
}

describe('a grid of quotes', () => {
  it('has a quote for each side, size and tenor, in this order', async () => {
    const { ran, data } = await gridOf(await pricedService());
    expect(ran.code).toBe(0);
    expect(data.map((cell) => `${cell.side} ${cell.notional_usd} ${cell.tenor_days}`)).toEqual([
      'buy 10000 1',
      'buy 10000 3',
      'buy 10000 7',
      'buy 20000 1',
      'buy 20000 3',
      'buy 20000 7',
      'sell 10000 1',
      'sell 10000 3',
      'sell 10000 7',
      'sell 20000 1',
      'sell 20000 3',
      'sell 20000 7',
    ]);
    expect(ran.document()).toMatchObject({
      error: null,
      meta: { covers: { count: 12, asked: 12 }, capacity: { buy: 500000, sell: 480000.5 } },
    });
  });

  it('has the costs and the marginal costs that are worked out by hand', async () => {
    const { cell } = await gridOf(await pricedService());
    // 3 d, 10,000: impact 4 + 2 × 1 = 6 bps = 6; carry 10,000 × 0.05 % × 3 = 15; fee 10: 31 = 31 bps.
    // 3 d, 20,000: impact 8 bps = 16; carry 30; fee 20: 66 = 33 bps. Marginal (66 − 31)/10,000 × 10⁴ = 35 bps.
    expect(cell('buy', 10_000, 3).derived).toMatchObject({ cost_usdc: 31, cost_bps: 31, marginal_bps: null });
    expect(cell('buy', 20_000, 3).derived).toMatchObject({ cost_usdc: 66, cost_bps: 33, marginal_bps: 35 });
    // Sell, 7 d: impact 6; carry −10,000 × 0.02 % × 7 = −14; fee 10: 2 = 2 bps; 16 − 28 + 20 = 8 = 4 bps;
    // (8 − 2)/10,000 × 10⁴ = 6 bps.
    expect(cell('sell', 20_000, 7).derived).toMatchObject({ cost_usdc: 8, cost_bps: 4, marginal_bps: 6 });
  });

  it('marks the lowest cost of each side and size', async () => {
    const { data } = await gridOf(await pricedService());
    const best = data.filter(({ derived }) => derived['best'] === true);
    // A buy pays carry each day, a sell earns it.
    expect(best.map((cell) => `${cell.side} ${cell.notional_usd} ${cell.tenor_days}`)).toEqual([
      'buy 10000 1',
      'buy 20000 1',
      'sell 10000 7',
      'sell 20000 7',
    ]);
  });

  it('marks none as best where there is one tenor to choose from', async () => {
    const { data } = await gridOf(await pricedService(), 'quote USDTNGN --sizes 10k --tenor 3 --json');
    expect(data.map(({ side, derived }) => [side, derived['best']])).toEqual([
      ['buy', false],
      ['sell', false],
    ]);
  });

  it('names the limits that a size exceeds', async () => {
    const service = await pricedService({
      'GET /markets': () => ({ data: [aMarket({ available_capacity_usd: { buy: 15_000, sell: 99_000 } })] }),
      'GET /account': () => ({ data: anAccount({ available_exposure_usd: 25_000, balance_usdc: 2_500 }) }),
    });
    const words = 'quote USDTNGN --sides sell,buy --sizes 10k,20k,30k --tenor 1';
    const { cell } = await gridOf(service, `${words} --json`);
    // Upfront is 10.1 %: 20,000 need 2,020 of 2,500, 30,000 need 3,030.
    expect(cell('buy', 10_000, 1).derived['exceeds']).toEqual([]);
    expect(cell('buy', 20_000, 1).derived['exceeds']).toEqual(['capacity']);
    expect(cell('buy', 30_000, 1).derived['exceeds']).toEqual(['capacity', 'headroom', 'balance']);
    expect(cell('sell', 20_000, 1).derived['exceeds']).toEqual([]);
    expect(cell('sell', 30_000, 1).derived['exceeds']).toEqual(['headroom', 'balance']);
    const { out } = await cliFor(service).run(words, ON_A_TERMINAL);
    expect(out).toContain('C: above the capacity: buy 15,000.00 USD, sell 99,000.00 USD.');
    expect(out).toContain('H: above the headroom: 25,000.00 USD.');
    expect(out).toContain('B: upfront above the free balance: 2,500.00 USDC.');
    expect(out).toMatch(/30,000\.00 .* C H B$/m);
  });

  it("adds the customer's rate, also to a single quote", async () => {
    const service = await pricedService();
    const { cell } = await gridOf(service, `${GRID} --markup-bps 35 --json`);
    // Buy 10,000, 3 d: K = 1500 × 1.0006 = 1500.9; all-in 1500.9/(1 − 25/10,000) = 1504.66165414;
    // × 1.0035 = 1509.92796992. Sell, 3 d: 1499.1/(1 + (10 − 6)/10,000) = 1498.50059976; × 0.9965 = 1493.25584766.
    expect(cell('buy', 10_000, 3).derived['customer_rate']).toBe(1509.92796992);
    expect(cell('sell', 10_000, 3).derived['customer_rate']).toBe(1493.25584766);
    const single = await cliFor(service).run('quote USDTNGN buy 10k -t 3 --markup-bps 35 --json');
    expect(single.document()).toMatchObject({ data: { derived: { customer_rate: 1509.92796992 } } });
    const screen = await cliFor(service).run('quote USDTNGN buy 10k -t 3 --markup-bps 35', ON_A_TERMINAL);
    expect(screen.out).toMatch(/^Customer +1,509\.928 +break-even and markup$/m);
    const several = await cliFor(service).run('quote USDTNGN buy 10k --markup-bps 35', ON_A_TERMINAL);
    expect(several.out).toMatch(/CUSTOMER$/m);
  });

  it('has a line of CSV for each quote', async () => {
    const ran = await cliFor(await pricedService()).run(`${GRID} --csv`);
    const [header = '', ...lines] = ran.out.trim().split('\n');
    expect(header).toContain(
      'derived.notional_quote,derived.marginal_bps,derived.best,derived.exceeds,derived.customer_rate,derived.refused',
    );
    expect(lines).toHaveLength(12);
  });
});

describe('a grid takes its time', () => {
  it('starts no more than eight quotes a second', async () => {
    const slept: number[] = [];
    const clock = quickClock();
    const paced = testCli({
      clock: {
        ...clock,
        sleep(ms, signal) {
          slept.push(ms);
          return clock.sleep(ms, signal);
        },
      },
    });
    const ran = await paced.run(`--profile practice ${GRID} --json`);
    expect(ran.code).toBe(0);
    // Eleven pauses between twelve quotes.
    expect(slept.filter((ms) => ms === 125)).toHaveLength(11);
  });
});

describe('a grid that cannot be complete', () => {
  const limitedAt =
    (count: number) =>
    ({ body, nth }: Asked): Reply =>
      nth >= count ? { status: 429, code: 'rate_limited' } : { data: priced(body) };

  it('ends at a 429 with what came, and sends no more', async () => {
    const service = await pricedService({ [QUOTES]: limitedAt(5) });
    const { ran, data } = await gridOf(service);
    expect(ran.code).toBe(5);
    expect(data).toHaveLength(4);
    expect(ran.document()).toMatchObject({
      error: { code: 'rate_limited', effect: 'none', retry: 'later', details: { quotes: 4, asked: 12 } },
      meta: { covers: { count: 4, asked: 12 } },
    });
    // Others may have been on their way; none is tried twice.
    expect(service.count(QUOTES)).toBeLessThanOrEqual(8);
  });

  it('shows what came on a screen, and says how many of how many', async () => {
    const service = await pricedService({ [QUOTES]: limitedAt(5) });
    const ran = await cliFor(service).run(GRID, ON_A_TERMINAL);
    expect(ran.out).toContain('Buy: gains when the naira weakens');
    expect(ran.err).toContain('The rate limit of this key is reached. 4 of 12 quotes came.');
  });

  it('ends as a single quote would at a response that cannot be read', async () => {
    const service = await pricedService({
      [QUOTES]: ({ body, nth }: Asked): Reply => ({ data: nth >= 5 ? {} : priced(body) }),
    });
    const { ran, data } = await gridOf(service);
    expect(ran.code).toBe(6);
    expect(data).toHaveLength(4);
    expect(ran.document()).toMatchObject({ error: { code: 'unreadable_answer', details: { quotes: 4 } } });
  });

  it('is an error where no quote came', async () => {
    const service = await pricedService({ [QUOTES]: limitedAt(1) });
    const ran = await cliFor(service).run(`${GRID} --json`);
    expect(ran.code).toBe(5);
    expect(ran.document()).toMatchObject({ data: null, error: { code: 'rate_limited' } });
  });

  it('names what the service refused', async () => {
    const service = await pricedService({
      [QUOTES]: ({ body }) =>
        body['notional_usd'] === 20_000 ? { status: 400, code: 'capacity_exceeded' } : { data: priced(body) },
    });
    const { ran, cell } = await gridOf(service);
    expect(ran.code).toBe(0);
    expect(cell('buy', 20_000, 3)).toEqual({
      market: 'USDTNGN',
      side: 'buy',
      notional_usd: 20_000,
      tenor_days: 3,
      derived: {
        marginal_bps: null,
        best: false,
        exceeds: [],
        customer_rate: null,
        refused: 'capacity_exceeded',
      },
    });
    const { out } = await cliFor(service).run(GRID, ON_A_TERMINAL);
    expect(out).toMatch(/20,000\.00 +3 d .*capacity_exceeded/);
  });

  it('is the refusal where the service refuses all of it', async () => {
    const service = await pricedService({ [QUOTES]: () => ({ status: 400, code: 'market_disabled' }) });
    const ran = await cliFor(service).run(`${GRID} --json`);
    expect(ran.code).toBe(3);
    expect(ran.document()).toMatchObject({ data: null, error: { code: 'market_disabled' } });
  });

  it('asks for no quote of a market that the account does not have', async () => {
    const service = await pricedService();
    const ran = await cliFor(service).run('quote USTDNGN --sizes 10k --json');
    expect(ran.code).toBe(3);
    expect(ran.document()).toMatchObject({ error: { code: 'market_not_found' } });
    expect(service.count(QUOTES)).toBe(0);
  });

  it('says that capacity, headroom and balance are not known', async () => {
    const broken = (): Reply => ({ status: 400, code: 'closed_for_now' });
    const service = await pricedService({ 'GET /markets': broken, 'GET /account': broken });
    const { ran, cell } = await gridOf(service);
    expect(ran.code).toBe(0);
    expect(cell('buy', 20_000, 3).derived['exceeds']).toEqual([]);
    expect(ran.document()).toMatchObject({ meta: { account: null, capacity: null } });
    const { out } = await cliFor(service).run(GRID, ON_A_TERMINAL);
    expect(out).toContain('The capacity is not known.');
    expect(out).toContain('Headroom and balance are not known.');
  });

  it('passes on fields that the specification does not name', async () => {
    const service = await pricedService({
      [QUOTES]: ({ body }) => ({ data: { ...priced(body), venue: 'v-7' } }),
    });
    const { cell } = await gridOf(service);
    expect(cell('sell', 10_000, 1)).toMatchObject({ venue: 'v-7', derived: { cost_bps: 14 } });
  });
});

describe('a grid command line', () => {
  it.each([
    ['quote USDTNGN buy 10k --sizes 50k,100k', 'instead of buy 10k'],
    ['quote USDTNGN buy --sizes 50k,100k', 'instead of buy'],
    ['quote USDTNGN --sides buy', 'Missing --sizes: '],
    ['quote --sides buy --sizes 10k', 'Missing: the market'],
    ['quote USDTNGN --sizes 10,000', 'thousands comma'],
    ['quote USDTNGN --sizes 1,250,000', 'thousands comma'],
    ['quote USDTNGN --sizes 5k,10,500.00', 'thousands comma'],
    ['quote USDTNGN --sizes 5k,,6k', 'not a notional'],
    ['quote USDTNGN --sides buy,up --sizes 10k', 'not a side'],
    ['quote USDTNGN --sizes 10k --curve', 'no --curve'],
    ['quote USDTNGN --sizes 10k --max-cost-bps 40', 'no --max-cost-bps'],
    ['quote USDTNGN --sizes 10k --watch', 'no --watch'],
    ['quote USDTNGN buy 10k --curve --markup-bps 35', 'no markup'],
    ['quote USDTNGN buy 10k --markup-bps=-1', 'not a markup'],
    ['quote USDTNGN buy 10k --markup-bps 10000', 'not a markup'],
    [`quote USDTNGN --sizes ${Array.from({ length: 11 }, (_, at) => `${at + 1}k`).join()}`, '66 quotes'],
  ])('is exit code 2 before any request: %s', (words, says) => expectUsageError(words, says));

  it('takes exactly 60 quotes, each size once', async () => {
    const sizes = [...Array.from({ length: 10 }, (_, at) => `${at + 1}k`), '1k', '1000'].join();
    const { ran, data } = await gridOf(await pricedService(), `quote USDTNGN --sizes ${sizes} --json`);
    expect(ran.code).toBe(0);
    expect(data).toHaveLength(60);
  });
});
