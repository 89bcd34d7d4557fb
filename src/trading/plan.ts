/**
 * The plan of an action: what will be asked of the service, to the digit, and what the book looks like before
 * and after it. Made of an intent and the facts that were read for it. Decides nothing: guards judge a plan.
 *
 * How much a reduction takes and what it leaves of each hedge. Refuses what cannot be worked out from a whole
 * reading of the side, or is more than there is. Pure.
 */
import type { Big } from 'big.js';
import type { AddIntent, CloseIntent, OpenIntent, ReduceIntent, Reduction } from '../args/action-intent.ts';
import type { Account, Hedge, Market, Position, Quote } from '../client/schemas.ts';
import type { RequestOf } from '../client/serialize-request.ts';
import { decimalFrom } from '../client/unspecified-fields.ts';
import type { ActionName } from '../domain/action-table.ts';
import { divide, sum, USD_PLACES } from '../domain/amounts.ts';
import { isAboutEverything, scaleDown, shareOf, usdInWords } from '../domain/exposure.ts';
import type { ClockReadings } from '../domain/instants.ts';
import {
  type CarryToMaturity,
  carryToMaturity,
  mostExpensive,
  type QuoteFigures,
  quoteFigures,
} from '../domain/quote-figures.ts';
import { quoted, quotedName, shellWord, unquoted } from '../domain/quoted.ts';
import type { Side } from '../domain/vocabulary.ts';
import { type OwnCode, StoppedError } from '../errors.ts';
import type { SideBook } from '../readings/side-book.ts';
/** What was read to decide on an action. */
export interface PlanFacts {
  book: SideBook;
  /** The market's line; undefined when the account's list does not have it. */
  market: Market | undefined;
  /** Names of all the account's markets, for one that was mistyped. */
  marketNames?: readonly string[] | undefined;
  account: Account;
  /** For exactly this market, side, notional and tenor; open and add need one. */
  quote: Quote | undefined;
  /** Every hedge that carries the deal id of an open, on whatever side and in whatever status. */
  underDealId?: readonly Hedge[] | undefined;
  /** When the reading began, by this machine's clock; milliseconds since the epoch. */
  readAtMs: number;
  /** The clocks as the positions came; undefined: not known. */
  clocks?: ClockReadings | undefined;
}

interface Planned {
  market: string;
  side: Side;
  facts: PlanFacts;
  /** The side once it is done; a figure is undefined when it cannot be told beforehand. */
  after: { total: Big | undefined; hedges: readonly HedgeChange[] | undefined };
}

interface Enlarging extends Planned {
  notional: Big;
  /** What we derive from the quote; undefined without one, and of an add to a maturity that was not sent. */
  figures: QuoteFigures | undefined;
}

export interface OpenPlan extends Enlarging {
  action: 'open';
  intent: OpenIntent;
  /** Without a deal id the reference is filled in with the key, when that is minted. */
  request: RequestOf<'open'>;
}

export interface AddPlan extends Enlarging {
  action: 'add';
  intent: AddIntent;
  request: RequestOf<'add'>;
  /** The hedge that grows; undefined when several are open: the service chooses (specification §4). */
  grows: string | undefined;
}

/** What comes back to the balance, as the position line states it, in the part that is taken. */
export interface ReturnedAmounts {
  net_margin_usd: Big;
  close_fee_usdc: Big | undefined;
  net_pnl_usd: Big | undefined;
}

interface Shrinking extends Planned {
  /** Whether the side is closed by it. */
  closesSide: boolean;
  /** Undefined when the position line could not be told, or what part of it is taken. */
  comesBack: ReturnedAmounts | undefined;
}

export interface ReducePlan extends Shrinking {
  action: 'reduce';
  intent: ReduceIntent;
  request: RequestOf<'reduce'>;
  notional: Big;
}

export interface ClosePlan extends Shrinking {
  action: 'close';
  intent: CloseIntent;
  request: RequestOf<'close'>;
  /** Flat already, and `--if-open` was said: there is nothing to send. */
  nothingToDo: boolean;
}

export type Plan = OpenPlan | AddPlan | ReducePlan | ClosePlan;
export type PlanOf<Name extends ActionName> = Extract<Plan, { action: Name }>;

