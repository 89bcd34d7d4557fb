/** The deals that bring each bucket inside its band, within what the account can open; or what keeps it outside. */
import { Big } from 'big.js';
import { BPS_PER_UNIT, divide, sum } from './amounts.ts';
import {
  amountFor,
  type BandStatus,
  type BucketCoverage,
  bandStatus,
  type CoverBucket,
  type CoverPolicy,
  coveragePct,
  type DueDate,
  percentOf,
} from './cover.ts';
import { affordable, wholeCents } from './exposure.ts';
import type { Side } from './vocabulary.ts';

/** The room for new hedges now. */
export interface CoverRoom {
  /** USD, both sides together. */
  headroom: Big;
  /** USD per side. */
  capacity: Readonly<Record<Side, Big>>;
  /** USDC. */
  balance: Big;
}

/** The price and the upfront cost of a deal for a due date. */
export interface CoverQuote {
  /** Quote currency per USDT, above zero: the execution price of the first leg. */
  rate: Big;
  /** USDC of a quote of `notional` USD; undefined: not quoted, since nothing fits. */
  upfront: { required: Big; notional: Big } | undefined;
}

/**
 * Why a bucket stays outside its band. `market`: not open; `quote`: the service rejects it; `deals`: too many for one plan;
 * `above_max`: hedges cover more than the maximum; `below_zero`: hedges of the other side cover more than those of the
 * side; `unclear`: the position is uncertain.
 */
export const CONSTRAINTS = [
  'headroom',
  'capacity',
  'balance',
  'tenor',
  'minimum',
  'market',
  'quote',
  'deals',
  'above_max',
  'below_zero',
  'unclear',
] as const;
export type CoverConstraint = (typeof CONSTRAINTS)[number];

export interface CoverSize {
  date: string;
  side: Side;
  /** USD, whole cents. */
  notional: Big;
  /** notional × rate. */
  naira: Big;
}

export interface BucketPlan {
  /** The deals of its due dates, in order. */
  deals: readonly CoverSize[];
  /** Naira with the deals. */
  covered: Big;
  /** Percent with the deals, 6 decimals. */
  coveragePct: Big | undefined;
  status: BandStatus;
  /** The reason why it stays outside, or inside but short of its target. */
  constraint: CoverConstraint | undefined;
  /** Naira that are missing to the minimum; zero if it is not below. */
  missing: Big;
}

const ZERO = new Big(0);
const CENT = new Big('0.01');
const CENTS = 2;

/** A due date with a gap. */
interface Gap {
  due: DueDate;
  side: Side;
  /** Naira to its target. */
  gap: Big;
  terms: CoverQuote | CoverConstraint;
  notional: Big;
}

/** The rest of the room. */
interface Left {
  headroom: Big;
  capacity: Record<Side, Big>;
  balance: Big;
}

interface Draft {
  coverage: BucketCoverage;
  gaps: readonly Gap[];
  constraint: CoverConstraint | undefined;
}

/**
 * N = A / K per due date, with A the naira to cover and K the rate of its terms. First every bucket gets what brings it to
 * its minimum, in order of buckets and due dates, rounded up to cents; then what brings it to its target, rounded down,
 * both 10 bps inside the band; each size within headroom, capacity of the side, and balance. A bucket inside its band gets none.
 */
export function planDeals(
  buckets: readonly BucketCoverage[],
  termsOf: (date: string) => CoverQuote | CoverConstraint,
  { room, policy }: { room: CoverRoom; policy: Pick<CoverPolicy, 'minNotional'> },
): readonly BucketPlan[] {
  const left: Left = { ...room, capacity: { ...room.capacity } };
  const drafts = buckets.map(
    (coverage): Draft => ({ coverage, gaps: gapsOf(coverage, termsOf), constraint: undefined }),
  );
  for (const draft of drafts) raise(draft, 'least', left);
  for (const draft of drafts) raise(draft, 'target', left);
  return drafts.map((draft) => {
    enforceMinimum(draft, policy.minNotional, left);
    settleCents(draft, { minNotional: policy.minNotional, left });
    return planOf(draft);
  });
}

/** A fill strikes another rate than the quote: plans stay so far inside both ends of a band, relative to them. */
const KEPT_BPS = 10;

