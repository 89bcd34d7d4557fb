/** A cover as a document, as a table of buckets, and as a deals file. */

import { Big } from 'big.js';
import type { ExposureFile } from '../../args/cover-options.ts';
import { roundHalfUp, sum } from '../../domain/amounts.ts';
import { daysAfter } from '../../domain/business-days.ts';
import type { BandStatus, BucketCoverage, CoverBucket } from '../../domain/cover.ts';
import type { BucketPlan } from '../../domain/cover-plan.ts';
import { grouped } from '../../domain/exposure.ts';
import { marksOn } from '../../domain/maturity-ladder.ts';
import type { CoverDeal, CoverReading } from '../../readings/read-cover.ts';
import type { CoverDocument } from '../../schema/cover-document.ts';
import { type Tone, text } from '../cells.ts';
import { cellOf } from '../field-labels.ts';
import { listOf } from '../list.ts';
import { renderCsv } from '../render-csv.ts';
import { cents, ofAmount } from './record-columns.ts';

export interface BucketLine {
  /** Date of the reading: `2026-11-20`. */
  today: string;
  coverage: BucketCoverage;
  plan: BucketPlan;
}

export const bucketsOf = ({ coverage, plans, today }: CoverReading): readonly BucketLine[] =>
  coverage.buckets.flatMap((bucket, index) => {
    const plan = plans[index];
    return plan === undefined ? [] : [{ today, coverage: bucket, plan }];
  });

export const totalsOf = (deals: readonly CoverDeal[]) => ({
  notional: sum(deals.map(({ notional }) => notional)),
  cost: sum(deals.map(({ firstLegCost }) => firstLegCost)),
  chain: sum(deals.map(({ chainCost }) => chainCost)),
  upfront: sum(deals.map(({ upfront }) => upfront)),
});

/** `12,130,000.00 NGN`, half up to kobo. */
export const nairaInWords = (amount: Big): string => `${grouped(roundHalfUp(amount, 2))} NGN`;

/** Buckets now, and with the deals open. */
const percent = ofAmount((amount) => ({ kind: 'percent', amount: roundHalfUp(amount, 2) }));

export const bucketList = listOf<BucketLine, Omit<CoverDocument['derived']['buckets'][number], 'dues'>>()(
  [
    {
      name: 'from_days',
      header: 'Days',
      of: ({ coverage }) => coverage.bucket.fromDays,
      align: 'left',
      show: ({ coverage }) => text(daysOf(coverage.bucket)),
    },
    { name: 'to_days', of: ({ coverage }) => coverage.bucket.toDays },
    { name: 'from', of: ({ coverage, today }) => daysAfter(today, coverage.bucket.fromDays) },
    { name: 'to', of: ({ coverage, today }) => daysAfter(today, coverage.bucket.toDays) },
    { name: 'exposures', of: ({ coverage }) => coverage.exposures },
    { name: 'receive_ngn', of: ({ coverage }) => coverage.receive },
    { name: 'pay_ngn', of: ({ coverage }) => coverage.pay },
    {
      name: 'net_ngn',
      header: 'Net NGN',
      of: ({ coverage }) => coverage.net,
      show: ({ coverage }) => ({ kind: 'money', amount: cents(coverage.net), signed: true }),
    },
    {
      name: 'side',
      header: 'Side',
      optional: true,
      of: ({ coverage }) => coverage.side,
      show: ({ coverage }) => text(coverage.side ?? ''),
    },
    {
      name: 'covered_ngn',
      header: 'Covered NGN',
      optional: 'first',
      of: ({ coverage }) => coverage.covered,
      show: ({ coverage }) => ({ kind: 'money', amount: cents(coverage.covered) }),
    },
    {
      name: 'coverage_pct',
      header: 'Now',
      align: 'right',
      of: ({ coverage }) => coverage.coveragePct,
      cell: percent,
    },
    {
      name: 'min_pct',
      header: 'Band',
      optional: 'last',
      of: ({ coverage }) => coverage.bucket.minPct,
      show: ({ coverage }) => text(bandOf(coverage.bucket)),
    },
    { name: 'target_pct', of: ({ coverage }) => coverage.bucket.targetPct },
    { name: 'max_pct', of: ({ coverage }) => coverage.bucket.maxPct },
    { name: 'status', of: ({ coverage }) => coverage.status },
    {
      name: 'deals_usd',
      header: 'Deals USD',
      optional: 'last',
      of: ({ plan }) => sum(plan.deals.map(({ notional }) => notional)),
      cell: (notional, { plan }) => (plan.deals.length === 0 ? text('') : cellOf('deals_usd', notional)),
    },
    { name: 'covered_after_ngn', of: ({ plan }) => plan.covered },
    {
      name: 'coverage_after_pct',
      header: 'After',
      align: 'right',
      of: ({ plan }) => plan.coveragePct,
      cell: percent,
    },
    {
      name: 'status_after',
      header: 'Status',
      of: ({ plan }) => plan.status,
      show: ({ coverage, plan }) => text(statusInWords(coverage, plan), TONES[coverage.status] ?? 'warn'),
    },
    { name: 'constraint', of: ({ plan }) => plan.constraint },
    { name: 'missing_ngn', of: ({ plan }) => plan.missing },
    { name: 'reduce_hedge', of: ({ coverage }) => coverage.toReduce?.id },
  ],
  {
    screen:
      'from_days side net_ngn covered_ngn coverage_pct min_pct deals_usd coverage_after_pct status_after',
  },
);

