/** Prices the deals of a cover: quotes per due date, the cheapest chain, sizes at the quoted prices, and deal IDs. */
import { createHash } from 'node:crypto';
import { Big } from 'big.js';
import type { Market, Quote } from '../client/schemas.ts';
import { BPS_PER_UNIT, divide, sum, USD_PLACES } from '../domain/amounts.ts';
import { daysAfter, daysBetween } from '../domain/business-days.ts';
import { localHourOf } from '../domain/calendar.ts';
import {
  type BucketPlan,
  type CoverConstraint,
  type CoverQuote,
  type CoverRoom,
  type CoverSize,
  gapsOf,
  planDeals,
} from '../domain/cover-plan.ts';
import { wholeCents } from '../domain/exposure.ts';
import { DAY_MS } from '../domain/instants.ts';
import { marksOn } from '../domain/maturity-ladder.ts';
import { quoteFigures } from '../domain/quote-figures.ts';
import { cheapestChain, rollDays, type TenorChain } from '../domain/tenor-chain.ts';
import { type Side, TENORS } from '../domain/vocabulary.ts';
import { RefusedError } from '../errors.ts';
import type { ReadContext } from './read-context.ts';
import { type CoverDeal, type CoverInput, type CoverReading, readCoverage } from './read-cover.ts';

const ZERO = new Big(0);

/** Quotes of one due date, all for the same notional: that of its largest row, since each row is sent alone. */
interface QuotedDue {
  notional: Big;
  rows: number;
  chain: TenorChain;
  byTenor: ReadonlyMap<number, Quote>;
}

const MOST_DEALS = 40;
const MOST_ROUNDS = 4;
/** A quote is for this size if it is within 1 bp. */
const CLOSE_BPS = 1;

/** Without deals while the position is uncertain. @throws as `readCoverage` does. */
export async function readCover(context: ReadContext, input: CoverInput): Promise<CoverReading> {
  const coverage = await readCoverage(context, input);
  return coverage.uncertain.length > 0 ? coverage : priceDeals(context, coverage);
}

async function priceDeals(context: ReadContext, base: CoverReading): Promise<CoverReading> {
  const { coverage, market, room } = base;
  const rejected = new Map<string, string>();
  const prices = new Map<string, QuotedDue | CoverConstraint>();
  const gaps = coverage.buckets.flatMap((bucket) => gapsOf(bucket, () => 'quote'));
  const roughly = { rate: market.price, upfront: undefined };
  try {
    // One after the other: the service limits requests, and each date takes up to three quotes.
    for (const [index, { due, side, gap }] of gaps.entries()) {
      context.progress.update(`quoting ${(index + 1).toString()} of ${gaps.length.toString()} due dates`);
      const size = firstSize(gap, { side, market, room, least: base.input.policy.minNotional });
      const blocked = blockedBy(market, index);
      const found =
        blocked === undefined && size.gt(0)
          ? // oxlint-disable-next-line no-await-in-loop
            await quoteDue({ context, base, rejected }, { date: due.date, days: due.days, side, size })
          : blocked;
      if (found !== undefined) prices.set(due.date, found);
    }
    const plan = (): readonly BucketPlan[] =>
      planDeals(coverage.buckets, (date) => termsOf(prices.get(date)) ?? roughly, {
        room,
        policy: base.input.policy,
      });
    for (let round = 1; round < MOST_ROUNDS; round += 1) {
      const off = plan()
        .flatMap(({ deals }) => deals)
        .flatMap((deal) => {
          const due = prices.get(deal.date);
          if (typeof due !== 'object') return [];
          const rows = rowCount(base, deal.notional, due.rows);
          const size = largestRow(deal.notional, rows);
          return isClose(size, due.notional) ? [] : [{ deal, due, rows, size }];
        });
      if (off.length === 0) break;
      for (const again of off) {
        context.progress.update(`quoting ${again.deal.date} again`);
        // oxlint-disable-next-line no-await-in-loop
        prices.set(again.deal.date, await requote({ context, base, rejected }, again));
      }
    }
    const plans = plan();
    return { ...base, plans, rejected, deals: dealsOf(base, plans, prices) };
  } finally {
    context.progress.stop();
  }
}

