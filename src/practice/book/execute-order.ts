/** What happens on the book when it is due: fills, failures, closes and settlements. */

import {
  type CloseReason,
  DamagedRecordError,
  type OrderKind,
  type PracticeEnvironment,
  type PracticeSide,
} from '../domain/practice-types.ts';
import {
  divideHalfEven,
  lesser,
  type Micro,
  moneyText,
  ONE_RATE,
  type Rate,
  rateText,
  sumOf,
} from '../domain/scaled-decimals.ts';
import { postEntry } from './accounts.ts';
import {
  allocateProRata,
  blendedRate,
  type ClosedPart,
  carryOwedAt,
  computeClose,
  executionPrice,
  secondsHeld,
} from './economics.ts';
import {
  asFilledHedge,
  type FilledHedge,
  filledHedges,
  finishOrder,
  firstDueOrder,
  firstMaturing,
  hedgeById,
  type StoredHedge,
  type StoredOrder,
  updateHedge,
} from './stored-records.ts';
import { type BookContext, isoTime, marketTermsFor, midAt } from './transaction-context.ts';

/** Amounts are exact decimals. Positive P&L: the account gains. */
export interface BookEvent {
  at: string;
  what: 'filled' | 'added' | 'reduced' | 'closed' | 'settled' | 'failed' | 'lapsed';
  order: OrderKind | 'settlement';
  /** Null if the order failed or lapsed before it changed a hedge. */
  hedge_id: string | null;
  client_reference: string | null;
  market: string;
  side: PracticeSide;
  /** Notional opened, added, closed or settled; of a failed order, what it asked for. */
  notional_usd: string;
  /** Struck rate of a fill, exit rate of a reduction, close or settlement; null without an execution. */
  rate: string | null;
  /** Price + carry − fees of the closed part; null if nothing was closed. */
  net_pnl_usd: string | null;
  /** Returned to the free balance; null if nothing was. */
  credited_usdc: string | null;
}

/**
 * Executes everything due by `instant`, each at its own time, so that the result does not depend on who asks and when.
 * At equal times settlements come before orders. Inside a transaction.
 */
export function processDueEvents(
  context: BookContext,
  environment: PracticeEnvironment,
  instant: number,
): BookEvent[] {
  const events: BookEvent[] = [];
  for (;;) {
    const hedge = firstMaturing(context.db, environment, instant);
    const order = firstDueOrder(
      context.db,
      environment,
      hedge === undefined ? instant : hedge.maturityAt - 1,
    );
    if (order !== undefined) events.push(...executeOrder(context, order));
    else if (hedge !== undefined) events.push(settleHedge(context, hedge));
    else return events;
  }
}

/** A reduction of at least this percentage of the side closes it. */
const FULL_CLOSE_PCT = 99n;

function executeOrder(context: BookContext, order: StoredOrder): BookEvent[] {
  if (order.filledPart === 'none') return [failOrder(context, order)];
  switch (order.kind) {
    case 'open':
      return [fillOpen(context, filledAmounts(order))];
    case 'add':
      return [fillAdd(context, filledAmounts(order))];
    case 'reduce':
    case 'close':
      return fillReduction(context, order);
    default:
      return order.kind satisfies never;
  }
}

/** Of a partial fill. */
const PARTIAL_FILL_PCT = 60n;

/** An order with the amounts it fills for, and what was reserved for it. */
type ExecutableOrder = StoredOrder & { reserved: Micro };

function filledAmounts(order: StoredOrder): ExecutableOrder {
  const partOf = (amount: Micro): Micro =>
    order.filledPart === 'part' ? divideHalfEven(amount * PARTIAL_FILL_PCT, 100n) : amount;
  return {
    ...order,
    notional: partOf(order.notional),
    margin: partOf(order.margin),
    fee: partOf(order.fee),
    reserved: order.margin + order.fee,
  };
}

function fillOpen(context: BookContext, order: ExecutableOrder): BookEvent {
  const hedge = orderHedge(context, order);
  const struck = fillPrice(context, order);
  lockMargin(context, order);
  updateHedge(context.db, {
    ...hedge,
    status: 'filled',
    notional: order.notional,
    struck,
    margin: order.margin,
    platformFees: order.fee,
    fillTxHash: order.fillTxHash,
    filledAt: order.dueAt,
  });
  finishOrder(context.db, order, 'executed');
  return orderEvent(order, { what: 'filled', hedge, rate: struck });
}

