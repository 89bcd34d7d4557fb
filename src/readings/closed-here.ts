/** Hedges that this journal shows closed. What an early close does to the status of a hedge is not specified (§3): it may stay `filled`. */
import type { Hedge } from '../client/schemas.ts';
import { DamagedFileError, unless } from '../errors.ts';
import { sameIdentity } from '../journal/account-identity.ts';
import { changesKept, openHedgesFrom } from '../journal/queries.ts';
import type { ReadContext } from './read-context.ts';
import { everySide, isExplained, isRunningHedge, type PositionFacts } from './side-position.ts';

interface OwnJournal extends Pick<ReadContext, 'identity'> {
  journal: Pick<ReadContext['journal'], 'read'>;
  clock: Pick<ReadContext['clock'], 'now'>;
}

/**
 * IDs of hedges that were open when an action of this machine closed them. The journal is read back to where each of `hedges` was
 * opened, or a month where one was opened elsewhere. `isSeen`: by the position, not by a person's record alone.
 */
export function closedFromHere(
  hedges: readonly Pick<Hedge, 'id' | 'opened_at'>[],
  { journal, clock, identity }: OwnJournal,
  { isSeen = false }: { isSeen?: boolean } = {},
): ReadonlySet<string> {
  const opened = hedges.flatMap(({ opened_at: at }) => (at ? [Date.parse(at)] : []));
  const from = openHedgesFrom(Math.min(clock.now(), ...opened));
  const ids = new Set<string>();
  const notMet = new Set(hedges.map(({ id }) => id));
  for (const action of unless(DamagedFileError, () => journal.read())?.newest({ from }) ?? []) {
    if (!sameIdentity(action.intent.identity, identity)) continue;
    if (!(isSeen && action.outcome === undefined))
      for (const { id, after } of changesKept(action) ?? []) if (after.eq(0)) ids.add(id);
    // Nothing closed it before it was opened.
    if (notMet.delete(action.hedgeId ?? '') && notMet.size === 0) break;
  }
  return ids;
}

/** Whether it has closed or matured, also where the service keeps it as filled. */
export const isOver = (hedge: Hedge, own: OwnJournal, servedAt: Date): boolean =>
  !isRunningHedge(hedge, servedAt) || closedFromHere([hedge], own).has(hedge.id);

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
