/** Executes events on the book when they are due: fills, failures, closes and settlements. */

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
} from '../domain/scaled-decimals.ts';
import { moveAccounts, postEntry, recordPosting } from './accounts.ts';
import {
  type HeldHedge,
  heldHedges,
  heldNotionals,
  maturingHedges,
  type ReducedHedge,
  updateHeld,
} from './closing-records.ts';
import {
  allocateProRata,
  blendedRate,
  type ClosedPart,
  carryOwedAt,
  closeTogether,
  executionPrice,
  secondsHeld,
} from './economics.ts';
import { changeSums, type SumsChange, sumsOfSide } from './side-sums.ts';
import {
  asFilledHedge,
  finishOrder,
  firstDueOrder,
  hedgeById,
  type StoredHedge,
  type StoredOrder,
  updateHedge,
} from './stored-records.ts';
import { type BookContext, isoTime, midAt } from './transaction-context.ts';

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
  /** Price + carry − close fee of the closed part, without the platform fee; null if nothing was closed. */
  realized_pnl_usd: string | null;
  /** Returned to the free balance; null if nothing was. */
  credited_usdc: string | null;
}

type RecordEvent = (event: BookEvent) => void;

/**
 * Executes everything due by `instant`, each at its own time, so that the result does not depend on who asks and when.
 * At equal times settlements come before orders. Inside a transaction.
 */
export function processDueEvents(
  context: BookContext,
  environment: PracticeEnvironment,
  instant: number,
  record?: RecordEvent,
): void {
  for (;;) {
    const order = firstDueOrder(context.db, environment, instant);
    for (;;) {
      const hedges = maturingHedges(context.db, environment, order?.due_at ?? instant);
      if (hedges.length === 0) break;
      settleHedges(context, environment, hedges, record);
    }
    if (order === undefined) return;
    if (order.lands === 'none') failOrder(context, order, record);
    else EXECUTIONS[order.kind](context, order, record);
  }
}

/** A reduction of at least this percentage of the side closes it. */
const FULL_CLOSE_PCT = 99n;

type Execution = (context: BookContext, order: StoredOrder, record: RecordEvent | undefined) => void;

/** `record` is optional, the filling is not. */
const alone =
  (fill: (context: BookContext, order: ExecutableOrder) => BookEvent): Execution =>
  (context, order, record) => {
    const event = fill(context, filledAmounts(order));
    record?.(event);
  };

/** The effect of each kind of order on the book when it is filled. */
const EXECUTIONS: Readonly<Record<OrderKind, Execution>> = {
  open: alone(fillOpen),
  add: alone(fillAdd),
  reduce: fillReduction,
  close: fillReduction,
};

/** Filled part of a partial fill. */
const PARTIAL_FILL_PCT = 60n;

/** An order with the amounts it fills for, and what was reserved for it. */
type ExecutableOrder = StoredOrder & { reserved: Micro };

function filledAmounts(order: StoredOrder): ExecutableOrder {
  const partOf = (amount: Micro): Micro =>
    order.lands === 'part' ? divideHalfEven(amount * PARTIAL_FILL_PCT, 100n) : amount;
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
  updateHedge(context.db, hedge, {
    ...hedge,
    status: 'filled',
    notional: order.notional,
    struck,
    margin: order.margin,
    platform_fees: order.fee,
    fill_tx_hash: order.fill_tx_hash,
    filled_at: order.due_at,
  });
  finishOrder(context.db, order, 'executed');
  return orderEvent(order, { what: 'filled', hedge, rate: struck });
}

function fillPrice(context: BookContext, order: ExecutableOrder): Rate {
  const mid = midAt(context, order.market, order.due_at);
  return executionPrice(mid, order.side, order.notional, context.terms.impact);
}

/** Increases the hedge chosen at submission; the order lapses if that hedge has closed since. */
function fillAdd(context: BookContext, order: ExecutableOrder): BookEvent {
  const found = orderHedge(context, order);
  if (found.status !== 'filled') return releaseReserved(context, order, { what: 'lapsed', hedge: found });
  const hedge = asFilledHedge(found);
  const struck = fillPrice(context, order);
  lockMargin(context, order);
  updateHedge(context.db, hedge, {
    ...hedge,
    notional: hedge.notional + order.notional,
    struck: blendedRate(hedge.notional, hedge.struck, order.notional, struck),
    margin: hedge.margin + order.margin,
    platform_fees: hedge.platform_fees + order.fee,
    carry_owed: carryOwedAt(hedge, order.due_at),
    carry_second: secondsHeld(hedge.filled_at, order.due_at),
  });
  finishOrder(context.db, order, 'executed');
  return orderEvent(order, { what: 'added', hedge, rate: struck });
}

