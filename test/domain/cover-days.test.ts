/** Cover from one day to the next: a settlement changes no figure, and deals are not proposed twice. */
import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  allot,
  type CoverPolicy,
  type Exposure,
  type HedgeCover,
  netByBucket,
} from '../../src/domain/cover.ts';
import { planDeals } from '../../src/domain/cover-plan.ts';
import { cheapestChain } from '../../src/domain/tenor-chain.ts';
import { aQuarter } from '../support/goal.ts';
import { bucket, daysUntil, due, POLICY } from './cover-exposures.ts';

/** One bucket that every due date stays in, so that its net is the same on both days. */
const policies = fc
  .record({ beforeDays: fc.integer({ min: 0, max: 3 }), afterDays: fc.integer({ min: 1, max: 3 }) })
  .map((window): CoverPolicy => ({ ...POLICY, ...window, buckets: [bucket(0, 40, [60, 80, 100])] }));
const naira = fc.integer({ min: 1, max: 2_000_000_000 }).map((kobo) => new Big(kobo).div(100));
const exposures = fc.array(
  fc
    .record({
      days: fc.integer({ min: -4, max: 12 }).filter((days) => days !== 0),
      ngn: naira,
      direction: fc.constantFrom('receive' as const, 'receive' as const, 'pay' as const),
    })
    .map(({ days, ngn, direction }): Exposure => due(days, ngn, { direction })),
  { minLength: 1, maxLength: 10 },
);
const hedges = fc.array(
  fc.record({
    side: fc.constantFrom('buy' as const, 'buy' as const, 'sell' as const),
    naira,
    maturesIn: fc.integer({ min: -6, max: 8 }),
    openedFor: fc.option(
      fc.integer({ min: -4, max: 12 }).map((days) => `d${days.toString()}`),
      { nil: undefined },
    ),
  }),
  { maxLength: 8 },
);

/** Their days as seen `later` days later; what matured before that day has settled. */
const seen = (list: readonly Omit<HedgeCover, 'settled'>[], later: number): readonly HedgeCover[] =>
  list.map((each) => ({ ...each, maturesIn: each.maturesIn - later, settled: each.maturesIn - later < 0 }));
const coverageOn = (
  later: number,
  listed: readonly Exposure[],
  policy: CoverPolicy,
  held: Parameters<typeof seen>[0],
) =>
  allot(
    netByBucket(listed, policy, (date) => daysUntil(date) - later),
    seen(held, later),
    policy,
  );

/** A hedge that was opened for a later date and not rolled there covers it no more once it has settled. */
const isRolledOrClose = (
  { maturesIn, openedFor }: Pick<HedgeCover, 'maturesIn' | 'openedFor'>,
  { beforeDays }: CoverPolicy,
): boolean => openedFor === undefined || maturesIn >= daysUntil(openedFor) - beforeDays;

it('the coverage is the same on the day before and after a settlement inside the window', () => {
  fc.assert(
    fc.property(exposures, policies, hedges, (listed, policy, drawn) => {
      const held = drawn
        .map((each, index) => ({ ...each, id: `h${index.toString()}` }))
        .filter((each) => isRolledOrClose(each, policy));
      const [before, after] = [0, 1].map((later) => coverageOn(later, listed, policy, held));
      const figures = (found: typeof before) =>
        found?.buckets.map(({ net, covered, status, coveredOn }) => [
          net.toFixed(),
          covered.toFixed(),
          status,
          [...coveredOn].map(([date, amount]) => [date, amount.toFixed()]),
        ]);
      expect(figures(after)).toEqual(figures(before));
      expect(after?.unused.length).toBe(before?.unused.length);
    }),
    { numRuns: aQuarter(300), seed: 20_261_123 },
  );
});

it('deals are not proposed again on the days after, open or settled', () => {
  let bought = 0;
  const enough = new Big(1e12);
  const room = { headroom: enough, capacity: { buy: enough, sell: enough }, balance: enough };
  fc.assert(
    fc.property(exposures, policies, hedges, (listed, policy, drawn) => {
      const chainTo = (date: string) =>
        cheapestChain(
          [1, 3, 7].map((tenor) => ({ tenor, cost: new Big(tenor) })),
          { due: daysUntil(date), ...policy },
        );
      const terms = { rate: new Big('1516.25'), upfront: undefined };
      const held = drawn
        .map((each, index) => ({ ...each, id: `h${index.toString()}` }))
        .filter((each) => isRolledOrClose(each, policy));
      const [plan] = planDeals(coverageOn(0, listed, policy, held).buckets, () => terms, { room, policy });
      const opened = (plan?.deals ?? []).map(({ date, side, naira: covers }) => ({
        id: `deal ${date}`,
        side,
        naira: covers,
        maturesIn: chainTo(date)?.tenors[0] ?? 0,
        openedFor: date,
      }));
      if (plan?.status !== 'inside') return;
      bought += opened.length;
      // Until the first due date is past, and so the net another one.
      const days = Math.min(...listed.map((each) => daysUntil(each.due)).filter((each) => each > 0), 12);
      for (let later = 0; later <= days; later += 1) {
        if (opened.some((each) => each.maturesIn < later && !isRolledOrClose(each, policy))) return;
        const { buckets } = coverageOn(later, listed, policy, [...held, ...opened]);
        expect(buckets.map(({ status }) => status)).toEqual(['inside']);
      }
    }),
    { numRuns: aQuarter(300), seed: 20_261_123 },
  );
  expect(bought).toBeGreaterThan(0);
});
