/** The rows of the hedges and orders tables. Due time and outcome of an order are drawn when it is submitted. */

import {
  CLOSE_REASONS,
  type CloseReason,
  DamagedRecordError,
  type MarketSide,
  ORDER_KINDS,
  type OrderKind,
  PRACTICE_ENVIRONMENTS,
  PRACTICE_HEDGE_STATUSES,
  PRACTICE_SIDES,
  type PracticeEnvironment,
  type PracticeHedgeStatus,
} from '../domain/practice-types.ts';
import type { Fraction, Micro, Rate } from '../domain/scaled-decimals.ts';
import type { TradingConditions } from '../settings.ts';
import {
  type Bind,
  bigintColumn,
  bigintColumnOrNull,
  bigTextColumn,
  type Database,
  enumColumn,
  insertRow,
  integerColumn,
  integerColumnOrNull,
  type Row,
  textColumn,
  textColumnOrNull,
  updateRow,
} from '../store/database.ts';
import { changeSums, type SumsChange } from './side-sums.ts';

/** Common to hedges and orders. */
interface StoredRecord extends MarketSide {
  seq: number;
  environment: PracticeEnvironment;
  /** For a closed hedge, the notional before it closed; for a close, 0. */
  notional: Micro;
  /** Reserved for an order until it fills; 0 for a reduction and a close. */
  margin: Micro;
  orderTxHash: string;
}

function recordFromRow(row: Row): StoredRecord {
  return {
    seq: integerColumn(row, 'seq'),
    environment: enumColumn(row, 'environment', PRACTICE_ENVIRONMENTS),
    market: textColumn(row, 'market'),
    side: enumColumn(row, 'side', PRACTICE_SIDES),
    notional: bigintColumn(row, 'notional'),
    margin: bigintColumn(row, 'margin'),
    orderTxHash: textColumn(row, 'order_tx_hash'),
  };
}

/** Stamped on a hedge when it opens: later settings do not change it. */
export interface HedgeTerms {
  /** Positive: the account pays. */
  carryDaily: Fraction;
  margin: Fraction;
  platformFee: Fraction;
  closeFee: Fraction;
}

export function termsToStamp(terms: TradingConditions, on: MarketSide): HedgeTerms {
  const market = terms.markets.get(on.market);
  if (market === undefined) throw new Error(`The practice settings have no market ${on.market}.`);
  return {
    carryDaily: market.carryDaily[on.side],
    margin: terms.margin,
    platformFee: terms.platformFee,
    closeFee: terms.closeFee,
  };
}

export interface StoredHedge extends StoredRecord {
  id: string;
  clientReference: string | null;
  tenorDays: number;
  status: PracticeHedgeStatus;
  struck: Rate | null;
  fillTxHash: string | null;
  orderKey: string;
  openedAt: number;
  filledAt: number | null;
  maturityAt: number;
  closedAt: number | null;
  closeReason: CloseReason | null;
  carryOwed: Micro;
  carrySecond: bigint;
  platformFees: Micro;
  terms: HedgeTerms;
  realized: Realized;
}

/** Sums over the parts closed so far: notional, Σ notional × struck rate, Σ notional / exit rate, P&L. */
export interface Realized {
  notional: Micro;
  entry: bigint;
  exit: bigint;
  gross: Micro;
  carry: Micro;
  fees: Micro;
}

export interface FilledHedge extends StoredHedge {
  status: 'filled';
  struck: Rate;
  filledAt: number;
}

export type NewHedge = Pick<
  StoredHedge,
  | 'id'
  | 'environment'
  | 'clientReference'
  | 'market'
  | 'side'
  | 'tenorDays'
  | 'notional'
  | 'orderTxHash'
  | 'orderKey'
  | 'openedAt'
  | 'maturityAt'
  | 'terms'
>;

export function insertHedge(db: Database, hedge: NewHedge): void {
  insertRow(db, 'hedge_records', {
    id: hedge.id,
    environment: hedge.environment,
    client_reference: hedge.clientReference,
    market: hedge.market,
    side: hedge.side,
    tenor_days: hedge.tenorDays,
    status: 'submitted',
    notional: hedge.notional,
    margin: 0,
    order_tx_hash: hedge.orderTxHash,
    order_key: hedge.orderKey,
    opened_at: hedge.openedAt,
    maturity_at: hedge.maturityAt,
    carry_daily: hedge.terms.carryDaily,
    margin_rate: hedge.terms.margin,
    platform_fee: hedge.terms.platformFee,
    close_fee: hedge.terms.closeFee,
  });
  const submitted = { ...hedge, status: 'submitted', margin: 0n, struck: null, filledAt: null } as const;
  saving(db, (sums) => sums.replace(undefined, { ...submitted, carryOwed: 0n, carrySecond: 0n }));
}

function saving(db: Database, change: (sums: SumsChange) => void): void {
  const sums = changeSums(db);
  change(sums);
  sums.save();
}

export function updateHedge(db: Database, before: StoredHedge, hedge: StoredHedge): void {
  saving(db, (sums) => sums.replace(before, hedge));
  updateRow(db, 'hedge_records', hedge.seq, {
    ...reducedColumns(hedge),
    struck: hedge.struck,
    fill_tx_hash: hedge.fillTxHash,
    filled_at: hedge.filledAt,
    platform_fees: hedge.platformFees,
  });
}

/** A hedge after a reduction, as far as that changes it; `closed` if nothing is left. */
export type ReducedHedge = Pick<
  StoredHedge,
  'status' | 'notional' | 'margin' | 'carryOwed' | 'carrySecond' | 'closedAt' | 'closeReason' | 'realized'
>;

