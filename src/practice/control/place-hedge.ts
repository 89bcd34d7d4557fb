/** Places a filled hedge in the book, as an open that filled at once would leave it. */

import type * as z from 'zod';
import type { AdminContext } from '../admin.ts';
import { bringToNow } from '../book/bring-to-now.ts';
import { processDueEvents } from '../book/execute-order.ts';
import { hedgeById, type StoredHedge, updateHedge } from '../book/stored-records.ts';
import { bookContext, isoTime, type TransactionContext } from '../book/transaction-context.ts';
import { TENOR_DAY_MS, wrongField } from '../domain/practice-types.ts';
import { decimalOf, RATE_DECIMALS } from '../domain/scaled-decimals.ts';
import { noFaults } from '../faults/fault-settings.ts';
import { openHedge } from '../http/trade-handlers.ts';
import { openOrderOf } from '../schemas/request-schemas.ts';
import type { placeBody } from './control-schemas.ts';

export type HedgeToPlace = z.infer<typeof placeBody>;

/** Cap, capacity and balance apply. Inside a transaction. */
export function placeHedge(book: AdminContext, asked: HedgeToPlace): StoredHedge {
  const { now } = bringToNow(book);
  const { environment } = asked;
  const opened = bookContext(book);
  const context: TransactionContext = {
    ...opened,
    terms: { ...opened.terms, fillMs: { min: 0, max: 0 } },
    environment,
    now: openingTime(asked, now),
    faults: noFaults,
  };
  const before = lastHedge(context);
  openHedge(context, openOrderOf(asked));
  processDueEvents(context, environment, context.now);
  const hedge = lastHedge(context);
  if (hedge === undefined || hedge.seq === before?.seq)
    throw new Error('The placed hedge is not in the book.');
  return asked.struck_rate === undefined ? hedge : strike(context, hedge, asked.struck_rate);
}

function openingTime(asked: HedgeToPlace, now: number): number {
  if (asked.opened_at === undefined) return now;
  const openedAt = Date.parse(asked.opened_at);
  if (openedAt > now) {
    throw wrongField('opened_at', `the book is at ${isoTime(now)}; not later`);
  }
  if (openedAt + asked.tenor_days * TENOR_DAY_MS <= now) {
    throw wrongField('opened_at', `the hedge would have matured by ${isoTime(now)}`);
  }
  return openedAt;
}

function lastHedge({ db, environment }: TransactionContext): StoredHedge | undefined {
  const row = db.get(
    'SELECT id FROM hedge_records WHERE environment = ? ORDER BY seq DESC LIMIT 1',
    environment,
  );
  return row === undefined ? undefined : hedgeById(db, environment, String(row['id']));
}

function strike(context: TransactionContext, hedge: StoredHedge, rate: number): StoredHedge {
  const struck = decimalOf(String(rate), RATE_DECIMALS);
  if (struck === undefined) throw wrongField('struck_rate', 'at most 8 decimals');
  const changed = { ...hedge, struck };
  updateHedge(context.db, hedge, changed);
  return changed;
}