/** In percent: the minimum and the target that a plan aims at; the middle of a band that is too narrow to stay inside. */
function levelsOf({ minPct, targetPct, maxPct }: CoverBucket): { least: Big; target: Big } {
  const lowest = minPct.times(BPS_PER_UNIT + KEPT_BPS).div(BPS_PER_UNIT);
  const highest = maxPct.times(BPS_PER_UNIT - KEPT_BPS).div(BPS_PER_UNIT);
  if (lowest.gt(highest)) {
    const middle = minPct.plus(maxPct).div(2);
    return { least: middle, target: middle };
  }
  const target = targetPct.gt(highest) ? highest : targetPct;
  return { least: lowest, target: target.lt(lowest) ? lowest : target };
}

/**
 * Naira per due date between its cover and its target, only of a bucket below its band. Hedges of opposite amounts leave
 * more to cover: it goes to the dates in order up to their amounts, and the rest to the first.
 */
export function gapsOf(
  { status, side, dues, bucket, net, covered, coveredOn }: BucketCoverage,
  termsOf: (date: string) => CoverQuote | CoverConstraint,
): Gap[] {
  if (status !== 'below' || side === undefined || covered.lt(0)) return [];
  const { target } = levelsOf(bucket);
  const gaps = dues
    .filter((due) => amountFor(side, due).gt(0))
    .map((due) => {
      const uncovered = percentOf(due.toCover, target).minus(coveredOn.get(due.date) ?? ZERO);
      return { due, side, gap: uncovered.gt(0) ? uncovered : ZERO, terms: termsOf(due.date), notional: ZERO };
    });
  let rest = percentOf(net.abs(), target)
    .minus(covered)
    .minus(sum(gaps.map(({ gap }) => gap)));
  for (const gap of gaps) {
    const room = amountFor(side, gap.due)
      .minus(coveredOn.get(gap.due.date) ?? ZERO)
      .minus(gap.gap);
    const more = room.lt(rest) ? room : rest;
    if (more.lte(0)) continue;
    gap.gap = gap.gap.plus(more);
    rest = rest.minus(more);
  }
  const [first] = gaps;
  if (first !== undefined && rest.gt(0)) first.gap = first.gap.plus(rest);
  return gaps.filter(({ gap }) => gap.gt(0));
}

function raise(draft: Draft, level: 'least' | 'target', left: Left): void {
  const { coverage, gaps } = draft;
  if (gaps.length === 0) return;
  let wanted = percentOf(coverage.net.abs(), levelsOf(coverage.bucket)[level]).minus(coverage.covered);
  let blocked: CoverConstraint | undefined;
  for (const gap of gaps) {
    if (typeof gap.terms === 'string') {
      blocked ??= gap.terms;
      continue;
    }
    const naira = gap.gap.lt(wanted) ? gap.gap : wanted;
    if (naira.lte(0)) continue;
    wanted = wanted.minus(naira);
    const size = inCents(naira, gap.terms.rate, level === 'least' ? 'up' : 'down');
    const bound = grant(gap, gap.terms, { size, left });
    draft.constraint ??= bound;
  }
  if (wanted.gt(0)) draft.constraint ??= blocked;
}

/** Raises the size as far as the room allows, and returns what stopped it. */
function grant(
  gap: Gap,
  { upfront }: CoverQuote,
  { size, left }: { size: Big; left: Left },
): CoverConstraint | undefined {
  const extra = size.minus(gap.notional);
  if (extra.lte(0)) return undefined;
  const rooms: readonly (readonly [CoverConstraint, Big | undefined])[] = [
    ['headroom', left.headroom],
    ['capacity', left.capacity[gap.side]],
    [
      'balance',
      upfront === undefined
        ? undefined
        : affordable(upfront.notional, { required: upfront.required, available: left.balance }),
    ],
  ];
  let granted = extra;
  let bound: CoverConstraint | undefined;
  for (const [constraint, usd] of rooms) {
    if (usd === undefined || usd.gte(granted)) continue;
    granted = usd.gt(0) ? wholeCents(usd) : ZERO;
    bound = constraint;
  }
  take(gap, granted, left);
  return bound;
}

