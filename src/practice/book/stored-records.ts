/** The rows of the hedges and orders tables. Due time and outcome of an order are drawn when it is submitted. */

import {
  CLOSE_REASONS,
  DamagedRecordError,
  type MarketSide,
  ORDER_KINDS,
  PRACTICE_ENVIRONMENTS,
  PRACTICE_HEDGE_STATUSES,
  PRACTICE_SIDES,
  type PracticeEnvironment,
} from '../domain/practice-types.ts';
import type { Rate } from '../domain/scaled-decimals.ts';
import type { TradingConditions } from '../settings.ts';
import {
  bigintValue,
  bigTextValue,
  type Database,
  insertRow,
  integerColumn,
  integerValue,
  type RecordOf,
  recordsOf,
  textValue,
  updateRow,
  valueOrNull,
  wordValue,
} from '../store/database.ts';
import { changeSums, type SumsChange } from './side-sums.ts';

/** Common to hedges and orders. */
const RECORD = {
  seq: integerValue,
  environment: wordValue(PRACTICE_ENVIRONMENTS),
  market: textValue,
  side: wordValue(PRACTICE_SIDES),
  /** For a closed hedge, the notional before it closed; for a close, 0. */
  notional: bigintValue,
  /** Reserved for an order until it fills; 0 for a reduction and a close. */
  margin: bigintValue,
} as const;

/** The columns of a filled hedge that a close needs. */
export const HELD = {
  ...RECORD,
  id: textValue,
  client_reference: valueOrNull(textValue),
  status: wordValue(['filled']),
  struck: bigintValue,
  filled_at: integerValue,
  maturity_at: integerValue,
  carry_owed: bigintValue,
  carry_second: bigintValue,
  /** Stamped when it opens, as are `margin_rate` and the fees: later settings do not change it. Positive: the account pays. */
  carry_daily: bigintValue,
  close_fee: bigintValue,
  /** Sums over the parts closed so far: notional, Σ notional × struck rate, Σ notional / exit rate, P&L. */
  done_notional: bigintValue,
  done_entry: bigTextValue,
  done_exit: bigTextValue,
  done_gross: bigintValue,
  done_carry: bigintValue,
  done_fees: bigintValue,
} as const;

const HEDGE = {
  ...HELD,
  status: wordValue(PRACTICE_HEDGE_STATUSES),
  struck: valueOrNull(bigintValue),
  filled_at: valueOrNull(integerValue),
  tenor_days: integerValue,
  order_tx_hash: textValue,
  fill_tx_hash: valueOrNull(textValue),
  order_key: textValue,
  opened_at: integerValue,
  closed_at: valueOrNull(integerValue),
  close_reason: valueOrNull(wordValue(CLOSE_REASONS)),
  platform_fees: bigintValue,
  margin_rate: bigintValue,
  platform_fee: bigintValue,
} as const;

export type StoredHedge = RecordOf<typeof HEDGE>;

type HedgeTerms = Pick<StoredHedge, 'carry_daily' | 'margin_rate' | 'platform_fee' | 'close_fee'>;

export function termsToStamp(terms: TradingConditions, on: MarketSide): HedgeTerms {
  const market = terms.markets.get(on.market);
  if (market === undefined) throw new Error(`The practice settings have no market ${on.market}.`);
  return {
    carry_daily: market.carryDaily[on.side],
    margin_rate: terms.margin,
    platform_fee: terms.platformFee,
    close_fee: terms.closeFee,
  };
}

export interface FilledHedge extends StoredHedge {
  status: 'filled';
  struck: Rate;
  filled_at: number;
}

type NewHedge = HedgeTerms &
  Pick<
    StoredHedge,
    | 'id'
    | 'environment'
    | 'client_reference'
    | 'market'
    | 'side'
    | 'tenor_days'
    | 'notional'
    | 'order_tx_hash'
    | 'order_key'
    | 'opened_at'
    | 'maturity_at'
  >;

export function insertHedge(db: Database, hedge: NewHedge): void {
  insertRow(db, 'hedge_records', { ...hedge, status: 'submitted', margin: 0 });
  const submitted = { ...hedge, status: 'submitted', margin: 0n, struck: null, filled_at: null } as const;
  saving(db, (sums) => sums.replace(undefined, { ...submitted, carry_owed: 0n, carry_second: 0n }));
}

function saving(db: Database, change: (sums: SumsChange) => void): void {
  const sums = changeSums(db);
  change(sums);
  sums.save();
}

export function updateHedge(db: Database, before: StoredHedge, hedge: StoredHedge): void {
  saving(db, (sums) => sums.replace(before, hedge));
  updateRow(db, 'hedge_records', hedge.seq, asStored(hedge));
}

/** A sum may exceed 64 bits. */
export const asStored = <Hedge extends Pick<StoredHedge, 'done_entry' | 'done_exit'>>(hedge: Hedge) => ({
  ...hedge,
  done_entry: String(hedge.done_entry),
  done_exit: String(hedge.done_exit),
});

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
  const { status, struck, filled_at } = hedge;
  if (status !== 'filled' || struck === null || filled_at === null) {
    throw new DamagedRecordError(`${hedge.id} is ${status} where it must be filled`);
  }
  return { ...hedge, status, struck, filled_at };
}

export const { fromRow: hedgeFromRow } = recordsOf(HEDGE);

/** The column `lands` holds an index into this list. */
const FILLED_PARTS = ['none', 'all', 'part'] as const;

const ORDER = {
  ...RECORD,
  kind: wordValue(ORDER_KINDS),
  /** The hedge to open or to add to; null for a reduction and a close, which apply to the whole side. */
  hedge_id: valueOrNull(textValue),
  /** Reserved like the margin. */
  fee: bigintValue,
  /** Book time of the fill or failure. */
  due_at: integerValue,
  /** The part that fills. */
  lands: (value: unknown, column: string): (typeof FILLED_PARTS)[number] =>
    FILLED_PARTS[integerValue(value, column)] ?? 'none',
  order_tx_hash: textValue,
  fill_tx_hash: textValue,
} as const;

export type StoredOrder = RecordOf<typeof ORDER>;

export function insertOrder(db: Database, order: Omit<StoredOrder, 'seq'>): void {
  const lands = FILLED_PARTS.indexOf(order.lands);
  insertRow(db, 'orders', { ...order, lands, state: 'pending' });
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

export const { fromRow: orderFromRow } = recordsOf(ORDER);
