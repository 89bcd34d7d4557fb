/** The plan of an action: the exact request, and the position before and after. Pre-trade checks judge it later. Pure. */
import { Big } from 'big.js';
import { decimalFrom } from '../client/json.ts';
import type { Account, Hedge, Market, Position, Quote } from '../client/schemas.ts';
import type { RequestOf } from '../client/serialize-request.ts';
import type {
  ActionIntent,
  AddIntent,
  CloseIntent,
  OpenIntent,
  ReduceIntent,
  Reduction,
} from '../domain/action-intent.ts';
import type { ActionName } from '../domain/action-table.ts';
import { divide, sumIfAll, USD_PLACES } from '../domain/amounts.ts';
import { grouped, isAboutEverything, scaleDown, shareOf, usdInWords } from '../domain/exposure.ts';
import { commandOnId, say, shell } from '../domain/hint.ts';
import { type ClockReadings, DAY_MS } from '../domain/instants.ts';
import { oppositeInWords } from '../domain/opposite-side.ts';
import {
  type CarryToMaturity,
  carryToMaturity,
  mostExpensive,
  type QuoteFigures,
  quoteFigures,
} from '../domain/quote-figures.ts';
import { quoted, quotedName, unquoted } from '../domain/quoted.ts';
import type { ReturnedAmounts } from '../domain/returned-amounts.ts';
import { averageRate, coverNotional, nairaHint } from '../domain/sizes.ts';
import type { Side } from '../domain/vocabulary.ts';
import { type Hint, nothingSent, type OwnCode, type Sentence, type StoppedError } from '../errors.ts';
import type { PositionFacts, SideHedge, SidePosition } from '../readings/side-position.ts';

export interface PlanFacts {
  sidePosition: SidePosition;
  /** The market's line; undefined when the account's list does not have it, or was not read. */
  market: Market | undefined;
  /** All markets of the account, to suggest one for a typo; undefined: not read, which stops no reduce or close. */
  marketNames?: readonly string[] | undefined;
  /** Open and add need it. */
  account: Account | undefined;
  /** For this market, side, notional and tenor; open and add need one. */
  quote: Quote | undefined;
  /** Every hedge with the deal ID of an open, on any side and in any status. */
  underDealId?: readonly Hedge[] | undefined;
  /** Positions and hedges of every side; undefined: not read for it. */
  positionFacts?: PositionFacts | undefined;
  /** Start of the reading on this machine's clock; milliseconds since the epoch. */
  readAtMs: number;
  /** The clocks when the positions were received; undefined: not known. */
  clocks?: ClockReadings | undefined;
}

interface Planned {
  market: string;
  side: Side;
  facts: PlanFacts;
  /** The side afterwards; a figure is undefined when it cannot be computed. */
  after: { total: Big | undefined; hedges: readonly HedgeChange[] | undefined };
  /** USD on the side before the first attempt, where the side has changed since and that attempt may be why. */
  totalBefore?: Big | undefined;
}

interface Enlarging extends Planned {
  notional: Big;
  /** Derived from the quote; undefined without one, and for an add to an unknown maturity. */
  figures: QuoteFigures | undefined;
}

export interface OpenPlan extends Enlarging {
  action: 'open';
  intent: OpenIntent;
  /** Without a deal ID, the reference is derived from the key later. */
  request: RequestOf<'open'>;
}

export interface AddPlan extends Enlarging {
  action: 'add';
  intent: AddIntent;
  request: RequestOf<'add'>;
  /** The hedge to be increased; undefined when several are open: the service picks (specification §4). */
  grows: string | undefined;
}

interface Shrinking extends Planned {
  /** A reduction of 99 % or more does: the service closes the side (specification §3). */
  closesSide: boolean;
  /** Undefined when the position, or the part that is closed, is not known. */
  comesBack: ReturnedAmounts | undefined;
}

export interface ReducePlan extends Shrinking {
  action: 'reduce';
  intent: ReduceIntent;
  request: RequestOf<'reduce'>;
  /** USD, as sent: two decimals, or more where an exact target needs them. */
  notional: Big;
  /** Struck rate of the side, weighted by notional; undefined: a hedge of it has none. */
  struckRate: Big | undefined;
}

export interface ClosePlan extends Shrinking {
  action: 'close';
  intent: CloseIntent;
  request: RequestOf<'close'>;
  /** Already flat, with `--if-open`: nothing to send. */
  nothingToDo: boolean;
  /** USDC, at the current daily rate, from now to each hedge's maturity. Positive is paid; undefined: not known. */
  carryToMaturity: Big | undefined;
}

