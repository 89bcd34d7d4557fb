/** Net per bucket, allotment and coverage, each figure worked out by hand. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { netByBucket } from '../../src/domain/cover.ts';
import { coverageOf, daysUntil, due, hedge, POLICY } from './cover-exposures.ts';

const figures = (amounts: ReadonlyMap<string, Big>) =>
  Object.fromEntries([...amounts].map(([date, amount]) => [date, amount.toNumber()]));

describe('the net of a bucket', () => {
  it('is what is to be received less what is to be paid, a forecast at its weight', () => {
    const { nets } = netByBucket(
      [
        due(1, 1_000),
        due(2, 400, { direction: 'pay' }),
        due(3, 300, { certainty: 'forecast' }),
        due(9, 100, { direction: 'pay', certainty: 'forecast' }),
      ],
      POLICY,
      daysUntil,
    );
    // 1,000 + 300 × 50 % = 1,150 to be received, 400 to be paid: 750. And −100 × 50 % = −50.
    expect(nets.map(({ receive, pay, net, side }) => [+receive, +pay, +net, side])).toEqual([
      [1_150, 400, 750, 'buy'],
      [0, 50, -50, 'sell'],
    ]);
    // The 400 of day 2 are offset against the 1,000 of day 1.
    expect(nets[0]?.dues.map(({ date, net, toCover }) => [date, +net, +toCover])).toEqual([
      ['d1', 1_000, 600],
      ['d2', -400, 0],
      ['d3', 150, 150],
    ]);
  });

  it('counts both ends of its days, and due dates in no bucket are named', () => {
    const { nets, outside } = netByBucket(
      [due(0, 1), due(7, 2), due(8, 4), due(30, 8), due(31, 16), due(-1, 32)],
      POLICY,
      daysUntil,
    );
    expect(nets.map(({ net }) => +net)).toEqual([3, 12]);
    expect(outside.map(({ ngn }) => +ngn)).toEqual([16, 32]);
  });

  it('of zero needs no cover', () => {
    const { buckets } = coverageOf([due(1, 5), due(2, 5, { direction: 'pay' })], [hedge(1, 5)]);
    expect(buckets[0]).toMatchObject({ side: undefined, status: 'nothing_due', coveragePct: undefined });
  });
});

describe('coverage', () => {
  it('is the naira of hedges, notional × struck rate, in percent of the net', () => {
    // 10,000 × 1,516.25 = 15,162,500 of 20,000,000: 75.8125 %.
    const naira = new Big(10_000).times('1516.25').toNumber();
    const { buckets } = coverageOf([due(3, 20_000_000)], [hedge(3, naira)]);
    expect(naira).toBe(15_162_500);
    expect(buckets[0]?.coveragePct?.toFixed()).toBe('75.8125');
    expect(buckets[0]?.status).toBe('inside');
  });

  it('is that of the side alone, and a hedge of the other side is unused', () => {
    const { buckets, unused } = coverageOf([due(3, 100)], [hedge(3, 90, { side: 'sell' })]);
    expect(buckets[0]).toMatchObject({ status: 'below' });
    expect(unused.map(({ naira }) => +naira)).toEqual([90]);
  });

  it.each([
    [1, 0],
    [2, 60],
    [4, 60],
    [5, 0],
  ])('counts a hedge that matures on day %i for a due date on day 3: %i', (maturesIn, covered) => {
    const { buckets } = coverageOf([due(3, 100)], [hedge(maturesIn, 60)]);
    expect(buckets[0]?.covered.toNumber()).toBe(covered);
  });

  it('is inside at both ends of the band, and outside a kobo beyond', () => {
    const statusAt = (naira: string) =>
      coverageOf([due(3, 100)], [hedge(3, 0, { naira: new Big(naira) })]).buckets[0]?.status;
    expect(['59.99', '60', '100', '100.01'].map(statusAt)).toEqual(['below', 'inside', 'inside', 'above']);
  });
});

describe('the allotment of hedges', () => {
  it('counts each naira once, the earliest due date first', () => {
    // Day 7 takes its target, 80; day 8 is in the other bucket and takes 50 of its 100, the rest goes to day 7 up to 100.
    const { buckets, allotments, unused } = coverageOf([due(7, 100), due(8, 100)], [hedge(7, 150)]);
    expect(buckets.map(({ covered }) => +covered)).toEqual([100, 50]);
    expect(allotments.map(({ date, naira }) => [date, +naira])).toEqual([
      ['d7', 100],
      ['d8', 50],
    ]);
    expect(unused).toEqual([]);
    // With 100: 80 and 20.
    const fewer = coverageOf([due(7, 100), due(8, 100)], [hedge(7, 100)]);
    expect(fewer.buckets.map(({ covered }) => +covered)).toEqual([80, 20]);
  });

  it('gives what is more than the maximum of every date to the earliest, so that it is seen', () => {
    const { buckets } = coverageOf([due(7, 100), due(8, 100)], [hedge(7, 300)]);
    // 80 and 50, then up to 100 and 80, then the other 120.
    expect(buckets.map(({ covered, status }) => [+covered, status])).toEqual([
      [220, 'above'],
      [80, 'inside'],
    ]);
  });

  it('takes hedges in order of maturity, whatever the order of the list', () => {
    const { allotments } = coverageOf([due(3, 100), due(5, 100)], [hedge(4, 80), hedge(2, 80)]);
    expect(allotments.map((each) => [each.hedge, each.date, +each.naira])).toEqual([
      ['h2', 'd3', 80],
      ['h4', 'd5', 80],
    ]);
  });

  it('keeps a hedge for the due date that it was opened for, also while it is yet to be rolled', () => {
    const { buckets } = coverageOf(
      [due(6, 100), due(20, 100)],
      [hedge(7, 50, { openedFor: 'd20' }), hedge(6, 80)],
    );
    expect(buckets.map(({ coveredOn }) => figures(coveredOn))).toEqual([{ d6: 80 }, { d20: 50 }]);
    // Without the date it matures too early for day 20: it covers day 6, and brings it to 100 % and beyond.
    const other = coverageOf([due(6, 100), due(20, 100)], [hedge(7, 50), hedge(6, 80)]);
    expect(other.buckets.map(({ covered }) => +covered)).toEqual([130, 0]);
  });
});