/** Before any quote. Without a mid above zero there is no size to quote. */
function blockedBy({ status, price }: Market, index: number): CoverConstraint | undefined {
  if (status !== 'open') return 'market';
  if (price.lte(0)) return 'quote';
  return index < MOST_DEALS ? undefined : 'deals';
}

/** At the mid, and no more than the account can open. */
function firstSize(
  gap: Big,
  { side, market, room, least }: { side: Side; market: Market; room: CoverRoom; least: Big },
): Big {
  if (market.price.lte(0)) return ZERO;
  const wanted = divide(gap, market.price, 2);
  const sizes = [wanted.lt(least) ? least : wanted, room.headroom, room.capacity[side]].toSorted(
    (one, other) => one.cmp(other),
  );
  return wholeCents(sizes[0] ?? ZERO);
}

const isClose = (one: Big, other: Big): boolean =>
  one.minus(other).abs().times(BPS_PER_UNIT).lte(other.times(CLOSE_BPS));

interface Quoting {
  context: ReadContext;
  base: CoverReading;
  rejected: Map<string, string>;
}

/** Each tenor that can be part of a chain to the due date, and the cheapest chain of them. */
async function quoteDue(
  quoting: Quoting,
  { date, days, side, size: whole }: { date: string; days: number; side: Side; size: Big },
): Promise<QuotedDue | CoverConstraint> {
  const { base } = quoting;
  const rows = rowCount(base, whole);
  const size = largestRow(whole, rows);
  const { beforeDays, afterDays } = base.input.policy;
  // A due date of today is dealt at one day.
  const window = { due: days, beforeDays, afterDays: days === 0 ? Math.min(afterDays, 1) : afterDays };
  const maturesIn = maturityDays(base);
  const chainOf = (costs: readonly { tenor: number; cost: Big }[]) => cheapestChain(costs, window, maturesIn);
  const tenors = TENORS.filter((tenor) => maturesIn(tenor) <= days + window.afterDays);
  if (chainOf(tenors.map((tenor) => ({ tenor, cost: ZERO }))) === undefined) return 'tenor';
  const byTenor = await quoteTenors(quoting, { date, side, size, tenors });
  const chain = chainOf(
    [...byTenor].map(([tenor, quote]) => ({ tenor, cost: quoteFigures(quote).cost_usdc })),
  );
  if (chain === undefined) return byTenor.size === 0 ? 'quote' : 'tenor';
  return { notional: size, rows, chain, byTenor };
}

/** The chain stays; only its tenors are quoted. A size that is rejected now leaves the quotes before it. */
async function requote(
  quoting: Quoting,
  { deal: { date, side }, due, rows, size }: { deal: CoverSize; due: QuotedDue; rows: number; size: Big },
): Promise<QuotedDue> {
  const tenors = [...new Set(due.chain.tenors)];
  const byTenor = await quoteTenors(quoting, { date, side, size, tenors });
  return byTenor.size < tenors.length ? due : { ...due, notional: size, rows, byTenor };
}

async function quoteTenors(
  { context: { api, signal }, base, rejected }: Quoting,
  { date, side, size, tenors }: { date: string; side: Side; size: Big; tenors: readonly number[] },
): Promise<ReadonlyMap<number, Quote>> {
  const quotes = await Promise.all(
    tenors.map(async (tenor) => {
      try {
        const { data } = await api.quote(
          { market: base.market.market, side, notional_usd: size, tenor_days: tenor },
          { signal },
        );
        return [[tenor, data] as const];
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        rejected.set(date, error.what);
        return [];
      }
    }),
  );
  return new Map(quotes.flat());
}

/** Calendar days of the zone from today until a maturity that is so many times 24 hours from now. */
function maturityDays({ servedAt, today, input: { zone } }: CoverReading): (days: number) => number {
  return (days) => daysBetween(today, localHourOf(servedAt.getTime() + days * DAY_MS, zone).date);
}

function termsOf(due: QuotedDue | CoverConstraint | undefined): CoverQuote | CoverConstraint | undefined {
  if (typeof due !== 'object') return due;
  const quote = due.byTenor.get(due.chain.tenors[0]);
  if (quote === undefined) return 'quote';
  return {
    rate: quote.pricing.execution_price,
    upfront: { required: quote.upfront.total_upfront_usdc, notional: quote.notional_usd },
  };
}

