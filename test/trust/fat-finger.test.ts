/**
 * R9: whatever is typed, on whatever day and at whatever price, nothing leaves that the operator's own limits, the
 * price that was asked for, a halt, or the same deal a moment ago should have stopped. Judged by what left.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aDesk, quickClock } from '../support/desk.ts';
import { type Front, frontOf, type Passed } from '../support/front.ts';
import { expectHeld, howMany, SOAKING } from '../support/goal.ts';
import { temporaryFolder } from '../support/own-folder.ts';
import { type ServedBook, servedBook } from '../support/served-book.ts';
import { seededRandom } from '../support/steady-clock.ts';

const GOAL = 'R9 random orders against limits';
const ORDERS_A_DAY = 12;
const MINUTE_MS = 60_000;
const QUOTE_LIVES_MS = 30_000;
/** As practice has it, before it is moved. */
const MID = 1_520;

let served: ServedBook;
beforeAll(async () => {
  served = await servedBook({
    rate_limit: { burst: 10_000, per_second: 10_000 },
  });
});
beforeEach(() => served.reset());
afterAll(() => served.close());

interface Limits {
  maxNotional: number;
  maxDaily: number;
  readOnly: boolean;
}

interface Order {
  action: 'open' | 'add';
  side: 'buy' | 'sell';
  notional: string;
  tenor: number;
  worst: number | undefined;
  dealId: string | undefined;
  allowDuplicate: boolean;
}

/** What left, and what stood then. */
interface Sent {
  order: Order;
  path: string;
  notional: number;
  key: string;
  at: number;
  halted: boolean;
  /** The last quote that was given for it: its execution price, undefined where nobody could tell one. */
  quote: { price: number | undefined; at: number } | undefined;
}

const WELL = ['0.01', '500', '999.99', '2k', '2000', '2_000', '5000', '9,999', '10k', '30000', '75k', '1.5m'];
const ILL = ['-5', '0', '1e3', 'NaN', '1mm', '10,00', '５０００', '5000.001', '0x10', '', '1'.repeat(30)];
const EXECUTION = [undefined, null, 0, -1, 'NaN', '1530'] as const;

/** What was wrong with what left, given what came before it. */
function wrongIn(sent: readonly Sent[], limits: Limits): readonly string[] {
  const wrong: string[] = [];
  let sum = 0;
  for (const [number, each] of sent.entries()) {
    const { order, notional, quote } = each;
    const told = JSON.stringify({ ...each, limits });
    sum += notional;
    if (ILL.includes(order.notional)) wrong.push(`no notional: ${told}`);
    if (limits.readOnly) wrong.push(`read only: ${told}`);
    if (each.halted) wrong.push(`halted: ${told}`);
    if (notional > limits.maxNotional) wrong.push(`above the limit of a deal: ${told}`);
    if (sum > limits.maxDaily) wrong.push(`above the limit of the day: ${told}`);
    if (quote?.price === undefined) wrong.push(`at no price: ${told}`);
    else if (each.at - quote.at > QUOTE_LIVES_MS) wrong.push(`at an old price: ${told}`);
    else if (
      order.worst !== undefined &&
      (order.side === 'buy' ? quote.price > order.worst : quote.price < order.worst)
    )
      wrong.push(`at a worse price: ${told}`);
    const before = sent.slice(0, number);
    const same = before.find(
      (one) =>
        one.path === each.path &&
        one.order.side === order.side &&
        one.notional === notional &&
        (one.path !== '/hedges' || one.order.tenor === order.tenor) &&
        each.at - one.at < MINUTE_MS,
    );
    if (same !== undefined && order.dealId === undefined && !order.allowDuplicate)
      wrong.push(`twice: ${told}`);
    if (
      order.dealId !== undefined &&
      before.some((one) => one.order.dealId === order.dealId && one.key !== each.key)
    )
      wrong.push(`a deal id of another deal: ${told}`);
  }
  return wrong;
}

