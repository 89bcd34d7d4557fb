/** Reads open hedges, positions and the mid, confirms the payoff against the service's figures, and projects P&L at assumed rates. */
import { Big } from 'big.js';
import type { Assumption, Exit, WhatIfIntent } from '../args/what-if-options.ts';
import { decimalFrom, textFrom } from '../client/json.ts';
import type { Hedge, Market, Position } from '../client/schemas.ts';
import { sum } from '../domain/amounts.ts';
import { usdInWords } from '../domain/exposure.ts';
import { instantOf } from '../domain/instants.ts';
import {
  carryUntil,
  checkFigures,
  comparePayoff,
  evenlyBetween,
  marginUsedUpAt,
  moveBetween,
  movedRate,
  type PayoffCheck,
  type PayoffLeg,
  payoffAt,
} from '../domain/payoff.ts';
import { unquoted } from '../domain/quoted.ts';
import { SIDES, type Side } from '../domain/vocabulary.ts';
import { UnreadableAnswerError, UsageError } from '../errors.ts';
import { type Reading, readBook } from './read-position.ts';
import { marketNotFound } from './read-prices.ts';
import { type BookFacts, sideBookOf } from './side-book.ts';

/** A hedge that can be projected. */
export interface PricedHedge {
  sent: Hedge;
  leg: PayoffLeg;
}

/** The open hedges of a side. Undefined figures: the service did not send them, or they do not add up. */
export interface ProjectedSide {
  side: Side;
  hedges: readonly PricedHedge[];
  check: PayoffCheck;
  /** USDC, a part of P&L: negative is paid. */
  accruedCarry: Big | undefined;
  /** USDC, positive: paid when closing now. */
  closeFee: Big | undefined;
  /** USDC. */
  margin: Big | undefined;
  marginUsedUp: Big | undefined;
}

/** P&L at a rate; positive: to the account. */
export interface ProjectedPnl {
  /** USD: price only. */
  payoff: Big;
  /** USDC, up to now. Undefined: not known. */
  accruedCarry: Big | undefined;
  /** USDC, from now to maturity at today's rate; zero for a close now. */
  carryToMaturity: Big | undefined;
  /** USDC, positive: paid; zero at maturity. */
  closeFee: Big | undefined;
  /** USD, with USDC at par; undefined unless every part is known. */
  net: Big | undefined;
}

export interface ProjectedHedge {
  hedge: PricedHedge;
  side: Side;
  payoff: Big;
  carryToMaturity: Big | undefined;
}

export interface WhatIfScenario {
  rate: Big;
  /** Percent of the mid; undefined without a mid. */
  move: Big | undefined;
  hedges: readonly ProjectedHedge[];
  sides: readonly (ProjectedPnl & { side: Side })[];
  total: ProjectedPnl;
}

export interface WhatIfReading {
  intent: WhatIfIntent;
  market: string | undefined;
  mid: Big | undefined;
  hedges: readonly Hedge[];
  positions: readonly Position[];
  sides: readonly ProjectedSide[];
  /** Of the whole reading: the worst of its sides. */
  payoff: PayoffCheck['status'];
  /** Empty if the payoff is not confirmed, and without open hedges. */
  scenarios: readonly WhatIfScenario[];
  /** Open hedges that are not projected: `why` is half a sentence. */
  leftOut: readonly { id: string; why: string }[];
  /** The service may have more hedges than were listed. */
  mayBeCut: boolean;
  servedAt: Date;
}

const REREAD_MS = 1_500;

/**
 * Reads everything at once, and again if hedges and positions differ: a fill may come between the two.
 * @throws UsageError when several markets are open and none is named; RefusedError `market_not_found`.
 */
export async function readWhatIf(reading: Reading, intent: WhatIfIntent): Promise<WhatIfReading> {
  const first = await readOnce(reading, intent);
  if (!first.sides.some(({ check }) => check.status === 'unclear')) return first;
  await reading.clock.sleep(REREAD_MS, reading.signal);
  return readOnce(reading, intent);
}

async function readOnce(reading: Reading, intent: WhatIfIntent): Promise<WhatIfReading> {
  const [book, markets] = await Promise.all([
    readBook(reading),
    reading.api.markets({ signal: reading.signal }),
  ]);
  const named = marketOf(intent, book);
  const market = markets.data.find((each) => each.market === named);
  if (intent.market !== undefined && market === undefined)
    throw marketNotFound(
      intent.market,
      markets.data.map((each) => each.market),
    );
  return project(book, { intent, named, market });
}

