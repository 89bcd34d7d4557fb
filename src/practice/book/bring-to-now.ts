/** Brings the book to a book time: in batches where many hedges mature, so that no transaction holds it for long. */
import { PRACTICE_ENVIRONMENTS, type PracticeEnvironment } from '../domain/practice-types.ts';
import type { Database } from '../store/database.ts';
import { type BookEvent, processDueEvents } from './execute-order.ts';
import { maturityAfter } from './stored-records.ts';
import {
  type BookContext,
  type BookTime,
  bookContext,
  bookTime,
  type OpenedBook,
  saveBookTime,
} from './transaction-context.ts';

/** Settlements of one environment in one transaction, unless more have the same maturity. */
const BATCH = 5_000;

/** The latest book time up to `until` that one batch can reach. */
export function batchEnd(db: Database, until: number): number {
  const ends = PRACTICE_ENVIRONMENTS.map(
    (environment) => maturityAfter(db, environment, BATCH, until) ?? until,
  );
  return Math.min(...ends);
}

/** Executes due events of both environments. Inside a transaction. */
export function processBooks(
  context: BookContext,
  time: Pick<BookTime, 'now' | 'wallNow'>,
  record?: (environment: PracticeEnvironment, event: BookEvent) => void,
): void {
  for (const environment of PRACTICE_ENVIRONMENTS) {
    const recordHere = record === undefined ? undefined : (event: BookEvent) => record(environment, event);
    processDueEvents(context, environment, time.now, recordHere);
  }
  saveBookTime(context.db, time);
}

/** Executes all that is due by now, and returns the time. Inside a transaction. */
export function bringToNow(book: OpenedBook): BookTime {
  const time = bookTime(book.db, book.clock.now());
  processBooks(bookContext(book), time);
  return time;
}

/** Processes all batches but the last; each in a transaction of its own. */
export function catchUp(book: OpenedBook): void {
  const { db, clock } = book;
  while (isBehind(db, clock.now())) {
    db.transaction(() => {
      const time = bookTime(db, clock.now());
      processBooks(bookContext(book), { ...time, now: batchEnd(db, time.now) });
    });
  }
}

function isBehind(db: Database, wallNow: number): boolean {
  return db.reading(() => {
    const { now } = bookTime(db, wallNow);
    return batchEnd(db, now) < now;
  });
}
