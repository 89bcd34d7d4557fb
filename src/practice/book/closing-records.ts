/** Filled hedges as a close reads and writes them: many at a time, and only the columns that a close needs. */
import { DamagedRecordError, type MarketSide, type PracticeEnvironment } from '../domain/practice-types.ts';
import { bigintValue, type Database, type RecordOf, recordsOf, updateRow } from '../store/database.ts';
import type { SumsChange } from './side-sums.ts';
import { asStored, HELD, type StoredHedge } from './stored-records.ts';

export type HeldHedge = RecordOf<typeof HELD>;

const COLUMNS = Object.keys(HELD).join(', ');

const { fromValues } = recordsOf(HELD);

const CHUNK = 1_000;
const OF_SIDE = `environment = ? AND market = ? AND side = ? AND status = 'filled' AND seq > ? ORDER BY seq LIMIT ${CHUNK}`;

/** Oldest first, in chunks: they may be updated meanwhile. */
export function* heldHedges(
  db: Database,
  environment: PracticeEnvironment,
  { market, side }: MarketSide,
): Generator<HeldHedge> {
  const sql = `SELECT ${COLUMNS} FROM hedge_records WHERE ${OF_SIDE}`;
  for (let after = 0; ; ) {
    const chunk = db.values(sql, environment, market, side, after);
    for (const values of chunk) {
      const hedge = fromValues(values);
      after = hedge.seq;
      yield hedge;
    }
    if (chunk.length < CHUNK) return;
  }
}

/** All `count` of them, oldest first. */
export function heldNotionals(
  db: Database,
  environment: PracticeEnvironment,
  { market, side }: MarketSide,
  count: number,
): BigInt64Array {
  const notionals = new BigInt64Array(count);
  const sql = `SELECT seq, notional FROM hedge_records WHERE ${OF_SIDE}`;
  let index = 0;
  for (let after = 0n; ; ) {
    const chunk = db.values(sql, environment, market, side, after);
    for (const [seq, notional] of chunk) {
      after = bigintValue(seq, 'seq');
      notionals[index] = bigintValue(notional, 'notional');
      index += 1;
    }
    if (chunk.length < CHUNK) break;
  }
  if (index !== count) throw new DamagedRecordError('another number of hedges than in its sums');
  return notionals;
}

/** Some of the filled hedges that mature by `until`, earliest first. */
export function maturingHedges(db: Database, environment: PracticeEnvironment, until: number): HeldHedge[] {
  return db
    .values(
      `SELECT ${COLUMNS} FROM hedge_records WHERE environment = ? AND status = 'filled' AND maturity_at <= ?
       ORDER BY maturity_at, seq LIMIT ${CHUNK}`,
      environment,
      until,
    )
    .map(fromValues);
}

/** A hedge after a reduction, as far as that changes it; `closed` if nothing is left. */
export type ReducedHedge = Pick<
  StoredHedge,
  | 'status'
  | 'notional'
  | 'margin'
  | 'carry_owed'
  | 'carry_second'
  | 'closed_at'
  | 'close_reason'
  | 'done_notional'
  | 'done_entry'
  | 'done_exit'
  | 'done_gross'
  | 'done_carry'
  | 'done_fees'
>;

/** The caller saves `sums`. */
export function updateHeld(db: Database, sums: SumsChange, hedge: HeldHedge, after: ReducedHedge): void {
  sums.reduce(hedge, after.status === 'filled' ? after : undefined);
  updateRow(db, 'hedge_records', hedge.seq, asStored(after));
}
