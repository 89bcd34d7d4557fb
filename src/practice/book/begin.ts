/** A fresh book: both environments with their opening balance, no hedges, book time at wall time. */
import type { PracticeRandom } from '../door.ts';
import { bookId } from '../ids.ts';
import type { Micro } from '../money/decimals.ts';
import type { Database } from '../store/database.ts';
import { openAccount } from './ledger.ts';
import { ENVIRONMENTS } from './words.ts';

/** Must run inside a transaction. Replaces whatever book there was; keys and weather stay. */
export function beginBook(db: Database, random: PracticeRandom, openingBalance: Micro): void {
  for (const table of ['book', 'accounts', 'postings', 'hedges', 'orders', 'kept_answers']) {
    db.run(`DELETE FROM ${table}`);
  }
  db.run('INSERT INTO book (one, book_id, ahead_ms, last_instant) VALUES (1, ?, 0, 0)', bookId(random));
  for (const environment of ENVIRONMENTS) openAccount(db, environment, openingBalance);
}
