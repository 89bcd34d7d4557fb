/** Net per bucket, allotment and coverage, each figure worked out by hand. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { HedgeCover } from '../../src/domain/cover.ts';
import { netByBucket } from '../../src/domain/cover.ts';
import { bucket, coverageOf, daysUntil, due, hedge, POLICY } from './cover-exposures.ts';

const figures = (amounts: ReadonlyMap<string, Big>) =>
  Object.fromEntries([...amounts].map(([date, amount]) => [date, amount.toNumber()]));

const WIDE = { ...POLICY, beforeDays: 3 };

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
    const exposures = [due(1, 5), due(2, 5, { direction: 'pay' })];
    const { buckets } = coverageOf(exposures, []);
    expect(buckets[0]).toMatchObject({ side: undefined, status: 'nothing_due', coveragePct: undefined });
    // With cover it is above, unless both sides cover as much.
    expect(coverageOf(exposures, [hedge(1, 5)]).buckets[0]).toMatchObject({
      status: 'above',
      coveragePct: undefined,
      toReduce: { id: 'h1' },
    });
    const both = [hedge(1, 5), hedge(2, 5, { side: 'sell' })];
    expect(coverageOf(exposures, both).buckets[0]?.status).toBe('nothing_due');
  });
});

describe('a date that lacks the minimum of a bucket which has it', () => {
  const short = (...[exposures, hedges, policy]: Parameters<typeof coverageOf>) =>
    coverageOf(exposures, hedges, policy).buckets[0]?.short.map(({ date }) => date);
  const [first, last] = [due(1, 100), due(7, 100)];

  it('is one that no hedge matures close to', () => {
    expect(short([first, last], [hedge(7, 150)])).toEqual(['d1']);
    expect(short([first, last], [hedge(1, 60), hedge(7, 60)])).toEqual([]);
    expect(short([first, last], [hedge(1, 59), hedge(7, 91)])).toEqual(['d1']);
  });

  it('is none that a hedge between them could cover', () => {
    const dues = [due(2, 100), due(3, 100), due(4, 100)];
    expect(short(dues, [hedge(3, 180)])).toEqual([]);
    // 60 of each date: with 120 of them bound to the 4th, the first two share 60.
    expect(short(dues, [hedge(5, 120), hedge(2, 60)])).toEqual(['d3']);
    expect(short(dues, [hedge(3, 180, { openedFor: 'd3' })])).toEqual(['d2', 'd4']);
  });

  it('is set against payments first, and not looked for in a bucket below its band', () => {
    expect(short([first, due(2, 90, { direction: 'pay' }), last], [hedge(7, 110)])).toEqual(['d1']);
    expect(short([first, due(2, 100, { direction: 'pay' }), last], [hedge(7, 100)])).toEqual([]);
    expect(short([first, last], [hedge(7, 50)])).toEqual([]);
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
  const allotted = (...given: Parameters<typeof coverageOf>) =>
    coverageOf(...given).allotments.map(({ hedge: id, date, naira }) => [id, date, +naira]);

  it('counts each naira once, on the nearest date, the earlier on a tie', () => {
    expect(allotted([due(2, 100), due(4, 100)], [hedge(3, 80)])).toEqual([['h3', 'd2', 80]]);
    expect(allotted([due(2, 100), due(4, 100)], [hedge(4, 80)])).toEqual([['h4', 'd4', 80]]);
    // A payment is no date of a buy, and takes no date away from it.
    const exposures = [due(2, 100), due(3, 100, { direction: 'pay' })];
    expect(allotted(exposures, [hedge(3, 80)])).toEqual([['h3', 'd2', 80]]);
    expect(allotted(exposures, [hedge(3, 80, { side: 'sell' })])).toEqual([['h3', 'd3', 80]]);
  });

  it('passes on what exceeds the maximum of the bucket, and the rest stays with the first date', () => {
    // 100 % of the 100 of days 0 to 7, and 80 % of the 100 of days 8 to 30.
    const coveredBy = (naira: number) =>
      coverageOf([due(7, 100), due(8, 100)], [hedge(7, naira)]).buckets.map(({ covered, status }) => [
        +covered,
        status,
      ]);
    expect(coveredBy(100)).toEqual([
      [100, 'inside'],
      [0, 'below'],
    ]);
    expect(coveredBy(150)).toEqual([
      [100, 'inside'],
      [50, 'inside'],
    ]);
    // 300 − 100 − 80 = 120 more than both maximums.
    expect(coveredBy(300)).toEqual([
      [220, 'above'],
      [80, 'inside'],
    ]);
  });

  it('takes hedges in order of maturity, whatever the order of the list', () => {
    const exposures = [due(7, 100), due(8, 100)];
    expect(allotted(exposures, [hedge(7, 100), hedge(6, 60)])).toEqual([
      ['h6', 'd7', 60],
      ['h7', 'd7', 40],
      ['h7', 'd8', 60],
    ]);
  });

  it('gives a past date its amount, and passes the rest on', () => {
    // Settled yesterday at noon, due yesterday: 100 of 130 are its own, 30 are for today.
    expect(allotted([due(-1, 100), due(0, 100)], [hedge(-1, 130)])).toEqual([
      ['h-1', 'd-1', 100],
      ['h-1', 'd0', 30],
    ]);
  });

  it('counts a settled hedge only if it matured close to the date that its deal ID names', () => {
    const settled = (openedFor: string) => allotted([due(2, 100)], [hedge(-1, 50, { openedFor })], WIDE);
    // Three days before day 2.
    expect(settled('d2')).toEqual([['h-1', 'd2', 50]]);
    const early = allotted([due(0, 100), due(3, 100)], [hedge(-1, 50, { openedFor: 'd3' })], WIDE);
    expect(early).toEqual([]);
    // Still open it is to be rolled there.
    const open = hedge(-1, 50, { openedFor: 'd3', settled: false });
    expect(allotted([due(0, 100), due(3, 100)], [open], WIDE)).toEqual([['h-1', 'd3', 50]]);
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

  it('whose ID names a date counts there alone, also beyond the maximum, whatever else it matures close to before its roll', () => {
    const dues = [due(7, 90), due(14, 40)];
    const { buckets } = coverageOf(dues, [
      hedge(7, 30, { openedFor: 'd7' }),
      hedge(7, 39, { openedFor: 'd14' }),
    ]);
    expect(buckets.map(({ coveredOn }) => figures(coveredOn))).toEqual([{ d7: 30 }, { d14: 39 }]);
    expect(buckets[1]).toMatchObject({ status: 'above', toReduce: { openedFor: 'd14' } });
  });

  it('whose ID names a past date passes on what that does not need', () => {
    expect(allotted([due(-1, 100), due(0, 100)], [hedge(-1, 130, { openedFor: 'd-1' })])).toEqual([
      ['h-1', 'd-1', 100],
      ['h-1', 'd0', 30],
    ]);
  });
});

describe('the worked case of one bucket of days 0 to 7', () => {
  // 100m + 100m − 100m = 100m to be received.
  const exposuresIn = (days: number) => [
    due(1 - days, 100e6),
    due(5 - days, 100e6),
    due(7 - days, 100e6, { direction: 'pay' }),
  ];
  const policy = { ...POLICY, buckets: [bucket(0, 7, [60, 80, 100])] };
  const bucketIn = (days: number, more: Partial<HedgeCover> = {}) =>
    coverageOf(exposuresIn(days), [hedge(1 - days, 100e6, more)], policy).buckets[0];

  it('is covered by 100 %, by an open hedge of 100m that matures tomorrow', () => {
    expect(bucketIn(0)).toMatchObject({ status: 'inside' });
    // 100m / 100m.
    expect(bucketIn(0)?.coveragePct?.toFixed()).toBe('100');
    expect(bucketIn(0)?.net.toNumber()).toBe(100e6);
  });

  it('is covered by 100 % also tomorrow evening, when it has settled', () => {
    expect(bucketIn(1, { settled: true })?.coveragePct?.toFixed()).toBe('100');
  });

  it('without the hedge lacks the first receipt: the payment of day 7 is nearer to that of day 5', () => {
    const { buckets } = coverageOf(exposuresIn(0), [], policy);
    expect(buckets[0]?.dues.map(({ date, toCover }) => [date, +toCover])).toEqual([
      ['d1', 100e6],
      ['d5', 0],
      ['d7', 0],
    ]);
  });
});

it('of daily receipts, each hedged the evening before, the hedge that settled yesterday is for today alone', () => {
  const days = [-2, -1, 0, 1, 2];
  const exposures = days.map((each) => due(each, 100e6));
  const hedges = days.map((each) => hedge(each - 1, 100e6));
  const found = coverageOf(exposures, hedges.slice(0, 3));
  expect(found.allotments.map((each) => [each.hedge, each.date, +each.naira])).toEqual([
    ['h-3', 'd-2', 100e6],
    ['h-2', 'd-1', 100e6],
    ['h-1', 'd0', 100e6],
  ]);
  // 100m of today's, tomorrow's and the next day's 300m.
  expect(found.buckets[0]?.coveragePct?.toFixed()).toBe('33.333333');
});

describe('coverage of both sides', () => {
  const exposures = [due(1, 200), due(6, 100, { direction: 'pay' })];

  it('is what the needed side covers less what the other side covers', () => {
    // (90 − 20) / (200 − 100).
    const { buckets } = coverageOf(exposures, [hedge(1, 90), hedge(6, 20, { side: 'sell' })]);
    expect(buckets[0]).toMatchObject({ status: 'inside' });
    expect(buckets[0]?.coveragePct?.toFixed()).toBe('70');
  });

  it('below zero names the hedge of the other side to reduce', () => {
    const { buckets } = coverageOf(exposures, [hedge(1, 10), hedge(6, 60, { side: 'sell' })]);
    expect(buckets[0]?.coveragePct?.toFixed()).toBe('-50');
    expect(buckets[0]).toMatchObject({ status: 'below', toReduce: { id: 'h6', side: 'sell' } });
  });

  it('above the maximum names the largest open hedge of the side, and none that has settled', () => {
    const held = [hedge(1, 60), hedge(2, 90), hedge(0, 200, { settled: true })];
    expect(coverageOf([due(1, 200)], held).buckets[0]).toMatchObject({
      status: 'above',
      toReduce: { id: 'h2' },
    });
    expect(
      coverageOf([due(1, 200)], held.slice(2).concat(hedge(0, 9, { settled: true, id: 'x' }))).buckets[0],
    ).toMatchObject({ status: 'above', toReduce: undefined });
  });
});
