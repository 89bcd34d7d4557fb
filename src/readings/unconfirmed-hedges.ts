/**
 * Hedges that this machine's journal, or an earlier reading, knows and that a reading does not show as they are: for a minute after
 * a change it may come from a stale replica.
 */
import type { Big } from 'big.js';
import { unquoted } from '../domain/quoted.ts';
import { isSameName, isSameSide } from '../domain/vocabulary.ts';
import { DamagedFileError, unless } from '../errors.ts';
import { sameIdentity } from '../journal/account-identity.ts';
import { type AccountSide, changedOn, enlargedOn, isOn } from '../journal/queries.ts';
import type { Action } from '../journal/replay.ts';
import { changesKept } from '../journal/results.ts';
import { stillFilling } from './partial-fills.ts';
import { READINGS_LAG_MS } from './poll.ts';
import type { ReadContext } from './read-context.ts';
import {
  everySide,
  hasMatured,
  type NotShown,
  OVER_STATUSES,
  PENDING_STATUSES,
  type PositionFacts,
  type SideHedge,
  type SidePosition,
  sidePositionOf,
} from './side-position.ts';

/** An earlier reading, or the state before an action, with these hedges on the side. */
export interface EarlierReading {
  hedgeIds: readonly string[];
  readAtMs: number;
  /** By the service's clock. */
  servedMs?: number | undefined;
}

/** Facts that a reading is compared with. */
export interface KnownFacts {
  place: AccountSide;
  actions: readonly Action[];
  earlier: EarlierReading | undefined;
  /** Start of the reading on this machine's clock. */
  nowMs: number;
}

/** A hedge missing from a reading that may still exist. */
export interface UnconfirmedHedge {
  id: string;
  /** When it was last known to be filled, increased or listed: the reading may be older. */
  atMs: number;
  /** Open in the reading, at this size from before a change of this machine. */
  formerSize?: Big | undefined;
}

/**
 * Hedges that must be known to be over before the reading counts, the latest first. Within the lag: those that this
 * machine filled or increased but that are missing or listed as in flight; those listed as filled while the side is
 * missing; those of an earlier reading that are not listed; and those listed at a size before a change of this machine.
 */
export function unconfirmedHedges(now: SidePosition, known: KnownFacts): readonly UnconfirmedHedge[] {
  const { place, actions, earlier, nowMs } = known;
  const isListed = ({ id, seen }: { id: string; seen: boolean }): boolean =>
    now.listed.some((hedge) => hedge.id === id && !(seen && PENDING_STATUSES.includes(hedge.status)));
  const enlarged = enlargedOn(actions, place);
  const dated = now.listed.map((hedge) => ({ id: hedge.id, atMs: nowMs - ageOf(hedge, now.servedAt) }));
  const shown = (earlier?.hedgeIds ?? []).map((id) => ({ id, atMs: earlier?.readAtMs ?? 0, seen: true }));
  const missing = [...enlarged, ...shown].filter((each) => !isListed(each));
  const all: readonly UnconfirmedHedge[] = [
    ...(lacksSide(now) ? [...enlarged, ...dated] : []),
    ...missing,
    ...atFormerSize(now, known),
  ];
  return all
    .filter(({ id, atMs }) => nowMs - atMs < READINGS_LAG_MS && !isListedOver(id, now))
    .toSorted((one, other) => other.atMs - one.atMs)
    .filter(({ id }, index, each) => each.findIndex((it) => it.id === id) === index);
}

/**
 * Hedges that this machine filled, changed or closed in the last minute, and that a reading shows as they were before; those that it
 * filled in part; and those listed as filled just now on a side without a position. `atMs`: when the reading began.
 */