function marketOf({ market }: WhatIfIntent, { hedges, positions, servedAt }: BookFacts): string | undefined {
  if (market !== undefined) return market;
  const open = hedges.filter(
    (hedge) => sideBookOf(hedge, { hedges: [hedge], positions, mayBeCut: false, servedAt }).open.length > 0,
  );
  const names = [
    ...new Set([
      ...open.map((each) => each.market),
      ...positions.flatMap((each) => textFrom(each.market) ?? []),
    ]),
  ];
  if (names.length > 1)
    throw new UsageError(
      `Hedges are open in ${names.length.toString()} markets: ${names.map(unquoted).join(', ')}.`,
      `Name one: --market ${names[0] ?? ''}`,
    );
  return names[0];
}

/** The projection of what was read. Pure. @throws UnreadableAnswerError for a move without a mid. */
export function project(
  book: BookFacts,
  { intent, named, market }: { intent: WhatIfIntent; named: string | undefined; market: Market | undefined },
): WhatIfReading {
  const books = named === undefined ? [] : SIDES.map((side) => sideBookOf({ market: named, side }, book));
  const open = books.filter((each) => each.open.length > 0 || each.inPositions === true);
  const hedges = book.hedges.filter((hedge) =>
    open.some((each) => each.market === hedge.market && each.open.some(({ id }) => id === hedge.id)),
  );
  const sides = open.map(({ side }) =>
    projectedSide(
      side,
      hedges.filter((hedge) => hedge.side === side),
      {
        position: positionOf({ market: named ?? '', side }, open.length, book.positions),
        mayBeCut: book.mayBeCut,
      },
    ),
  );
  const mid = market?.price;
  const payoff = worstOf(sides);
  const mayProject = payoff === 'confirmed' || payoff === 'assumed';
  const at = { exit: intent.exit, market, nowMs: book.servedAt.getTime() };
  const rates = sides.length > 0 && mayProject ? ratesOf(intent.assumption, mid) : [];
  return {
    intent,
    market: named,
    mid,
    hedges,
    positions: book.positions,
    sides,
    payoff,
    scenarios: rates.map((rate) => scenarioAt(rate, sides, { ...at, mid })),
    leftOut: [
      ...hedges.filter((hedge) => !isPriced(hedge)).map(({ id }) => ({ id, why: 'no struck rate yet' })),
      ...books.flatMap(({ coming, unread }) => [
        ...coming.map(({ id, status }) => ({ id, why: `${status}, may still fill` })),
        ...unread.map(({ id, status }) => ({ id, why: `unknown status: ${status}` })),
      ]),
    ],
    mayBeCut: book.mayBeCut && sides.some(({ check }) => check.status !== 'confirmed'),
    servedAt: book.servedAt,
  };
}

const isPriced = ({ struck_rate: struck }: Hedge): boolean => (struck ?? undefined)?.gt(0) === true;

/** By its names; the only line of the positions may lack them while one side is open. */
function positionOf(
  on: { market: string; side: Side },
  sidesOpen: number,
  positions: readonly Position[],
): Position | undefined {
  const isOfMarket = ({ market }: Position): boolean => (textFrom(market) ?? on.market) === on.market;
  const [only, another] = positions;
  if (only !== undefined && another === undefined && sidesOpen === 1 && textFrom(only.side) === undefined)
    return isOfMarket(only) ? only : undefined;
  return positions.find((each) => textFrom(each.side) === on.side && isOfMarket(each));
}

function projectedSide(
  side: Side,
  hedges: readonly Hedge[],
  { position, mayBeCut }: { position: Position | undefined; mayBeCut: boolean },
): ProjectedSide {
  const priced = hedges.flatMap((sent): PricedHedge[] => {
    const { notional_usd: notional, struck_rate: struck } = sent;
    return isPriced(sent) && struck ? [{ sent, leg: { side, notional, struck } }] : [];
  });
  const legs = priced.map(({ leg }) => leg);
  const isWhole = priced.length === hedges.length && priced.length > 0;
  const check = checkOf({ side, hedges, legs, isWhole, mayBeCut }, position);
  // The figures of a position are those of all its hedges.
  const whole =
    isWhole && check.status !== 'unclear' && !isMaybeCut(position, mayBeCut) ? position : undefined;
  const margin = marginOf(whole);
  return {
    side,
    hedges: priced,
    check,
    accruedCarry: carryOf(whole),
    closeFee: feeOf(whole),
    margin,
    marginUsedUp: margin?.gt(0) === true ? marginUsedUpAt({ side, legs }, margin) : undefined,
  };
}

