/**
 * Whether a reading that lacks a side, or a hedge of it, proves that it is gone. A reading may come from a replica
 * that is behind, and then lacks what was filled since. Pure; confirm-absence.ts reads the hedges that are in doubt.
 */
import type { Action } from '../../journal/fold.ts';
import { changedOn, type Dealt, enlargedOn, type SidePlace } from '../../journal/ledger.ts';
import type { IntentRecord } from '../../journal/record.ts';
import { READINGS_LAG_MS } from '../late-arrival.ts';
import { COMING, hasMatured, type SideBook, type SideHedge } from '../plan/plan-side.ts';
import { holdsSide } from './hedge-fates.ts';
import { readAt } from './our-others.ts';
import { changesKept } from './outcome-facts.ts';

/** A reading, or a before-state, that had these hedges on the side. */
export interface EarlierReading {
  hedgeIds: readonly string[];
  readAtMs: number;
}

/** What a reading is judged by. */
export interface Known {
  place: SidePlace;
  actions: readonly Action[];
  earlier: EarlierReading | undefined;
  /** When the reading began, by this machine's clock. */
  nowMs: number;
}

/** A hedge that a reading lacks, directly or by lacking its side, and that may be there all the same. */
export interface DoubtedHedge {
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
export function doubtedHedges(now: SideBook, known: Known): readonly DoubtedHedge[] {
  const { place, actions, earlier, nowMs } = known;
  const isListed = ({ id, seen }: { id: string; seen: boolean }): boolean =>
    now.listed.some((hedge) => hedge.id === id && !(seen && COMING.includes(hedge.status)));
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
function atFormerSize(now: SideBook, { place, actions, nowMs }: Known): readonly Dealt[] {
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
export const isOver = (hedge: Pick<SideHedge, 'status' | 'maturityAt'>, servedAt: Date): boolean =>
  OVER.includes(hedge.status) || hasMatured(hedge, servedAt);

const isListedOver = (id: string, { listed, servedAt }: SideBook): boolean =>
  listed.some((hedge) => hedge.id === id && isOver(hedge, servedAt));

/** Since it filled, by the service's own clock; one that stands before the fill tells no ages. */
function ageOf({ filledAt, status }: SideHedge, servedAt: Date): number {
  if (filledAt === undefined || status !== 'filled') return Number.POSITIVE_INFINITY;
  const age = servedAt.getTime() - Date.parse(filledAt);
  return age > -READINGS_LAG_MS ? Math.max(0, age) : Number.POSITIVE_INFINITY;
}