function fillPrice(context: BookContext, order: ExecutableOrder): Rate {
  const mid = midAt(context, order.market, order.dueAt);
  return executionPrice(mid, order.side, order.notional, context.terms.impact);
}

/** Increases the hedge chosen at submission; the order lapses if that hedge has closed since. */
function fillAdd(context: BookContext, order: ExecutableOrder): BookEvent {
  const found = orderHedge(context, order);
  if (found.status !== 'filled') return releaseReserved(context, order, { what: 'lapsed', hedge: found });
  const hedge = asFilledHedge(found);
  const struck = fillPrice(context, order);
  const daily = marketTermsFor(context, hedge.market).carryDaily[hedge.side];
  lockMargin(context, order);
  updateHedge(context.db, {
    ...hedge,
    notional: hedge.notional + order.notional,
    struck: blendedRate(hedge.notional, hedge.struck, order.notional, struck),
    margin: hedge.margin + order.margin,
    platformFees: hedge.platformFees + order.fee,
    carryOwed: carryOwedAt(hedge, daily, order.dueAt),
    carrySecond: secondsHeld(hedge.filledAt, order.dueAt),
  });
  finishOrder(context.db, order, 'executed');
  return orderEvent(order, { what: 'added', hedge, rate: struck });
}

/** Reduces all hedges of the side pro rata; a reduction larger than the position closes it. */
function fillReduction(context: BookContext, order: StoredOrder): BookEvent[] {
  const hedges = filledHedges(context.db, order.environment, order);
  const notionals = hedges.map((hedge) => hedge.notional);
  const total = sumOf(notionals);
  if (total === 0n) return [releaseReserved(context, order, { what: 'lapsed', hedge: null })];
  const wanted = order.kind === 'close' ? total : lesser(order.notional, total);
  const closed = wanted * 100n >= total * FULL_CLOSE_PCT ? total : wanted;
  const parts = allocateProRata(closed, notionals);
  const reference = midAt(context, order.market, order.dueAt);
  finishOrder(context.db, order, 'executed');
  return hedges.flatMap((hedge, index) =>
    reduceHedge(context, order, hedge, { notional: parts[index] ?? 0n, reference }),
  );
}

function reduceHedge(
  context: BookContext,
  order: StoredOrder,
  hedge: FilledHedge,
  closing: { notional: bigint; reference: Rate },
): BookEvent[] {
  if (closing.notional === 0n) return [];
  const part = closePosition(context, hedge, { ...closing, at: order.dueAt, reason: 'close' });
  const what = part.notional === hedge.notional ? 'closed' : 'reduced';
  return [closingEvent(hedge, part, { what, order: order.kind, at: order.dueAt, rate: closing.reference })];
}

function failOrder(context: BookContext, order: StoredOrder): BookEvent {
  const hedge = order.hedgeId === null ? null : orderHedge(context, order);
  if (order.kind === 'open' && hedge !== null) updateHedge(context.db, { ...hedge, status: 'failed' });
  return releaseReserved(context, order, { what: 'failed', hedge });
}

/** Returns what was reserved to the balance. */
function releaseReserved(
  context: BookContext,
  order: StoredOrder,
  end: { what: 'failed' | 'lapsed'; hedge: StoredHedge | null },
): BookEvent {
  const reserved = order.margin + order.fee;
  if (reserved !== 0n) {
    postEntry(context.db, postingSource(order, end.what), { reserved: -reserved, balance: reserved });
  }
  finishOrder(context.db, order, end.what);
  return orderEvent(order, { ...end, rate: null });
}

/** Locks margin and takes the fee; the rest of what was reserved returns to the balance. */
function lockMargin(context: BookContext, order: ExecutableOrder): void {
  const { reserved, margin, fee } = order;
  const back = reserved - margin - fee;
  postEntry(context.db, postingSource(order, order.kind), { reserved: -reserved, margin, balance: back });
}

function postingSource(order: StoredOrder, what: string) {
  return { environment: order.environment, at: order.dueAt, what, hedgeId: order.hedgeId };
}

