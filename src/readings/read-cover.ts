/** Reads what covers a list of exposures, and prices the deals that bring each bucket of days inside its band. */
import { createHash } from 'node:crypto';
import { Big } from 'big.js';
import type { CoverIntent } from '../args/cover-options.ts';
import type { Account, Hedge, Market, Quote } from '../client/schemas.ts';
import { BPS_PER_UNIT, divide, sum, USD_PLACES } from '../domain/amounts.ts';
import { daysAfter, daysBetween } from '../domain/business-days.ts';
import { localHourOf } from '../domain/calendar.ts';
import {
  allot,
  type Coverage,
  type CoverPolicy,
  type Exposure,
  netByBucket,
  type OpenCover,
} from '../domain/cover.ts';
import {
  type BucketPlan,
  type CoverConstraint,
  type CoverRoom,
  type CoverSize,
  type CoverTerms,
  gapsOf,
  planDeals,
} from '../domain/cover-plan.ts';
import { wholeCents } from '../domain/exposure.ts';
import { instantOf } from '../domain/instants.ts';
import { type QuoteFigures, quoteFigures } from '../domain/quote-figures.ts';
import { unquoted } from '../domain/quoted.ts';
import { cheapestChain, rollDays, type TenorChain } from '../domain/tenor-chain.ts';
import { quoteCurrency, SIDES, type Side, TENORS } from '../domain/vocabulary.ts';
import { ConditionError, RefusedError, UsageError } from '../errors.ts';
import type { ReadContext } from './read-context.ts';
import { readBook } from './read-position.ts';
import { marketNotFound } from './read-prices.ts';
import { type BookFacts, isInconsistent, type SideBook, type SideHedge, sideBookOf } from './side-book.ts';

export interface CoverInput {
  intent: CoverIntent;
  exposures: readonly Exposure[];
  policy: CoverPolicy;
  /** IANA zone that cuts the days. */
  zone: string;
  /** USD of one open, from the profile; undefined: no limit. */
  maxNotional: Big | undefined;
}

export interface Roll {
  /** `2026-12-21`. */
  date: string;
  /** Of the leg that is opened then. */
  tenor: number;
}

/** An open that hedge proposes. */
export interface CoverDeal extends CoverSize {
  /** One per row of the deals file: more than one above the profile's limit. */
  rows: readonly { dealId: string; notional: Big }[];
  bucket: number;
  dueDays: number;
  tenors: TenorChain['tenors'];
  rolls: readonly Roll[];
  /** The date on which the last leg matures, if the first is opened now. */
  maturesOn: string;
  /** Of the first leg, for a size within 1 bp of the deal's. */
  quote: Quote;
  figures: QuoteFigures;
  /** USDC: of the first leg, and of all legs at the quotes of now; positive: paid. */
  firstLegCost: Big;
  chainCost: Big;
  /** USDC: margin and fee of the first leg. */
  upfront: Big;
}

export interface CoverHedge {
  sent: Hedge;
  /** Naira: notional × struck rate. */
  naira: Big;
  allotted: readonly { date: string; naira: Big }[];
  unused: Big;
  /** The due date that it was opened for. */
  openedFor: string | undefined;
}

export interface CoverReading {
  input: CoverInput;
  market: Market;
  account: Account;
  /** Of the zone. */
  today: string;
  coverage: Coverage;
  plans: readonly BucketPlan[];
  deals: readonly CoverDeal[];
  hedges: readonly CoverHedge[];
  /** Every listed hedge that was opened for a due date, closed ones too. */
  openedFor: readonly { id: string; date: string }[];
  outside: readonly Exposure[];
  /** Open hedges that are not counted: `why` is half a sentence. */
  leftOut: readonly { id: string; why: string }[];
  /** Why the coverage is uncertain, as half sentences: then no deals are proposed. */
  uncertain: readonly string[];
  /** Whether the positions tell which sides are open: if not, a hedge closed early may be counted. */
  sidesKnown: boolean;
  /** The service's words for a rejected quote, by due date. */
  rejected: ReadonlyMap<string, string>;
  room: CoverRoom;
  servedAt: Date;
}

