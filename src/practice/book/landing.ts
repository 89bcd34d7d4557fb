/**
 * What an order does to the book at its due instant: it lands, fails, or finds nothing left to act on and
 * lapses. A settlement at or before that instant came first.
 */
import type { BookEvent } from '../door.ts';
import { divideHalfEven, least, type Micro, moneyText, type Rate, rateText } from '../money/decimals.ts';
import { takeOut } from './closing.ts';
import { blendedRate, carryOwedAt, executionPrice, secondsHeld, spread } from './economics.ts';
import { type HeldHedge, hedgeById, held, heldHedges, keepHedge, type StoredHedge } from './hedges.ts';
import { post } from './ledger.ts';
import { endOrder, type StoredOrder } from './orders.ts';
import { closingEvent } from './settlement.ts';
import { type Desk, marketTerms, midAt } from './sitting.ts';
import { iso } from './time.ts';

/** A reduction of this share of the side (percent) or more closes it. */
const ABOUT_ALL_PCT = 99n;

export function land(desk: Desk, order: StoredOrder): BookEvent[] {
  switch (order.kind) {
    case 'open':
      return order.lands === 'none' ? [fail(desk, order)] : [fill(desk, landing(order))];
    case 'add':
      return order.lands === 'none' ? [fail(desk, order)] : [grow(desk, order)];
    case 'reduce':
    case 'close':
      return order.lands === 'none' ? [fail(desk, order)] : shrink(desk, order);
    default:
      return order.kind satisfies never;
  }
}

/** An open of which less than was asked is filled takes margin and fee for that much. */
const PART_PCT = 60n;

/** An order as it lands, and what was set aside for it. */
type Landing = StoredOrder & { reserved: Micro };

function landing(order: StoredOrder): Landing {
  const partOf = (amount: Micro): Micro =>
    order.lands === 'part' ? divideHalfEven(amount * PART_PCT, 100n) : amount;
  return {
    ...order,
    notional: partOf(order.notional),
    margin: partOf(order.margin),
    fee: partOf(order.fee),
    reserved: order.margin + order.fee,
  };
}

function fill(desk: Desk, order: Landing): BookEvent {
  const hedge = target(desk, order);
  const struck = executionPrice(
    midAt(desk, order.market, order.dueAt),
    order.side,
    order.notional,
    desk.terms.impact,
  );
  spend(desk, order);
  keepHedge(desk.db, {
    ...hedge,
    status: 'filled',
    notional: order.notional,
    struck,
    margin: order.margin,
    platformFees: order.fee,
    fillTxHash: order.fillTxHash,
    filledAt: order.dueAt,
  });
  endOrder(desk.db, order, 'landed');
  return event(order, { what: 'filled', hedge, rate: struck });
}

/** The hedge named at submission grows; when it has left the book meanwhile the order lapses. */
function grow(desk: Desk, order: StoredOrder): BookEvent {
  const found = target(desk, order);
  if (found.status !== 'filled') return release(desk, order, { what: 'lapsed', hedge: found });
  const hedge = held(found);
  const mid = midAt(desk, order.market, order.dueAt);
  const struck = executionPrice(mid, order.side, order.notional, desk.terms.impact);
  const daily = marketTerms(desk, hedge.market).carryDaily[hedge.side];
  spend(desk, landing(order));
  keepHedge(desk.db, {
    ...hedge,
    notional: hedge.notional + order.notional,
    struck: blendedRate(hedge.notional, hedge.struck, order.notional, struck),
    margin: hedge.margin + order.margin,
    platformFees: hedge.platformFees + order.fee,
    carryOwed: carryOwedAt(hedge, daily, order.dueAt),
    carrySecond: secondsHeld(hedge.filledAt, order.dueAt),
  });
  endOrder(desk.db, order, 'landed');
  return event(order, { what: 'added', hedge, rate: struck });
}

/** All hedges of the side shrink alike, or leave; a reduction larger than what is left takes what is left. */
function shrink(desk: Desk, order: StoredOrder): BookEvent[] {
  const hedges = heldHedges(desk.db, order.environment, order);
  const total = hedges.reduce((sum, hedge) => sum + hedge.notional, 0n);
  if (total === 0n) return [release(desk, order, { what: 'lapsed', hedge: null })];
  const wanted = order.kind === 'close' ? total : least(order.notional, total);
  const taken = wanted * 100n >= total * ABOUT_ALL_PCT ? total : wanted;
  const parts = spread(
    taken,
    hedges.map((hedge) => hedge.notional),
  );
  const reference = midAt(desk, order.market, order.dueAt);
  endOrder(desk.db, order, 'landed');
  return hedges.flatMap((hedge, index) =>
    shrinkOne(desk, order, hedge, { notional: parts[index] ?? 0n, reference }),
  );
}

function shrinkOne(
  desk: Desk,
  order: StoredOrder,
  hedge: HeldHedge,
  leaving: { notional: bigint; reference: Rate },
): BookEvent[] {
  if (leaving.notional === 0n) return [];
  const part = takeOut(desk, hedge, { ...leaving, at: order.dueAt, reason: 'close' });
  const what = part.notional === hedge.notional ? 'closed' : 'reduced';
  return [closingEvent(hedge, part, { what, order: order.kind, at: order.dueAt, rate: leaving.reference })];
}

function fail(desk: Desk, order: StoredOrder): BookEvent {
  const hedge = order.hedgeId === null ? null : target(desk, order);
  if (order.kind === 'open' && hedge !== null) keepHedge(desk.db, { ...hedge, status: 'failed' });
  return release(desk, order, { what: 'failed', hedge });
}

/** Nothing came of it: what was set aside goes back. */
function release(
  desk: Desk,
  order: StoredOrder,
  end: { what: 'failed' | 'lapsed'; hedge: StoredHedge | null },
): BookEvent {
  const reserved = order.margin + order.fee;
  if (reserved !== 0n) {
    post(desk.db, occasion(order, end.what), { reserved: -reserved, balance: reserved });
  }
  endOrder(desk.db, order, end.what);
  return event(order, { ...end, rate: null });
}

/** Margin is locked, the fee is taken; what was set aside beyond them goes back. */
function spend(desk: Desk, order: Landing): void {
  const { reserved, margin, fee } = order;
  const back = reserved - margin - fee;
  post(desk.db, occasion(order, order.kind), { reserved: -reserved, margin, balance: back });
}

function occasion(order: StoredOrder, what: string) {
  return { environment: order.environment, at: order.dueAt, what, hedgeId: order.hedgeId };
}

function target(desk: Desk, order: StoredOrder): StoredHedge {
  const hedge = order.hedgeId === null ? undefined : hedgeById(desk.db, order.environment, order.hedgeId);
  if (hedge === undefined) throw new TypeError(`The practice book holds an order without its hedge.`);
  return hedge;
}

function event(
  order: StoredOrder,
  end: { what: BookEvent['what']; hedge: StoredHedge | null; rate: Rate | null },
): BookEvent {
  const released = order.margin + order.fee;
  const nothing = end.what === 'failed' || end.what === 'lapsed';
  return {
    at: iso(order.dueAt),
    what: end.what,
    order: order.kind,
    hedge_id: end.hedge?.id ?? null,
    client_reference: end.hedge?.clientReference ?? null,
    market: order.market,
    side: order.side,
    notional_usd: moneyText(order.notional),
    rate: end.rate === null ? null : rateText(end.rate),
    net_pnl_usd: null,
    credited_usdc: nothing && released !== 0n ? moneyText(released) : null,
  };
}
