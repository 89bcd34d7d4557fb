/** A policy of two buckets and exposures that are due so many days from today, for cover and its plan. */
import { Big } from 'big.js';
import {
  allot,
  type CoverBucket,
  type CoverPolicy,
  type Exposure,
  type HedgeCover,
  netByBucket,
} from '../../src/domain/cover.ts';

/** `band`: minimum, target and maximum in percent. */
export const bucket = (
  fromDays: number,
  toDays: number,
  band: readonly [number, number, number],
): CoverBucket => ({
  fromDays,
  toDays,
  minPct: new Big(band[0]),
  targetPct: new Big(band[1]),
  maxPct: new Big(band[2]),
});
export const POLICY: CoverPolicy = {
  buckets: [bucket(0, 7, [60, 80, 100]), bucket(8, 30, [30, 50, 80])],
  beforeDays: 1,
  afterDays: 1,
  forecastWeightPct: new Big(50),
  minNotional: new Big('0.01'),
};
/** `d3`: three days from today. */
export const daysUntil = (date: string): number => Number(date.slice(1));
export const due = (days: number, ngn: number | Big, more: Partial<Exposure> = {}): Exposure => ({
  id: `${days.toString()}-${ngn.toString()}`,
  due: `d${days.toString()}`,
  ngn: new Big(ngn),
  direction: 'receive',
  certainty: 'firm',
  ...more,
});
export const hedge = (maturesIn: number, naira: number, more: Partial<HedgeCover> = {}): HedgeCover => ({
  id: `h${maturesIn.toString()}`,
  side: 'buy',
  naira: new Big(naira),
  maturesIn,
  openedFor: undefined,
  settled: maturesIn < 0,
  ...more,
});
export const coverageOf = (
  exposures: readonly Exposure[],
  hedges: readonly HedgeCover[],
  policy: CoverPolicy = POLICY,
) => allot(netByBucket(exposures, policy, daysUntil), hedges, policy);
