/** What a transaction on the book works with: database, terms, book time and rates. */

import type { PracticeEnvironment, PracticeRandom } from '../domain/practice-types.ts';
import type { Rate } from '../domain/scaled-decimals.ts';
import type { OrderFaults } from '../faults/faults.ts';
import type { BookMarketTerms, BookTerms } from '../settings/practice-settings.ts';
import { bigintColumn, type Database, integerColumn, textColumn } from '../store/database.ts';
import { referenceRate } from './reference-rate.ts';

export interface BookContext {
  db: Database;
  terms: BookTerms;
  random: PracticeRandom;
}

export interface TransactionContext extends BookContext {
  environment: PracticeEnvironment;
  /** Book time. */
  now: number;
  faults: OrderFaults;
}

/** Also of a disabled market. */
export function marketTermsFor(context: Pick<BookContext, 'terms'>, market: string): BookMarketTerms {
  const found = context.terms.markets.get(market);
  if (found === undefined)
    throw new Error(`The practice settings have no market ${market}, but its book does.`);
  return found;
}

export function midAt(context: Pick<BookContext, 'terms'>, market: string, instant: number): Rate {
  return referenceRate(marketTermsFor(context, market).rateModel, instant);
}

export interface BookTime {
  bookId: string;
  aheadMs: number;
  /** Never runs backwards: a wall clock set back waits until it passes the last saved time. */
  now: number;
}

export function bookTime(db: Database, wallNow: number): BookTime {
  const row = db.get('SELECT book_id, ahead_ms, last_instant FROM book');
  if (row === undefined) throw new TypeError('The practice database holds no book.');
  const aheadMs = integerColumn(row, 'ahead_ms');
  const now = Math.max(Math.floor(wallNow) + aheadMs, Number(bigintColumn(row, 'last_instant')));
  return { bookId: textColumn(row, 'book_id'), aheadMs, now };
}

/** Inside a transaction. */
export function saveBookTime(db: Database, instant: number): void {
  db.run('UPDATE book SET last_instant = ? WHERE last_instant < ?', instant, instant);
}

export function advanceBookTime(db: Database, byMs: number): void {
  db.run('UPDATE book SET ahead_ms = ahead_ms + ?', byMs);
}

export function isoTime(instant: number): string {
  return new Date(instant).toISOString();
}