export type Plan = OpenPlan | AddPlan | ReducePlan | ClosePlan;

export const takesAll = (plan: Plan): boolean => 'closesSide' in plan && plan.closesSide;

export function planOpen(intent: OpenIntent, facts: PlanFacts): OpenPlan {
  const { market, side, notional, tenor, dealId } = intent;
  const reference = dealId === undefined ? {} : { client_reference: dealId };
  return {
    request: { market, side, notional_usd: notional, tenor_days: tenor, ...reference },
    ...planned(intent, facts),
    notional,
    figures: facts.quote === undefined ? undefined : quoteFigures(facts.quote),
    after: { total: facts.sidePosition.total?.plus(notional), hedges: unchanged(facts.sidePosition) },
  };
}

export function planAdd(intent: AddIntent, facts: PlanFacts): AddPlan {
  const { market, side, notional } = intent;
  const { sidePosition } = facts;
  if (sidePosition.inPositions === false) throw nothingOpen(sidePosition);
  const only =
    sidePosition.unclear === undefined && sidePosition.open.length === 1 ? sidePosition.open[0] : undefined;
  const grown = only && [{ ...changeOf(only), after: only.notional.plus(notional) }];
  return {
    request: { market, side, notional_usd: notional },
    ...planned(intent, facts),
    notional,
    figures: addFigures(facts),
    grows: only?.id,
    after: { total: sidePosition.total?.plus(notional), hedges: grown },
  };
}

export function planReduce(intent: ReduceIntent, facts: PlanFacts): ReducePlan {
  const { market, side } = intent;
  const reduction = planReduction(intent.reduction, facts.sidePosition);
  const { notional, closesSide } = reduction;
  const { total } = facts.sidePosition;
  const taken = closesSide ? 'everything' : total && { part: notional, of: total };
  return {
    ...planned(intent, facts),
    ...reduction,
    struckRate: struckRateOf(facts.sidePosition),
    // Never turned into a close: that would also close what somebody else adds meanwhile.
    request: { market, side, notional_usd: notional },
    comesBack: taken === undefined ? undefined : comesBack(facts.sidePosition.position, taken),
  };
}

export function planClose(intent: CloseIntent, facts: PlanFacts): ClosePlan {
  const { market, side } = intent;
  const { sidePosition } = facts;
  const flat = sidePosition.inPositions === false;
  if (flat && (!intent.ifOpen || sidePosition.coming.length > 0)) throw nothingOpen(sidePosition);
  const nothing = sidePosition.total?.minus(sidePosition.total);
  return {
    ...planned(intent, facts),
    request: { market, side },
    nothingToDo: flat,
    closesSide: true,
    comesBack: comesBack(sidePosition.position, 'everything'),
    after: {
      total: nothing,
      hedges: nothing && sidePosition.open.map((hedge) => ({ ...changeOf(hedge), after: nothing })),
    },
    carryToMaturity: carryLeft(facts, side),
  };
}

/** Each hedge's notional × daily rate × days left, rounded once. */
function carryLeft({ sidePosition, market }: PlanFacts, side: Side): Big | undefined {
  const daily = market?.net_rate_daily_pct[side];
  if (daily === undefined || sidePosition.total === undefined || sidePosition.open.length === 0)
    return undefined;
  const left = sumIfAll(
    sidePosition.open.map(({ notional, maturityAt }) =>
      maturityAt === undefined
        ? undefined
        : notional.times(Math.max(0, Date.parse(maturityAt) - sidePosition.servedAt.getTime())),
    ),
  );
  return left && divide(left.times(daily), new Big(100 * DAY_MS), USD_PLACES);
}

/** The part that every plan has. */
const planned = <Intent extends ActionIntent>(intent: Intent, facts: PlanFacts) => ({
  action: intent.action as Intent['action'],
  intent,
  market: intent.market,
  side: intent.side,
  facts,
});

/** Carry to the existing maturity. The service picks among several hedges, so the most expensive counts (specification §4). */
function addFigures({ quote, sidePosition }: PlanFacts): QuoteFigures | undefined {
  if (quote === undefined) return undefined;
  const carries = sidePosition.open.map(({ maturityAt: to }) =>
    to === undefined ? undefined : carryToMaturity(quote, { from: sidePosition.servedAt, to }),
  );
  const known = carries.filter((each): each is CarryToMaturity => each !== undefined);
  const held = known.length === carries.length ? mostExpensive(known) : undefined;
  return held === undefined ? undefined : quoteFigures(quote, held);
}