export const daysOf = ({ fromDays, toDays }: CoverBucket): string =>
  fromDays === toDays ? fromDays.toString() : `${fromDays}–${toDays}`;

const bandOf = ({ minPct, maxPct }: CoverBucket): string => `${minPct.toFixed()}–${maxPct.toFixed()} %`;

const TONES: Readonly<Partial<Record<BandStatus, Tone>>> = { inside: 'good', nothing_due: 'dim' };

export const STATUS_WORDS = {
  inside: 'inside',
  below: 'below',
  above: 'above',
  nothing_due: 'nothing due',
} as const;

/** Now, and with the deals: `below → inside`. */
const statusInWords = ({ status }: BucketCoverage, { status: after }: BucketPlan): string =>
  status === after ? STATUS_WORDS[status] : `${STATUS_WORDS[status]} → ${STATUS_WORDS[after]}`;

/** The hedges as sent; under `derived` the buckets and the deals. Costs: positive is paid. */
export function coverDocument(reading: CoverReading, { ignored, dateOrder }: ExposureFile): CoverDocument {
  const { market, input, deals, room } = reading;
  const { notional, cost, chain, upfront } = totalsOf(deals);
  return {
    hedges: reading.hedges.map((each) => ({
      ...each.sent,
      derived: {
        covered_ngn: each.naira,
        opened_for: each.openedFor ?? null,
        allotted: each.allotted.map(({ date, naira: ngn }) => ({ due: date, ngn })),
        unused_ngn: each.unused,
        settlement: each.settlement ?? null,
        must_roll: each.mustRoll
          ? { due: each.mustRoll.due, matures_on: each.mustRoll.maturesOn, tenors_days: each.mustRoll.tenors }
          : null,
      },
    })),
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
          ...markFields(reading, date),
          net_ngn: net,
          to_cover_ngn: toCover,
          covered_ngn: each.coverage.coveredOn.get(date) ?? null,
        })),
      })),
      reductions: reading.reductions.map(({ side, naira, percent: ofSide, closesSide, below }) => ({
        side,
        ngn: naira,
        side_pct: ofSide,
        closes_side: closesSide,
        falls_below: below.map(({ fromDays, toDays }) => ({ from_days: fromDays, to_days: toDays })),
      })),
      deals: deals.map((deal) => dealDocument(reading, deal)),
      total: {
        notional_usd: notional,
        upfront_usdc: upfront,
        cost_usdc: cost,
        chain_cost_usdc: chain,
        assumes: 'todays_quotes_for_every_leg',
      },
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

const markFields = ({ input }: CoverReading, date: string) => marksOn(date, input.holidays);

const dealDocument = (reading: CoverReading, deal: CoverDeal) => ({
  due: deal.date,
  due_days: deal.dueDays,
  ...markFields(reading, deal.date),
  side: deal.side,
  notional_usd: deal.notional,
  covers_ngn: deal.naira,
  tenor_days: deal.tenors[0],
  rolls: deal.rolls.map(({ date, tenor }) => ({ date, tenor_days: tenor, ...markFields(reading, date) })),
  matures_on: deal.maturesOn,
  cost_usdc: deal.firstLegCost,
  chain_cost_usdc: deal.chainCost,
  upfront_usdc: deal.upfront,
  rows: deal.rows.map(({ dealId, notional, naira }) => ({
    deal_id: dealId,
    notional_usd: notional,
    covers_ngn: naira,
  })),
  quote: { ...deal.quote, derived: deal.figures },
});

const DEAL_COLUMNS = 'deal_id market side notional_usd tenor_days max_cost_bps note'.split(' ');

export const isDealsCsv = (content: string): boolean =>
  content.replace(/^\ufeff/, '').split(/\r?\n/, 1)[0] === DEAL_COLUMNS.join(',');

/** A row, or the next leg of its chain, may cost so much more than its quote. */
const TOLERANCE_BPS = 10;

export const costLimit = (costBps: Big): Big => upToTenths(costBps.plus(TOLERANCE_BPS));

export function dealsCsv({ deals, market }: CoverReading): { text: string; rows: number } {
  const records = deals.flatMap((deal) =>
    deal.rows.map(({ dealId, notional }, index) => ({
      deal_id: dealId,
      market: market.market,
      side: deal.side,
      notional_usd: notional,
      tenor_days: deal.tenors[0],
      max_cost_bps: costLimit(deal.figures.cost_bps),
      note: noteOf(deal, index),
    })),
  );
  return {
    text: renderCsv({ columns: DEAL_COLUMNS, records }, { harmless: false }),
    rows: records.length,
  };
}

const upToTenths = (amount: Big): Big => amount.round(1, amount.lt(0) ? Big.roundDown : Big.roundUp);

/** `cover of 49,999,994.41 NGN due 2026-12-14, row 1 of 2 for 99,999,988.82 NGN; leg 1 of 2: roll 2026-11-30` */
function noteOf({ date, naira: whole, rows, tenors, rolls }: CoverDeal, index: number): string {
  const part = rows.length > 1 ? rows[index] : undefined;
  const row = part === undefined ? '' : `, row ${index + 1} of ${rows.length} for ${nairaInWords(whole)}`;
  return [
    `cover of ${nairaInWords(part?.naira ?? whole)} due ${date}${row}`,
    ...(rolls[0] === undefined ? [] : [`leg 1 of ${tenors.length}: roll ${rolls[0].date}`]),
  ].join('; ');
}
