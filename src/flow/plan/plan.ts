/**
 * The plan of an action: what will be asked of the service, to the digit, and what the book looks like before
 * and after it. Made of an intent and the facts that were read for it. Decides nothing: guards judge a plan.
 */
import type { Big } from 'big.js';
import { numberIn } from '../../client/guessed.ts';
import type { ChangeRequest, CloseRequest, OpenRequest } from '../../client/requests.ts';
import type { Account, Hedge, Market, Position, Quote } from '../../client/schemas.ts';
import { divide, USD_PLACES } from '../../domain/amounts.ts';
import { type CarryToMaturity, carryToMaturity, dearest } from '../../domain/carry-to-maturity.ts';
import type { ClockReadings } from '../../domain/elapsed.ts';
import { type QuoteFigures, quoteFigures } from '../../domain/quote-figures.ts';
import type { Side } from '../../domain/vocabulary.ts';
import type {
  ActionIntent,
  AddIntent,
  CloseIntent,
  OpenIntent,
  ReduceIntent,
} from '../../intent/action-intent.ts';
import { type HedgeChange, nothingOpen, planReduction } from './plan-reduction.ts';
import type { SideBook } from './plan-side.ts';

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
  request: OpenRequest;
}

export interface AddPlan extends Enlarging {
  action: 'add';
  intent: AddIntent;
  request: ChangeRequest;
  /** The hedge that grows; undefined when several are open: the service chooses (specification §4). */
  grows: string | undefined;
}

/** What comes back to the balance, as the position line states it, in the part that is taken. */
export interface ComesBack {
  net_margin_usd: Big;
  close_fee_usdc: Big | undefined;
  net_pnl_usd: Big | undefined;
}

interface Shrinking extends Planned {
  /** Whether the side is closed by it. */
  closesSide: boolean;
  /** Undefined when the position line could not be told, or what part of it is taken. */
  comesBack: ComesBack | undefined;
}

export interface ReducePlan extends Shrinking {
  action: 'reduce';
  intent: ReduceIntent;
  request: ChangeRequest;
  notional: Big;
}

export interface ClosePlan extends Shrinking {
  action: 'close';
  intent: CloseIntent;
  request: CloseRequest;
  /** Flat already, and `--if-open` was said: there is nothing to send. */
  nothingToDo: boolean;
}

export type Plan = OpenPlan | AddPlan | ReducePlan | ClosePlan;

/** @throws StoppedError when there is nothing to act on, or its size cannot be worked out. */
export function planAction(intent: ActionIntent, facts: PlanFacts): Plan {
  switch (intent.action) {
    case 'open':
      return planOpen(intent, facts);
    case 'add':
      return planAdd(intent, facts);
    case 'reduce':
      return planReduce(intent, facts);
    case 'close':
      return planClose(intent, facts);
    default:
      return intent satisfies never;
  }
}

function planOpen(intent: OpenIntent, facts: PlanFacts): OpenPlan {
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

function planAdd(intent: AddIntent, facts: PlanFacts): AddPlan {
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

function planReduce(intent: ReduceIntent, facts: PlanFacts): ReducePlan {
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

function planClose(intent: CloseIntent, facts: PlanFacts): ClosePlan {
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
  const held = known.length === carries.length ? dearest(known) : undefined;
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
): ComesBack | undefined {
  if (position === undefined) return undefined;
  const scaled = (whole: Big): Big =>
    taken === 'everything' ? whole : divide(whole.times(taken.part), taken.of, USD_PLACES);
  const scaledIfThere = (figure: unknown): Big | undefined => {
    const whole = numberIn(figure);
    return whole === undefined ? undefined : scaled(whole);
  };
  return {
    net_margin_usd: scaled(position.net_margin_usd),
    close_fee_usdc: scaledIfThere(position.close_fee_usdc),
    net_pnl_usd: scaledIfThere(position.net_pnl_usd),
  };
}
