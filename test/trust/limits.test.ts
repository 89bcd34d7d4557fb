/**
 * R9: random orders under random guards. Nothing above a limit, no twin inside the minute, no quote that is stale, has
 * moved or misses its bound, and nothing without a reference that can be told, ever leaves; counted where it would.
 */
import { array, assert, asyncProperty, boolean, constant, constantFrom, oneof, record } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DayHouse, dayHouse, newDay, type Program } from '../support/day/day.ts';
import {
  BROKEN,
  ELSE,
  type Guards,
  type Order,
  type OrderDay,
  ordered,
  orderText,
} from '../support/day/orders.ts';
import { expectHeld, howMany } from '../support/goal.ts';

let house: DayHouse;
beforeAll(async () => {
  house = await dayHouse();
});
afterAll(() => house.close());

const often = <T>(usual: T, ...others: readonly [T, ...T[]]) =>
  oneof({ weight: 20, arbitrary: constant(usual) }, { weight: 1, arbitrary: constantFrom(...others) });

const guards = record<Guards>({
  most: constantFrom(undefined, undefined, 500, 2_500, 10_000),
  mostDaily: constantFrom(undefined, undefined, 2_500, 12_000),
  readOnly: often(false, true),
  halted: often(false, true),
});

const order = record<Order>({
  action: constantFrom('open', 'add'),
  side: often('buy', 'sell'),
  size: constantFrom(500, 1_000, 1_000, 2_500, 2_500.01, 10_000),
  after: constantFrom(0, 5, 52, 61, 90_000),
  shownBps: often(4, 0, 20),
  laterBps: often(4, 0, 13.9, 14.1, 20, 300),
  terms: oneof(
    constantFrom<Order['terms']>('any', 'none'),
    record({ worstBps: constantFrom(3, 4, 5, 14, 30) }),
    record({ maxCostBps: constantFrom(20, 28.9, 29, 29.1, 45) }),
  ),
  person: boolean(),
  twice: often(false, true),
  slowSeconds: often(0, 8, 25, 45),
  headroom: often(500_000, 0, 999.99, 1_000),
  capacity: often(500_000, 999.99, 2_500),
  balance: often(100_000, 50, 255),
  disabled: often(false, true),
  broken: often<Order['broken']>(undefined, ...BROKEN, ...ELSE),
});

/** What must never be and was, and how many left. */
async function dealt(set: Guards, orders: readonly Order[], program?: Program) {
  const day = await newDay(house, program);
  const its: OrderDay = { guards: set, sent: [] };
  const wrong: string[] = [];
  try {
    const figure = (usd: number | undefined): string => (usd === undefined ? 'none' : String(usd));
    const limits = ['--max-notional', figure(set.most), '--max-daily-notional', figure(set.mostDaily)];
    const more = set.readOnly ? '--read-only' : '--no-read-only';
    await day.run(['profile', 'limit', 'desk', ...limits, more, '--yes', '--json']);
    if (set.halted) await day.run(['halt', 'drill', '--json']);
    for (const one of orders)
      wrong.push(...(await ordered(day, its, one)).map((what) => `${orderText(one)}: ${what}`));
    return { wrong, left: its.sent.length };
  } finally {
    await day.close();
  }
}

describe('orders under guards', () => {
  it('leave only where every guard lets them, and do leave there', async () => {
    let runs = 0;
    let left = 0;
    let found: readonly string[] = [];
    const wrong: string[] = [];
    await assert(
      asyncProperty(guards, array(order, { minLength: 1, maxLength: 4 }), async (set, orders) => {
        const now = await dealt(set, orders);
        runs += orders.length;
        left += now.left;
        if (now.wrong.length > 0) found = now.wrong;
        expect(now.wrong).toEqual([]);
      }),
      { seed: 20_261_122, numRuns: howMany(40, 300) },
    ).catch((error: unknown) => wrong.push(`${String(error)}\n${found.join('\n')}`));
    expectHeld('R9 random orders under random guards', { runs, wrong });
    // Neither all nor none: otherwise nothing was tried.
    expect(left).toBeGreaterThan(runs / 20);
    expect(left).toBeLessThan(runs * 0.8);
  });
});

describe('the judge of orders under guards', () => {
  const calm: Order = {
    action: 'open',
    side: 'buy',
    size: 1_000,
    after: 0,
    shownBps: 4,
    laterBps: 4,
    terms: 'any',
    person: false,
    twice: false,
    slowSeconds: 0,
    headroom: 500_000,
    capacity: 500_000,
    balance: 100_000,
    disabled: false,
    broken: undefined,
  };
  const free: Guards = { most: undefined, mostDaily: undefined, readOnly: false, halted: false };
  const lines = (change: (words: readonly string[]) => readonly string[]): Program => {
    return (words, run) => run(words[0] === 'open' ? change(words) : words);
  };
  const lifting =
    (...words: string[]): Program =>
    async (given, run) => {
      if (given[0] === 'open') await run(words);
      return run(given);
    };

  it.each<[string, RegExp, Guards, readonly Order[], Program]>([
    [
      'lifts a limit by itself',
      /above the limit of a deal/,
      { ...free, most: 500 },
      [calm],
      lifting('profile', 'limit', 'desk', '--max-notional', 'none', '--yes'),
    ],
    [
      'forgets what the day has spent',
      /above the limit of a day/,
      { ...free, mostDaily: 2_500 },
      [calm, { ...calm, after: 61 }, { ...calm, after: 61 }],
      (words, run, { journal }) => {
        if (words[0] === 'open') journal.forget();
        return run(words);
      },
    ],
    ['deals over a halt', /halted/, { ...free, halted: true }, [calm], lifting('unhalt', '--yes')],
    [
      'deals a twin',
      /a twin within the minute/,
      free,
      // It takes some seconds to be filled.
      [calm, { ...calm, after: 52 }],
      lines((words) => [...words, '--allow-duplicate']),
    ],
    [
      'deals at any price',
      /a worse price than the worst/,
      free,
      [{ ...calm, terms: { worstBps: 3 } }],
      lines((words) => [
        ...words.filter((_, at) => !/worst/.test(words[at] ?? '') && !/worst/.test(words[at - 1] ?? '')),
        '--any-price',
      ]),
    ],
    [
      'does not ask again',
      /moved since it was agreed/,
      free,
      [{ ...calm, person: true, shownBps: 4, laterBps: 300 }],
      async (words, run) => {
        if (words[0] === 'open') await run([...words, '--yes', '--dry-run']);
        return run(words[0] === 'open' ? [...words, '--yes'] : words);
      },
    ],
    ['deals nothing at all', /nothing kept it/, free, [calm], lines((words) => [...words, '--dry-run'])],
  ])('finds a program that %s', async (_, says, set, orders, broken) => {
    expect((await dealt(set, orders, broken)).wrong.join('\n')).toMatch(says);
    expect((await dealt(set, orders)).wrong).toEqual([]);
  });
});