const unchanged = (sidePosition: SidePosition): readonly HedgeChange[] | undefined =>
  sidePosition.unclear === undefined
    ? sidePosition.open.map((hedge) => ({ ...changeOf(hedge), after: hedge.notional }))
    : undefined;

/** Margin, fee and P&L scale with the notional (specification §3). */
function comesBack(
  position: Position | undefined,
  taken: { part: Big; of: Big } | 'everything',
): ReturnedAmounts | undefined {
  if (position === undefined) return undefined;
  const scaled = (figure: unknown): Big | undefined => {
    const whole = decimalFrom(figure);
    return taken === 'everything' ? whole : whole && divide(whole.times(taken.part), taken.of, USD_PLACES);
  };
  return {
    net_margin_usd: scaled(position.net_margin_usd),
    close_fee_usdc: scaled(position.close_fee_usdc),
    net_pnl_usd: scaled(position.net_pnl_usd),
    gross_pnl_usd: scaled(position.gross_pnl_usd),
    mark_price: decimalFrom(position.mark_price),
  };
}

export interface HedgeChange {
  id: string;
  before: Big;
  after: Big;
  /** Its deal ID, where it was read. */
  reference?: string | undefined;
  /** Its struck rate as the service sends it, before and after. */
  rateBefore?: Big | undefined;
  rateAfter?: Big | undefined;
}

const changeOf = ({ id, notional, reference, struckRate }: SideHedge): Omit<HedgeChange, 'after'> => ({
  id,
  before: notional,
  reference,
  rateBefore: struckRate,
});

type PlannedReduction = Pick<ReducePlan, 'notional' | 'closesSide' | 'after'>;

/** @throws StoppedError when nothing is open, the size exceeds the position, or --by, --ngn or --to needs an unknown position. */
function planReduction(reduction: Reduction, sidePosition: SidePosition): PlannedReduction {
  const { total } = sidePosition;
  if (total === undefined) return withoutTotal(reduction, sidePosition);
  if (total.eq(0)) throw nothingOpen(sidePosition);
  const notional = takenFrom(total, reduction, sidePosition);
  if (notional.gt(total))
    throw stopped(sidePosition, 'more_than_open', {
      what: `${usdInWords(notional)} exceeds the ${usdInWords(total)} open on ${unquoted(sidePosition.market)} ${sidePosition.side}.`,
      hint: [
        say`To close all of it: ${shell`hedge close ${sidePosition.market} ${sidePosition.side}`}`,
        ...nairaHint(notional, {
          market: sidePosition.market,
          fits: total,
          rate: struckRateOf(sidePosition),
        }),
      ],
    });
  const closesSide = isAboutEverything(notional, total);
  const sizes = sidePosition.open.map((hedge) => hedge.notional);
  const rest = closesSide ? sizes.map((size) => size.minus(size)) : scaleDown(sizes, notional);
  const hedges = sidePosition.open.map((hedge, at) => ({
    ...changeOf(hedge),
    after: rest[at] ?? hedge.notional,
  }));
  return { notional, closesSide, after: { total: total.minus(closesSide ? total : notional), hedges } };
}

/** The notional with which an add takes the side to `target`, USD. @throws StoppedError when that is nothing or not known. */
export function additionTo(target: Big, sidePosition: SidePosition): Big {
  const { total } = sidePosition;
  if (total === undefined) throw sizeUnclear('--to', 'add', sidePosition);
  if (total.eq(0)) throw nothingOpen(sidePosition);
  if (target.gt(total)) return target.minus(total);
  throw stopped(sidePosition, 'nothing_to_add', {
    what: `${unquoted(sidePosition.market)} ${sidePosition.side} is ${usdInWords(total)}, not below ${usdInWords(target)}: nothing to add.`,
  });
}

/** The rate at which the side covers naira: the struck rates of its hedges, weighted by notional. */
const struckRateOf = ({ open }: SidePosition): Big | undefined =>
  averageRate(open.map(({ notional, struckRate }) => ({ notional, rate: struckRate })));

