/**
 * Whether a reading that lacks a side, or a hedge of it, proves that it is gone. A reading may come from a replica
 * that is behind, and then lacks what was filled since. Pure; confirm-absence.ts reads the hedges that are in doubt.
 *
 * Reads the hedges that a side, or a list, lacks and that may be there all the same, until what is lacking can be
 * believed. Remembers the readings of one command, so that two in a row can be held against each other.
 */

import type { Hedge } from '../../client/schemas.ts';
import { unquoted } from '../../domain/quoted.ts';
import { RefusedError, UsageError } from '../../errors.ts';
import { type AccountSide, changedOn, type EnlargingAction, enlargedOn } from '../../journal/queries.ts';
import type { IntentRecord } from '../../journal/records.ts';
import type { Action } from '../../journal/replay.ts';
import type { Reading } from '../../readings/read-position.ts';
import { hasMatured, PENDING_STATUSES, type SideBook, type SideHedge } from '../../readings/side-book.ts';
import { READINGS_LAG_MS } from '../idempotency-window.ts';
import { changesKept } from './append-record.ts';
import { readAt } from './concurrent-actions.ts';
import { holdsSide } from './position-diff.ts';
/** A reading, or a before-state, that had these hedges on the side. */
export interface EarlierReading {
  hedgeIds: readonly string[];
  readAtMs: number;
}

/** What a reading is judged by. */
export interface KnownFacts {
  place: AccountSide;
  actions: readonly Action[];
  earlier: EarlierReading | undefined;
  /** When the reading began, by this machine's clock. */
  nowMs: number;
}

/** A hedge that a reading lacks, directly or by lacking its side, and that may be there all the same. */
export interface UnconfirmedHedge {
  id: string;
  /** The last time that it is known to have been filled, enlarged or on the list: a reading may be this old. */
  atMs: number;
}

/**
 * Hedges that must be known to be over before the reading is believed, the latest first. Known within the lag, and
 * lacking: those that this machine filled or enlarged, while the side or the hedge is lacking, or listed as still to
 * fill; those that the list itself dates so, while the side is; those that an earlier reading had, while the list
 * lacks them; and those that the list has at a size from before a change of this machine.
 */
export function unconfirmedHedges(now: SideBook, known: KnownFacts): readonly UnconfirmedHedge[] {
  const { place, actions, earlier, nowMs } = known;
  const isListed = ({ id, seen }: { id: string; seen: boolean }): boolean =>
    now.listed.some((hedge) => hedge.id === id && !(seen && PENDING_STATUSES.includes(hedge.status)));
  const dealt = enlargedOn(actions, place);
  const dated = now.listed.map((hedge) => ({ id: hedge.id, atMs: nowMs - ageOf(hedge, now.servedAt) }));
  const shown = (earlier?.hedgeIds ?? []).map((id) => ({ id, atMs: earlier?.readAtMs ?? 0, seen: true }));
  const lacking = [...dealt, ...shown].filter((each) => !isListed(each)).concat(atFormerSize(now, known));
  return (lacksSide(now) ? [...dealt, ...dated, ...lacking] : lacking)
    .filter(({ id, atMs }) => nowMs - atMs < READINGS_LAG_MS && !isListedOver(id, now))
    .toSorted((one, other) => other.atMs - one.atMs)
    .filter(({ id }, index, all) => all.findIndex((each) => each.id === id) === index)
    .map(({ id, atMs }) => ({ id, atMs }));
}

/** What this machine last made of a hedge is not on the list, and what it was before that is. */
function atFormerSize(now: SideBook, { place, actions, nowMs }: KnownFacts): readonly EnlargingAction[] {
  const changes = changedOn(actions, place)
    .filter(({ outcome }) => nowMs - Date.parse(outcome?.at ?? '') < READINGS_LAG_MS)
    .flatMap((it) => (changesKept(it) ?? []).map((change) => ({ ...change, at: it.outcome?.at ?? '' })))
    .filter(({ before, after }) => !before.eq(after) && after.gt(0));
  return now.listed.flatMap(({ id, notional }) => {
    const own = changes.filter((change) => change.id === id);
    const last = own.at(-1);
    const isFormer = own.some(({ before }) => before.eq(notional)) && last?.after.eq(notional) === false;
    return isFormer ? [{ id, atMs: Date.parse(last.at), seen: true }] : [];
  });
}

/**
 * The positions lack the side, and the list still has a filled hedge on it: one of the two is behind, or a close left
 * it `filled` (what it does to the status is not shown). A second reading in a row tells. `over`: known to be closed.
 */
export const isContradicted = (now: SideBook, over: ReadonlySet<string>): boolean =>
  lacksSide(now) &&
  now.listed.some(({ id, status }) => status === 'filled' && !isListedOver(id, now) && !over.has(id));

export const lacksSide = ({ inPositions }: SideBook): boolean => inPositions === false;

/** The hedges that held the side before an action of the journal. */
export const beforeReading = (intent: IntentRecord): EarlierReading => ({
  hedgeIds: intent.before.hedges.filter(({ status }) => holdsSide(status)).map(({ hedge_id: id }) => id),
  readAtMs: readAt(intent),
});

const OVER: readonly string[] = ['closed', 'failed'];

/** No replica that is behind shows these: nothing comes after them. */
export const hasEnded = (hedge: Pick<SideHedge, 'status' | 'maturityAt'>, servedAt: Date): boolean =>
  OVER.includes(hedge.status) || hasMatured(hedge, servedAt);

const isListedOver = (id: string, { listed, servedAt }: SideBook): boolean =>
  listed.some((hedge) => hedge.id === id && hasEnded(hedge, servedAt));

/** Since it filled, by the service's own clock; one that stands before the fill tells no ages. */
function ageOf({ filledAt, status }: SideHedge, servedAt: Date): number {
  if (filledAt === undefined || status !== 'filled') return Number.POSITIVE_INFINITY;
  const age = servedAt.getTime() - Date.parse(filledAt);
  return age > -READINGS_LAG_MS ? Math.max(0, age) : Number.POSITIVE_INFINITY;
}

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
export function absenceCheck(place: AccountSide, stays?: { hadBefore: boolean }): AbsenceCheck {
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
      const doubted = unconfirmedHedges(book, known).filter(({ id }) => !over.has(id));
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
    return { hedge, isOver: hasEnded({ status, maturityAt: maturityAt ?? undefined }, servedAt) };
  } catch (error) {
    if (isHedgeNotFound(error)) return undefined;
    throw error;
  }
}

/** The service has no hedge under that id, or has another place there, so that none can be asked for by it. */
export const isHedgeNotFound = (error: unknown): boolean =>
  error instanceof UsageError || (error instanceof RefusedError && error.httpStatus === 404);

function about(
  { id, atMs: knownMs }: UnconfirmedHedge,
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