function orderHedge(context: BookContext, order: StoredOrder): StoredHedge {
  const hedge = order.hedgeId === null ? undefined : hedgeById(context.db, order.environment, order.hedgeId);
  if (hedge === undefined) throw new DamagedRecordError('an order without its hedge');
  return hedge;
}

function orderEvent(
  order: StoredOrder,
  end: { what: BookEvent['what']; hedge: StoredHedge | null; rate: Rate | null },
): BookEvent {
  const released = order.margin + order.fee;
  const unexecuted = end.what === 'failed' || end.what === 'lapsed';
  return {
    at: isoTime(order.dueAt),
    what: end.what,
    order: order.kind,
    hedge_id: end.hedge?.id ?? null,
    client_reference: end.hedge?.clientReference ?? null,
    market: order.market,
    side: order.side,
    notional_usd: moneyText(order.notional),
    rate: end.rate === null ? null : rateText(end.rate),
    net_pnl_usd: null,
    credited_usdc: unexecuted && released !== 0n ? moneyText(released) : null,
  };
}

/** Scale of Σ notional / exit rate, so that the average exit rate is exact to 8 decimals. */
export const EXIT_SCALE = 1_000_000n;

interface Closing {
  notional: Micro;
  at: number;
  reference: Rate;
  reason: CloseReason;
}

/** Closes all or part of a hedge. There is no close fee at maturity. */
function closePosition(context: BookContext, hedge: FilledHedge, closing: Closing): ClosedPart {
  const part = computeClose(hedge, closing.notional, {
    reference: closing.reference,
    daily: marketTermsFor(context, hedge.market).carryDaily[hedge.side],
    fee: closing.reason === 'maturity' ? 0n : context.terms.closeFee,
    instant: closing.at,
  });
  postEntry(
    context.db,
    { environment: hedge.environment, at: closing.at, what: closing.reason, hedgeId: hedge.id },
    { margin: -part.margin, balance: part.credit },
  );
  updateHedge(context.db, afterClosing(hedge, part, closing));
  return part;
}

function afterClosing(hedge: FilledHedge, part: ClosedPart, closing: Closing): StoredHedge {
  const whole = part.notional === hedge.notional;
  return {
    ...hedge,
    status: whole ? 'closed' : 'filled',
    notional: whole ? hedge.notional : hedge.notional - part.notional,
    margin: hedge.margin - part.margin,
    carryOwed: part.carryLeft,
    carrySecond: secondsHeld(hedge.filledAt, closing.at),
    closedAt: whole ? closing.at : null,
    closeReason: whole ? closing.reason : null,
    realized: {
      notional: hedge.realized.notional + part.notional,
      entry: hedge.realized.entry + divideHalfEven(part.notional * hedge.struck, ONE_RATE),
      exit: hedge.realized.exit + divideHalfEven(part.notional * ONE_RATE * EXIT_SCALE, closing.reference),
      gross: hedge.realized.gross + part.gross,
      carry: hedge.realized.carry + part.carry,
      fees: hedge.realized.fees + part.fee,
    },
  };
}

/** Settles at the mid of `maturity_at`, however late it is computed. */
function settleHedge(context: BookContext, hedge: FilledHedge): BookEvent {
  const at = hedge.maturityAt;
  const reference = midAt(context, hedge.market, at);
  const part = closePosition(context, hedge, { notional: hedge.notional, at, reference, reason: 'maturity' });
  return closingEvent(hedge, part, { what: 'settled', order: 'settlement', at, rate: reference });
}

function closingEvent(
  hedge: FilledHedge,
  part: ClosedPart,
  end: { what: BookEvent['what']; order: BookEvent['order']; at: number; rate: Rate },
): BookEvent {
  return {
    at: isoTime(end.at),
    what: end.what,
    order: end.order,
    hedge_id: hedge.id,
    client_reference: hedge.clientReference,
    market: hedge.market,
    side: hedge.side,
    notional_usd: moneyText(part.notional),
    rate: rateText(end.rate),
    net_pnl_usd: moneyText(part.gross - part.carry - part.fee),
    credited_usdc: moneyText(part.credit),
  };
}
