/** Naira to be received and paid, netted in buckets of days, and the part of it that open hedges cover. */
import { Big } from 'big.js';
import { divide, PCT_PLACES, sum } from './amounts.ts';
import type { Side } from './vocabulary.ts';

export const DIRECTIONS = ['receive', 'pay'] as const;
export const CERTAINTIES = ['firm', 'forecast'] as const;

export interface Exposure {
  id: string;
  /** `2026-12-14`. */
  due: string;
  /** Naira, above zero. */
  ngn: Big;
  direction: (typeof DIRECTIONS)[number];
  certainty: (typeof CERTAINTIES)[number];
}

/** Calendar days from today, both ends included, and the band in percent of the net. */
export interface CoverBucket {
  fromDays: number;
  toDays: number;
  minPct: Big;
  targetPct: Big;
  maxPct: Big;
}

export interface CoverPolicy {
  /** In order; they do not overlap. */
  buckets: readonly CoverBucket[];
  /** A hedge covers a due date if it matures from so many days before it... */
  beforeDays: number;
  /** ...to so many days after it. */
  afterDays: number;
  /** The part of a forecast that counts. */
  forecastWeightPct: Big;
  /** USD: no deal is smaller. */
  minNotional: Big;
}

const ZERO = new Big(0);
const PERCENT = new Big('0.01');

/** Exact. */
export const percentOf = (amount: Big, pct: Big): Big => amount.times(pct).times(PERCENT);

/** Naira that fall due on a day of a bucket. */
export interface DueDate {
  date: string;
  /** From today. */
  days: number;
  /** Naira: to be received less to be paid, forecasts weighted. */
  net: Big;
  /** Naira, not below zero: left for hedges once opposite amounts of the bucket are offset. */
  toCover: Big;
}

export interface BucketNet {
  bucket: CoverBucket;
  /** Naira, forecasts weighted. */
  receive: Big;
  pay: Big;
  /** receive − pay. */
  net: Big;
  /** The side that covers the net: buy for naira to be received, sell for naira to be paid. Undefined: the net is zero. */
  side: Side | undefined;
  /** In order. */
  dues: readonly DueDate[];
  exposures: number;
}

/** Naira to be received gain from a buy when the naira weakens; naira to be paid from a sell when it strengthens. */
export const coveringSide = (net: Big): Side | undefined => {
  if (net.eq(0)) return undefined;
  return net.gt(0) ? 'buy' : 'sell';
};

/** Naira, positive to be received: firm A, forecast A × weight / 100; a payment is the negative. */
export function weightedNaira(
  { ngn, direction, certainty }: Exposure,
  { forecastWeightPct }: Pick<CoverPolicy, 'forecastWeightPct'>,
): Big {
  const counted = certainty === 'firm' ? ngn : percentOf(ngn, forecastWeightPct);
  return direction === 'receive' ? counted : counted.neg();
}

/** Exposures per bucket, and those whose due date is in none. `daysUntil`: calendar days from today; below zero: past. */
export function netByBucket(
  exposures: readonly Exposure[],
  policy: CoverPolicy,
  daysUntil: (date: string) => number,
): { nets: readonly BucketNet[]; outside: readonly Exposure[] } {
  const isIn = (bucket: CoverBucket, { due }: Exposure): boolean => {
    const days = daysUntil(due);
    return days >= bucket.fromDays && days <= bucket.toDays;
  };
  return {
    nets: policy.buckets.map((bucket) =>
      netOf(
        bucket,
        exposures.filter((each) => isIn(bucket, each)),
        { policy, daysUntil },
      ),
    ),
    outside: exposures.filter((each) => !policy.buckets.some((bucket) => isIn(bucket, each))),
  };
}

function netOf(
  bucket: CoverBucket,
  exposures: readonly Exposure[],
  { policy, daysUntil }: { policy: CoverPolicy; daysUntil: (date: string) => number },
): BucketNet {
  const signed = exposures.map((each) => ({ due: each.due, amount: weightedNaira(each, policy) }));
  const receive = sum([ZERO, ...signed.map(({ amount }) => amount).filter((amount) => amount.gt(0))]);
  const pay = sum([ZERO, ...signed.map(({ amount }) => amount).filter((amount) => amount.lt(0))]).abs();
  const net = receive.minus(pay);
  const dates = [...new Set(exposures.map(({ due }) => due))].toSorted();
  const nets = dates.map((date) => ({
    date,
    days: daysUntil(date),
    net: sum([ZERO, ...signed.filter(({ due }) => due === date).map(({ amount }) => amount)]),
  }));
  return {
    bucket,
    receive,
    pay,
    net,
    side: coveringSide(net),
    dues: offset(nets, net),
    exposures: exposures.length,
  };
}

/**
 * Dates of the other direction are offset against the earliest dates of the net's direction. What they
 * leave to cover is |net|, exactly.
 */
function offset(dues: readonly Omit<DueDate, 'toCover'>[], net: Big): readonly DueDate[] {
  const isOwn = (amount: Big): boolean => net.gt(0) === amount.gt(0) && !net.eq(0) && !amount.eq(0);
  let opposite = sum([ZERO, ...dues.filter((due) => !isOwn(due.net)).map((due) => due.net.abs())]);
  return dues.map((due) => {
    if (!isOwn(due.net)) return { ...due, toCover: ZERO };
    const taken = opposite.lt(due.net.abs()) ? opposite : due.net.abs();
    opposite = opposite.minus(taken);
    return { ...due, toCover: due.net.abs().minus(taken) };
  });
}

/** An open hedge as cover. */
export interface OpenCover {
  id: string;
  side: Side;
  /** Naira: notional × struck rate. */
  naira: Big;
  /** Calendar days from today. */
  maturesIn: number;
  /** The due date that it was opened for and is rolled to; undefined: any that it matures close to. */
  openedFor: string | undefined;
}