export function reducedColumns({ realized, ...hedge }: ReducedHedge): Record<string, Bind> {
  return {
    status: hedge.status,
    notional: hedge.notional,
    margin: hedge.margin,
    closed_at: hedge.closedAt,
    close_reason: hedge.closeReason,
    carry_owed: hedge.carryOwed,
    carry_second: hedge.carrySecond,
    done_notional: realized.notional,
    done_entry: String(realized.entry),
    done_exit: String(realized.exit),
    done_gross: realized.gross,
    done_carry: realized.carry,
    done_fees: realized.fees,
  };
}

export function hedgeById(
  db: Database,
  environment: PracticeEnvironment,
  id: string,
): StoredHedge | undefined {
  const row = db.get('SELECT * FROM hedge_records WHERE id = ? AND environment = ?', id, environment);
  return row === undefined ? undefined : hedgeFromRow(row);
}

export function newestFilled(
  db: Database,
  environment: PracticeEnvironment,
  on: MarketSide,
): FilledHedge | undefined {
  const row = db.get(
    `SELECT * FROM hedge_records WHERE environment = ? AND market = ? AND side = ? AND status = 'filled'
     ORDER BY seq DESC LIMIT 1`,
    environment,
    on.market,
    on.side,
  );
  return row === undefined ? undefined : asFilledHedge(hedgeFromRow(row));
}

/** When more than `count` hedges have matured; undefined if fewer mature by `until`. */
export function maturityAfter(
  db: Database,
  environment: PracticeEnvironment,
  count: number,
  until: number,
): number | undefined {
  const row = db.get(
    `SELECT maturity_at FROM hedge_records WHERE environment = ? AND status = 'filled' AND maturity_at <= ?
     ORDER BY maturity_at, seq LIMIT 1 OFFSET ?`,
    environment,
    until,
    count,
  );
  return row === undefined ? undefined : integerColumn(row, 'maturity_at');
}

export function asFilledHedge(hedge: StoredHedge): FilledHedge {
  const { status, struck, filledAt } = hedge;
  if (status !== 'filled' || struck === null || filledAt === null) {
    throw new DamagedRecordError(`${hedge.id} is ${status} where it must be filled`);
  }
  return { ...hedge, status, struck, filledAt };
}

export function hedgeFromRow(row: Row): StoredHedge {
  const reason = row['close_reason'];
  return {
    ...recordFromRow(row),
    id: textColumn(row, 'id'),
    clientReference: textColumnOrNull(row, 'client_reference'),
    tenorDays: integerColumn(row, 'tenor_days'),
    status: enumColumn(row, 'status', PRACTICE_HEDGE_STATUSES),
    struck: bigintColumnOrNull(row, 'struck'),
    fillTxHash: textColumnOrNull(row, 'fill_tx_hash'),
    orderKey: textColumn(row, 'order_key'),
    openedAt: integerColumn(row, 'opened_at'),
    filledAt: integerColumnOrNull(row, 'filled_at'),
    maturityAt: integerColumn(row, 'maturity_at'),
    closedAt: integerColumnOrNull(row, 'closed_at'),
    closeReason: reason === null ? null : enumColumn(row, 'close_reason', CLOSE_REASONS),
    carryOwed: bigintColumn(row, 'carry_owed'),
    carrySecond: bigintColumn(row, 'carry_second'),
    platformFees: bigintColumn(row, 'platform_fees'),
    terms: {
      carryDaily: bigintColumn(row, 'carry_daily'),
      margin: bigintColumn(row, 'margin_rate'),
      platformFee: bigintColumn(row, 'platform_fee'),
      closeFee: bigintColumn(row, 'close_fee'),
    },
    realized: {
      notional: bigintColumn(row, 'done_notional'),
      entry: bigTextColumn(row, 'done_entry'),
      exit: bigTextColumn(row, 'done_exit'),
      gross: bigintColumn(row, 'done_gross'),
      carry: bigintColumn(row, 'done_carry'),
      fees: bigintColumn(row, 'done_fees'),
    },
  };
}

/** The column `lands` holds an index into this list. */
const FILLED_PARTS = ['none', 'all', 'part'] as const;

export interface StoredOrder extends StoredRecord {
  kind: OrderKind;
  /** The hedge to open or to add to; null for a reduction and a close, which apply to the whole side. */
  hedgeId: string | null;
  /** Reserved like the margin. */
  fee: Micro;
  /** Book time of the fill or failure. */
  dueAt: number;
  filledPart: (typeof FILLED_PARTS)[number];
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
  if (order.kind === 'add') saving(db, (sums) => sums.addInFlight(order, order.notional));
}

export function finishOrder(db: Database, order: StoredOrder, state: 'executed' | 'failed' | 'lapsed'): void {
  db.run('UPDATE orders SET state = ? WHERE seq = ?', state, order.seq);
  if (order.kind === 'add') saving(db, (sums) => sums.addInFlight(order, -order.notional));
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

export function countOrdersInFlight(db: Database, environment: PracticeEnvironment): number {
  const sql = `SELECT COUNT(*) AS count FROM orders WHERE environment = ? AND state = 'pending'`;
  return integerColumn(db.get(sql, environment), 'count');
}

export function orderFromRow(row: Row): StoredOrder {
  return {
    ...recordFromRow(row),
    kind: enumColumn(row, 'kind', ORDER_KINDS),
    hedgeId: textColumnOrNull(row, 'hedge_id'),
    fee: bigintColumn(row, 'fee'),
    dueAt: integerColumn(row, 'due_at'),
    filledPart: FILLED_PARTS[integerColumn(row, 'lands')] ?? 'none',
    fillTxHash: textColumn(row, 'fill_tx_hash'),
  };
}