/** One day on one journal, all of it drawn from `seed`. */
async function aDay(front: Front, seed: number): Promise<readonly string[]> {
  const { fraction } = seededRandom(seed);
  const below = (count: number): number => Math.floor(fraction() * count);
  const of = <T>(list: readonly [T, ...T[]] | readonly T[], otherwise: T): T =>
    list[below(list.length)] ?? otherwise;
  const quick = quickClock();
  let ahead = 0;
  const clock = { ...quick, now: () => quick.now() + ahead };
  const way = front.way('');
  const desk = aDesk({ clock, env: { HEDGE_CA_FILE: way['HEDGE_CA_FILE'] ?? '' } });
  const limits: Limits = {
    maxNotional: of([900, 2_000, 10_000], 900),
    maxDaily: of([3_000, 12_000, 40_000], 3_000),
    readOnly: below(8) === 0,
  };
  await served.reset();
  await served.opened('buy', 1_000);
  await desk.run(['profile', 'add', 'desk', '--base-url', way['HEDGE_BASE_URL'] ?? '', '--key-stdin'], {
    stdin: way['HEDGE_API_KEY'] ?? '',
  });
  await desk.run('profile use desk');
  const set = `--max-notional ${limits.maxNotional.toString()} --max-daily-notional ${limits.maxDaily.toString()}`;
  expect(await desk.run(`profile limit desk ${set}${limits.readOnly ? ' --read-only' : ''}`)).toMatchObject({
    code: 0,
  });

  const sent: Sent[] = [];
  let quote: Sent['quote'];
  let order: Order | undefined;
  let halted = false;
  front.meddle(async (line, pass, body) => {
    if (line === 'POST /quotes') {
      const passed = await pass();
      const price = below(6) === 0 ? of(EXECUTION, undefined) : MID * (1 + (fraction() - 0.5) / 50);
      quote = { price: typeof price === 'number' && price > 0 ? price : undefined, at: clock.now() };
      return priced(passed, price);
    }
    if (/^POST \/hedges(\/add)?$/.test(line) && order !== undefined) {
      const { notional_usd: notional = 0 } = JSON.parse(body);
      sent.push({ order, path: line.slice(5), notional, key: body, at: clock.now(), halted, quote });
    }
    return pass();
  });
  for (let number = 0; number < ORDERS_A_DAY; number += 1) {
    ahead += below(45_000);
    if (below(10) === 0) {
      halted = !halted;
      await desk.run(halted ? 'halt drill' : 'unhalt --yes');
    }
    order = {
      action: below(4) === 0 ? 'add' : 'open',
      side: of(['buy', 'sell'], 'buy'),
      notional: below(8) === 0 ? of(ILL, '') : of(WELL, '500'),
      tenor: of([1, 3], 1),
      worst: below(2) === 0 ? Math.round(MID * (1 + (fraction() - 0.5) / 25)) : undefined,
      dealId: below(3) === 0 ? `PAY-${below(4).toString()}` : undefined,
      allowDuplicate: below(8) === 0,
    };
    quote = undefined;
    await desk.run(wordsOf(order));
  }
  return wrongIn(sent, limits).map((what) => `day ${seed.toString()}: ${what}`);
}

function wordsOf({ action, side, notional, tenor, worst, dealId, allowDuplicate }: Order): readonly string[] {
  return [
    action,
    'USDTNGN',
    side,
    notional,
    '--yes',
    ...(action === 'open'
      ? ['--tenor', tenor.toString(), ...(dealId === undefined ? [] : ['--deal-id', dealId])]
      : []),
    ...(worst === undefined ? [] : ['--worst-price', worst.toString()]),
    ...(allowDuplicate ? ['--allow-duplicate'] : []),
  ];
}

/** The answer of a quote with another price in it. */
function priced(passed: Passed, price: unknown): Passed {
  const document = JSON.parse(passed.body);
  if (document.data === null) return passed;
  document.data.pricing.execution_price = price;
  document.data.pricing.market_price = typeof price === 'number' && price > 0 ? price : MID;
  return { ...passed, body: JSON.stringify(document) };
}

describe('an order', () => {
  it(
    'leaves only within every limit, whatever is typed',
    async () => {
      const front = await frontOf(served, temporaryFolder());
      const wrong: string[] = [];
      const days = howMany(6, 150);
      let left = 0;
      front.watch((line) => {
        if (line.startsWith('POST /hedges')) left += 1;
      });
      for (let seed = 1; seed <= days; seed += 1) wrong.push(...(await aDay(front, seed)));
      expect(left).toBeGreaterThan(days);
      expectHeld(GOAL, { runs: days * ORDERS_A_DAY, wrong });
    },
    SOAKING ? 600_000 : 60_000,
  );

  const limits: Limits = { maxNotional: 1_000, maxDaily: 1_500, readOnly: false };
  const order: Order = {
    action: 'open',
    side: 'buy',
    notional: '500',
    tenor: 1,
    worst: 1_530,
    dealId: undefined,
    allowDuplicate: false,
  };
  const fine: Sent = {
    order,
    path: '/hedges',
    notional: 500,
    key: 'a',
    at: 0,
    halted: false,
    quote: { price: 1_529, at: 0 },
  };
  it.each<[string, Partial<Sent>, Partial<Limits>]>([
    ['of no notional', { order: { ...order, notional: '1e3' } }, {}],
    ['from a profile that only reads', {}, { readOnly: true }],
    ['under a halt', { halted: true }, {}],
    ['above the limit of a deal', { notional: 1_001 }, {}],
    ['above the limit of the day', {}, { maxDaily: 499 }],
    ['at no price', { quote: { price: undefined, at: 0 } }, {}],
    ['without a quote', { quote: undefined }, {}],
    ['at an old price', { at: 30_001 }, {}],
    ['at a worse price', { quote: { price: 1_531, at: 0 } }, {}],
  ])('that left %s would be found', (_, broken, other) => {
    expect(wrongIn([fine], limits)).toEqual([]);
    expect(wrongIn([{ ...fine, ...broken }], { ...limits, ...other })).toHaveLength(1);
  });

  it('that left twice would be found, and under the deal id of another', () => {
    expect(wrongIn([fine, { ...fine, key: 'b' }], limits)).toHaveLength(1);
    const named = { ...fine, order: { ...order, dealId: 'PAY-1' } };
    expect(wrongIn([named, { ...named, key: 'b', notional: 600 }], limits)).toHaveLength(1);
  });
});
