/**
 * Brings a book to an instant: what is due happens in the order it is due, each at its own instant, whoever
 * asks and however late. At equal instants settlements come before orders.
 */
import type { BookEvent, Environment } from '../door.ts';
import { firstToMature } from './hedges.ts';
import { land } from './landing.ts';
import { firstDue } from './orders.ts';
import { settleHedge } from './settlement.ts';
import type { Desk } from './sitting.ts';

/** Inside a transaction. Returns what happened, in order. */
export function bringTo(desk: Desk, environment: Environment, instant: number): BookEvent[] {
  const events: BookEvent[] = [];
  for (;;) {
    const hedge = firstToMature(desk.db, environment, instant);
    const order = firstDue(desk.db, environment, hedge === undefined ? instant : hedge.maturityAt - 1);
    if (order !== undefined) events.push(...land(desk, order));
    else if (hedge !== undefined) events.push(settleHedge(desk, hedge));
    else return events;
  }
}
