/**
 * Where the money is: four accounts an environment, and every posting sums to zero over them (the database
 * refuses any other). `house` is the rest of the world. Refuses to know why money moves.
 */
import type { Environment } from '../door.ts';
import type { Micro } from '../money/decimals.ts';
import { big, type Database } from '../store/database.ts';

export interface Accounts {
  /** Free and spendable; may be negative after a loss beyond margin. */
  balance: Micro;
  /** Locked in filled hedges. */
  margin: Micro;
  /** Set aside for orders in flight: margin and platform fee. */
  reserved: Micro;
  house: Micro;
}

/** What one posting moves; the house takes the other side of the three. */
export type Movement = Partial<Omit<Accounts, 'house'>>;

export interface Occasion {
  environment: Environment;
  /** Book time. */
  at: number;
  what: string;
  hedgeId: string | null;
}

export function openAccount(db: Database, environment: Environment, opening: Micro): void {
  db.run(
    'INSERT INTO accounts (environment, balance, margin, reserved, house) VALUES (?, 0, 0, 0, 0)',
    environment,
  );
  post(db, { environment, at: 0, what: 'opening', hedgeId: null }, { balance: opening });
}

export function post(db: Database, occasion: Occasion, movement: Movement): void {
  const { balance = 0n, margin = 0n, reserved = 0n } = movement;
  const house = -(balance + margin + reserved);
  db.run(
    `INSERT INTO postings (environment, at, what, hedge_id, balance, margin, reserved, house)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    occasion.environment,
    occasion.at,
    occasion.what,
    occasion.hedgeId,
    balance,
    margin,
    reserved,
    house,
  );
  db.run(
    `UPDATE accounts SET balance = balance + ?, margin = margin + ?, reserved = reserved + ?, house = house + ?
     WHERE environment = ?`,
    balance,
    margin,
    reserved,
    house,
    occasion.environment,
  );
}

export function accountsOf(db: Database, environment: Environment): Accounts {
  const row = db.get(
    'SELECT balance, margin, reserved, house FROM accounts WHERE environment = ?',
    environment,
  );
  if (row === undefined) throw new TypeError(`The practice book holds no accounts for ${environment}.`);
  return {
    balance: big(row, 'balance'),
    margin: big(row, 'margin'),
    reserved: big(row, 'reserved'),
    house: big(row, 'house'),
  };
}
