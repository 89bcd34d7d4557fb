/**
 * Sums over the open hedges of each side of a market, kept in the database, so that no reading loads the hedges. They are
 * text, since products of amounts and rates exceed 64 bits.
 */
import {
  type MarketSide,
  PRACTICE_ENVIRONMENTS,
  PRACTICE_SIDES,
  type PracticeEnvironment,
  type PracticeHedgeStatus,
} from '../domain/practice-types.ts';
import type { Fraction, Micro, Rate } from '../domain/scaled-decimals.ts';
import {
  bigTextColumn,
  bigTextValue,
  type Database,
  enumColumn,
  insertRow,
  type RecordOf,
  type Row,
  recordsOf,
  textColumn,
} from '../store/database.ts';

const SUMS = {
  /** Notional of opens in flight, and of adds in flight. */
  submitted: bigTextValue,
  adding: bigTextValue,
  /** Sums over filled hedges: number, notional, margin, notional × struck rate, notional × close fee. */
  count: bigTextValue,
  notional: bigTextValue,
  margin: bigTextValue,
  entry: bigTextValue,
  fees: bigTextValue,
  /** Carry settled by an add or a reduction. */
  carry_owed: bigTextValue,
  /** notional × daily carry, and that × the second since the epoch from which it accrues. */
  accruing: bigTextValue,
  accruing_from: bigTextValue,
};

export type SideSums = RecordOf<typeof SUMS>;

const { fromRow: sumsFromRow } = recordsOf(SUMS);
const noSums = (): SideSums => sumsFromRow(Object.fromEntries(Object.keys(SUMS).map((name) => [name, '0'])));

interface OpenAmounts {
  notional: Micro;
  margin: Micro;
  carry_owed: Micro;
  carry_second: bigint;
}

interface FilledTerms extends BookSide {
  struck: Rate;
  filled_at: number;
  carry_daily: Fraction;
  close_fee: Fraction;
}

interface SummedHedge extends BookSide, OpenAmounts {
  status: PracticeHedgeStatus;
  struck: Rate | null;
  filled_at: number | null;
  carry_daily: Fraction;
  close_fee: Fraction;
}

interface BookSide extends MarketSide {
  environment: PracticeEnvironment;
}

interface SideChange {
  side: BookSide;
  sums: SideSums;
  /** `accruing` by the millisecond of the second at which a hedge was filled: carry accrues by whole seconds. */
  phases: Map<number, bigint>;
}

export type SumsChange = ReturnType<typeof changeSums>;

/** Collects changes; one `save` writes them. */
export function changeSums(db: Database) {
  const changes: SideChange[] = [];
  const changeOf = ({ environment, market, side }: BookSide): SideChange => {
    const known = changes.find(
      ({ side: of }) => of.side === side && of.market === market && of.environment === environment,
    );
    if (known !== undefined) return known;
    const made = { side: { environment, market, side }, sums: noSums(), phases: new Map() };
    changes.push(made);
    return made;
  };
  return {
    /** `before` is undefined for a new hedge. */
    replace(before: SummedHedge | undefined, after: SummedHedge): void {
      const change = changeOf(after);
      if (before !== undefined) count(change, before, -1n);
      count(change, after, 1n);
    },
    /** A filled hedge; `left` is undefined if nothing is left. */
    reduce(hedge: FilledTerms & OpenAmounts, left: OpenAmounts | undefined): void {
      const change = changeOf(hedge);
      countFilled(change, hedge, hedge, -1n);
      if (left !== undefined) countFilled(change, hedge, left, 1n);
    },
    /** Notional of an add in flight; negative when it ends. */
    addInFlight(side: BookSide, notional: Micro): void {
      changeOf(side).sums.adding += notional;
    },
    save(): void {
      for (const change of changes.splice(0)) saveChange(db, change);
    },
  };
}

function count(change: SideChange, hedge: SummedHedge, sign: 1n | -1n): void {
  const { status, struck, filled_at } = hedge;
  if (status === 'submitted') change.sums.submitted += sign * hedge.notional;
  if (status === 'filled' && struck !== null && filled_at !== null) {
    countFilled(change, { ...hedge, struck, filled_at }, hedge, sign);
  }
}