function checkOf(
  {
    side,
    hedges,
    legs,
    isWhole,
    mayBeCut,
  }: {
    side: Side;
    hedges: readonly Hedge[];
    legs: readonly PayoffLeg[];
    isWhole: boolean;
    mayBeCut: boolean;
  },
  position: Position | undefined,
): PayoffCheck {
  if (position === undefined) return { status: 'assumed', why: 'the positions do not name their sides' };
  const listed = sum(hedges.map(({ notional_usd: notional }) => notional));
  const stated = decimalFrom(position.notional_usd);
  if (hedges.length === 0)
    return {
      status: 'unclear',
      why: `The positions have a ${side} side, but no open hedge of it is listed.`,
    };
  if (stated !== undefined && !stated.eq(listed))
    return {
      status: 'unclear',
      why: `The ${side} hedges total ${usdInWords(listed)}, but the position is ${usdInWords(stated)}.`,
    };
  if (!isWhole) return { status: 'assumed', why: 'a hedge has no struck rate yet' };
  if (isMaybeCut(position, mayBeCut))
    return { status: 'assumed', why: 'the list of hedges may be incomplete' };
  const gross = decimalFrom(position.gross_pnl_usd);
  const mark = decimalFrom(position.mark_price);
  if (gross === undefined) return { status: 'assumed', why: 'the service sends no gross P&L' };
  if (mark === undefined || mark.lte(0)) return { status: 'assumed', why: 'the service sends no mark price' };
  const { agrees, ...compared } = comparePayoff({ side, legs }, { mark, gross });
  return { status: agrees ? 'confirmed' : 'differs', mark, gross, ...compared };
}

/** A position that states the notional of its hedges shows that the list has them all. */
const isMaybeCut = (position: Position | undefined, mayBeCut: boolean): boolean =>
  mayBeCut && decimalFrom(position?.notional_usd) === undefined;

const WORST_FIRST = ['unclear', 'differs', 'assumed'] as const;

const worstOf = (sides: readonly ProjectedSide[]): PayoffCheck['status'] =>
  WORST_FIRST.find((status) => sides.some(({ check }) => check.status === status)) ??
  (sides.length === 0 ? 'assumed' : 'confirmed');

const CENT = new Big('0.01');

const isAbout = (one: Big, other: Big): boolean => one.minus(other).abs().lte(CENT);

/**
 * Net less gross P&L: the specification has "net P&L (price plus carry)". A carry under its assumed name must agree, so
 * that its sign is known.
 */
function carryOf(position: Position | undefined): Big | undefined {
  const gross = decimalFrom(position?.gross_pnl_usd);
  const net = decimalFrom(position?.net_pnl_usd);
  const sent = decimalFrom(position?.accrued_carry_usdc);
  if (gross === undefined || net === undefined) return undefined;
  const carry = net.minus(gross);
  return sent === undefined || isAbout(sent, carry) ? (sent ?? carry) : undefined;
}

/** A fee below zero has another sign than is assumed. */
function feeOf(position: Position | undefined): Big | undefined {
  const fee = decimalFrom(position?.close_fee_usdc);
  return fee?.gte(0) === true ? fee : undefined;
}

/** `net_margin_usd` is what closing returns: margin + net P&L − fee to close. A margin that is sent must agree with it. */
function marginOf(position: Position | undefined): Big | undefined {
  const sent = decimalFrom(position?.['margin_usdc']);
  const net = decimalFrom(position?.net_pnl_usd);
  const fee = feeOf(position);
  if (position === undefined || net === undefined || fee === undefined) return sent;
  const margin = position.net_margin_usd.minus(net).plus(fee);
  return sent === undefined || isAbout(sent, margin) ? (sent ?? margin) : undefined;
}

/** Points of a range: eleven rates, ten steps. */
const POINTS = 11;

