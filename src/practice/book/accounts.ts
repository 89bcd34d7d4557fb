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
import { bigintColumn, type Database, insertRow } from '../store/database.ts';
import { type ClosedPart, computeClose } from './economics.ts';
import { type FilledHedge, filledHedges } from './stored-records.ts';
import { type BookContext, marketTermsFor, midAt, type TransactionContext } from './transaction-context.ts';

export interface Accounts {
  /** Free; negative after a loss beyond margin. */
  balance: Micro;
  /** Locked in filled hedges. */
  margin: Micro;
  /** Margin and platform fee of orders in flight. */
  reserved: Micro;
  /** The counterparty: minus the sum of the other three. */
  house: Micro;
}

type Movement = Partial<Omit<Accounts, 'house'>>;

interface PostingSource {
  environment: PracticeEnvironment;
  /** Book time. */
  at: number;
  what: string;
  hedgeId: string | null;
}

function openAccount(db: Database, environment: PracticeEnvironment, opening: Micro): void {
  insertRow(db, 'accounts', { environment, balance: 0, margin: 0, reserved: 0, house: 0 });
  postEntry(db, { environment, at: 0, what: 'opening', hedgeId: null }, { balance: opening });
}

/** The database rejects a posting that does not sum to zero. */
export function postEntry(db: Database, source: PostingSource, movement: Movement): void {
  const { balance = 0n, margin = 0n, reserved = 0n } = movement;
  const house = -(balance + margin + reserved);
  const { environment, at, what, hedgeId } = source;
  insertRow(db, 'postings', { environment, at, what, hedge_id: hedgeId, balance, margin, reserved, house });
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
  return {
    balance: bigintColumn(row, 'balance'),
    margin: bigintColumn(row, 'margin'),
    reserved: bigintColumn(row, 'reserved'),
    house: bigintColumn(row, 'house'),
  };
}

/** Deletes all hedges, orders and balances and opens both books; keys and faults are kept. Inside a transaction. */
export function seedBook(db: Database, random: PracticeRandom, openingBalance: Micro): void {
  for (const table of ['book', 'accounts', 'postings', 'hedges', 'orders', 'kept_answers']) {
    db.run(`DELETE FROM ${table}`);
  }
  insertRow(db, 'book', { one: 1, book_id: newBookId(random), ahead_ms: 0, last_instant: 0 });
  for (const environment of PRACTICE_ENVIRONMENTS) openAccount(db, environment, openingBalance);
}

/** Gross notional of submitted and filled hedges and of adds in flight; of one side of a market if given. */
export function grossExposure(db: Database, environment: PracticeEnvironment, on?: MarketSide): Micro {
  const side = on === undefined ? '' : 'AND market = ? AND side = ?';
  const binds = on === undefined ? [environment] : [environment, on.market, on.side];
  const row = db.get(
    `SELECT
       (SELECT COALESCE(SUM(notional), 0) FROM hedges
          WHERE environment = ? AND status IN ('submitted', 'filled') ${side})
     + (SELECT COALESCE(SUM(notional), 0) FROM orders
          WHERE environment = ? AND state = 'pending' AND kind = 'add' ${side}) AS total`,
    ...binds,
    ...binds,
  );
  return row === undefined ? 0n : bigintColumn(row, 'total');
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
  /** What a close would return now. */
  netMargin: Micro;
}

/** One for each market and side with filled hedges, by market, buy before sell. */
export function positionsAt(
  context: BookContext,
  environment: PracticeEnvironment,
  instant: number,
): BookPosition[] {
  const sides = new Map<string, FilledHedge[]>();
  for (const hedge of filledHedges(context.db, environment)) {
    const key = `${hedge.market} ${hedge.side}`;
    sides.set(key, [...(sides.get(key) ?? []), hedge]);
  }
  return [...sides.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, hedges]) => positionOf(context, hedges, instant));
}

function positionOf(context: BookContext, hedges: FilledHedge[], instant: number): BookPosition {
  const [first] = hedges;
  if (first === undefined) throw new Error('A position needs a hedge.');
  const mark = midAt(context, first.market, instant);
  const terms = {
    reference: mark,
    daily: marketTermsFor(context, first.market).carryDaily[first.side],
    fee: context.terms.closeFee,
    instant,
  };
  const parts: ClosedPart[] = hedges.map((hedge) => computeClose(hedge, hedge.notional, terms));
  const notional = sumOf(hedges.map((hedge) => hedge.notional));
  const gross = sumOf(parts.map((part) => part.gross));
  const carry = -sumOf(parts.map((part) => part.carry));
  return {
    market: first.market,
    side: first.side,
    notional,
    entry: divideHalfEven(sumOf(hedges.map((hedge) => hedge.notional * hedge.struck)), notional),
    mark,
    gross,
    carry,
    net: gross + carry,
    closeFee: sumOf(parts.map((part) => part.fee)),
    margin: sumOf(parts.map((part) => part.margin)),
    netMargin: sumOf(parts.map((part) => part.credit)),
  };
}