export function planOpen(intent: OpenIntent, facts: PlanFacts): OpenPlan {
  const { market, side, notional, tenor, dealId } = intent;
  const reference = dealId === undefined ? {} : { client_reference: dealId };
  return {
    action: 'open',
    intent,
    request: { market, side, notional_usd: notional, tenor_days: tenor, ...reference },
    ...enlarging(intent, facts),
    figures: facts.quote === undefined ? undefined : quoteFigures(facts.quote),
    after: { total: facts.book.total?.plus(notional), hedges: unchanged(facts.book) },
  };
}

export function planAdd(intent: AddIntent, facts: PlanFacts): AddPlan {
  const { market, side, notional } = intent;
  const { book } = facts;
  if (book.inPositions === false) throw nothingOpen(book);
  const only = book.unclear === undefined && book.open.length === 1 ? book.open[0] : undefined;
  const grown = only && [{ id: only.id, before: only.notional, after: only.notional.plus(notional) }];
  return {
    action: 'add',
    intent,
    request: { market, side, notional_usd: notional },
    ...enlarging(intent, facts),
    figures: addFigures(facts),
    grows: only?.id,
    after: { total: book.total?.plus(notional), hedges: grown },
  };
}

export function planReduce(intent: ReduceIntent, facts: PlanFacts): ReducePlan {
  const { market, side } = intent;
  const { notional, closesSide, left, hedges } = planReduction(intent.reduction, facts.book);
  const { total } = facts.book;
  const taken = closesSide ? 'everything' : total && { part: notional, of: total };
  return {
    action: 'reduce',
    intent,
    market,
    side,
    facts,
    notional,
    closesSide,
    // Never turned into a close: that would take what a colleague adds in between as well.
    request: { market, side, notional_usd: notional },
    comesBack: taken === undefined ? undefined : comesBack(facts.book.position, taken),
    after: { total: left, hedges },
  };
}

export function planClose(intent: CloseIntent, facts: PlanFacts): ClosePlan {
  const { market, side } = intent;
  const { book } = facts;
  const flat = book.inPositions === false;
  if (flat && (!intent.ifOpen || book.coming.length > 0)) throw nothingOpen(book);
  const nothing = book.total?.minus(book.total);
  return {
    action: 'close',
    intent,
    market,
    side,
    facts,
    request: { market, side },
    nothingToDo: flat,
    closesSide: true,
    comesBack: comesBack(book.position, 'everything'),
    after: {
      total: nothing,
      hedges: nothing && book.open.map(({ id, notional }) => ({ id, before: notional, after: nothing })),
    },
  };
}

const enlarging = (
  { market, side, notional }: OpenIntent | AddIntent,
  facts: PlanFacts,
): Omit<Enlarging, 'after' | 'figures'> => ({
  market,
  side,
  notional,
  facts,
});

/** To the maturity that is kept; of several hedges the service chooses, so the dearest counts (specification §4). */
function addFigures({ quote, book }: PlanFacts): QuoteFigures | undefined {
  if (quote === undefined) return undefined;
  const carries = book.open.map(({ maturityAt: to }) =>
    to === undefined ? undefined : carryToMaturity(quote, { from: book.servedAt, to }),
  );
  const known = carries.filter((each): each is CarryToMaturity => each !== undefined);
  const held = known.length === carries.length ? mostExpensive(known) : undefined;
  return held === undefined ? undefined : quoteFigures(quote, held);
}

const unchanged = (book: SideBook): readonly HedgeChange[] | undefined =>
  book.unclear === undefined
    ? book.open.map(({ id, notional }) => ({ id, before: notional, after: notional }))
    : undefined;

/** Margin, fee and profit scale with the notional (specification §3). The whole is stated, a part is derived. */
function comesBack(
  position: Position | undefined,
  taken: { part: Big; of: Big } | 'everything',
): ReturnedAmounts | undefined {
  if (position === undefined) return undefined;
  const scaled = (whole: Big): Big =>
    taken === 'everything' ? whole : divide(whole.times(taken.part), taken.of, USD_PLACES);
  const scaledIfThere = (figure: unknown): Big | undefined => {
    const whole = decimalFrom(figure);
    return whole === undefined ? undefined : scaled(whole);
  };
  return {
    net_margin_usd: scaled(position.net_margin_usd),
    close_fee_usdc: scaledIfThere(position.close_fee_usdc),
    net_pnl_usd: scaledIfThere(position.net_pnl_usd),
  };
}

export interface HedgeChange {
  id: string;
  before: Big;
  after: Big;
}

export interface PlannedReduction {
  /** USD to come off, as it is sent: two decimals, or more where an exact rest asks for them. */
  notional: Big;
  /** About everything (99 % or more): the service closes the side (specification §3). */
  closesSide: boolean;
  /** USD left; undefined when what is open is not known. */
  left: Big | undefined;
  /** By hedge; undefined when what is open is not known. */
  hedges: readonly HedgeChange[] | undefined;
}

