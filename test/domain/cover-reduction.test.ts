import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { CoverPolicy, HedgeCover } from '../../src/domain/cover.ts';
import { leastReduction } from '../../src/domain/cover-reduction.ts';
import { scaleDown } from '../../src/domain/exposure.ts';
import { coverNotional } from '../../src/domain/sizes.ts';
import { bucket, coverageOf, due, hedge, POLICY } from './cover-exposures.ts';

const RATE = new Big('1516.25');
/** Bands of 60 to 100 % and 30 to 80 %. */
const [FIRST, SECOND] = POLICY.buckets;
const usd = (notional: number): number => RATE.times(notional).toNumber();
const held = (maturesIn: number, notional: number, more: Partial<HedgeCover> = {}): HedgeCover =>
  hedge(maturesIn, usd(notional), more);
const openOf = (covers: readonly HedgeCover[]) =>
  covers
    .filter(({ settled }) => !settled)
    .map(({ id, naira }) => ({ id, notional: naira.div(RATE), struckRate: RATE }));

function reductionOf(
  exposures: Parameters<typeof coverageOf>[0],
  covers: readonly HedgeCover[],
  policy?: CoverPolicy,
) {
  const open = openOf(covers.filter(({ side }) => side === 'buy'));
  return leastReduction({ side: 'buy', open }, covers, (each) => coverageOf(exposures, each, policy));
}

describe('the least reduction of a side that covers too much', () => {
  it('rounds its part of the side half up, as a person does', () => {
    // 3.124 % of the side.
    const reduction = reductionOf([due(3, usd(24_219))], [held(3, 25_000)]);
    expect(reduction?.percent.toFixed()).toBe('3.12');
  });

  it('of one hedge takes exactly what is above the maximum', () => {
    const reduction = reductionOf([due(3, usd(10_000))], [held(3, 25_000)]);
    expect(reduction).toMatchObject({ side: 'buy', brings: [FIRST], below: [], closesSide: false });
    expect([reduction?.naira.toFixed(), reduction?.percent.toFixed()]).toEqual([
      usd(15_000).toString(),
      '60',
    ]);
  });

  it('takes the same part of every hedge, and names the bucket that falls below its band', () => {
    // 2,000 of the 12,000 of the first bucket are a sixth: of 18,000, 3,000.
    const exposures = [due(3, usd(10_000)), due(20, usd(19_000))];
    const covers = [held(3, 12_000), held(20, 6_000)];
    const reduction = reductionOf(exposures, covers);
    expect(reduction).toMatchObject({ brings: [FIRST], below: [SECOND] });
    // A cent more: a service may round the part of each hedge down.
    expect(reduction?.naira.toFixed()).toBe(RATE.times('3000.01').round(2, Big.roundUp).toFixed());
    expect(reduction?.percent.toFixed()).toBe('16.67');
  });

  it('is enough for each of several buckets, and no cent more than that', () => {
    const exposures = [due(2, usd(10_000)), due(20, usd(10_000))];
    const covers = [held(2, 7_777.77), held(3, 5_555.55), held(20, 9_876.54), held(90, 1_234.56)];
    const reduction = reductionOf(exposures, covers);
    expect(reduction?.brings).toEqual([FIRST, SECOND]);
    const statusesAfter = (taken: Big) => {
      const open = openOf(covers);
      const rest = scaleDown(
        open.map(({ notional }) => notional),
        taken,
      );
      return coverageOf(
        exposures,
        covers.map((cover, at) => ({ ...cover, naira: RATE.times(rest[at] ?? 0) })),
      ).buckets.map(({ status }) => status);
    };
    const taken = coverNotional(reduction?.naira ?? new Big(0), RATE);
    expect(statusesAfter(taken)).toEqual(['inside', 'inside']);
    expect(statusesAfter(taken.minus('0.02'))).toContain('above');
  });

  it('of a hedge that also covers the next date first takes what is beyond both', () => {
    // 100 and 80 of the two dates; 20 of the 200 stay with the first. A tenth is enough, not a sixth.
    const policy = { ...POLICY, buckets: [bucket(0, 7, [60, 80, 100]), bucket(8, 30, [30, 50, 80])] };
    const exposures = [due(7, usd(100)), due(8, usd(100))];
    const reduction = reductionOf(exposures, [held(7, 200)], policy);
    expect([reduction?.naira.toFixed(), reduction?.percent.toFixed()]).toEqual([usd(20).toString(), '10']);
  });

  it('closes the side where its last naira are too many', () => {
    const exposures = [due(3, usd(100)), due(4, usd(100), { direction: 'pay' })];
    expect(reductionOf(exposures, [held(3, 50), held(20, 70)])).toMatchObject({
      closesSide: true,
      brings: [FIRST],
    });
  });

  it('brings naira of the other side to zero', () => {
    const exposures = [due(2, usd(100), { direction: 'pay' }), due(3, usd(10))];
    const sold = held(2, 30, { side: 'sell', id: 'sold' });
    const reduction = reductionOf(exposures, [held(3, 50), sold]);
    expect([reduction?.naira.toFixed(), reduction?.percent.toFixed()]).toEqual([usd(20).toString(), '40']);
  });

  it.each<[string, readonly HedgeCover[]]>([
    ['nothing is too much', [held(3, 8_000)]],
    ['all of it has settled', [held(3, 30_000, { settled: true })]],
    ['too much of it has settled', [held(3, 30_000, { settled: true, id: 'settled' }), held(4, 10_000)]],
  ])('is none where %s', (_what, covers) => {
    expect(reductionOf([due(3, usd(10_000))], covers)).toBeUndefined();
  });

  it('is none without the struck rate of every hedge', () => {
    const covers = [held(3, 25_000)];
    const open = [...openOf(covers), { id: 'other', notional: new Big(1), struckRate: undefined }];
    const coverage = (each: readonly HedgeCover[]) => coverageOf([due(3, usd(10_000))], each);
    expect(leastReduction({ side: 'buy', open }, covers, coverage)).toBeUndefined();
  });
});
