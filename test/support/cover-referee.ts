/**
 * Cover worked out a second time, straight from its definition in words: for random books of hedges and exposures. It
 * shares no code with the program.
 */
import { Big } from 'big.js';

export interface RefereeExposure {
  /** From today. */
  days: number;
  ngn: Big;
  direction: 'receive' | 'pay';
  certainty: 'firm' | 'forecast';
}

export interface RefereeHedge {
  id: string;
  side: 'buy' | 'sell';
  notional: Big;
  rate: Big;
  /** The day on which it matures, from today, and the instant by which it is ordered. */
  day: number;
  atMs: number;
  status: 'filled' | 'closed' | 'failed';
  /** From its deal ID, from today. */
  namedDay: number | undefined;
  /** Its roll, and the leg in it. */
  roll: string;
  leg: number;
  openedMs: number;
  closedEarly: boolean;
}

export interface RefereePolicy {
  buckets: readonly { from: number; to: number; min: number; target: number; max: number }[];
  before: number;
  after: number;
  weight: number;
}

export interface RefereeBucket {
  net: Big;
  side: 'buy' | 'sell' | null;
  covered: Big;
  status: 'nothing_due' | 'below' | 'inside' | 'above';
  /** Naira to the target; zero unless it is below, and below zero. */
  lack: Big;
  /** The same by day, where no hedge of the other side leaves more. */
  missing: ReadonlyMap<number, Big>;
}

const hundredth = (amount: Big, percent: number): Big => amount.times(percent).div(100);
const add = (amounts: readonly Big[]): Big => amounts.reduce((all, each) => all.plus(each), new Big(0));
const smaller = (one: Big, other: Big): Big => (one.lte(other) ? one : other);

interface Day {
  day: number;
  receive: Big;
  pay: Big;
  buys: Big;
  sells: Big;
}

export function refereeOf(
  exposures: readonly RefereeExposure[],
  hedges: readonly RefereeHedge[],
  { policy, nowMs }: { policy: RefereePolicy; nowMs: number },
): readonly RefereeBucket[] {
  const days: Day[] = [];
  for (const { days: day, ngn, direction, certainty } of exposures) {
    let found = days.find((each) => each.day === day);
    if (found === undefined) {
      found = { day, receive: new Big(0), pay: new Big(0), buys: new Big(0), sells: new Big(0) };
      days.push(found);
    }
    const counted = certainty === 'firm' ? ngn : hundredth(ngn, policy.weight);
    found[direction] = found[direction].plus(counted);
  }
  const bucketOf = (day: number): RefereePolicy['buckets'][number] | undefined =>
    policy.buckets.find(({ from, to }) => from <= day && day <= to);
  const netOf = (bucket: RefereePolicy['buckets'][number]): Big =>
    add(days.filter(({ day }) => bucketOf(day) === bucket).map(({ receive, pay }) => receive.minus(pay)));
  const heldIn = (bucket: RefereePolicy['buckets'][number]): Big =>
    add(days.filter(({ day }) => bucketOf(day) === bucket).map(({ buys, sells }) => buys.minus(sells)));

  // Rolled: a later leg opened once it had matured. Legs that ran at the same time are several hedges.
  const opened = hedges.filter(({ status }) => status !== 'failed');
  const counted = opened
    .filter(
      ({ roll, leg, atMs }) =>
        !opened.some((other) => other.roll === roll && other.leg > leg && other.openedMs >= atMs),
    )
    .filter(({ status, atMs, closedEarly }) => (atMs > nowMs ? status === 'filled' : !closedEarly))
    .toSorted((one, other) => one.atMs - other.atMs);
  for (const { side, notional, rate, day: matures, atMs, namedDay } of counted) {
    const direction = side === 'buy' ? 'receive' : 'pay';
    const held = side === 'buy' ? 'buys' : 'sells';
    const isClose = (day: number): boolean => matures >= day - policy.before && matures <= day + policy.after;
    const own = days.filter((each) => each[direction].gt(0));
    const near = own.filter(({ day }) => isClose(day));
    near.sort((a, b) => Math.abs(a.day - matures) - Math.abs(b.day - matures) || a.day - b.day);
    const named = own.find(({ day }) => day === namedDay && matures <= day + policy.after);
    if (named !== undefined && atMs <= nowMs && !isClose(named.day)) continue;
    const others = near.filter((each) => each !== named);
    const isOnlyOne = named !== undefined && bucketOf(named.day) !== undefined;
    const dates = named === undefined ? near : isOnlyOne ? [named] : [named, ...others];
    let left = notional.times(rate);
    for (const date of dates) {
      const bucket = bucketOf(date.day);
      let room = left;
      if (bucket === undefined) room = date[direction].minus(date[held]);
      else {
        const net = netOf(bucket);
        const sign = side === 'buy' ? 1 : -1;
        // The side that does not cover the net brings no bucket to its maximum.
        if (net.times(sign).gte(0)) room = hundredth(net.abs(), bucket.max).minus(heldIn(bucket).times(sign));
      }
      const taken = smaller(room, left);
      if (taken.lte(0)) continue;
      date[held] = date[held].plus(taken);
      left = left.minus(taken);
    }
    const [first] = dates;
    if (first !== undefined) first[held] = first[held].plus(left);
  }

  return policy.buckets.map((bucket) => {
    const net = netOf(bucket);
    const sign = net.lt(0) ? -1 : 1;
    const covered = heldIn(bucket).times(sign);
    const { min, max, target } = bucket;
    const status = net.eq(0)
      ? covered.eq(0)
        ? 'nothing_due'
        : 'above'
      : covered.lt(hundredth(net.abs(), min))
        ? 'below'
        : covered.gt(hundredth(net.abs(), max))
          ? 'above'
          : 'inside';
    const own = days.filter(({ day }) => bucketOf(day) === bucket);
    return {
      net,
      side: net.eq(0) ? null : net.gt(0) ? 'buy' : 'sell',
      covered,
      status,
      ...(status === 'below' && covered.gte(0)
        ? missingOn(own, { net, covered, target: targetOf({ min, max, target }) })
        : { lack: new Big(0), missing: new Map() }),
    };
  });
}

