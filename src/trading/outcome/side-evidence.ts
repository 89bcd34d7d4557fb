/**
 * Whether a reading without a side, or without a hedge of it, proves that it is gone: it may come from a stale replica.
 * Reads the missing hedges by ID and in the history, and compares successive readings of one command.
 */
import type { ApiResponse } from '../../client/hedge-api.ts';
import type { Hedge } from '../../client/schemas.ts';
import { unquoted } from '../../domain/quoted.ts';
import { type AccountSide, holdsSide } from '../../journal/queries.ts';
import type { IntentRecord } from '../../journal/records.ts';
import type { Action } from '../../journal/replay.ts';
import { knownClosed, openFromHere } from '../../readings/closed-here.ts';
import { READINGS_LAG_MS } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { hedgeIfKnown, type Reading } from '../../readings/read-position.ts';
import { type SidePosition, sideHedge } from '../../readings/side-position.ts';
import {
  contradicting,
  type EarlierReading,
  hasEnded,
  lacksSide,
  type UnconfirmedHedge,
  unconfirmedHedges,
} from '../../readings/unconfirmed-hedges.ts';
import { readAt } from './concurrent-actions.ts';

/** The hedges that held the side before an action of the journal. */
export const beforeReading = (intent: IntentRecord): EarlierReading => ({
  hedgeIds: intent.before.hedges.filter(({ status }) => holdsSide(status)).map(({ hedge_id: id }) => id),
  readAtMs: readAt(intent),
  servedMs: Date.parse(intent.before.served_at ?? ''),
});

/** Why a reading with something missing does not count. */
export interface Unconfirmed {
  /** A clause without a full stop. */
  message: string;
  /** Another reading, at any time, decides. */
  again: boolean;
  /** The hedge as read by its ID; undefined when the service does not know it, or it was not read. */
  hedge: Hedge | undefined;
}

export type SideEvidence = ReturnType<typeof sideEvidenceAt>;

export interface ReadingOfSide extends Reading, Pick<ReadContext, 'journal' | 'identity'> {
  actions: readonly Action[];
  earlier: EarlierReading | undefined;
  /** When the reading began. */
  atMs: number;
  /** The side is as an action without a recorded outcome makes it: an earlier size is no reason to read again then. */
  asExpected: boolean;
}

/**
 * For one command, which passes every reading of the side in order. `hadBefore`: set when no awaited action removes the
 * side; whether the reading before the first one had it.
 */
