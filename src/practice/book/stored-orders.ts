/** The rows of the orders table. Due time and outcome of an order are drawn when it is submitted. */
import {
  type MarketSide,
  ORDER_KINDS,
  type OrderKind,
  PRACTICE_ENVIRONMENTS,
  PRACTICE_SIDES,
  type PracticeEnvironment,
} from '../domain/practice-types.ts';
import type { Micro } from '../domain/scaled-decimals.ts';
import {
  bigintColumn,
  type Database,
  enumColumn,
  insertRow,
  integerColumn,
  type Row,
  textColumn,
  textColumnOrNull,
} from '../store/database.ts';

/** The column `lands` holds an index into this list. */
const FILLED_PARTS = ['none', 'all', 'part'] as const;

export interface StoredOrder extends MarketSide {
  seq: number;
  environment: PracticeEnvironment;
  kind: OrderKind;
  /** The hedge to open or to add to; null for a reduction and a close, which apply to the whole side. */
  hedgeId: string | null;
  /** 0 for a close. */
  notional: Micro;
  /** Margin and platform fee are reserved; 0 for a reduction and a close. */
  margin: Micro;
  fee: Micro;
  /** Book time of the fill or failure. */
  dueAt: number;
  filledPart: (typeof FILLED_PARTS)[number];
  orderTxHash: string;
  fillTxHash: string;
}

export function insertOrder(db: Database, order: Omit<StoredOrder, 'seq'>): void {
  insertRow(db, 'orders', {
    environment: order.environment,
    kind: order.kind,
    market: order.market,
    side: order.side,
    hedge_id: order.hedgeId,
    notional: order.notional,
    margin: order.margin,
    fee: order.fee,
    due_at: order.dueAt,
    lands: FILLED_PARTS.indexOf(order.filledPart),
    order_tx_hash: order.orderTxHash,
    fill_tx_hash: order.fillTxHash,
    state: 'pending',
  });
}

export function finishOrder(db: Database, order: StoredOrder, state: 'executed' | 'failed' | 'lapsed'): void {
  db.run('UPDATE orders SET state = ? WHERE seq = ?', state, order.seq);
}

export function firstDueOrder(
  db: Database,
  environment: PracticeEnvironment,
  until: number,
): StoredOrder | undefined {
  const row = db.get(
    `SELECT * FROM orders WHERE environment = ? AND state = 'pending' AND due_at <= ?
     ORDER BY due_at, seq LIMIT 1`,
    environment,
    until,
  );
  return row === undefined ? undefined : orderFromRow(row);
}

export function ordersInFlight(db: Database, environment: PracticeEnvironment): StoredOrder[] {
  const rows = db.all(
    `SELECT * FROM orders WHERE environment = ? AND state = 'pending' ORDER BY due_at, seq`,
    environment,
  );
  return rows.map(orderFromRow);
}

function orderFromRow(row: Row): StoredOrder {
  return {
    seq: integerColumn(row, 'seq'),
    environment: enumColumn(row, 'environment', PRACTICE_ENVIRONMENTS),
    kind: enumColumn(row, 'kind', ORDER_KINDS),
    market: textColumn(row, 'market'),
    side: enumColumn(row, 'side', PRACTICE_SIDES),
    hedgeId: textColumnOrNull(row, 'hedge_id'),
    notional: bigintColumn(row, 'notional'),
    margin: bigintColumn(row, 'margin'),
    fee: bigintColumn(row, 'fee'),
    dueAt: integerColumn(row, 'due_at'),
    filledPart: FILLED_PARTS[integerColumn(row, 'lands')] ?? 'none',
    orderTxHash: textColumn(row, 'order_tx_hash'),
    fillTxHash: textColumn(row, 'fill_tx_hash'),
  };
}