export interface Allotment {
  hedge: string;
  date: string;
  /** Naira. */
  naira: Big;
}

export type BandStatus = 'inside' | 'below' | 'above' | 'nothing_due';

export interface BucketCoverage extends BucketNet {
  /** Naira covered by hedges of the side. */
  covered: Big;
  /** Percent, 6 decimals; undefined: the net is zero. */
  coveragePct: Big | undefined;
  status: BandStatus;
  /** Naira covered per due date. */
  coveredOn: ReadonlyMap<string, Big>;
}

export interface Coverage {
  buckets: readonly BucketCoverage[];
  allotments: readonly Allotment[];
  /** Hedges, or the rest of one, that cover no due date of their side. */
  unused: readonly { hedge: string; naira: Big }[];
}

interface Slot {
  due: DueDate;
  side: Side;
  bucket: CoverBucket;
  covered: Big;
}

const targetOf = ({ due, bucket }: Slot): Big => percentOf(due.toCover, bucket.targetPct);
const mostOf = ({ due, bucket }: Slot): Big => percentOf(due.toCover, bucket.maxPct);

/**
 * Allots open hedges to due dates. Each naira of a hedge is allotted once, the earliest due date first: up to the target
 * of every date, then up to the maximum, and the rest to the earliest date that the hedge covers. Hedges that were
 * opened for a date come first, and only there until its bucket is at the maximum. Hedges are taken in order of maturity.
 */
export function allot(
  nets: readonly BucketNet[],
  hedges: readonly OpenCover[],
  { beforeDays, afterDays }: Pick<CoverPolicy, 'beforeDays' | 'afterDays'>,
): Coverage {
  const slots = nets
    .flatMap(({ bucket, side, dues }): Slot[] =>
      side === undefined
        ? []
        : dues.filter(({ toCover }) => toCover.gt(0)).map((due) => ({ due, side, bucket, covered: ZERO })),
    )
    .toSorted((one, other) => one.due.days - other.due.days);
  const parts = hedges
    .toSorted((one, other) => one.maturesIn - other.maturesIn || (one.id < other.id ? -1 : 1))
    .map((hedge) => ({ hedge, left: hedge.naira }));
  const allotments = new Map<string, Allotment>();

  const isFor = ({ side, due }: Slot, hedge: OpenCover): boolean =>
    hedge.side === side && hedge.openedFor === due.date && hedge.maturesIn <= due.days + afterDays;
  const isNear = ({ side, due }: Slot, hedge: OpenCover): boolean =>
    hedge.side === side &&
    hedge.maturesIn >= due.days - beforeDays &&
    hedge.maturesIn <= due.days + afterDays;

  const give = (covers: typeof isFor, most: (slot: Slot) => Big | undefined): void => {
    for (const slot of slots)
      for (const part of parts) {
        if (part.left.lte(0) || !covers(slot, part.hedge)) continue;
        const room = most(slot)?.minus(slot.covered) ?? part.left;
        const naira = room.lt(part.left) ? room : part.left;
        if (naira.lte(0)) continue;
        part.left = part.left.minus(naira);
        slot.covered = slot.covered.plus(naira);
        const key = `${part.hedge.id}\n${slot.due.date}`;
        const before = allotments.get(key)?.naira ?? ZERO;
        allotments.set(key, { hedge: part.hedge.id, date: slot.due.date, naira: before.plus(naira) });
      }
  };
  /** All that the bucket may have: a size in whole cents can be more than a date needs. */
  const mostOfBucket = ({ bucket, covered }: Slot): Big => {
    const own = slots.filter((slot) => slot.bucket === bucket);
    const needed = sum(own.map(({ due }) => due.toCover));
    return percentOf(needed, bucket.maxPct)
      .minus(sum(own.map((slot) => slot.covered)))
      .plus(covered);
  };
  give(isFor, targetOf);
  give(isFor, mostOfBucket);
  give(isNear, targetOf);
  give(isNear, mostOf);
  give(isFor, () => undefined);
  give(isNear, () => undefined);

  return {
    buckets: nets.map((net) =>
      coverageOf(net, new Map(slots.map(({ due, covered }) => [due.date, covered]))),
    ),
    allotments: [...allotments.values()],
    unused: parts
      .filter(({ left }) => left.gt(0))
      .map(({ hedge, left }) => ({ hedge: hedge.id, naira: left })),
  };
}

function coverageOf(net: BucketNet, onDates: ReadonlyMap<string, Big>): BucketCoverage {
  const coveredOn = new Map(net.dues.map(({ date }) => [date, onDates.get(date) ?? ZERO]));
  const covered = sum([ZERO, ...coveredOn.values()]);
  return {
    ...net,
    covered,
    coveragePct: coveragePct(covered, net.net),
    status: bandStatus(covered, net),
    coveredOn,
  };
}

/** Σ naira covered / |net| × 100, in percent, 6 decimals, rounded half-even once; undefined: the net is zero. */
export const coveragePct = (covered: Big, net: Big): Big | undefined =>
  net.eq(0) ? undefined : divide(covered.times(100), net.abs(), PCT_PLACES);

/** Exact: naira covered against min and max percent of |net|, both ends inside. */
export function bandStatus(covered: Big, { net, bucket }: Pick<BucketNet, 'net' | 'bucket'>): BandStatus {
  if (net.eq(0)) return 'nothing_due';
  if (covered.lt(percentOf(net.abs(), bucket.minPct))) return 'below';
  return covered.gt(percentOf(net.abs(), bucket.maxPct)) ? 'above' : 'inside';
}