function countFilled(
  { sums, phases }: SideChange,
  { struck, filled_at: filledAt, carry_daily: daily, close_fee: fee }: FilledTerms,
  open: OpenAmounts,
  sign: 1n | -1n,
): void {
  const notional = sign * open.notional;
  const accruing = notional * daily;
  const phase = filledAt % 1000;
  sums.count += sign;
  sums.notional += notional;
  sums.margin += sign * open.margin;
  sums.entry += notional * struck;
  sums.fees += notional * fee;
  sums.carry_owed += sign * open.carry_owed;
  sums.accruing += accruing;
  sums.accruing_from += accruing * (BigInt((filledAt - phase) / 1000) + open.carry_second);
  phases.set(phase, (phases.get(phase) ?? 0n) + accruing);
}

function saveChange(db: Database, { side, sums, phases }: SideChange): void {
  const { environment, market, side: of } = side;
  const kept = rowOfSide(db, environment, side);
  const texts = Object.entries(sums).map(([name, sum]) => [name, String(sum + keptSum(kept, name))]);
  db.run('DELETE FROM side_sums WHERE environment = ? AND market = ? AND side = ?', environment, market, of);
  insertRow(db, 'side_sums', { environment, market, side: of, ...Object.fromEntries(texts) });
  for (const [phase, accruing] of phases) {
    if (accruing === 0n) continue;
    const binds = [environment, market, of, phase] as const;
    const row = db.get(
      'SELECT accruing FROM side_phases WHERE environment = ? AND market = ? AND side = ? AND phase = ?',
      ...binds,
    );
    const sum = accruing + keptSum(row, 'accruing');
    db.run('INSERT OR REPLACE INTO side_phases VALUES (?, ?, ?, ?, ?)', ...binds, String(sum));
  }
}

const keptSum = (row: Row | undefined, column: string): bigint =>
  row === undefined ? 0n : bigTextColumn(row, column);

/** By market, buy before sell; sides without open hedges may be among them. */
export function sumsBySide(
  db: Database,
  environment: PracticeEnvironment,
): (MarketSide & { sums: SideSums })[] {
  return db
    .all('SELECT * FROM side_sums WHERE environment = ? ORDER BY market, side', environment)
    .map((row) => ({
      market: textColumn(row, 'market'),
      side: enumColumn(row, 'side', PRACTICE_SIDES),
      sums: sumsFromRow(row),
    }));
}

export function sumsOfSide(db: Database, environment: PracticeEnvironment, on: MarketSide): SideSums {
  const row = rowOfSide(db, environment, on);
  return row === undefined ? noSums() : sumsFromRow(row);
}

const rowOfSide = (db: Database, environment: PracticeEnvironment, { market, side }: MarketSide) =>
  db.get(
    'SELECT * FROM side_sums WHERE environment = ? AND market = ? AND side = ?',
    environment,
    market,
    side,
  );

/** Gross notional of submitted and filled hedges and of adds in flight. */
export const exposureOf = (sums: SideSums): Micro => sums.submitted + sums.adding + sums.notional;

/** Σ notional × daily carry × whole seconds that are not in `carry_owed` yet. */
export function accruedSince(
  db: Database,
  environment: PracticeEnvironment,
  { market, side, sums }: MarketSide & { sums: SideSums },
  instant: number,
): bigint {
  const phase = instant % 1000;
  const later = db.all(
    'SELECT accruing FROM side_phases WHERE environment = ? AND market = ? AND side = ? AND phase > ?',
    environment,
    market,
    side,
    phase,
  );
  const begun = sums.accruing * BigInt((instant - phase) / 1000) - sums.accruing_from;
  return later.reduce((sum, row) => sum - bigTextColumn(row, 'accruing'), begun);
}

/** Markets with submitted or filled hedges in either environment. */
export function marketsInUse(db: Database): string[] {
  const sides = PRACTICE_ENVIRONMENTS.flatMap((environment) => sumsBySide(db, environment));
  return [...new Set(sides.filter(({ sums }) => exposureOf(sums) > 0n).map(({ market }) => market))];
}