export function notShownYet(
  facts: PositionFacts,
  { journal, identity, atMs }: Pick<ReadContext, 'journal' | 'identity'> & { atMs: number },
): readonly NotShown[] {
  const recent = (unless(DamagedFileError, () => journal.read().current) ?? []).filter(
    ({ intent, outcome }) =>
      sameIdentity(intent.identity, identity) && atMs - Date.parse(outcome?.at ?? '') < READINGS_LAG_MS,
  );
  const places = [...recent.map(({ intent }) => intent), ...everySide(facts)].filter(
    (place, index, all) => all.findIndex((each) => isSameSide(each, place)) === index,
  );
  return places.flatMap(({ market, side }) => {
    const now = sidePositionOf({ market, side }, facts);
    const place = { identity, market, side };
    const actions = recent.filter((action) => isOn(action, place));
    const closed = new Set(
      actions.flatMap((it) => (changesKept(it) ?? []).flatMap(({ id, after }) => (after.eq(0) ? id : []))),
    );
    const isOpen = (id: string): boolean => now.open.some((hedge) => hedge.id === id);
    const unconfirmed = unconfirmedHedges(now, { place, actions, earlier: undefined, nowMs: atMs });
    return [
      ...[...closed].filter(isOpen).map((id) => ({ id, why: 'was closed just now, but is still listed' })),
      ...unconfirmed
        .filter(({ id }) => !closed.has(id))
        .map(({ id, formerSize }) => ({ id, why: whyNotShown(id, now, formerSize) })),
      ...stillFilling(now.open, { actions, nowMs: atMs })
        .filter(({ id }) => !closed.has(id) && !unconfirmed.some((each) => each.id === id))
        .map(({ id }) => ({ id, why: IN_PART, isInPart: true as const })),
    ].map((each) => ({ ...each, market }));
  });
}

const IN_PART = 'was filled in part just now, and the rest may still fill';

/** Those of one market. */
export const notShownOn = ({ notShown = [] }: PositionFacts, market: string): readonly NotShown[] =>
  notShown.filter((each) => isSameName(each.market, market));

function whyNotShown(id: string, { listed }: SidePosition, formerSize: Big | undefined): string {
  if (formerSize !== undefined) return 'was changed just now, but is listed at its earlier size';
  const status = listed.find((hedge) => hedge.id === id)?.status;
  if (status === undefined) return 'has filled, but is not in the list yet';
  return status === 'filled'
    ? 'has filled, but its side is not in the positions'
    : `has filled, but is listed as ${unquoted(status)}`;
}

/** Hedges listed at the size before the last change of this machine. */
function atFormerSize(now: SidePosition, { place, actions, nowMs }: KnownFacts): readonly UnconfirmedHedge[] {
  const changes = changedOn(actions, place)
    .filter(({ outcome }) => nowMs - Date.parse(outcome?.at ?? '') < READINGS_LAG_MS)
    .flatMap((it) => (changesKept(it) ?? []).map((change) => ({ ...change, at: it.outcome?.at ?? '' })))
    .filter(({ before, after }) => !before.eq(after) && after.gt(0));
  return now.listed.flatMap(({ id, notional }) => {
    const own = changes.filter((change) => change.id === id);
    const last = own.at(-1);
    const isFormer = own.some(({ before }) => before.eq(notional)) && last?.after.eq(notional) === false;
    const formerSize = now.open.find((hedge) => hedge.id === id)?.notional;
    return isFormer ? [{ id, atMs: Date.parse(last.at), formerSize }] : [];
  });
}

/**
 * Filled hedges that the list has of a side that the positions lack: one of the two is stale, or a close left them `filled`
 * (the specification does not show the status).
 */
export const contradicting = (now: SidePosition): readonly SideHedge[] =>
  lacksSide(now) ? now.listed.filter(({ id, status }) => status === 'filled' && !isListedOver(id, now)) : [];

export const lacksSide = ({ inPositions }: SidePosition): boolean => inPositions === false;

/** These states are final, so they are never stale. */
export const hasEnded = (hedge: Pick<SideHedge, 'status' | 'maturityAt'>, servedAt: Date): boolean =>
  OVER_STATUSES.includes(hedge.status) || hasMatured(hedge, servedAt);

const isListedOver = (id: string, { listed, servedAt }: SidePosition): boolean =>
  listed.some((hedge) => hedge.id === id && hasEnded(hedge, servedAt));

/** Filled so lately that a reading of the positions may lack it. */
export const mayBeMissing = (hedge: SideHedge, servedAt: Date): boolean =>
  ageOf(hedge, servedAt) < READINGS_LAG_MS && !hasMatured(hedge, servedAt);

/** Time since the fill on the service's clock; infinite if that is before the fill. */
function ageOf({ filledAt, status }: SideHedge, servedAt: Date): number {
  if (filledAt === undefined || status !== 'filled') return Number.POSITIVE_INFINITY;
  const age = servedAt.getTime() - Date.parse(filledAt);
  return age > -READINGS_LAG_MS ? Math.max(0, age) : Number.POSITIVE_INFINITY;
}
