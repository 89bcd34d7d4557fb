/** Balances, exposure and open positions of each environment. */

import {
  DamagedRecordError,
  type MarketSide,
  PRACTICE_ENVIRONMENTS,
  type PracticeEnvironment,
  type PracticeRandom,
  type PracticeSide,
} from '../domain/practice-types.ts';
import { newBookId } from '../domain/random-ids.ts';
import { divideHalfEven, greater, type Micro, type Rate, sumOf } from '../domain/scaled-decimals.ts';
import { bigintValue, type Database, insertRow, type RecordOf, recordsOf } from '../store/database.ts';
import { carryOf, closeFee, priceGain } from './economics.ts';
import { accruedSince, exposureOf, type SideSums, sumsBySide, sumsOfSide } from './side-sums.ts';
import { type BookContext, midAt, type TransactionContext } from './transaction-context.ts';

const ACCOUNT = {
  /** Free; negative after a loss beyond margin. */
  balance: bigintValue,
  /** Locked in filled hedges. */
  margin: bigintValue,
  /** Margin and platform fee of orders in flight. */
  reserved: bigintValue,
  /** The counterparty: minus the sum of the other three. */
  house: bigintValue,
} as const;

export type Accounts = RecordOf<typeof ACCOUNT>;

type Movement = Partial<Omit<Accounts, 'house'>>;

interface PostingSource {
  environment: PracticeEnvironment;
  /** Book time. */
  at: number;
  what: string;
  hedge_id: string | null;
}

function openAccount(db: Database, environment: PracticeEnvironment, opening: Micro): void {
  insertRow(db, 'accounts', { environment, balance: 0, margin: 0, reserved: 0, house: 0 });
  postEntry(db, { environment, at: 0, what: 'opening', hedge_id: null }, { balance: opening });
}

export function postEntry(db: Database, source: PostingSource, movement: Movement): void {
  recordPosting(db, source, movement);
  moveAccounts(db, source.environment, movement);
}

/** The database rejects a posting that does not sum to zero. */
export function recordPosting(db: Database, source: PostingSource, movement: Movement): void {
  insertRow(db, 'postings', { ...source, ...balanced(movement) });
}

function balanced({ balance = 0n, margin = 0n, reserved = 0n }: Movement): Accounts {
  return { balance, margin, reserved, house: -(balance + margin + reserved) };
}

export function moveAccounts(db: Database, environment: PracticeEnvironment, movement: Movement): void {
  const { balance, margin, reserved, house } = balanced(movement);
  db.run(
    `UPDATE accounts SET balance = balance + ?, margin = margin + ?, reserved = reserved + ?, house = house + ?
     WHERE environment = ?`,
    balance,
    margin,
    reserved,
    house,
    environment,
  );
}

export function readAccounts(db: Database, environment: PracticeEnvironment): Accounts {
  const row = db.get(
    'SELECT balance, margin, reserved, house FROM accounts WHERE environment = ?',
    environment,
  );
  if (row === undefined) throw new DamagedRecordError(`no account of ${environment}`);
  return recordsOf(ACCOUNT).fromRow(row);
}

const EMPTIED = [
  'book',
  'accounts',
  'postings',
  'hedge_records',
  'orders',
  'side_sums',
  'side_phases',
  'kept_answers',
];

/** Deletes all hedges, orders and balances and opens both books; keys and faults are kept. Inside a transaction. */
export function seedBook(db: Database, random: PracticeRandom, openingBalance: Micro): void {
  for (const table of EMPTIED) db.run(`DELETE FROM ${table}`);
  insertRow(db, 'book', { one: 1, book_id: newBookId(random), ahead_ms: 0, last_instant: 0 });
  for (const environment of PRACTICE_ENVIRONMENTS) openAccount(db, environment, openingBalance);
}

/** Gross notional of submitted and filled hedges and of adds in flight; of one side of a market if given. */
export function grossExposure(db: Database, environment: PracticeEnvironment, on?: MarketSide): Micro {
  if (on !== undefined) return exposureOf(sumsOfSide(db, environment, on));
  return sumOf(sumsBySide(db, environment).map(({ sums }) => exposureOf(sums)));
}

/** Never negative, even if the cap was lowered below the open exposure. */
export function availableExposure(context: Pick<TransactionContext, 'db' | 'environment' | 'terms'>): Micro {
  return greater(0n, context.terms.cap - grossExposure(context.db, context.environment));
}

export interface BookPosition {
  market: string;
  side: PracticeSide;
  notional: Micro;
  entry: Rate;
  mark: Rate;
  gross: Micro;
  /** Negative: the account pays. */
  carry: Micro;
  net: Micro;
  closeFee: Micro;
  margin: Micro;
  /** The amount that a close would return now. */
  netMargin: Micro;
}

/** One for each market and side with filled hedges, by market, buy before sell. Each figure is rounded once. */
export function positionsAt(
  context: BookContext,
  environment: PracticeEnvironment,
  instant: number,
): BookPosition[] {
  return sumsBySide(context.db, environment)
    .filter(({ sums }) => sums.count > 0n)
    .map((side) => {
      const accrued = accruedSince(context.db, environment, side, instant);
      return positionOf(side, accrued, midAt(context, side.market, instant));
    });
}

function positionOf(
  { market, side, sums }: MarketSide & { sums: SideSums },
  accrued: bigint,
  mark: Rate,
): BookPosition {
  const { notional, margin } = sums;
  const gross = priceGain(side, notional * mark - sums.entry, mark);
  const carry = -(sums.carry_owed + carryOf(accrued));
  const fee = closeFee(sums.fees);
  return {
    market,
    side,
    notional,
    entry: divideHalfEven(sums.entry, notional),
    mark,
    gross,
    carry,
    net: gross + carry,
    closeFee: fee,
    margin,
    netMargin: margin + gross + carry - fee,
  };
}
