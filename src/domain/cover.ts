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

/** Naira that fall due on a day, forecasts weighted. */
export interface DueAmounts {
  date: string;
  /** From today; below zero: past. */
  days: number;
  receive: Big;
  pay: Big;
}

/** A day of a bucket. */
export interface DueDate extends DueAmounts {
  /** receive − pay. */
  net: Big;
  /** Naira of the net's direction, less the opposite ones nearest to it. They add up to |net|. */
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

/** The naira of a date that hedges of the side are for: receipts for buys, payments for sells. */
export const amountFor = (side: Side, { receive, pay }: DueAmounts): Big => (side === 'buy' ? receive : pay);

const OTHER: Readonly<Record<Side, Side>> = { buy: 'sell', sell: 'buy' };

/** Naira, positive to be received: firm A, forecast A × weight / 100; a payment is the negative. */
export function weightedNaira(
  { ngn, direction, certainty }: Exposure,
  { forecastWeightPct }: Pick<CoverPolicy, 'forecastWeightPct'>,
): Big {
  const counted = certainty === 'firm' ? ngn : percentOf(ngn, forecastWeightPct);
  return direction === 'receive' ? counted : counted.neg();
}

export interface NettedExposures {
  nets: readonly BucketNet[];
  /** Due dates in no bucket, past ones too. */
  elsewhere: readonly DueAmounts[];
  outside: readonly Exposure[];
}

/** Exposures per bucket, and those whose due date is in none. `daysUntil`: calendar days from today; below zero: past. */
export function netByBucket(
  exposures: readonly Exposure[],
  policy: CoverPolicy,
  daysUntil: (date: string) => number,
): NettedExposures {
  const isIn = ({ fromDays, toDays }: CoverBucket, date: string): boolean =>
    daysUntil(date) >= fromDays && daysUntil(date) <= toDays;
  const isOutside = (date: string): boolean => !policy.buckets.some((bucket) => isIn(bucket, date));
  const byDate = new Map<string, DueAmounts>();
  for (const each of exposures) {
    const { due: date } = each;
    const { receive, pay } = byDate.get(date) ?? { receive: ZERO, pay: ZERO };
    const amount = weightedNaira(each, policy);
    byDate.set(date, {
      date,
      days: daysUntil(date),
      receive: amount.gt(0) ? receive.plus(amount) : receive,
      pay: amount.gt(0) ? pay : pay.minus(amount),
    });
  }
  const dues = [...byDate.values()].toSorted((one, other) => one.days - other.days);
  return {
    nets: policy.buckets.map((bucket) => ({
      bucket,
      ...netOf(dues.filter(({ date }) => isIn(bucket, date))),
      exposures: exposures.filter(({ due }) => isIn(bucket, due)).length,
    })),
    elsewhere: dues.filter(({ date }) => isOutside(date)),
    outside: exposures.filter(({ due }) => isOutside(due)),
  };
}

function netOf(dues: readonly DueAmounts[]): Omit<BucketNet, 'bucket' | 'exposures'> {
  const receive = sum([ZERO, ...dues.map((due) => due.receive)]);
  const pay = sum([ZERO, ...dues.map((due) => due.pay)]);
  const net = receive.minus(pay);
  const side = coveringSide(net);
  return { receive, pay, net, side, dues: offset(dues, side) };
}

/** Sets each opposite amount against the date of the net's direction nearest to it, the earlier on a tie. */
function offset(dues: readonly DueAmounts[], side: Side | undefined): readonly DueDate[] {
  if (side === undefined)
    return dues.map((due) => ({ ...due, net: due.receive.minus(due.pay), toCover: ZERO }));
  const own = dues.map((due) => ({ ...due, left: amountFor(side, due) })).filter(({ left }) => left.gt(0));
  const opposite = dues
    .map(({ days, ...due }) => ({ days, left: amountFor(OTHER[side], { days, ...due }) }))
    .filter(({ left }) => left.gt(0));
  const pairs = own
    .flatMap((to) => opposite.map((from) => ({ to, from, off: Math.abs(to.days - from.days) })))
    .toSorted((one, other) => one.off - other.off);
  for (const { to, from } of pairs) {
    const taken = least(to.left, from.left);
    to.left = to.left.minus(taken);
    from.left = from.left.minus(taken);
  }
  return dues.map((due) => ({
    ...due,
    net: due.receive.minus(due.pay),
    toCover: own.find(({ date }) => date === due.date)?.left ?? ZERO,
  }));
}

const least = (one: Big, other: Big): Big => (one.lt(other) ? one : other);

/** An open or settled hedge as cover. */
export interface HedgeCover {
  id: string;
  side: Side;
  /** Naira: notional × struck rate. */
  naira: Big;
  /** Calendar days from today; below zero: past. */
  maturesIn: number;
  /** The due date that its deal ID names: it was opened for it, and is rolled to it. */
  openedFor: string | undefined;
  settled: boolean;
}

export interface Allotment {
  hedge: string;
  date: string;
  /** Naira. */
  naira: Big;
}

export type BandStatus = 'inside' | 'below' | 'above' | 'nothing_due';

export interface BucketCoverage extends BucketNet {
  /** Naira of hedges of the side less those of the other side; buys less sells if the net is zero. */
  covered: Big;
  /** Percent, 6 decimals; undefined: the net is zero. */
  coveragePct: Big | undefined;
  status: BandStatus;
  /** The same naira per due date. */
  coveredOn: ReadonlyMap<string, Big>;
  /** Dates that lack the minimum though the bucket has it: none of its hedges matures close to them. */
  short: readonly DueDate[];
  /** Above the maximum, or below zero: the side with too many naira, and how many. */
  excess: { side: Side; naira: Big } | undefined;
  /** Its open hedge with the most naira in the bucket. Undefined: all of them have settled. */
  toReduce: HedgeCover | undefined;
}

export interface Coverage {
  buckets: readonly BucketCoverage[];
  allotments: readonly Allotment[];
  /** Hedges that mature close to no due date of their direction. */
  unused: readonly { hedge: string; naira: Big }[];
}

/** A due date and the hedges on it. `net`: of its bucket; undefined: it is in none. */
interface Slot {
  due: DueAmounts;
  net: BucketNet | undefined;
  /** Naira of buys less those of sells, on all dates of its bucket. */
  held: { naira: Big };
  parts: Map<HedgeCover, Big>;
}

type Window = Pick<CoverPolicy, 'beforeDays' | 'afterDays'>;

/**
 * Allots each naira of a hedge once, hedges in order of maturity. A hedge belongs to the date that its deal ID names,
 * otherwise to the nearest one of its direction: receipts for buys, payments for sells. Of one that names no date, the
 * naira beyond the maximum of the date's bucket pass on to the next date that the hedge matures close to, as do those
 * beyond the amount of a date in no bucket, and stay with the first if none has room.
 */
export function allot(
  { nets, elsewhere }: Pick<NettedExposures, 'nets' | 'elsewhere'>,
  hedges: readonly HedgeCover[],
  policy: Window,
): Coverage {
  const slots: readonly Slot[] = [
    ...nets.flatMap((net) => slotsOf(net.dues, net)),
    ...slotsOf(elsewhere),
  ].toSorted((one, other) => one.due.days - other.due.days);
  const unused: Coverage['unused'][number][] = [];
  for (const hedge of hedges.toSorted((one, other) => one.maturesIn - other.maturesIn)) {
    const [first, ...next] = datesOf(hedge, slots, policy);
    let left = hedge.naira;
    if (first === undefined) unused.push({ hedge: hedge.id, naira: left });
    else {
      for (const slot of [first, ...next]) {
        const naira = least(left, roomFor(hedge.side, slot) ?? left);
        if (naira.lte(0)) continue;
        put(hedge, naira, slot);
        left = left.minus(naira);
      }
      if (left.gt(0)) put(hedge, left, first);
    }
  }
  return {
    buckets: nets.map((net) =>
      coverageOf(
        net,
        slots.filter((slot) => slot.net === net),
        policy,
      ),
    ),
    allotments: slots.flatMap(({ due: { date }, parts }) =>
      [...parts].map(([hedge, naira]) => ({ hedge: hedge.id, date, naira })),
    ),
    unused,
  };
}

function slotsOf(dues: readonly DueAmounts[], net?: BucketNet): readonly Slot[] {
  const held = { naira: ZERO };
  return dues.map((due) => ({ due, net, held, parts: new Map() }));
}

/**
 * The date that the hedge belongs to, then the others that it matures close to, the nearest first. A date of a bucket that
 * its deal ID names is the only one.
 */
function datesOf(
  hedge: HedgeCover,
  slots: readonly Slot[],
  { beforeDays, afterDays }: Window,
): readonly Slot[] {
  const off = ({ due }: Slot): number => hedge.maturesIn - due.days;
  const own = slots.filter(({ due }) => amountFor(hedge.side, due).gt(0));
  const near = own
    .filter((slot) => off(slot) >= -beforeDays && off(slot) <= afterDays)
    .toSorted((one, other) => Math.abs(off(one)) - Math.abs(off(other)));
  const named = own.find((slot) => slot.due.date === hedge.openedFor && off(slot) <= afterDays);
  if (named === undefined) return near;
  if (hedge.settled && !near.includes(named)) return [];
  // It is rolled to that date, whatever else it matures close to.
  return named.net === undefined ? [named, ...near.filter((slot) => slot !== named)] : [named];
}

/** Naira; undefined: no limit, for the side that does not cover the net. */
function roomFor(side: Side, { due, net, held, parts }: Slot): Big | undefined {
  if (net === undefined) return amountFor(side, due).minus(nairaOn(side, parts));
  if (net.side === OTHER[side]) return undefined;
  const most = percentOf(net.net.abs(), net.bucket.maxPct);
  return side === 'buy' ? most.minus(held.naira) : most.plus(held.naira);
}

function put(hedge: HedgeCover, naira: Big, { held, parts }: Slot): void {
  parts.set(hedge, naira.plus(parts.get(hedge) ?? ZERO));
  held.naira = hedge.side === 'buy' ? held.naira.plus(naira) : held.naira.minus(naira);
}

const nairaOn = (side: Side, parts: Slot['parts']): Big =>
  sum([ZERO, ...[...parts].map(([hedge, naira]) => (hedge.side === side ? naira : ZERO))]);

/** Naira of the side less those of the other side. */
const signed = (side: Side, { parts }: Slot): Big => nairaOn(side, parts).minus(nairaOn(OTHER[side], parts));

function coverageOf(net: BucketNet, slots: readonly Slot[], policy: Window): BucketCoverage {
  const side = net.side ?? 'buy';
  const coveredOn = new Map(slots.map((slot) => [slot.due.date, signed(side, slot)]));
  const covered = sum([ZERO, ...coveredOn.values()]);
  const status = bandStatus(covered, net);
  const excess = excessOf(covered, { status, side, net });
  const [toReduce] = slots
    .flatMap(({ parts }) => [...parts])
    .filter(([hedge]) => hedge.side === excess?.side && !hedge.settled)
    .toSorted(([, one], [, other]) => other.cmp(one));
  return {
    ...net,
    covered,
    coveragePct: coveragePct(covered, net.net),
    status,
    coveredOn,
    short: shortDates({ ...net, status }, slots, policy),
    excess,
    toReduce: toReduce?.[0],
  };
}

/**
 * Dates of a bucket within its band that lack the minimum of it, however the naira of its hedges are divided among the dates
 * that each matures close to.
 */
function shortDates(
  { side, dues, bucket, status }: Pick<BucketCoverage, 'side' | 'dues' | 'bucket' | 'status'>,
  slots: readonly Slot[],
  { beforeDays, afterDays }: Window,
): readonly DueDate[] {
  if (side === undefined || (status !== 'inside' && status !== 'above')) return [];
  const held = slots.flatMap(({ due, parts }) =>
    [...parts]
      .filter(([hedge]) => hedge.side === side)
      .map(([{ openedFor, maturesIn }, naira]) => {
        const isNamed = openedFor === due.date;
        const [from, to] = isNamed
          ? [due.days, due.days]
          : [Math.min(due.days, maturesIn - afterDays), Math.max(due.days, maturesIn + beforeDays)];
        return { from, to, left: naira };
      }),
  );
  // Each date takes first of what serves no later one: so the most dates have their minimum.
  held.sort((one, other) => one.to - other.to);
  return dues.filter((due) => {
    let lacking = percentOf(due.toCover, bucket.minPct);
    for (const each of held.filter(({ from, to }) => from <= due.days && due.days <= to)) {
      const taken = least(each.left, lacking);
      each.left = each.left.minus(taken);
      lacking = lacking.minus(taken);
    }
    return lacking.gt(0);
  });
}

function excessOf(
  covered: Big,
  { status, side, net: { net, bucket } }: { status: BandStatus; side: Side; net: BucketNet },
): BucketCoverage['excess'] {
  if (covered.lt(0)) return { side: OTHER[side], naira: covered.neg() };
  if (status !== 'above') return undefined;
  return { side, naira: covered.minus(percentOf(net.abs(), bucket.maxPct)) };
}

/** Σ naira covered / |net| × 100, in percent, 6 decimals, rounded half-even once; undefined: the net is zero. */
export const coveragePct = (covered: Big, net: Big): Big | undefined =>
  net.eq(0) ? undefined : divide(covered.times(100), net.abs(), PCT_PLACES);

/** Exact: naira covered against min and max percent of |net|, both ends inside. */
export function bandStatus(covered: Big, { net, bucket }: Pick<BucketNet, 'net' | 'bucket'>): BandStatus {
  if (net.eq(0)) return covered.eq(0) ? 'nothing_due' : 'above';
  if (covered.lt(percentOf(net.abs(), bucket.minPct))) return 'below';
  return covered.gt(percentOf(net.abs(), bucket.maxPct)) ? 'above' : 'inside';
}