function ratesOf(assumption: Assumption, mid: Big | undefined): readonly Big[] {
  if (assumption.kind === 'rates') return assumption.rates;
  if (assumption.kind === 'rate range') return evenlyBetween(assumption.from, assumption.to, POINTS);
  if (mid === undefined) throw noRate();
  const moves =
    assumption.kind === 'moves' ? assumption.moves : evenlyBetween(assumption.from, assumption.to, POINTS);
  const rates = moves.map((move) => movedRate(mid, move));
  if (rates.some((rate) => rate.lte(0))) throw noRate();
  return rates;
}

const noRate = (): UnreadableAnswerError =>
  new UnreadableAnswerError({
    code: 'unreadable_answer',
    what: 'The service has no usable mid for the open hedges, so a move has no rate.',
    book: 'Nothing was changed.',
    hint: 'Give the rate itself: --rate 1600',
  });

interface Setting {
  exit: Exit;
  market: Market | undefined;
  mid: Big | undefined;
  nowMs: number;
}

const ZERO = new Big(0);

function scenarioAt(rate: Big, sides: readonly ProjectedSide[], setting: Setting): WhatIfScenario {
  const perSide = sides.map((each) => {
    const hedges = each.hedges.map(
      (hedge): ProjectedHedge => ({
        hedge,
        side: each.side,
        payoff: payoffAt(hedge.leg, rate),
        carryToMaturity: carryAhead(hedge, each.side, setting),
      }),
    );
    const parts = {
      payoff: sum(hedges.map(({ payoff }) => payoff)),
      accruedCarry: each.accruedCarry,
      carryToMaturity: sumIfAll(hedges.map(({ carryToMaturity }) => carryToMaturity)),
      closeFee: setting.exit === 'maturity' ? ZERO : each.closeFee,
    };
    return { side: each.side, hedges, pnl: { ...parts, net: netOf(parts) } };
  });
  const pnls = perSide.map(({ pnl }) => pnl);
  const total = {
    payoff: sum(pnls.map(({ payoff }) => payoff)),
    accruedCarry: sumIfAll(pnls.map(({ accruedCarry }) => accruedCarry)),
    carryToMaturity: sumIfAll(pnls.map(({ carryToMaturity }) => carryToMaturity)),
    closeFee: sumIfAll(pnls.map(({ closeFee }) => closeFee)),
  };
  return {
    rate,
    move: setting.mid?.gt(0) === true ? moveBetween(setting.mid, rate) : undefined,
    hedges: perSide.flatMap(({ hedges }) => hedges),
    sides: perSide.map(({ side, pnl }) => ({ side, ...pnl })),
    total: { ...total, net: netOf(total) },
  };
}

/** Of a close now there is none. */
function carryAhead(
  { sent, leg }: PricedHedge,
  side: Side,
  { exit, market, nowMs }: Setting,
): Big | undefined {
  if (exit === 'now') return ZERO;
  const matures = instantOf(sent.maturity_at ?? '');
  const daily = market?.net_rate_daily_pct[side];
  return matures === undefined || daily === undefined
    ? undefined
    : carryUntil(leg.notional, daily, matures - nowMs);
}

function netOf({
  payoff,
  accruedCarry,
  carryToMaturity,
  closeFee,
}: Omit<ProjectedPnl, 'net'>): Big | undefined {
  if (accruedCarry === undefined || carryToMaturity === undefined || closeFee === undefined) return undefined;
  return payoff.plus(accruedCarry).plus(carryToMaturity).minus(closeFee);
}

/** Undefined if a part is not known. */
const sumIfAll = (parts: readonly (Big | undefined)[]): Big | undefined => {
  const known = parts.filter((part) => part !== undefined);
  return known.length === parts.length ? sum(known) : undefined;
};

/** Undefined when the projection may be shown. */
export function payoffFinding({ payoff, sides }: WhatIfReading): UnreadableAnswerError | undefined {
  if (payoff === 'confirmed' || payoff === 'assumed') return undefined;
  const unclear = sides.flatMap(({ check }) => (check.status === 'unclear' ? [check.why] : []));
  return new UnreadableAnswerError({
    code: 'payoff_unconfirmed',
    what:
      payoff === 'unclear'
        ? unclear.join(' ')
        : "The service's gross P&L is not that of an NDF payoff at its mark price.",
    book: "Nothing is projected. The service's figures are shown.",
    hint: payoff === 'unclear' ? 'Try again in a minute.' : 'Ask the service how it computes P&L.',
    retry: payoff === 'unclear' ? 'later' : 'never',
    details: sides.map(({ side, check }) => ({ side, ...checkFigures(check) })),
  });
}