function takenFrom(total: Big, reduction: Reduction, sidePosition: SidePosition): Big {
  switch (reduction.by) {
    case 'notional':
      return reduction.notional;
    case 'percent': {
      const part = shareOf(total, reduction.percent);
      if (part.gt(0)) return part;
      throw stopped(sidePosition, 'nothing_to_reduce', {
        what: `${reduction.percent.toFixed()} % of ${usdInWords(total)} is less than a cent.`,
      });
    }
    case 'ngn': {
      const rate = struckRateOf(sidePosition);
      if (rate === undefined)
        throw stopped(sidePosition, 'book_unclear', {
          what: `--ngn needs the struck rate of every hedge on ${unquoted(sidePosition.market)} ${sidePosition.side}, and the service sent none for one of them.`,
          hint: say`Give the notional: ${shell`hedge reduce ${sidePosition.market} ${sidePosition.side} NOTIONAL`}`,
        });
      const part = coverNotional(reduction.amount, rate);
      if (part.gt(0)) return part;
      throw stopped(sidePosition, 'nothing_to_reduce', {
        what: `${grouped(reduction.amount)} NGN is less than a cent.`,
      });
    }
    case 'target':
      if (reduction.target.lt(total)) return total.minus(reduction.target);
      throw stopped(sidePosition, 'nothing_to_reduce', {
        what: `${unquoted(sidePosition.market)} ${sidePosition.side} is ${usdInWords(total)}, not above ${usdInWords(reduction.target)}: nothing to reduce.`,
      });
    default:
      return reduction satisfies never;
  }
}

/** A notional can be sent without knowing the position; --by, --ngn and --to need it. */
function withoutTotal(reduction: Reduction, sidePosition: SidePosition): PlannedReduction {
  if (reduction.by === 'notional')
    return {
      notional: reduction.notional,
      closesSide: false,
      after: { total: undefined, hedges: undefined },
    };
  const option = { percent: '--by', ngn: '--ngn', target: '--to' }[reduction.by];
  throw sizeUnclear(option, 'reduce', sidePosition);
}

const sizeUnclear = (option: string, action: ActionName, sidePosition: SidePosition): StoppedError =>
  stopped(sidePosition, 'book_unclear', {
    what: `${option} needs the size of the position, which is unclear: ${sidePosition.unclear ?? 'the position could not be read completely'}.`,
    hint: say`Give the notional: ${shell`hedge ${action} ${sidePosition.market} ${sidePosition.side} NOTIONAL`}`,
  });

/** Nothing is open on the side. Names the hedges that may still fill. */
export function nothingOpen(sidePosition: SidePosition): StoppedError {
  const place = `${unquoted(sidePosition.market)} ${sidePosition.side}`;
  const [newest] = sidePosition.coming;
  if (newest === undefined)
    return stopped(sidePosition, 'no_open_hedge', {
      what: `Nothing is open on ${place}${oppositeInWords(sidePosition)}.`,
      hint: say`To see your positions: ${shell`hedge positions`}`,
    });
  return stopped(sidePosition, 'in_flight', {
    what: `Nothing is open on ${place} yet: ${comingInWords(sidePosition.coming)} may fill.`,
    hint: waitForNewest(sidePosition.coming),
  });
}

export const waitForNewest = (coming: SidePosition['coming']): Sentence =>
  say`To wait for ${coming.length === 1 ? 'it' : 'the last one'}: ${commandOnId(shell`hedge wait`, coming[0]?.id ?? '')}`;

const MOST_NAMED = 5;

const inWords = (size: Big | undefined): string => (size ? usdInWords(size) : 'of unknown size');

/** `hedge "hdg_C" (submitted, 5,000.00 USD)`; of many their number and sum. */
export function comingInWords(coming: SidePosition['coming']): string {
  const total = inWords(sumIfAll(coming.map(({ notional }) => notional)));
  if (coming.length > MOST_NAMED) return `${coming.length.toString()} hedges, ${total} in total,`;
  const named = coming.map(
    ({ id, status, notional }) => `hedge ${quotedName(id)} (${quoted(status)}, ${inWords(notional)})`,
  );
  return coming.length === 1 ? named.join() : `${named.join(', ')}, ${total} in total,`;
}

const stopped = (
  sidePosition: SidePosition,
  code: OwnCode,
  message: { what: string; hint?: Hint },
): StoppedError =>
  nothingSent({
    code,
    ...message,
    details: { market: sidePosition.market, side: sidePosition.side, open_usd: sidePosition.total ?? null },
  });
