/** A cover as a document, as a table of buckets, and as a deals file. */

import type { Big } from 'big.js';
import type { ExposureFile } from '../../args/cover-options.ts';
import { roundHalfUp, sum } from '../../domain/amounts.ts';
import { daysAfter } from '../../domain/business-days.ts';
import type { BandStatus, BucketCoverage, CoverBucket } from '../../domain/cover.ts';
import { type BucketPlan, costLimit } from '../../domain/cover-plan.ts';
import { grouped } from '../../domain/exposure.ts';
import { marksOn } from '../../domain/maturity-ladder.ts';
import type { CoverDeal, CoverReading } from '../../readings/read-cover.ts';
import type { CoverDocument } from '../../schema/cover-document.ts';
import { type Cell, type Tone, text } from '../cells.ts';
import { cellOf } from '../field-labels.ts';
import { listOf } from '../list.ts';
import { renderCsv } from '../render-csv.ts';
import { cents, ofAmount } from './record-columns.ts';

type BucketRecord = Omit<CoverDocument['derived']['buckets'][number], 'dues'>;

export interface BucketLine extends BucketRecord {
  coverage: BucketCoverage;
  plan: BucketPlan;
}

/** Buckets now, and with the deals open. */
export const bucketsOf = ({ coverage, plans, today }: CoverReading): readonly BucketLine[] =>
  coverage.buckets.flatMap((each, index) => {
    const plan = plans[index];
    return plan === undefined ? [] : [{ ...bucketRecord(each, plan, today), coverage: each, plan }];
  });

const bucketRecord = ({ bucket, ...coverage }: BucketCoverage, plan: BucketPlan, today: string) => ({
  from_days: bucket.fromDays,
  to_days: bucket.toDays,
  from: daysAfter(today, bucket.fromDays),
  to: daysAfter(today, bucket.toDays),
  exposures: coverage.exposures,
  receive_ngn: coverage.receive,
  pay_ngn: coverage.pay,
  net_ngn: coverage.net,
  side: coverage.side ?? null,
  covered_ngn: coverage.covered,
  coverage_pct: coverage.coveragePct ?? null,
  min_pct: bucket.minPct,
  target_pct: bucket.targetPct,
  max_pct: bucket.maxPct,
  status: coverage.status,
  deals_usd: sum(plan.deals.map(({ notional }) => notional)),
  covered_after_ngn: plan.covered,
  coverage_after_pct: plan.coveragePct ?? null,
  status_after: plan.status,
  constraint: plan.constraint ?? null,
  missing_ngn: plan.missing,
  reduce_hedge: coverage.toReduce?.id ?? null,
});

export const totalsOf = (deals: readonly CoverDeal[]) => ({
  notional_usd: sum(deals.map(({ notional_usd: notional }) => notional)),
  upfront_usdc: sum(deals.map(({ upfront_usdc: upfront }) => upfront)),
  cost_usdc: sum(deals.map(({ cost_usdc: cost }) => cost)),
  chain_cost_usdc: sum(deals.map(({ chain_cost_usdc: cost }) => cost)),
});

/** `12,130,000.00 NGN`, half up to kobo. */
export const nairaInWords = (amount: Big): string => `${grouped(roundHalfUp(amount, 2))} NGN`;

const percent = ofAmount((amount) => ({ kind: 'percent', amount: cents(amount) }));

export const naira = (amount: Big, signed = false): Cell => ({
  kind: 'money',
  amount: cents(amount),
  signed,
});

export const bucketList = listOf<BucketLine, BucketRecord>()(
  [
    {
      name: 'from_days',
      header: 'Days',
      align: 'left',
      show: ({ coverage }) => text(daysOf(coverage.bucket)),
    },
    'to_days from to exposures receive_ngn pay_ngn',
    { name: 'net_ngn', header: 'Net NGN', cell: ofAmount((net) => naira(net, true)) },
    { name: 'side', header: 'Side', optional: true, show: ({ side }) => text(side ?? '') },
    { name: 'covered_ngn', header: 'Covered NGN', optional: 'first', cell: ofAmount((each) => naira(each)) },
    { name: 'coverage_pct', header: 'Now', align: 'right', cell: percent },
    {
      name: 'min_pct',
      header: 'Band',
      align: 'right',
      optional: 'last',
      show: ({ min_pct: min, max_pct: max }) => text(`${min.toFixed()}–${max.toFixed()} %`),
    },
    'target_pct max_pct status',
    {
      name: 'deals_usd',
      header: 'Deals USD',
      optional: 'last',
      cell: (notional, { plan }) => (plan.deals.length === 0 ? text('') : cellOf('deals_usd', notional)),
    },
    'covered_after_ngn',
    { name: 'coverage_after_pct', header: 'After', align: 'right', cell: percent },
    { name: 'status_after', header: 'Status', show: statusCell },
    'constraint missing_ngn reduce_hedge',
  ],
  {
    record: ({ coverage: _coverage, plan: _plan, ...record }) => record,
    screen:
      'from_days side net_ngn covered_ngn coverage_pct min_pct deals_usd coverage_after_pct status_after',
  },
);