/** Reduces all hedges of the side pro rata; a reduction larger than the position closes it. */
function fillReduction(context: BookContext, order: StoredOrder, record: RecordEvent | undefined): void {
  const { db } = context;
  const { environment, due_at: instant } = order;
  const { notional: total, count } = sumsOfSide(db, environment, order);
  if (total === 0n) {
    const event = releaseReserved(context, order, { what: 'lapsed', hedge: null });
    record?.(event);
    return;
  }
  const wanted = order.kind === 'close' ? total : lesser(order.notional, total);
  const isFull = wanted * 100n >= total * FULL_CLOSE_PCT;
  const notionals = heldNotionals(db, environment, order, Number(count));
  const parts = isFull ? notionals : allocateProRata(wanted, notionals);
  const last = parts.findLastIndex((part) => part > 0n);
  const reference = midAt(context, order.market, instant);
  const close = closeTogether({ reference, instant, atMaturity: false });
  const closing = closePositions(context, environment);
  let index = -1;
  for (const hedge of heldHedges(db, environment, order)) {
    index += 1;
    const notional = parts[index] ?? 0n;
    if (notional === 0n) continue;
    const part = close(hedge, notional, index === last);
    closing.close(hedge, part, { at: instant, reference, reason: 'close' });
    const what = part.notional === hedge.notional ? 'closed' : 'reduced';
    record?.(closingEvent(hedge, part, { what, order: order.kind, at: instant, rate: reference }));
  }
  closing.save();
  finishOrder(db, order, 'executed');
}

function failOrder(context: BookContext, order: StoredOrder, record: RecordEvent | undefined): void {
  const hedge = order.hedge_id === null ? null : orderHedge(context, order);
  if (order.kind === 'open' && hedge !== null) updateHedge(context.db, hedge, { ...hedge, status: 'failed' });
  const event = releaseReserved(context, order, { what: 'failed', hedge });
  record?.(event);
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
  return { environment: order.environment, at: order.due_at, what, hedge_id: order.hedge_id };
}

function orderHedge(context: BookContext, order: StoredOrder): StoredHedge {
  const hedge =
    order.hedge_id === null ? undefined : hedgeById(context.db, order.environment, order.hedge_id);
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
    at: isoTime(order.due_at),
    what: end.what,
    order: order.kind,
    hedge_id: end.hedge?.id ?? null,
    client_reference: end.hedge?.client_reference ?? null,
    market: order.market,
    side: order.side,
    notional_usd: moneyText(order.notional),
    rate: end.rate === null ? null : rateText(end.rate),
    realized_pnl_usd: null,
    credited_usdc: unexecuted && released !== 0n ? moneyText(released) : null,
  };
}

/** Scale of Σ notional / exit rate, so that the average exit rate is exact to 8 decimals, whatever the size and the rate. */
export const EXIT_SCALE = 10n ** 24n;

interface Closing {
  at: number;
  reference: Rate;
  reason: CloseReason;
}

/** Records closed parts of hedges; accounts and sums follow with one `save`. */
function closePositions({ db }: BookContext, environment: PracticeEnvironment) {
  const sums: SumsChange = changeSums(db);
  let margin = 0n;
  let balance = 0n;
  return {
    close(hedge: HeldHedge, part: ClosedPart, closing: Closing): void {
      const movement = { margin: -part.margin, balance: part.credit };
      recordPosting(db, { environment, at: closing.at, what: closing.reason, hedge_id: hedge.id }, movement);
      margin += movement.margin;
      balance += movement.balance;
      updateHeld(db, sums, hedge, afterClosing(hedge, part, closing));
    },
    save(): void {
      moveAccounts(db, environment, { margin, balance });
      sums.save();
    },
  };
}

function afterClosing(hedge: HeldHedge, part: ClosedPart, closing: Closing): ReducedHedge {
  const isWhole = part.notional === hedge.notional;
  return {
    status: isWhole ? 'closed' : 'filled',
    notional: isWhole ? hedge.notional : hedge.notional - part.notional,
    margin: hedge.margin - part.margin,
    carry_owed: part.carryLeft,
    carry_second: secondsHeld(hedge.filled_at, closing.at),
    closed_at: isWhole ? closing.at : null,
    close_reason: isWhole ? closing.reason : null,
    done_notional: hedge.done_notional + part.notional,
    done_entry: hedge.done_entry + part.notional * hedge.struck,
    done_exit: hedge.done_exit + divideHalfEven(part.notional * ONE_RATE * EXIT_SCALE, closing.reference),
    done_gross: hedge.done_gross + part.gross,
    done_carry: hedge.done_carry + part.carry,
    done_fees: hedge.done_fees + part.fee,
  };
}

/** Settles each at the mid of its `maturity_at`, however late it is computed. */
function settleHedges(
  context: BookContext,
  environment: PracticeEnvironment,
  hedges: readonly HeldHedge[],
  record: RecordEvent | undefined,
): void {
  const closing = closePositions(context, environment);
  for (const hedge of hedges) {
    const at = hedge.maturity_at;
    const reference = midAt(context, hedge.market, at);
    const close = closeTogether({ reference, instant: at, atMaturity: true });
    const part = close(hedge, hedge.notional, true);
    closing.close(hedge, part, { at, reference, reason: 'maturity' });
    record?.(closingEvent(hedge, part, { what: 'settled', order: 'settlement', at, rate: reference }));
  }
  closing.save();
}

function closingEvent(
  hedge: HeldHedge,
  part: ClosedPart,
  end: { what: BookEvent['what']; order: BookEvent['order']; at: number; rate: Rate },
): BookEvent {
  return {
    at: isoTime(end.at),
    what: end.what,
    order: end.order,
    hedge_id: hedge.id,
    client_reference: hedge.client_reference,
    market: hedge.market,
    side: hedge.side,
    notional_usd: moneyText(part.notional),
    rate: rateText(end.rate),
    realized_pnl_usd: moneyText(part.gross - part.carry - part.fee),
    credited_usdc: moneyText(part.credit),
  };
}