const REREAD_MS = 1_500;

/** @throws UsageError for the market; RefusedError `market_not_found`. */
export async function readCover(context: ReadContext, input: CoverInput): Promise<CoverReading> {
  const facts = await readFacts(context, input);
  const base = assemble(facts, input);
  if (base.uncertain.length > 0) return base;
  return priceDeals(context, base);
}

interface Facts {
  book: BookFacts;
  market: Market;
  account: Account;
}

async function readFacts(context: ReadContext, { intent }: CoverInput): Promise<Facts> {
  const { api, signal } = context;
  const [first, markets, account] = await Promise.all([
    readBook(context),
    api.markets({ signal }),
    api.account({ signal }),
  ]);
  const market = marketOf(intent, markets.data);
  const inconsistent = SIDES.some((side) =>
    isInconsistent(sideBookOf({ market: market.market, side }, first)),
  );
  // A fill may come between the two readings.
  if (inconsistent) await context.clock.sleep(REREAD_MS, signal);
  const book = inconsistent ? await readBook(context) : first;
  return { book, market, account: account.data };
}

const NAIRA = 'NGN';

function marketOf({ market: named }: CoverIntent, markets: readonly Market[]): Market {
  const names = markets.map(({ market }) => market);
  const naira = markets.filter(({ market }) => quoteCurrency(market) === NAIRA);
  if (named !== undefined) {
    const found = markets.find(({ market }) => market === named);
    if (found === undefined) throw marketNotFound(named, names);
    if (naira.includes(found)) return found;
    throw new UsageError(
      `${unquoted(named)} is not a naira market: the exposures are in naira.`,
      'To list your markets: hedge markets',
    );
  }
  const [only, ...more] = naira;
  if (only !== undefined && more.length === 0) return only;
  throw new UsageError(
    only === undefined
      ? 'This account has no naira market.'
      : `This account has ${naira.length.toString()} naira markets: ${naira.map(({ market }) => unquoted(market)).join(', ')}.`,
    only === undefined ? 'To list your markets: hedge markets' : `Name one: --market ${only.market}`,
  );
}

const ZERO = new Big(0);

function assemble({ book, market, account }: Facts, input: CoverInput): CoverReading {
  const { policy, exposures, zone } = input;
  const today = localHourOf(book.servedAt.getTime(), zone).date;
  const { nets, outside } = netByBucket(exposures, policy, (date) => daysBetween(today, date));
  const books = SIDES.map((side) => sideBookOf({ market: market.market, side }, book));
  const counted = books.flatMap(({ side, open }) =>
    open.flatMap((hedge) => coverOf(hedge, side, { zone, today })),
  );
  const coverage = allot(
    nets,
    counted.map(({ cover }) => cover),
    policy,
  );
  const leftOut = leftOutOf(books);
  return {
    input,
    market,
    account,
    today,
    coverage,
    plans: planDeals(coverage.buckets, () => 'unclear', { room: NO_ROOM, policy }),
    deals: [],
    hedges: counted.flatMap(({ cover }) => {
      const sent = book.hedges.find(({ id }) => id === cover.id);
      return sent === undefined ? [] : [{ sent, ...shareOf(cover, coverage) }];
    }),
    openedFor: book.hedges.flatMap(({ id, client_reference: reference }) => {
      const date = dueOf(reference ?? undefined);
      return date === undefined ? [] : [{ id, date }];
    }),
    outside,
    leftOut,
    uncertain: [
      ...books.flatMap(({ side, unclear }) => (unclear === undefined ? [] : [`${side}: ${unclear}`])),
      ...leftOut.map(({ id, why }) => `hedge ${unquoted(id)} is ${why}`),
    ],
    sidesKnown: books.every(({ inPositions }) => inPositions !== undefined),
    rejected: new Map(),
    room: {
      headroom: account.available_exposure_usd,
      capacity: market.available_capacity_usd,
      balance: account.balance_usdc,
    },
    servedAt: book.servedAt,
  };
}

