/** The deals of a plan: sizes by hand, every constraint, and a thousand random positions and policies. */
import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sum } from '../../src/domain/amounts.ts';
import {
  allot,
  type CoverPolicy,
  type Exposure,
  type HedgeCover,
  netByBucket,
  percentOf,
} from '../../src/domain/cover.ts';
import {
  type CoverConstraint,
  type CoverQuote,
  type CoverRoom,
  planDeals,
} from '../../src/domain/cover-plan.ts';
import { cheapestChain } from '../../src/domain/tenor-chain.ts';
import { aQuarter } from '../support/goal.ts';
import { bucket, coverageOf, daysUntil, due, hedge, POLICY } from './cover-exposures.ts';

/** K = 1,516.25; 10.1 % of the notional upfront. */
const TERMS: CoverQuote = {
  rate: new Big('1516.25'),
  upfront: { required: new Big(1_010), notional: new Big(10_000) },
};
const ENOUGH: CoverRoom = {
  headroom: new Big(1e9),
  capacity: { buy: new Big(1e9), sell: new Big(1e9) },
  balance: new Big(1e9),
};
const planOf = (
  exposures: readonly Exposure[],
  {
    hedges = [],
    policy = POLICY,
    room = {},
    terms = TERMS,
  }: {
    hedges?: readonly HedgeCover[];
    policy?: CoverPolicy;
    room?: Partial<CoverRoom>;
    terms?: CoverQuote | CoverConstraint;
  } = {},
) =>
  planDeals(coverageOf(exposures, hedges, policy).buckets, () => terms, {
    room: { ...ENOUGH, ...room },
    policy,
  });

describe('the size of a deal', () => {
  it('is N = A / K for the naira that are missing to the target', () => {
    // 1,000,000,000 × 80 % = 800,000,000; / 1,516.25 = 527,617.4773…, in whole cents 527,617.47;
    // 527,617.47 × 1,516.25 = 799,999,988.8875, which are 79.99999888875 %.
    const [first] = planOf([due(3, 1_000_000_000)]);
    expect(first?.deals.map(({ notional, naira }) => [notional.toFixed(), naira.toFixed()])).toEqual([
      ['527617.47', '799999988.8875'],
    ]);
    expect(first).toMatchObject({ status: 'inside', constraint: undefined });
    expect(first?.coveragePct?.toFixed()).toBe('79.999999');
  });

  it('is what open hedges leave: a bucket inside its band gets none', () => {
    const planWith = (naira: number) => planOf([due(3, 15_162_500)], { hedges: [hedge(3, naira)] })[0];
    // 60 % of 15,162,500 is 9,097,500: inside.
    expect(planWith(9_097_500)?.deals).toEqual([]);
    // One kobo less: 12,130,000 − 9,097,499.99 = 3,032,500.01, / 1,516.25 = 2,000.0000066: 2,000.00 USD.
    expect(planWith(9_097_499.99)?.deals[0]?.notional.toFixed()).toBe('2000');
  });

  it('sells for naira to be paid', () => {
    const [first] = planOf([due(3, 15_162_500, { direction: 'pay' })]);
    expect(first?.deals[0]).toMatchObject({ side: 'sell' });
    // 12,130,000 / 1,516.25 = 8,000.
    expect(first?.deals[0]?.notional.toFixed()).toBe('8000');
  });
});

