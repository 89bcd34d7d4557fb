/** Places a filled hedge in the book, as an open that filled at once would leave it. */

import type { AdminContext } from '../admin.ts';
import { processBooks } from '../book/bring-to-now.ts';
import { processDueEvents } from '../book/execute-order.ts';
import { hedgeById, type StoredHedge, updateHedge } from '../book/stored-records.ts';
import { bookContext, bookTime, isoTime, type TransactionContext } from '../book/transaction-context.ts';
import {
  type PracticeEnvironment,
  PracticeInputError,
  type PracticeSide,
  TENOR_DAY_MS,
} from '../domain/practice-types.ts';
import { decimalOf, RATE_DECIMALS } from '../domain/scaled-decimals.ts';
import { noFaults, orderFaultsOf } from '../faults/fault-settings.ts';
import { openHedge } from '../http/trade-handlers.ts';
import { notionalMicro } from '../schemas/request-schemas.ts';

export interface HedgeToPlace {
  environment: PracticeEnvironment;
  market: string;
  side: PracticeSide;
  notional_usd: number;
  tenor_days: number;
  client_reference?: string | undefined;
  struck_rate?: number | undefined;
  opened_at?: string | undefined;
}

/** Cap, capacity and balance apply. Inside a transaction. */
export function placeHedge(book: AdminContext, asked: HedgeToPlace): StoredHedge {
  const time = bookTime(book.db, book.clock.now());
  const { environment } = asked;
  const opened = bookContext(book);
  processBooks(opened, time);
  const context: TransactionContext = {
    ...opened,
    terms: { ...opened.terms, fillMs: { min: 0, max: 0 } },
    environment,
    now: openingTime(asked, time.now),
    faults: orderFaultsOf(noFaults),
  };
  const before = lastHedge(context);
  openHedge(context, {
    market: asked.market,
    side: asked.side,
    notional: notionalMicro(asked.notional_usd),
    tenorDays: asked.tenor_days,
    clientReference: asked.client_reference ?? null,
  });
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
    throw new PracticeInputError('opened_at', `opened_at: the book is at ${isoTime(now)}; not later.`);
  }
  if (openedAt + asked.tenor_days * TENOR_DAY_MS <= now) {
    throw new PracticeInputError('opened_at', `opened_at: the hedge would have matured by ${isoTime(now)}.`);
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
  if (struck === undefined) throw new PracticeInputError('struck_rate', 'struck_rate: at most 8 decimals.');
  const changed = { ...hedge, struck };
  updateHedge(context.db, hedge, changed);
  return changed;
}
