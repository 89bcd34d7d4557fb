/** Hedges as the book keeps them, and their reading and writing. Refuses to know sums and wire names. */
import type { Environment, HedgeStatus, Side } from '../door.ts';
import type { Micro, Rate } from '../money/decimals.ts';
import {
  big,
  bigOrNull,
  type Database,
  type Row,
  text,
  textOrNull,
  whole,
  wholeOrNull,
  word,
} from '../store/database.ts';
import { CLOSE_REASONS, type CloseReason, ENVIRONMENTS, SIDES, STATUSES } from './words.ts';

export interface StoredHedge {
  seq: number;
  id: string;
  environment: Environment;
  clientReference: string | null;
  market: string;
  side: Side;
  tenorDays: number;
  status: HedgeStatus;
  /** Held now; of a closed hedge, what was held last. */
  notional: Micro;
  struck: Rate | null;
  margin: Micro;
  orderTxHash: string;
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
  /** What has left the book so far: notional, Σ notional × struck, Σ notional / exit rate, and its P&L. */
  done: { notional: Micro; entry: bigint; exit: bigint; gross: Micro; carry: Micro; fees: Micro };
}

/** A hedge that is in the book with a rate and a fill instant. */
export interface HeldHedge extends StoredHedge {
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
>;

export function addHedge(db: Database, hedge: NewHedge): void {
  db.run(
    `INSERT INTO hedges (id, environment, client_reference, market, side, tenor_days, status, notional, margin,
       order_tx_hash, order_key, opened_at, maturity_at)
     VALUES (?, ?, ?, ?, ?, ?, 'submitted', ?, 0, ?, ?, ?, ?)`,
    hedge.id,
    hedge.environment,
    hedge.clientReference,
    hedge.market,
    hedge.side,
    hedge.tenorDays,
    hedge.notional,
    hedge.orderTxHash,
    hedge.orderKey,
    hedge.openedAt,
    hedge.maturityAt,
  );
}

export function keepHedge(db: Database, hedge: StoredHedge): void {
  db.run(
    `UPDATE hedges SET status = ?, notional = ?, struck = ?, margin = ?, fill_tx_hash = ?, filled_at = ?,
       closed_at = ?, close_reason = ?, carry_owed = ?, carry_second = ?, platform_fees = ?, done_notional = ?,
       done_entry = ?, done_exit = ?, done_gross = ?, done_carry = ?, done_fees = ?
     WHERE seq = ?`,
    hedge.status,
    hedge.notional,
    hedge.struck,
    hedge.margin,
    hedge.fillTxHash,
    hedge.filledAt,
    hedge.closedAt,
    hedge.closeReason,
    hedge.carryOwed,
    hedge.carrySecond,
    hedge.platformFees,
    hedge.done.notional,
    hedge.done.entry,
    hedge.done.exit,
    hedge.done.gross,
    hedge.done.carry,
    hedge.done.fees,
    hedge.seq,
  );
}

export function hedgeById(db: Database, environment: Environment, id: string): StoredHedge | undefined {
  const row = db.get('SELECT * FROM hedges WHERE id = ? AND environment = ?', id, environment);
  return row === undefined ? undefined : hedgeOf(row);
}

/** Filled hedges, oldest first within a side; of one market and side when named. */
export function heldHedges(
  db: Database,
  environment: Environment,
  on?: { market: string; side: Side },
): HeldHedge[] {
  const rows =
    on === undefined
      ? db.all(
          `SELECT * FROM hedges WHERE environment = ? AND status = 'filled' ORDER BY market, side, seq`,
          environment,
        )
      : db.all(
          `SELECT * FROM hedges WHERE environment = ? AND market = ? AND side = ? AND status = 'filled' ORDER BY seq`,
          environment,
          on.market,
          on.side,
        );
  return rows.map((row) => held(hedgeOf(row)));
}

/** The filled hedge that matures first, when that is at or before `until`. */
export function firstToMature(db: Database, environment: Environment, until: number): HeldHedge | undefined {
  const row = db.get(
    `SELECT * FROM hedges WHERE environment = ? AND status = 'filled' AND maturity_at <= ?
     ORDER BY maturity_at, seq LIMIT 1`,
    environment,
    until,
  );
  return row === undefined ? undefined : held(hedgeOf(row));
}

export function held(hedge: StoredHedge): HeldHedge {
  const { status, struck, filledAt } = hedge;
  if (status !== 'filled' || struck === null || filledAt === null) {
    throw new TypeError(`The practice book holds ${hedge.id} as ${status} where it must be filled.`);
  }
  return { ...hedge, status, struck, filledAt };
}

export function hedgeOf(row: Row): StoredHedge {
  const reason = row['close_reason'];
  return {
    seq: whole(row, 'seq'),
    id: text(row, 'id'),
    environment: word(row, 'environment', ENVIRONMENTS),
    clientReference: textOrNull(row, 'client_reference'),
    market: text(row, 'market'),
    side: word(row, 'side', SIDES),
    tenorDays: whole(row, 'tenor_days'),
    status: word(row, 'status', STATUSES),
    notional: big(row, 'notional'),
    struck: bigOrNull(row, 'struck'),
    margin: big(row, 'margin'),
    orderTxHash: text(row, 'order_tx_hash'),
    fillTxHash: textOrNull(row, 'fill_tx_hash'),
    orderKey: text(row, 'order_key'),
    openedAt: whole(row, 'opened_at'),
    filledAt: wholeOrNull(row, 'filled_at'),
    maturityAt: whole(row, 'maturity_at'),
    closedAt: wholeOrNull(row, 'closed_at'),
    closeReason: reason === null ? null : word(row, 'close_reason', CLOSE_REASONS),
    carryOwed: big(row, 'carry_owed'),
    carrySecond: big(row, 'carry_second'),
    platformFees: big(row, 'platform_fees'),
    done: {
      notional: big(row, 'done_notional'),
      entry: big(row, 'done_entry'),
      exit: big(row, 'done_exit'),
      gross: big(row, 'done_gross'),
      carry: big(row, 'done_carry'),
      fees: big(row, 'done_fees'),
    },
  };
}

/** Markets on which either environment has something open or under way. */
export function dealtMarkets(db: Database): string[] {
  return db
    .all(`SELECT DISTINCT market FROM hedges WHERE status IN ('submitted', 'filled')`)
    .map((row) => text(row, 'market'));
}