const NO_ROOM: CoverRoom = { headroom: ZERO, capacity: { buy: ZERO, sell: ZERO }, balance: ZERO };

/** Deal IDs of cover, and of the legs that a roll adds: `COVER-20261214-BUY-3f9a21.r2`. */
const COVER_ID = /^COVER-(\d{4})(\d\d)(\d\d)-/;

function dueOf(reference: string | undefined): string | undefined {
  const [, year = '', month = '', day = ''] = COVER_ID.exec(reference ?? '') ?? [];
  return year === '' ? undefined : `${year}-${month}-${day}`;
}

function coverOf(
  { id, notional, struckRate, maturityAt, reference }: SideHedge,
  side: Side,
  { zone, today }: { zone: string; today: string },
): readonly { cover: OpenCover }[] {
  const matures = instantOf(maturityAt ?? '');
  if (struckRate === undefined || struckRate.lte(0) || matures === undefined) return [];
  return [
    {
      cover: {
        id,
        side,
        naira: notional.times(struckRate),
        maturesIn: daysBetween(today, localHourOf(matures, zone).date),
        openedFor: dueOf(reference),
      },
    },
  ];
}

const shareOf = (cover: OpenCover, { allotments, unused }: Coverage) => ({
  naira: cover.naira,
  allotted: allotments.filter(({ hedge }) => hedge === cover.id).map(({ date, naira }) => ({ date, naira })),
  unused: unused.find(({ hedge }) => hedge === cover.id)?.naira ?? ZERO,
  openedFor: cover.openedFor,
});

const leftOutOf = (books: readonly SideBook[]): CoverReading['leftOut'] =>
  books.flatMap(({ open, coming, unread }) => [
    ...open
      .filter(({ struckRate }) => struckRate === undefined || struckRate.lte(0))
      .map(({ id }) => ({ id, why: 'filled without a struck rate' })),
    ...coming.map(({ id, status }) => ({ id, why: `${status} and may still fill` })),
    ...unread.map(({ id, status }) => ({ id, why: `in an unknown status, ${unquoted(status)}` })),
  ]);

/** Quotes of one due date, all for the same notional. */
interface QuotedDue {
  notional: Big;
  chain: TenorChain;
  byTenor: ReadonlyMap<number, Quote>;
}

const MOST_DEALS = 40;
const MOST_ROUNDS = 4;
/** A quote is for this size if it is within 1 bp. */
const CLOSE_BPS = 1;