/** @throws StoppedError when nothing is open, more than the position is asked, or a part of an unknown whole. */
export function planReduction(reduction: Reduction, book: SideBook): PlannedReduction {
  if (book.inPositions === false) throw nothingOpen(book);
  if (book.total === undefined) return withoutTotal(reduction, book);
  if (book.total.eq(0)) throw nothingOpen(book);
  const total = book.total;
  const notional = takenFrom(total, reduction, book);
  if (notional.gt(total))
    throw stopped(book, 'more_than_open', {
      what: `${usdInWords(notional)} is more than the ${usdInWords(total)} open on ${unquoted(book.market)} ${book.side}.`,
      hint: `hedge close ${book.market} ${book.side} takes all of it.`,
    });
  const closesSide = isAboutEverything(notional, total);
  const sizes = book.open.map((hedge) => hedge.notional);
  const rest = closesSide ? sizes.map((size) => size.minus(size)) : scaleDown(sizes, notional);
  return {
    notional,
    closesSide,
    left: closesSide ? total.minus(total) : total.minus(notional),
    hedges: book.open.map(({ id, notional: before }, at) => ({ id, before, after: rest[at] ?? before })),
  };
}

function takenFrom(total: Big, reduction: Reduction, book: SideBook): Big {
  switch (reduction.by) {
    case 'notional':
      return reduction.notional;
    case 'percent': {
      const part = shareOf(total, reduction.percent);
      if (part.gt(0)) return part;
      throw stopped(book, 'nothing_to_reduce', {
        what: `${reduction.percent.toFixed()} % of ${usdInWords(total)} is less than a cent.`,
      });
    }
    case 'target':
      if (reduction.target.lt(total)) return total.minus(reduction.target);
      throw stopped(book, 'nothing_to_reduce', {
        what: `${unquoted(book.market)} ${book.side} is ${usdInWords(total)}, not above ${usdInWords(reduction.target)}: nothing is to come off.`,
      });
    default:
      return reduction satisfies never;
  }
}

/** A plain notional can be asked of the service all the same; a part or a target of an unknown whole cannot. */
function withoutTotal(reduction: Reduction, book: SideBook): PlannedReduction {
  if (reduction.by === 'notional')
    return { notional: reduction.notional, closesSide: false, left: undefined, hedges: undefined };
  const option = reduction.by === 'percent' ? '--by' : '--to';
  throw stopped(book, 'book_unclear', {
    what: `${option} needs to know what is open, and that cannot be told: ${book.unclear ?? 'the book could not be read whole'}.`,
    hint: `Say the notional: hedge reduce ${book.market} ${book.side} NOTIONAL (hedge positions shows the side).`,
  });
}

/** Nothing is open on the side; all that may still fill is named, and the last of it waited for. */
export function nothingOpen(book: SideBook): StoppedError {
  const place = `${unquoted(book.market)} ${book.side}`;
  const [newest] = book.coming;
  if (newest === undefined)
    return stopped(book, 'no_open_hedge', {
      what: `Nothing is open on ${place}.`,
      hint: 'See hedge positions.',
    });
  return stopped(book, 'in_flight', {
    what: `Nothing is open on ${place} yet: ${comingInWords(book.coming)} may fill.`,
    hint: `Wait for ${book.coming.length === 1 ? 'it' : 'the last of them'}: hedge wait ${shellWord(newest.id)}`,
  });
}

const MOST_NAMED = 5;

/** `hedge "hdg_C" (submitted, 5,000.00 USD)`; of many their number and sum. */
function comingInWords(coming: SideBook['coming']): string {
  const total = usdInWords(sum(coming.map(({ notional }) => notional)));
  if (coming.length > MOST_NAMED) return `${coming.length.toString()} hedges, ${total} in all,`;
  const named = coming.map(
    ({ id, status, notional }) => `hedge ${quotedName(id)} (${quoted(status)}, ${usdInWords(notional)})`,
  );
  return coming.length === 1 ? named.join() : `${named.join(', ')}, ${total} in all,`;
}

const stopped = (book: SideBook, code: OwnCode, says: { what: string; hint?: string }): StoppedError =>
  new StoppedError({
    code,
    ...says,
    book: 'Nothing was sent.',
    details: { market: book.market, side: book.side, open_usd: book.total ?? null },
  });