export function sideEvidenceAt(place: AccountSide, stays?: { hadBefore: boolean }) {
  /** Closed or failed: no later reading takes that back. */
  const over = new Set<string>();
  let hadBefore = stays?.hadBefore;
  let disagree = false;
  let lackedFromMs: number | undefined;
  let unconfirmedFromMs: number | undefined;

  /** `isSecond`: the side was lacking in the reading before too. `isLost`: it was there, and no awaited action removes it. */
  const compare = (now: SidePosition, atMs: number): { isSecond: boolean; isLost: boolean } => {
    const lacks = lacksSide(now);
    const isSecond = lacks && lackedFromMs !== undefined;
    const isLost = lacks && hadBefore === true;
    disagree = lackedFromMs !== undefined && !lacks;
    lackedFromMs = lacks ? (lackedFromMs ?? atMs) : undefined;
    if (hadBefore !== undefined) hadBefore = !lacks;
    return { isSecond, isLost };
  };
  /** A hedge that the reading should show, and that is not known to be over. */
  const readMissing = async (now: SidePosition, reading: ReadingOfSide): Promise<Unconfirmed | undefined> => {
    const { actions, earlier, atMs, asExpected } = reading;
    const missing = unconfirmedHedges(now, { place, actions, earlier, nowMs: atMs }).filter(isNotOver);
    unconfirmedFromMs = missing.length === 0 ? undefined : (unconfirmedFromMs ?? atMs);
    if (atMs - (unconfirmedFromMs ?? atMs) >= READINGS_LAG_MS) return undefined;
    for (const each of missing) {
      const read = await hedgeIfKnown(each.id, reading);
      if (asExpected && each.formerSize?.eq(read?.data.notional_usd ?? each.formerSize) === true) continue;
      if (read === undefined || !isReadOver(read))
        return about(each, read?.data, { sidePosition: now, atMs });
      over.add(each.id);
    }
    return undefined;
  };
  const isNotOver = ({ id }: { id: string }): boolean => !over.has(id);
  /** A list without any hedge of the side may be stale too: an earlier one is read by its ID. */
  const readUnlisted = async ({ earlier, ...reading }: ReadingOfSide): Promise<Hedge | undefined> => {
    for (const id of [...(earlier?.hedgeIds ?? []), openFromHere(place, reading) ?? []].flat()) {
      const read = over.has(id) ? undefined : await hedgeIfKnown(id, reading);
      if (read?.data.status === 'filled' && !isReadOver(read)) return read.data;
      if (read !== undefined && isReadOver(read)) over.add(id);
    }
    return undefined;
  };
  /** A second reading without the side, where the list of hedges has one of it. */
  const isProven = async (held: readonly Hedge[], { earlier, atMs, ...reading }: ReadingOfSide) => {
    if (held.length === 0 || atMs - (lackedFromMs ?? atMs) >= READINGS_LAG_MS) return true;
    const { ids, isTold } = await knownClosed(held, reading, earlier?.servedMs);
    const mayHaveLanded = stays === undefined && atMs - (earlier?.readAtMs ?? atMs) >= READINGS_LAG_MS;
    return held.every(({ id }) => ids.has(id)) || (!isTold && mayHaveLanded);
  };
  return {
    /** A reading lacked the side, and the next one had it. */
    get disagree(): boolean {
      return disagree;
    },
    /** Undefined: the reading counts. @throws HedgeError of a hedge that could not be read. */
    async whyUnconfirmed(now: SidePosition, reading: ReadingOfSide): Promise<Unconfirmed | undefined> {
      const { isSecond, isLost } = compare(now, reading.atMs);
      const missing = await readMissing(now, reading);
      if (missing !== undefined) return missing;
      const unlisted = lacksSide(now) && now.listed.length === 0 ? await readUnlisted(reading) : undefined;
      const listed = contradicting(now).filter(isNotOver);
      const held = [unlisted ?? [], ...listed.map(({ sent }) => sent ?? [])].flat();
      if (isSecond && (await isProven(held, reading))) return undefined;
      const otherwise = unlisted && `${unquoted(unlisted.id)} is filled`;
      if (held.length > 0) return contradicted(now, otherwise ?? 'the list of hedges does');
      return isLost ? contradicted(now, 'the previous reading did') : undefined;
    },
  };
}

const isReadOver = ({ data: hedge, servedAt = new Date(0) }: ApiResponse<Hedge>): boolean =>
  hasEnded(sideHedge(hedge), servedAt);

function about(
  { id, atMs: knownMs }: UnconfirmedHedge,
  hedge: Hedge | undefined,
  { sidePosition, atMs }: { sidePosition: SidePosition; atMs: number },
): Unconfirmed {
  const place = `${unquoted(sidePosition.market)} ${sidePosition.side}`;
  const missing = lacksSide(sidePosition)
    ? `the positions do not show ${place}`
    : 'the list does not show that';
  const seconds = Math.max(0, Math.round((atMs - knownMs) / 1000)).toString();
  const status = hedge === undefined ? `was open ${seconds} s ago` : `is ${unquoted(hedge.status)}`;
  return {
    message: `${unquoted(id)} ${status}, but ${missing} (readings may lag by ${LAG})`,
    again: false,
    hedge,
  };
}

const LAG = `${(READINGS_LAG_MS / 1000).toString()} s`;

const contradicted = ({ market, side }: SidePosition, otherwise: string): Unconfirmed => ({
  message: `the positions do not show ${unquoted(market)} ${side}, but ${otherwise}`,
  again: true,
  hedge: undefined,
});