async function priceDeals(context: ReadContext, base: CoverReading): Promise<CoverReading> {
  const { coverage, market, room } = base;
  const rejected = new Map<string, string>();
  const terms = new Map<string, QuotedDue | CoverConstraint>();
  const gaps = coverage.buckets.flatMap((bucket) => gapsOf(bucket, () => 'quote'));
  const roughly = { rate: market.price, upfront: undefined };
  try {
    // One after the other: the service limits requests, and each date takes up to three quotes.
    for (const [index, { due, side, gap }] of gaps.entries()) {
      context.progress.update(`quoting ${(index + 1).toString()} of ${gaps.length.toString()} due dates`);
      const size = firstSize(gap, { side, market, room, least: base.input.policy.minNotional });
      const found =
        market.status === 'open'
          ? index < MOST_DEALS
            ? size.lte(0)
              ? undefined
              : // oxlint-disable-next-line no-await-in-loop
                await quoteDue({ context, base, rejected }, { date: due.date, days: due.days, side, size })
            : 'deals'
          : 'market';
      if (found !== undefined) terms.set(due.date, found);
    }
    const plan = (): readonly BucketPlan[] =>
      planDeals(coverage.buckets, (date) => termsOf(terms.get(date)) ?? roughly, {
        room,
        policy: base.input.policy,
      });
    for (let round = 1; round < MOST_ROUNDS; round += 1) {
      const off = plan()
        .flatMap(({ deals }) => deals)
        .flatMap((deal) => {
          const due = terms.get(deal.date);
          return typeof due === 'object' && !isClose(deal.notional, due.notional) ? [{ deal, due }] : [];
        });
      if (off.length === 0) break;
      for (const { deal, due } of off) {
        context.progress.update(`quoting ${deal.date} again`);
        // oxlint-disable-next-line no-await-in-loop
        terms.set(deal.date, await requote({ context, base, rejected }, { deal, due }));
      }
    }
    const plans = plan();
    return { ...base, plans, rejected, deals: dealsOf(base, plans, terms) };
  } finally {
    context.progress.stop();
  }
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
  { date, days, side, size }: { date: string; days: number; side: Side; size: Big },
): Promise<QuotedDue | CoverConstraint> {
  const { base } = quoting;
  const window = {
    due: days,
    beforeDays: base.input.policy.beforeDays,
    afterDays: base.input.policy.afterDays,
  };
  const maturesIn = maturityDays(base);
  const chainOf = (costs: readonly { tenor: number; cost: Big }[]) => cheapestChain(costs, window, maturesIn);
  const tenors = TENORS.filter((tenor) => maturesIn(tenor) <= days + window.afterDays);
  if (chainOf(tenors.map((tenor) => ({ tenor, cost: ZERO }))) === undefined) return 'tenor';
  const byTenor = await quoteTenors(quoting, { date, side, size, tenors });
  const chain = chainOf(
    [...byTenor].map(([tenor, quote]) => ({ tenor, cost: quoteFigures(quote).cost_usdc })),
  );
  if (chain === undefined) return byTenor.size === 0 ? 'quote' : 'tenor';
  return { notional: size, chain, byTenor };
}

/** The chain stays; only its tenors are quoted. A size that is rejected now leaves the quotes before it. */
async function requote(
  quoting: Quoting,
  { deal, due }: { deal: CoverSize; due: QuotedDue },
): Promise<QuotedDue> {
  const tenors = [...new Set(due.chain.tenors)];
  const byTenor = await quoteTenors(quoting, {
    date: deal.date,
    side: deal.side,
    size: deal.notional,
    tenors,
  });
  return byTenor.size < tenors.length ? due : { ...due, notional: deal.notional, byTenor };
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
        if (isFor(data, { side, size, tenor })) return [[tenor, data] as const];
        rejected.set(date, 'the service quoted another size, side or tenor');
        return [];
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        rejected.set(date, error.what);
        return [];
      }
    }),
  );
  return new Map(quotes.flat());
}

const isFor = (
  quote: Quote,
  { side, size, tenor }: { side: Side; size: Big; tenor: number },
): boolean => quote.side === side && quote.notional_usd.eq(size) && quote.tenor_days.eq(tenor);

/** Calendar days of the zone from today until a maturity that is so many times 24 hours from now. */
function maturityDays({ servedAt, today, input: { zone } }: CoverReading): (days: number) => number {
  const DAY_MS = 86_400_000;
  return (days) => daysBetween(today, localHourOf(servedAt.getTime() + days * DAY_MS, zone).date);
}

