/** The least reduction of a side after which its hedges no longer cover too much. A reduce takes the same part of every hedge. */
import { Big } from 'big.js';
import { roundHalfUp, sum } from './amounts.ts';
import type { Coverage, CoverBucket, HedgeCover } from './cover.ts';
import { isAboutEverything, scaleDown } from './exposure.ts';
import { averageRate } from './sizes.ts';
import type { Side } from './vocabulary.ts';

export interface CoverReduction {
  side: Side;
  /** At the struck rate of the side, in whole kobo. */
  naira: Big;
  /** The part of every hedge of the side, 2 decimals. */
  percent: Big;
  /** The service closes the side for it. */
  closesSide: boolean;
  /** Buckets in which the side covers too much now, and then no longer. */
  brings: readonly CoverBucket[];
  /** Buckets that fall below their bands. */
  below: readonly CoverBucket[];
}

/** Every open hedge of a side, also those that cover no date: a reduce takes from all of them. */
interface OpenSide {
  side: Side;
  open: readonly { id: string; notional: Big; struckRate?: Big | undefined }[];
}

const ZERO = new Big(0);
const CENT = new Big('0.01');
/** USD that a hedge may keep of its part: a service rounds each. */
const ROUNDED = new Big('0.000001');

/**
 * Whole cents, from the allotment that it leaves: a hedge that covers two dates leaves the one beyond the maximum first.
 * `coverageOf`: with other naira of the same hedges. Undefined: no reduction takes a bucket below its maximum.
 */
export function leastReduction(
  { side, open }: OpenSide,
  covers: readonly HedgeCover[],
  coverageOf: (covers: readonly HedgeCover[]) => Coverage,
): CoverReduction | undefined {
  const sizes = open.map(({ notional }) => notional);
  const total = sum([ZERO, ...sizes]);
  const after = (taken: Big): Coverage => {
    const rest = isAboutEverything(taken, total) ? [] : scaleDown(sizes, taken);
    const rounded = open.length > 1 ? ROUNDED : ZERO;
    const left = new Map(
      open.map(({ id, struckRate = ZERO }, at) => [id, rest[at]?.plus(rounded).times(struckRate) ?? ZERO]),
    );
    return coverageOf(covers.map((cover) => ({ ...cover, naira: left.get(cover.id) ?? cover.naira })));
  };
  const tooFar = ({ buckets }: Coverage): readonly CoverBucket[] =>
    buckets.filter(({ excess }) => excess?.side === side).map(({ bucket }) => bucket);
  const now = coverageOf(covers);
  const rate = averageRate(open.map(({ notional, struckRate }) => ({ notional, rate: struckRate })));
  if (rate === undefined || tooFar(now).length === 0) return undefined;
  const lasting = tooFar(after(total));
  const brings = tooFar(now).filter((bucket) => !lasting.includes(bucket));
  if (brings.length === 0) return undefined;
  const notional = leastCents(total, (taken) => !tooFar(after(taken)).some((each) => brings.includes(each)));
  const then = after(notional).buckets;
  return {
    side,
    naira: notional.times(rate).round(2, Big.roundUp),
    percent: roundHalfUp(notional.times(100).div(total), 2),
    closesSide: isAboutEverything(notional, total),
    brings,
    below: now.buckets
      .filter(({ status }, at) => status !== 'below' && then[at]?.status === 'below')
      .map(({ bucket }) => bucket),
  };
}

/** The whole is enough, and so is each amount above one that is. */
function leastCents(whole: Big, isEnough: (amount: Big) => boolean): Big {
  let [below, enough] = [ZERO, whole.round(2, Big.roundUp)];
  while (enough.minus(below).gt(CENT)) {
    const middle = below.plus(enough).times('0.5').round(2, Big.roundDown);
    if (isEnough(middle)) enough = middle;
    else below = middle;
  }
  return enough;
}
