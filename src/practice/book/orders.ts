/** Orders in flight as the book keeps them: when they are due and whether they land was drawn at submission. */
import type { Environment, OrderKind, Side } from '../door.ts';
import type { Micro } from '../money/decimals.ts';
import { big, type Database, type Row, text, textOrNull, whole, word } from '../store/database.ts';
import { ENVIRONMENTS, ORDER_KINDS, SIDES } from './words.ts';

export type OrderState = 'pending' | 'landed' | 'failed' | 'lapsed';

/** In the table by their places here. */
const LANDINGS = ['none', 'all', 'part'] as const;

export interface StoredOrder {
  seq: number;
  environment: Environment;
  kind: OrderKind;
  market: string;
  side: Side;
  /** The hedge to open or to grow; null for a reduction and a close, which take the side as they find it. */
  hedgeId: string | null;
  /** 0 for a close. */
  notional: Micro;
  /** Reserved: margin and platform fee; 0 for a reduction and a close. */
  margin: Micro;
  fee: Micro;
  /** Book time of its fill, or of its failure. */
  dueAt: number;
  /** How much of it lands. */
  lands: (typeof LANDINGS)[number];
  orderTxHash: string;
  fillTxHash: string;
}

export function addOrder(db: Database, order: Omit<StoredOrder, 'seq'>): void {
  db.run(
    `INSERT INTO orders (environment, kind, market, side, hedge_id, notional, margin, fee, due_at, lands,
       order_tx_hash, fill_tx_hash, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending')`,
    order.environment,
    order.kind,
    order.market,
    order.side,
    order.hedgeId,
    order.notional,
    order.margin,
    order.fee,
    order.dueAt,
    LANDINGS.indexOf(order.lands),
    order.orderTxHash,
    order.fillTxHash,
  );
}

export function endOrder(db: Database, order: StoredOrder, state: Exclude<OrderState, 'pending'>): void {
  db.run('UPDATE orders SET state = ? WHERE seq = ?', state, order.seq);
}

export function firstDue(db: Database, environment: Environment, until: number): StoredOrder | undefined {
  const row = db.get(
    `SELECT * FROM orders WHERE environment = ? AND state = 'pending' AND due_at <= ?
     ORDER BY due_at, seq LIMIT 1`,
    environment,
    until,
  );
  return row === undefined ? undefined : orderOf(row);
}

export function ordersInFlight(db: Database, environment: Environment): StoredOrder[] {
  const rows = db.all(
    `SELECT * FROM orders WHERE environment = ? AND state = 'pending' ORDER BY due_at, seq`,
    environment,
  );
  return rows.map(orderOf);
}

function orderOf(row: Row): StoredOrder {
  return {
    seq: whole(row, 'seq'),
    environment: word(row, 'environment', ENVIRONMENTS),
    kind: word(row, 'kind', ORDER_KINDS),
    market: text(row, 'market'),
    side: word(row, 'side', SIDES),
    hedgeId: textOrNull(row, 'hedge_id'),
    notional: big(row, 'notional'),
    margin: big(row, 'margin'),
    fee: big(row, 'fee'),
    dueAt: whole(row, 'due_at'),
    lands: LANDINGS[whole(row, 'lands')] ?? 'none',
    orderTxHash: text(row, 'order_tx_hash'),
    fillTxHash: text(row, 'fill_tx_hash'),
  };
}