describe('a constraint', () => {
  // 60 % of 15,162,500 naira take 6,000 USD, 80 % take 8,000 USD and 808 USDC upfront.
  const EXPOSURES = [due(3, 15_162_500)];
  it.each<[string, Partial<CoverRoom>, CoverConstraint, string, 'below' | 'inside']>([
    ['headroom', { headroom: new Big(5_000) }, 'headroom', '5000', 'below'],
    ['headroom of nothing', { headroom: new Big(0) }, 'headroom', '0', 'below'],
    ['a negative headroom', { headroom: new Big(-5) }, 'headroom', '0', 'below'],
    [
      'capacity',
      { capacity: { buy: new Big(5_999.99), sell: new Big(1e9) } },
      'capacity',
      '5999.99',
      'below',
    ],
    // 505 × 10,000 / 1,010 = 5,000.
    ['balance', { balance: new Big(505) }, 'balance', '5000', 'below'],
    ['headroom for the minimum alone', { headroom: new Big(7_000) }, 'headroom', '7000', 'inside'],
  ])('of %s is named, and the deal is what fits', (_name, room, constraint, notional, status) => {
    const [first] = planOf(EXPOSURES, { room });
    expect(first).toMatchObject({ constraint, status });
    expect(sum([new Big(0), ...(first?.deals ?? []).map((deal) => deal.notional)]).toFixed()).toBe(notional);
  });

  it('is the tightest of several', () => {
    const room = { headroom: new Big(5_000), balance: new Big(404) };
    expect(planOf(EXPOSURES, { room })[0]).toMatchObject({ constraint: 'balance' });
    expect(planOf(EXPOSURES, { room })[0]?.deals[0]?.notional.toFixed()).toBe('4000');
  });

  it.each<CoverConstraint>(['tenor', 'market', 'quote', 'deals'])('of %s is named', (constraint) => {
    const [first] = planOf(EXPOSURES, { terms: constraint });
    expect(first).toMatchObject({ constraint, status: 'below', deals: [] });
    // 60 % of 15,162,500.
    expect(first?.missing.toFixed()).toBe('9097500');
  });

  it('of the minimum is named where a smaller deal would be needed, and a larger one would leave the band', () => {
    const policy = { ...POLICY, minNotional: new Big(10_000) };
    // 80 % take 8,000 USD; 10,000 USD are 100 %, which is inside.
    expect(planOf(EXPOSURES, { policy })[0]?.deals[0]?.notional.toFixed()).toBe('10000');
    // 10,000 USD are more than 100 % of 15,162,499 naira.
    expect(planOf([due(3, 15_162_499)], { policy })[0]).toMatchObject({ constraint: 'minimum', deals: [] });
    // A kobo takes less than a cent.
    expect(planOf([due(3, 0.01)])[0]).toMatchObject({ constraint: 'minimum' });
  });

  it('of too many hedges is named, and nothing is opened', () => {
    const plans = planOf([due(3, 100)], { hedges: [hedge(3, 200)] });
    expect(plans[0]).toMatchObject({ status: 'above', constraint: 'above_max', deals: [] });
  });
});

it('every bucket gets its minimum before any gets its target', () => {
  // 6,000 and 3,000 USD to the minimums, with 10 bps more 6,006 and 3,003; the first gets the other 991 of 10,000.
  const plans = planOf([due(3, 15_162_500), due(10, 15_162_500)], { room: { headroom: new Big(10_000) } });
  expect(plans.map(({ deals }) => deals.map(({ notional }) => notional.toFixed()))).toEqual([
    ['6997'],
    ['3003'],
  ]);
  expect(plans.map(({ status }) => status)).toEqual(['inside', 'inside']);
});

it.each([
  // 10,000 USD at 1,516.25 are 15,162,500 naira. 80 % and 10 bps are 80.08 %.
  ['its minimum', [80, 80, 100], '8008'],
  // 100 % less 10 bps.
  ['its maximum', [60, 100, 100], '9990'],
  // The band is narrower than that: its middle.
  ['both', [90, 90, 90], '9000'],
] as const)('a target at %s is met 10 bps inside the band: fills strike other rates', (_, band, notional) => {
  const policy = { ...POLICY, buckets: [bucket(0, 7, band)] };
  const [plan] = planOf([due(3, 15_162_500)], { policy });
  expect(plan?.deals.map((deal) => deal.notional.toFixed())).toEqual([notional]);
  expect(plan?.status).toBe('inside');
});