/** Changes the size by `change`, which may be below zero, and the room by as much. */
function take(gap: Gap, change: Big, left: Left): void {
  gap.notional = gap.notional.plus(change);
  left.headroom = left.headroom.minus(change);
  left.capacity[gap.side] = left.capacity[gap.side].minus(change);
  left.balance = left.balance.minus(upfrontOf(gap.terms, change));
}

const UPFRONT_PLACES = 12;

function upfrontOf(terms: Gap['terms'], notional: Big): Big {
  if (typeof terms === 'string' || terms.upfront === undefined) return ZERO;
  return divide(terms.upfront.required.times(notional), terms.upfront.notional, UPFRONT_PLACES);
}

/** A deal below the minimum is raised to it where the band and the room allow that, and otherwise left out. */
function enforceMinimum(draft: Draft, minNotional: Big, left: Left): void {
  for (const gap of draft.gaps) {
    if (gap.notional.eq(0) || gap.notional.gte(minNotional)) continue;
    const bound =
      typeof gap.terms === 'string' ? undefined : grant(gap, gap.terms, { size: minNotional, left });
    if (bound === undefined && statusOf(draft) !== 'above') continue;
    take(gap, gap.notional.neg(), left);
    draft.constraint ??= bound ?? 'minimum';
  }
}

/** Sizes in whole cents can miss an end of the band by a part of a cent each. A deal never takes a bucket above its band. */
function settleCents(draft: Draft, { minNotional, left }: { minNotional: Big; left: Left }): void {
  for (const gap of draft.gaps.toReversed()) {
    if (gap.notional.eq(0)) continue;
    const before = gap.notional;
    if (statusOf(draft) === 'above') {
      const less = before.minus(CENT);
      take(gap, less.lt(minNotional) ? before.neg() : CENT.neg(), left);
    } else if (
      statusOf(draft) === 'below' &&
      draft.constraint === undefined &&
      typeof gap.terms !== 'string'
    ) {
      grant(gap, gap.terms, { size: before.plus(CENT), left });
      if (statusOf(draft) === 'above') take(gap, before.minus(gap.notional), left);
    }
  }
}

const nairaOf = ({ notional, terms }: Gap): Big =>
  typeof terms === 'string' ? ZERO : notional.times(terms.rate);

const coveredOf = ({ coverage, gaps }: Draft): Big => sum([coverage.covered, ...gaps.map(nairaOf)]);

const statusOf = (draft: Draft): BandStatus => bandStatus(coveredOf(draft), draft.coverage);

function planOf(draft: Draft): BucketPlan {
  const { coverage, gaps } = draft;
  const covered = coveredOf(draft);
  const status = statusOf(draft);
  const missing = percentOf(coverage.net.abs(), coverage.bucket.minPct).minus(covered);
  return {
    deals: gaps
      .filter(({ notional }) => notional.gt(0))
      .map((gap) => ({ date: gap.due.date, side: gap.side, notional: gap.notional, naira: nairaOf(gap) })),
    covered,
    coveragePct: coveragePct(covered, coverage.net),
    status,
    constraint: draft.constraint ?? unnamed(status, draft),
    missing: missing.gt(0) ? missing : ZERO,
  };
}

/** Every gap is filled: the size of a cent is left. Without gaps, the hedges are too many. */
function unnamed(status: BandStatus, { coverage: { covered }, gaps }: Draft): CoverConstraint | undefined {
  if (status === 'inside' || status === 'nothing_due') return undefined;
  if (gaps.length > 0) return 'minimum';
  return status === 'above' ? 'above_max' : covered.lt(0) ? 'below_zero' : 'minimum';
}

/** A / K in whole cents, from the exact quotient. */
function inCents(naira: Big, rate: Big, how: 'down' | 'up'): Big {
  const nearest = divide(naira, rate, CENTS);
  const off = nearest.times(rate).cmp(naira);
  if (how === 'up') return off < 0 ? nearest.plus(CENT) : nearest;
  return off > 0 ? nearest.minus(CENT) : nearest;
}

/** A row, or the next leg of its chain, may cost so much more than its quote. */
const TOLERANCE_BPS = 10;

export const costLimit = (costBps: Big): Big => upToTenths(costBps.plus(TOLERANCE_BPS));

const upToTenths = (amount: Big): Big => amount.round(1, amount.lt(0) ? Big.roundDown : Big.roundUp);