/** A tenth of a percent of itself inside the band, or its middle where the band is narrower. */
function targetOf({ min, max, target }: { min: number; max: number; target: number }): Big {
  const [lowest, highest] = [new Big(min).times('1.001'), new Big(max).times('0.999')];
  if (lowest.gt(highest)) return new Big(min).plus(max).div(2);
  if (highest.lt(target)) return highest;
  return lowest.gt(target) ? lowest : new Big(target);
}

/** What the bucket lacks to its target, date by date, each net of the payments nearest to it. */
function missingOn(
  own: readonly Day[],
  { net, covered, target }: { net: Big; covered: Big; target: Big },
): Pick<RefereeBucket, 'lack' | 'missing'> {
  const [towards, against] = net.gt(0) ? (['receive', 'pay'] as const) : (['pay', 'receive'] as const);
  const sign = net.gt(0) ? 1 : -1;
  const left = new Map(own.map((each) => [each, each[towards]]));
  const opposite = new Map(own.map((each) => [each, each[against]]));
  for (let off = 0; off <= 100; off += 1)
    for (const date of own.toSorted((a, b) => a.day - b.day))
      for (const other of own.toSorted((a, b) => a.day - b.day)) {
        if (Math.abs(date.day - other.day) !== off) continue;
        const taken = smaller(left.get(date) ?? new Big(0), opposite.get(other) ?? new Big(0));
        left.set(date, (left.get(date) ?? new Big(0)).minus(taken));
        opposite.set(other, (opposite.get(other) ?? new Big(0)).minus(taken));
      }
  const lack = target.times(net.abs()).div(100).minus(covered);
  let rest = lack;
  const missing = new Map<number, Big>();
  for (const date of own.toSorted((a, b) => a.day - b.day)) {
    const held = date.buys.minus(date.sells).times(sign);
    const here = smaller(
      target
        .times(left.get(date) ?? 0)
        .div(100)
        .minus(held),
      lack,
    );
    if (here.lte(0) || date[towards].eq(0)) continue;
    missing.set(date.day, here);
    rest = rest.minus(here);
  }
  return { lack, missing };
}