/** `Days 8–30`, `Day 3` */
export const daysInWords = (days: Pick<CoverBucket, 'fromDays' | 'toDays'>): string =>
  `${days.fromDays === days.toDays ? 'Day' : 'Days'} ${daysOf(days)}`;

export const daysOf = ({ fromDays, toDays }: Pick<CoverBucket, 'fromDays' | 'toDays'>): string =>
  fromDays === toDays ? fromDays.toString() : `${fromDays}–${toDays}`;

const TONES: Readonly<Partial<Record<BandStatus, Tone>>> = { inside: 'good', nothing_due: 'dim' };

/** Now, and with the deals: `below → inside`. */
function statusCell({ status, status_after: after }: BucketLine): Cell {
  const then = status === after ? '' : ` → ${after.replace('_', ' ')}`;
  return text(`${status.replace('_', ' ')}${then}`, TONES[status] ?? 'warn');
}

/** The hedges as sent; under `derived` the buckets and the deals. Costs: positive is paid. */
export function coverDocument(reading: CoverReading, { ignored, dateOrder }: ExposureFile): CoverDocument {
  const { market, input, deals, room } = reading;
  return {
    hedges: reading.hedges,
    derived: {
      market: market.market,
      mid: market.price,
      zone: input.zone,
      today: reading.today,
      buckets: bucketsOf(reading).map((each) => ({
        ...bucketList.record(each),
        dues: each.coverage.dues.map(({ date, days, net, toCover }) => ({
          due: date,
          days,
          ...marksOn(date, input.holidays),
          net_ngn: net,
          to_cover_ngn: toCover,
          covered_ngn: each.coverage.coveredOn.get(date) ?? null,
          lacks_minimum: each.coverage.short.some((due) => due.date === date),
        })),
      })),
      reductions: reading.reductions.map(({ side, naira: ngn, percent: ofSide, closesSide, below }) => ({
        side,
        ngn,
        side_pct: ofSide,
        closes_side: closesSide,
        falls_below: below.map(({ fromDays, toDays }) => ({ from_days: fromDays, to_days: toDays })),
      })),
      deals: deals.map(({ firstRollBps: _bps, ...deal }) => deal),
      total: { ...totalsOf(deals), assumes: 'todays_quotes_for_every_leg' },
      room: {
        available_exposure_usd: room.headroom,
        available_capacity_usd: room.capacity,
        balance_usdc: room.balance,
      },
      in_no_bucket: reading.outside,
      left_out: reading.leftOut,
      uncertain: reading.uncertain.map(({ why }) => why),
      sides_known: reading.sidesKnown,
      ignored_columns: ignored,
      date_order: dateOrder ?? null,
    },
  };
}

const DEAL_COLUMNS = 'deal_id market side notional_usd tenor_days max_cost_bps note'.split(' ');

export const isDealsCsv = (content: string): boolean =>
  content.replace(/^\ufeff/, '').split(/\r?\n/, 1)[0] === DEAL_COLUMNS.join(',');

export function dealsCsv({ deals, market }: CoverReading): { text: string; rows: number } {
  const records = deals.flatMap((deal) =>
    deal.rows.map(({ deal_id, notional_usd }, index) => ({
      deal_id,
      market: market.market,
      side: deal.side,
      notional_usd,
      tenor_days: deal.tenor_days,
      max_cost_bps: costLimit(deal.quote.derived.cost_bps),
      note: noteOf(deal, index),
    })),
  );
  return {
    text: renderCsv({ columns: DEAL_COLUMNS, records }, { harmless: false }),
    rows: records.length,
  };
}

/** `cover of 49,999,994.41 NGN due 2026-12-14, row 1 of 2 for 99,999,988.82 NGN; leg 1 of 2: roll 2026-11-30` */
function noteOf({ due, covers_ngn: whole, rows, rolls }: CoverDeal, index: number): string {
  const part = rows.length > 1 ? rows[index] : undefined;
  const row = part === undefined ? '' : `, row ${index + 1} of ${rows.length} for ${nairaInWords(whole)}`;
  return [
    `cover of ${nairaInWords(part?.covers_ngn ?? whole)} due ${due}${row}`,
    ...(rolls[0] === undefined ? [] : [`leg 1 of ${rolls.length + 1}: roll ${rolls[0].date}`]),
  ].join('; ');
}
