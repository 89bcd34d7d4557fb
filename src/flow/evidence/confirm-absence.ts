/**
 * Reads the hedges that a side, or a list, lacks and that may be there all the same, until what is lacking can be
 * believed. Remembers the readings of one command, so that two in a row can be held against each other.
 */

import type { Hedge } from '../../client/schemas.ts';
import { unquoted } from '../../domain/quoted.ts';
import { RefusedError, UsageError } from '../../errors.ts';
import type { Action } from '../../journal/fold.ts';
import type { SidePlace } from '../../journal/ledger.ts';
import { READINGS_LAG_MS } from '../late-arrival.ts';
import type { SideBook } from '../plan/plan-side.ts';
import type { Reading } from '../read/read-book.ts';
import {
  type DoubtedHedge,
  doubtedHedges,
  type EarlierReading,
  isContradicted,
  isOver,
  lacksSide,
} from './absence.ts';

/** Why a reading that lacks something is not believed. */
export interface Doubt {
  /** As half a sentence. */
  says: string;
  /** Another reading is all it takes, made at once or later. */
  again: boolean;
  /** As it was read by its id; undefined when the service knew none, or it was not read. */
  hedge: Hedge | undefined;
}

export interface AbsenceCheck {
  /** Undefined: the reading can be believed. @throws HedgeError of a hedge that could not be read. */
  doubtOf(book: SideBook, reading: ReadingOfSide): Promise<Doubt | undefined>;
  /** A reading lacked the side, and the next one had it. */
  readonly disagree: boolean;
}

export interface ReadingOfSide extends Pick<Reading, 'api' | 'signal'> {
  actions: readonly Action[];
  earlier: EarlierReading | undefined;
  /** When the reading began. */
  atMs: number;
}

/**
 * For one command; every reading of the side is handed to it, in order. `hadBefore`: nothing is awaited that would
 * take the side away, and whether the reading before the first had it.
 */
export function absenceCheck(place: SidePlace, stays?: { hadBefore: boolean }): AbsenceCheck {
  /** Closed or failed: no later reading takes that back. */
  const over = new Set<string>();
  let lackedBefore = false;
  let hadBefore = stays?.hadBefore;
  let disagree = false;
  let doubtedFromMs: number | undefined;
  return {
    get disagree() {
      return disagree;
    },
    async doubtOf(book, { actions, earlier, atMs, ...reading }) {
      const isSecond = lackedBefore && lacksSide(book);
      disagree = lackedBefore && !lacksSide(book);
      lackedBefore = lacksSide(book);
      const isLost = lackedBefore && hadBefore === true;
      if (hadBefore !== undefined) hadBefore = !lackedBefore;
      const known = { place, actions, earlier, nowMs: atMs };
      const doubted = doubtedHedges(book, known).filter(({ id }) => !over.has(id));
      doubtedFromMs = doubted.length === 0 ? undefined : (doubtedFromMs ?? atMs);
      const mayBeBehind = atMs - (doubtedFromMs ?? atMs) < READINGS_LAG_MS;
      for (const each of mayBeBehind ? doubted : []) {
        const read = await hedgeById(each.id, reading);
        if (read?.isOver !== true) return about(each, read?.hedge, { book, atMs });
        over.add(each.id);
      }
      if (isSecond) return undefined;
      if (isContradicted(book, over)) return contradicted(book, 'the list of hedges does');
      return isLost ? contradicted(book, 'the reading before did') : undefined;
    },
  };
}

/** Undefined: the service does not know it by its id, which proves nothing. */
async function hedgeById(
  id: string,
  { api, signal }: Pick<Reading, 'api' | 'signal'>,
): Promise<{ hedge: Hedge; isOver: boolean } | undefined> {
  try {
    const { data: hedge, servedAt = new Date(0) } = await api.hedge(id, { signal });
    const { status, maturity_at: maturityAt } = hedge;
    return { hedge, isOver: isOver({ status, maturityAt: maturityAt ?? undefined }, servedAt) };
  } catch (error) {
    if (namesNoHedge(error)) return undefined;
    throw error;
  }
}

/** The service has no hedge under that id, or has another place there, so that none can be asked for by it. */
export const namesNoHedge = (error: unknown): boolean =>
  error instanceof UsageError || (error instanceof RefusedError && error.httpStatus === 404);

function about(
  { id, atMs: knownMs }: DoubtedHedge,
  hedge: Hedge | undefined,
  { book, atMs }: { book: SideBook; atMs: number },
): Doubt {
  const place = `${unquoted(book.market)} ${book.side}`;
  const missing = lacksSide(book) ? `the positions do not show ${place}` : 'the list does not show it so';
  const seconds = Math.max(0, Math.round((atMs - knownMs) / 1000)).toString();
  const status = hedge === undefined ? `was there ${seconds} s ago` : `is ${unquoted(hedge.status)}`;
  return {
    says: `${unquoted(id)} ${status}, and ${missing} (readings may lag by ${LAG_IN_WORDS})`,
    again: false,
    hedge,
  };
}

const LAG_IN_WORDS = `${(READINGS_LAG_MS / 1000).toString()} s`;

const contradicted = ({ market, side }: SideBook, otherwise: string): Doubt => ({
  says: `the positions do not show ${unquoted(market)} ${side}, and ${otherwise}`,
  again: true,
  hedge: undefined,
});