function termsOf(due: QuotedDue | CoverConstraint | undefined): CoverTerms | CoverConstraint | undefined {
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
  terms: ReadonlyMap<string, QuotedDue | CoverConstraint>,
): readonly CoverDeal[] {
  const maturesIn = maturityDays(base);
  const dateIn = (days: number): string => daysAfter(base.today, maturesIn(days));
  return plans.flatMap(({ deals }, bucket) =>
    deals.flatMap((size): CoverDeal[] => {
      const due = terms.get(size.date);
      const [first] = typeof due === 'object' ? due.chain.tenors : [];
      const quote = typeof due === 'object' && first !== undefined ? due.byTenor.get(first) : undefined;
      if (typeof due !== 'object' || quote === undefined) return [];
      const { tenors } = due.chain;
      return [
        {
          ...size,
          bucket,
          dueDays: daysBetween(base.today, size.date),
          tenors,
          rolls: rollDays(due.chain).map((days, index) => ({
            date: dateIn(days),
            tenor: tenors[index + 1] ?? 0,
          })),
          maturesOn: dateIn(tenors.reduce((days, tenor) => days + tenor, 0)),
          quote,
          figures: quoteFigures(quote),
          firstLegCost: costOf(quote, size.notional),
          chainCost: sum(
            tenors.map((tenor) => {
              const leg = due.byTenor.get(tenor);
              return leg === undefined ? ZERO : costOf(leg, size.notional);
            }),
          ),
          upfront: divide(
            quote.upfront.total_upfront_usdc.times(size.notional),
            quote.notional_usd,
            USD_PLACES,
          ),
          rows: rowsOf(base, size),
        },
      ];
    }),
  );
}

/** USDC: the cost of the quote, in proportion to the size. */
const costOf = (quote: Quote, notional: Big): Big =>
  divide(quoteFigures(quote).cost_usdc.times(notional), quote.notional_usd, USD_PLACES);

/** Parts of at most the profile's limit, equal to the cent. */
function rowsOf(base: CoverReading, { date, side, notional }: CoverSize): CoverDeal['rows'] {
  const most = base.input.maxNotional === undefined ? undefined : wholeCents(base.input.maxNotional);
  const dealId = dealIdOf(base, { date, side });
  if (most === undefined || most.lte(0) || notional.lte(most)) return [{ dealId, notional }];
  const count = notional.div(most).round(0, Big.roundUp).toNumber();
  const cents = notional.times(100);
  const part = cents.div(count).round(0, Big.roundDown);
  const longer = cents.minus(part.times(count)).toNumber();
  return Array.from({ length: count }, (_, index) => ({
    dealId: `${dealId}-${(index + 1).toString()}`,
    notional: part.plus(index < longer ? 1 : 0).times('0.01'),
  }));
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
  const ids = [...coverage.allotments.filter((each) => each.date === date).map(({ hedge }) => hedge)];
  const earlier = openedFor.filter((each) => each.date === date).map(({ id }) => id);
  const parts = [market.market, side, date, ids.toSorted(), earlier.toSorted()];
  const state = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, STATE_DIGITS);
  return `COVER-${date.replaceAll('-', '')}-${side.toUpperCase()}-${state}`;
}

/** A bucket that stays outside its band, or a coverage that is uncertain. */
export function coverFinding({ plans, uncertain, coverage }: CoverReading): ConditionError | undefined {
  if (uncertain.length > 0)
    return new ConditionError({
      code: 'book_unclear',
      what: `The coverage is uncertain: ${uncertain.slice(0, 3).join('; ')}.`,
      book: 'No deals are proposed. Nothing was sent.',
      hint: 'Try again in a minute. To list the hedges: hedge hedges',
      retry: 'later',
      details: uncertain,
    });
  const outside = plans.flatMap(({ status, constraint }, index) => {
    const bucket = coverage.buckets[index]?.bucket;
    return (status === 'below' || status === 'above') && bucket !== undefined
      ? [{ from_days: bucket.fromDays, to_days: bucket.toDays, status, constraint: constraint ?? null }]
      : [];
  });
  if (outside.length === 0) return undefined;
  const named = outside
    .map(
      ({ from_days: from, to_days: to, status, constraint }) =>
        `days ${from.toString()} to ${to.toString()} ${status} (${constraint ?? ''})`,
    )
    .join(', ');
  return new ConditionError({
    code: 'cover_incomplete',
    what: `Outside the band also with these deals: ${named}.`,
    book: 'Nothing was sent.',
    retry: 'later',
    details: outside,
  });
}
