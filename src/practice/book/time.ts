/**
 * Book time: wall time and how far an operator has moved the book ahead. It never runs backwards: what the
 * book has reached is kept, and a wall clock that was set back waits there.
 */
import { big, type Database, text, whole } from '../store/database.ts';

export interface BookTime {
  bookId: string;
  aheadMs: number;
  /** Now in the book, ms since the epoch. */
  now: number;
}

export function bookTime(db: Database, wallNow: number): BookTime {
  const row = db.get('SELECT book_id, ahead_ms, last_instant FROM book');
  if (row === undefined) throw new TypeError('The practice database holds no book.');
  const aheadMs = whole(row, 'ahead_ms');
  const now = Math.max(Math.floor(wallNow) + aheadMs, Number(big(row, 'last_instant')));
  return { bookId: text(row, 'book_id'), aheadMs, now };
}

/** Keeps the instant the book has reached. Inside a transaction. */
export function keepInstant(db: Database, instant: number): void {
  db.run('UPDATE book SET last_instant = ? WHERE last_instant < ?', instant, instant);
}

export function moveAhead(db: Database, byMs: number): void {
  db.run('UPDATE book SET ahead_ms = ahead_ms + ?', byMs);
}

/** Which book this is; asked by those that hold the service's door. */
export function bookIdOf(db: Database): string {
  const row = db.get('SELECT book_id FROM book');
  if (row === undefined) throw new TypeError('The practice database holds no book.');
  return text(row, 'book_id');
}

export function iso(instant: number): string {
  return new Date(instant).toISOString();
}