function dealsOf(
  base: CoverReading,
  plans: readonly BucketPlan[],
  prices: ReadonlyMap<string, QuotedDue | CoverConstraint>,
): readonly CoverDeal[] {
  const maturesIn = maturityDays(base);
  const dateIn = (days: number): string => daysAfter(base.today, maturesIn(days));
  const marks = (date: string) => marksOn(date, base.input.holidays);
  return plans
    .flatMap(({ deals }) => deals)
    .flatMap((size): CoverDeal[] => {
      const priced = prices.get(size.date);
      const [first] = typeof priced === 'object' ? priced.chain.tenors : [];
      const quote = typeof priced === 'object' && first !== undefined ? priced.byTenor.get(first) : undefined;
      if (typeof priced !== 'object' || first === undefined || quote === undefined) return [];
      const { tenors } = priced.chain;
      const legs = tenors.map((tenor) => priced.byTenor.get(tenor));
      const { date: due, notional } = size;
      return [
        {
          due,
          due_days: daysBetween(base.today, due),
          ...marks(due),
          side: size.side,
          notional_usd: notional,
          covers_ngn: size.naira,
          tenor_days: first,
          rolls: rollDays(priced.chain).map((days, index) => {
            const date = dateIn(days);
            return { date, tenor_days: tenors[index + 1] ?? 0, ...marks(date) };
          }),
          matures_on: dateIn(tenors.reduce((days, tenor) => days + tenor, 0)),
          cost_usdc: costOf(quote, notional),
          chain_cost_usdc: sum(legs.map((leg) => (leg === undefined ? ZERO : costOf(leg, notional)))),
          upfront_usdc: divide(
            quote.upfront.total_upfront_usdc.times(notional),
            quote.notional_usd,
            USD_PLACES,
          ),
          rows: rowsOf(base, size, { count: priced.rows, rate: quote.pricing.execution_price }),
          quote: { ...quote, derived: quoteFigures(quote) },
          firstRollBps: legs[1] && quoteFigures(legs[1]).cost_bps,
        },
      ];
    });
}

/** USDC: the cost of the quote, in proportion to the size. */
const costOf = (quote: Quote, notional: Big): Big =>
  divide(quoteFigures(quote).cost_usdc.times(notional), quote.notional_usd, USD_PLACES);

/** So many rows of at most the profile's limit. Never fewer than were quoted: two prices could alternate between two counts. */
function rowCount(base: CoverReading, notional: Big, atLeast = 1): number {
  const most = base.input.maxNotional === undefined ? undefined : wholeCents(base.input.maxNotional);
  if (most === undefined || most.lte(0)) return 1;
  return Math.max(atLeast, notional.div(most).round(0, Big.roundUp).toNumber());
}

const largestRow = (notional: Big, rows: number): Big => notional.div(rows).round(2, Big.roundUp);

/** Equal to the cent. */
function rowsOf(
  base: CoverReading,
  { date, side, notional }: CoverSize,
  { count: quoted, rate }: { count: number; rate: Big },
): CoverDeal['rows'] {
  const count = rowCount(base, notional, quoted);
  const dealId = dealIdOf(base, { date, side });
  const cents = notional.times(100);
  const part = cents.div(count).round(0, Big.roundDown);
  const longer = cents.minus(part.times(count)).toNumber();
  return Array.from({ length: count }, (_, index) => {
    const size = part.plus(index < longer ? 1 : 0).times('0.01');
    return {
      // However many rows it takes: of two files of one position, the second is stopped at its first row.
      deal_id: index === 0 ? dealId : `${dealId}-${(index + 1).toString()}`,
      notional_usd: size,
      covers_ngn: size.times(rate),
    };
  });
}

const STATE_DIGITS = 6;

/**
 * The due date, the side, and six digits of the hedges that are allotted to it or were ever opened for it. The same
 * position gives the same deal ID, so that two files made before a deal is opened open it once.
 */
function dealIdOf(
  { coverage, openedFor, market }: CoverReading,
  { date, side }: { date: string; side: Side },
): string {
  const ids = coverage.allotments.filter((each) => each.date === date).map(({ hedge }) => hedge);
  const earlier = openedFor.filter((each) => each.date === date).map(({ id }) => id);
  const parts = [market.market, side, date, ids.toSorted(), earlier.toSorted()];
  const state = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, STATE_DIGITS);
  return `COVER-${date.replaceAll('-', '')}-${side.toUpperCase()}-${state}`;
}
