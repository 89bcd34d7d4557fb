/**
 * Hedges that this journal, or a record of the history, shows closed; and the one that the journal shows open. What an early close does
 * to the status of a hedge is not specified (§3): it may stay `filled`.
 */
import type { Hedge } from '../client/schemas.ts';
import { createsHedge } from '../domain/action-table.ts';
import { DAY_MS } from '../domain/instants.ts';
import { DamagedFileError, HedgeError, unless, without } from '../errors.ts';
import { sameIdentity } from '../journal/account-identity.ts';
import { type AccountSide, heldBefore, isOn, openHedgesFrom } from '../journal/queries.ts';
import type { IntentRecord } from '../journal/records.ts';
import type { Action } from '../journal/replay.ts';
import { changesKept } from '../journal/results.ts';
import { closedHedgeId, closedInstant } from './closed-record.ts';
import { READINGS_LAG_MS } from './poll.ts';
import type { ReadContext } from './read-context.ts';
import {
  everySide,
  hasMatured,
  isExplained,
  type PositionFacts,
  type SideHedge,
  type SidePosition,
} from './side-position.ts';

interface OwnJournal extends Pick<ReadContext, 'identity'> {
  journal: Pick<ReadContext['journal'], 'read'>;
  clock: Pick<ReadContext['clock'], 'now'>;
}

type Listed = Pick<Hedge, 'id' | 'opened_at'>;

/**
 * IDs of hedges that were open when an action of this machine closed them. The journal is read back to where each of `hedges` was
 * opened, or a month where one was opened elsewhere. `isSeen`: by the position, not by a person's record alone.
 */
export function closedFromHere(
  hedges: readonly Listed[],
  { journal, clock, identity }: OwnJournal,
  { isSeen = false }: { isSeen?: boolean } = {},
): ReadonlySet<string> {
  if (hedges.length === 0) return new Set();
  const opened = hedges.flatMap(({ opened_at: at }) => (at ? [Date.parse(at)] : []));
  const from = openHedgesFrom(Math.min(clock.now(), ...opened));
  const notMet = new Set(hedges.map(({ id }) => id));
  const own: Action[] = [];
  for (const action of unless(DamagedFileError, () => journal.read())?.newest({ from }) ?? []) {
    if (!sameIdentity(action.intent.identity, identity)) continue;
    own.push(action);
    // Nothing closed it before it was opened.
    if (notMet.delete(action.hedgeId ?? '') && notMet.size === 0) break;
  }
  const closedMs = new Map<string, number>();
  for (const action of own.toReversed()) {
    for (const id of disproved(action, closedMs)) closedMs.delete(id);
    if (isSeen && action.outcome === undefined) continue;
    for (const { id, after } of changesKept(action) ?? [])
      if (after.eq(0)) closedMs.set(id, Date.parse(action.outcome?.at ?? action.changedAt));
  }
  return new Set(closedMs.keys());
}

/** The side had a position when a later action was decided, and no other hedge made it: then it had not been closed. */
function disproved({ intent }: Action, closedMs: ReadonlyMap<string, number>): readonly string[] {
  const { in_positions: isThere, read_at: readAt } = intent.before;
  const held = isThere === true ? heldBefore(intent).map(({ hedge_id: id }) => id) : [];
  const isLater = (id: string): boolean =>
    Date.parse(readAt ?? intent.at) - (closedMs.get(id) ?? Number.POSITIVE_INFINITY) > READINGS_LAG_MS;
  return held.every(isLater) ? held : [];
}

/** The newest hedge opened on the side that was seen filled, unless it has matured or the side was seen closed since. */
export function openFromHere(place: AccountSide, { journal, clock }: OwnJournal): string | undefined {
  const from = openHedgesFrom(clock.now());
  for (const action of unless(DamagedFileError, () => journal.read())?.newest({ from }) ?? []) {
    const { intent, outcome, hedgeId } = action;
    if (!isOn(action, place)) continue;
    if (createsHedge(intent) && outcome?.kind === 'filled') {
      const matures = Date.parse(outcome.at) + (intent.tenor_days ?? 0) * DAY_MS;
      return matures > clock.now() ? hedgeId : undefined;
    }
    if (!createsHedge(intent) && outcome?.kind === 'closed') return undefined;
  }
  return undefined;
}

/**
 * Those of `hedges` that this machine saw closed, or that have a record in the history. `openMs`: when they were known to be open, by the
 * service's clock: an earlier record is of a part that was closed. `isTold`: the history could be read, and names hedges: one that it
 * lacks was not closed.
 */
export async function knownClosed(
  hedges: readonly Listed[],
  reading: OwnJournal & Pick<ReadContext, 'api' | 'signal'>,
  openMs = Number.NEGATIVE_INFINITY,
) {
  const here = closedFromHere(hedges, reading, { isSeen: true });
  if (hedges.every(({ id }) => here.has(id))) return { ids: here, isTold: true };
  const history = await reading.api.history({ signal: reading.signal }).catch(without(HedgeError));
  const records = history?.data ?? [];
  const recorded = records
    .filter((record) => !((closedInstant(record) ?? Number.POSITIVE_INFINITY) < openMs))
    .flatMap((record) => closedHedgeId(record) ?? []);
  const isTold = history !== undefined && records.every((record) => closedHedgeId(record) !== undefined);
  return { ids: new Set([...here, ...recorded]), isTold };
}

/**
 * On a side whose position does not state the size of its hedges, those that an action of this machine closed count as closed, while
 * another one is open there: it makes the position.
 */
export function withoutClosedHere(facts: PositionFacts, own: Partial<OwnJournal>): PositionFacts {
  const { journal, clock, identity } = own;
  const doubtful = everySide(facts).filter((side) => side.open.length > 1 && !isExplained(side));
  if (doubtful.length === 0 || journal === undefined || clock === undefined || identity === undefined)
    return facts;
  const listed = doubtful.flatMap((side) => side.open.map(({ id }) => ({ id })));
  const closed = closedFromHere(listed, { journal, clock, identity }, { isSeen: true });
  const over = new Set(
    doubtful
      .filter(({ open }) => open.some(({ id }) => !closed.has(id)))
      .flatMap(({ open }) => open.flatMap(({ id }) => (closed.has(id) ? [id] : []))),
  );
  return over.size === 0
    ? facts
    : {
        ...facts,
        hedges: facts.hedges.map((hedge) => (over.has(hedge.id) ? { ...hedge, status: 'closed' } : hedge)),
      };
}

/** Hedges of a side that are listed as closed before their maturity. */
export const closedEarly = ({ listed, servedAt }: SidePosition): readonly SideHedge[] =>
  listed.filter((each) => each.status === 'closed' && each.notional.gt(0) && !hasMatured(each, servedAt));

/** Hedges that were opened since a reading, and are closed. */
export const takenAlong = (
  { hedges, service_at: decidedAt }: IntentRecord['before'],
  now: SidePosition,
): readonly SideHedge[] =>
  closedEarly(now).filter(
    ({ id, filledAt = '' }) =>
      !hedges.some(({ hedge_id }) => hedge_id === id) && Date.parse(filledAt) > Date.parse(decidedAt ?? ''),
  );
