/** Filled hedges as a close reads and writes them: many at a time, and only the columns that a close needs. */
import {
  DamagedRecordError,
  type MarketSide,
  PRACTICE_SIDES,
  type PracticeEnvironment,
} from '../domain/practice-types.ts';
import {
  bigintValue,
  bigTextValue,
  type Database,
  enumValue,
  textValue,
  updateRow,
} from '../store/database.ts';
import type { HeldAmounts } from './economics.ts';
import type { SummedHedge, SumsChange } from './side-sums.ts';
import { type Realized, type ReducedHedge, reducedColumns } from './stored-records.ts';

export interface HeldHedge extends HeldAmounts, SummedHedge {
  seq: number;
  id: string;
  clientReference: string | null;
  status: 'filled';
  struck: bigint;
  filledAt: number;
  maturityAt: number;
  terms: { carryDaily: bigint; closeFee: bigint };
  realized: Realized;
}

const COLUMNS = `seq, id, client_reference, market, side, notional, struck, margin, filled_at, maturity_at, carry_owed,
  carry_second, carry_daily, close_fee, done_notional, done_entry, done_exit, done_gross, done_carry, done_fees`;

function fromValues(environment: PracticeEnvironment, values: readonly unknown[]): HeldHedge {
  const [seq, id, reference, market, side, notional, struck, margin, filledAt, maturityAt] = values;
  const [carryOwed, carrySecond, carryDaily, closeFee, ...realized] = values.slice(10);
  const [doneNotional, entry, exit, gross, carry, fees] = realized;
  return {
    environment,
    seq: Number(bigintValue(seq, 'seq')),
    id: textValue(id, 'id'),
    clientReference: reference === null ? null : textValue(reference, 'client_reference'),
    market: textValue(market, 'market'),
    side: enumValue(side, 'side', PRACTICE_SIDES),
    status: 'filled',
    notional: bigintValue(notional, 'notional'),
    struck: bigintValue(struck, 'struck'),
    margin: bigintValue(margin, 'margin'),
    filledAt: Number(bigintValue(filledAt, 'filled_at')),
    maturityAt: Number(bigintValue(maturityAt, 'maturity_at')),
    carryOwed: bigintValue(carryOwed, 'carry_owed'),
    carrySecond: bigintValue(carrySecond, 'carry_second'),
    terms: {
      carryDaily: bigintValue(carryDaily, 'carry_daily'),
      closeFee: bigintValue(closeFee, 'close_fee'),
    },
    realized: {
      notional: bigintValue(doneNotional, 'done_notional'),
      entry: bigTextValue(entry, 'done_entry'),
      exit: bigTextValue(exit, 'done_exit'),
      gross: bigintValue(gross, 'done_gross'),
      carry: bigintValue(carry, 'done_carry'),
      fees: bigintValue(fees, 'done_fees'),
    },
  };
}

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
      const hedge = fromValues(environment, values);
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
    .map((values) => fromValues(environment, values));
}

/** The caller saves `sums`. */
export function updateHeld(db: Database, sums: SumsChange, hedge: HeldHedge, after: ReducedHedge): void {
  sums.reduce(hedge, after.status === 'filled' ? after : undefined);
  updateRow(db, 'hedge_records', hedge.seq, reducedColumns(after));
}