describe('the deals of a plan, once they are open,', () => {
  const naira = fc.integer({ min: 1, max: 2_000_000_000 }).map((kobo) => new Big(kobo).div(100));
  const band = fc
    .tuple(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 40 }))
    .map(([min, target, max]) => [min, min + target, min + target + max] as const);
  const policies = fc
    .record({
      bands: fc.array(fc.tuple(band, fc.integer({ min: 0, max: 9 })), { minLength: 1, maxLength: 5 }),
      beforeDays: fc.integer({ min: 0, max: 3 }),
      afterDays: fc.integer({ min: 0, max: 3 }),
      minNotional: fc.constantFrom('0.01', '0.01', '10', '1000'),
      weight: fc.integer({ min: 0, max: 100 }),
    })
    .map(({ bands, beforeDays, afterDays, minNotional, weight }): CoverPolicy => {
      let from = 0;
      const buckets = bands.map(([each, length]) => {
        const made = bucket(from, from + length, each);
        from += length + 1;
        return made;
      });
      return {
        buckets,
        beforeDays,
        afterDays,
        forecastWeightPct: new Big(weight),
        minNotional: new Big(minNotional),
      };
    });
  const exposures = fc.array(
    fc.record({
      days: fc.integer({ min: -1, max: 30 }),
      ngn: naira,
      direction: fc.constantFrom('receive' as const, 'pay' as const),
      certainty: fc.constantFrom('firm' as const, 'forecast' as const),
    }),
    { minLength: 1, maxLength: 14 },
  );
  const hedges = fc.array(
    fc.record({
      side: fc.constantFrom('buy' as const, 'sell' as const),
      naira,
      maturesIn: fc.integer({ min: 0, max: 8 }),
      openedFor: fc.option(
        fc.integer({ min: 0, max: 30 }).map((days) => `d${days.toString()}`),
        { nil: undefined, freq: 3 },
      ),
    }),
    { maxLength: 8 },
  );
  const usd = fc.integer({ min: 0, max: 40_000 }).map((amount) => new Big(amount));
  const rooms = fc.oneof(
    fc.constant(ENOUGH),
    fc.record({ headroom: usd, capacity: fc.record({ buy: usd, sell: usd }), balance: usd }),
  );
  const rates = fc.record({
    buy: fc.integer({ min: 140_000, max: 170_000 }).map((kobo) => new Big(kobo).div(100)),
    sell: fc.integer({ min: 140_000, max: 170_000 }).map((kobo) => new Big(kobo).div(100)),
    upfront: fc.integer({ min: 1, max: 5_000 }).map((amount) => new Big(amount)),
  });

  it('bring every bucket into its band, or the constraint is named and is true', () => {
    const seen = new Map<string, number>();
    let exact = 0;
    let displaced = 0;
    let all = 0;
    fc.assert(
      fc.property(
        fc.record({ policy: policies, exposures, hedges, room: rooms, rates }),
        ({ policy, exposures: drawn, hedges: open, room, rates: priced }) => {
          const listed = drawn.map(({ days, ...each }, index) => ({
            ...each,
            id: `x${index.toString()}`,
            due: `d${days.toString()}`,
          }));
          const netted = netByBucket(listed, policy, daysUntil);
          const { nets } = netted;
          const held = open.map((each, index) => ({
            ...each,
            id: `h${index.toString()}`,
            settled: each.maturesIn < 0,
          }));
          const before = allot(netted, held, policy).buckets;
          const chainTo = (date: string) =>
            cheapestChain(
              [1, 3, 7].map((tenor) => ({ tenor, cost: new Big(tenor) })),
              { due: daysUntil(date), beforeDays: policy.beforeDays, afterDays: policy.afterDays },
            );
          const sideOn = (date: string): 'buy' | 'sell' =>
            nets.find(({ dues }) => dues.some((each) => each.date === date))?.side ?? 'buy';
          const plans = planDeals(
            before,
            (date) =>
              chainTo(date) === undefined
                ? 'tenor'
                : {
                    rate: priced[sideOn(date)],
                    upfront: { required: priced.upfront, notional: new Big(10_000) },
                  },
            { room, policy },
          );
          const deals = plans.flatMap((plan) => plan.deals);
          const opened = deals.map(
            (deal): HedgeCover => ({
              id: `deal ${deal.date}`,
              side: deal.side,
              naira: deal.naira,
              maturesIn: chainTo(deal.date)?.tenors[0] ?? 0,
              openedFor: deal.date,
              settled: false,
            }),
          );
          const after = allot(netted, [...held, ...opened], policy).buckets;

          // Room: what is proposed can be opened.
          const used = sum([new Big(0), ...deals.map(({ notional }) => notional)]);
          const usedOn = (side: 'buy' | 'sell'): Big =>
            sum([new Big(0), ...deals.filter((deal) => deal.side === side).map(({ notional }) => notional)]);
          const upfront = used.times(priced.upfront).div(10_000);
          const step = new Big('0.01');
          const tolerance = new Big('0.000001');
          expect(used.lte(room.headroom)).toBe(true);
          expect(usedOn('buy').lte(room.capacity.buy) && usedOn('sell').lte(room.capacity.sell)).toBe(true);
          expect(upfront.lte(room.balance.plus(tolerance))).toBe(true);
          for (const { notional } of deals) expect(notional.gte(policy.minNotional)).toBe(true);

          // A deal of another due date may have given back what is too small to open, or a cent.
          const givenBack = policy.minNotional.plus(step).times(listed.length + 1);
          plans.forEach((plan, index) => {
            const { status, constraint } = plan;
            const reached = after[index];
            const limit = new Big(10_000).div(priced.upfront).times(step).plus(step);
            seen.set(constraint ?? status, (seen.get(constraint ?? status) ?? 0) + 1);
            // Sizes are whole cents or the minimum: what a deal has too much takes the place of as much of a hedge.
            const off = reached?.covered.minus(plan.covered).abs() ?? new Big(1e12);
            const cents = step.times(1_700).times(deals.length);
            // A deal that matures before a hedge of a later due date takes the place of what that hedge has left over.
            if (off.gt(cents)) displaced += 1;
            else if (status === 'inside' && reached !== undefined) {
              const { net, covered } = reached;
              expect(covered.gte(percentOf(net.abs(), reached.bucket.minPct).minus(cents))).toBe(true);
              expect(covered.lte(percentOf(net.abs(), reached.bucket.maxPct).plus(cents))).toBe(true);
            }
            if (off.eq(0)) expect(reached?.status).toBe(status);
            exact += off.eq(0) ? 1 : 0;
            all += 1;
            if (status === 'inside' || status === 'nothing_due') return;
            expect(constraint).toBeDefined();
            const side = before[index]?.side ?? 'buy';
            if (constraint === 'headroom') expect(room.headroom.minus(used).lte(givenBack)).toBe(true);
            if (constraint === 'capacity')
              expect(room.capacity[side].minus(usedOn(side)).lte(givenBack)).toBe(true);
            if (constraint === 'balance')
              expect(
                room.balance.minus(upfront).times(10_000).div(priced.upfront).lte(givenBack.plus(limit)),
              ).toBe(true);
            if (constraint === 'tenor')
              expect(before[index]?.dues.some(({ date }) => chainTo(date) === undefined)).toBe(true);
            if (constraint === 'above_max') expect(before[index]?.status).toBe('above');
          });
        },
      ),
      // Shrinking a book takes minutes and tells no more.
      { numRuns: aQuarter(1_000), endOnFailure: true },
    );
    expect(exact / all).toBeGreaterThan(0.95);
    expect(displaced / all).toBeLessThan(0.01);
    // The draw reaches every constraint that the arithmetic can meet.
    for (const name of ['inside', 'headroom', 'capacity', 'balance', 'tenor', 'minimum', 'above_max'])
      expect([name, seen.get(name) ?? 0]).not.toEqual([name, 0]);
  });
});
