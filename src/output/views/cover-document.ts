/** A cover as a document, as a table of buckets, and as a deals file. */
import { Big } from 'big.js';
import type { ExposureFile } from '../../args/cover-options.ts';
import { roundHalfUp, sum } from '../../domain/amounts.ts';
import { daysAfter } from '../../domain/business-days.ts';
import type { BucketCoverage } from '../../domain/cover.ts';
import type { BucketPlan } from '../../domain/cover-plan.ts';
import { grouped } from '../../domain/exposure.ts';
import { dayOf } from '../../domain/maturity-ladder.ts';
import type { CoverDeal, CoverReading } from '../../readings/read-cover.ts';
import type { CoverDocument } from '../../schema/reading-document.ts';
import type { RecordTable } from '../record-table.ts';
import { renderCsv } from '../render-csv.ts';

export interface BucketLine {
  coverage: BucketCoverage;
  plan: BucketPlan;
}

export const bucketsOf = ({ coverage, plans }: CoverReading): readonly BucketLine[] =>
  coverage.buckets.flatMap((bucket, index) => {
    const plan = plans[index];
    return plan === undefined ? [] : [{ coverage: bucket, plan }];
  });

export const totalsOf = (deals: readonly CoverDeal[]) => ({
  notional: sum(deals.map(({ notional }) => notional)),
  cost: sum(deals.map(({ firstLegCost }) => firstLegCost)),
  chain: sum(deals.map(({ chainCost }) => chainCost)),
  upfront: sum(deals.map(({ upfront }) => upfront)),
});

/** `12,130,000.00 NGN`, half up to kobo. */
export const nairaInWords = (amount: Big): string => `${grouped(roundHalfUp(amount, 2))} NGN`;

export const COVER_COLUMNS = [
  'from_days',
  'to_days',
  'from',
  'to',
  'exposures',
  'receive_ngn',
  'pay_ngn',
  'net_ngn',
  'side',
  'covered_ngn',
  'coverage_pct',
  'min_pct',
  'target_pct',
  'max_pct',
  'status',
  'deals_usd',
  'covered_after_ngn',
  'coverage_after_pct',
  'status_after',
  'constraint',
  'missing_ngn',
  'reduce_hedge',
] as const;

export const coverTable = (reading: CoverReading): RecordTable => ({
  columns: COVER_COLUMNS,
  records: bucketRecords(reading),
});

export const bucketRecords = (reading: CoverReading): readonly unknown[] =>
  bucketsOf(reading).map(({ coverage, plan }) => bucketRecord(reading, { coverage, plan }));

const bucketRecord = ({ today }: CoverReading, { coverage, plan }: BucketLine) => ({
  from_days: coverage.bucket.fromDays,
  to_days: coverage.bucket.toDays,
  from: daysAfter(today, coverage.bucket.fromDays),
  to: daysAfter(today, coverage.bucket.toDays),
  exposures: coverage.exposures,
  receive_ngn: coverage.receive,
  pay_ngn: coverage.pay,
  net_ngn: coverage.net,
  side: coverage.side ?? null,
  covered_ngn: coverage.covered,
  coverage_pct: coverage.coveragePct ?? null,
  min_pct: coverage.bucket.minPct,
  target_pct: coverage.bucket.targetPct,
  max_pct: coverage.bucket.maxPct,
  status: coverage.status,
  deals_usd: sum(plan.deals.map(({ notional }) => notional)),
  covered_after_ngn: plan.covered,
  coverage_after_pct: plan.coveragePct ?? null,
  status_after: plan.status,
  constraint: plan.constraint ?? null,
  missing_ngn: plan.missing,
  reduce_hedge: coverage.toReduce?.id ?? null,
});

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
      },
    })),
    derived: {
      market: market.market,
      mid: market.price,
      zone: input.zone,
      today: reading.today,
      buckets: bucketsOf(reading).map((each) => ({
        ...bucketRecord(reading, each),
        dues: each.coverage.dues.map(({ date, days, net, toCover }) => ({
          due: date,
          days,
          ...markFields(reading, date),
          net_ngn: net,
          to_cover_ngn: toCover,
          covered_ngn: each.coverage.coveredOn.get(date) ?? null,
        })),
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
      in_no_bucket: reading.outside.map(({ id, due, ngn, direction, certainty }) => ({
        id,
        due,
        ngn,
        direction,
        certainty,
      })),
      left_out: reading.leftOut,
      uncertain: reading.uncertain.map(({ why }) => why),
      sides_known: reading.sidesKnown,
      ignored_columns: ignored,
      date_order: dateOrder ?? null,
    },
  };
}

const markFields = ({ input }: CoverReading, date: string) => {
  const { weekend, holiday } = dayOf(date, input.holidays);
  return { weekend, holiday: holiday ?? null };
};

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

const DEAL_COLUMNS = [
  'deal_id',
  'market',
  'side',
  'notional_usd',
  'tenor_days',
  'max_cost_bps',
  'note',
] as const;

export const isDealsCsv = (content: string): boolean =>
  content.replace(/^\ufeff/, '').split(/\r?\n/, 1)[0] === DEAL_COLUMNS.join(',');

/** A row may cost so much more than its quote. */
const TOLERANCE_BPS = 10;

export function dealsCsv({ deals, market }: CoverReading): { text: string; rows: number } {
  const records = deals.flatMap((deal) =>
    deal.rows.map(({ dealId, notional }, index) => ({
      deal_id: dealId,
      market: market.market,
      side: deal.side,
      notional_usd: notional,
      tenor_days: deal.tenors[0],
      max_cost_bps: upToTenths(deal.figures.cost_bps.plus(TOLERANCE_BPS)),
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
  const row =
    part === undefined
      ? ''
      : `, row ${(index + 1).toString()} of ${rows.length.toString()} for ${nairaInWords(whole)}`;
  return [
    `cover of ${nairaInWords(part?.naira ?? whole)} due ${date}${row}`,
    ...(rolls[0] === undefined ? [] : [`leg 1 of ${tenors.length.toString()}: roll ${rolls[0].date}`]),
  ].join('; ');
}
