/** How much of an open was filled at its first reading, and since; and those that lack their rest. */
import { Big } from 'big.js';
import type { Hedge } from '../client/schemas.ts';
import { createsHedge, enlarges } from '../domain/action-table.ts';
import { readDecimal } from '../domain/amounts.ts';
import { isSameSize } from '../domain/exposure.ts';
import { DAY_MS, exactInstant } from '../domain/instants.ts';
import { LONGEST_ID } from '../domain/quoted.ts';
import { sameIdentity } from '../journal/account-identity.ts';
import { additionsSince, heldBefore, reductionsSince } from '../journal/queries.ts';
import { type Action, maybeExecuted } from '../journal/replay.ts';
import { changesKept, partialFillOf } from '../journal/results.ts';
import { READINGS_LAG_MS } from './poll.ts';
import type { ReadContext } from './read-context.ts';
import type { SideHedge } from './side-position.ts';

/**
 * USD filled, judged at the first reading of the fill; undefined for a full fill, or if a reduction of this machine
 * explains it. `actions`: since this one.
 */
export function filledInPart(
  action: Action,
  { status, notional_usd: size }: Hedge,
  actions: () => readonly Action[],
): Big | undefined {
  const { intent, notional: asked, refusal } = action;
  // The hedge is that of the other request under its key, with a size of its own.
  if (refusal?.code === 'idempotency_key_reuse') return undefined;
  const isFilled = status === 'filled' || status === 'closed';
  if (!createsHedge(intent) || asked === undefined || !isFilled) return undefined;
  // A size of zero means closed since, which proves nothing about the fill.
  if (size.lte(0) || size.gte(asked) || isSameSize(size, asked)) return undefined;
  return reductionsSince(actions(), action).length > 0 ? undefined : size;
}

/** Whether it was recorded as filled in part so lately that the rest may still fill. */
export const mayFillMore = (action: Action, nowMs: number): boolean =>
  partialFillOf(action) !== undefined && nowMs - Date.parse(action.outcome?.at ?? '') < READINGS_LAG_MS;

/** Those of the hedges that `mayFillMore`, at less than was asked for. */
export const stillFilling = <Each extends Pick<SideHedge, 'id' | 'notional'>>(
  hedges: readonly Each[],
  { actions, nowMs }: { actions: readonly Action[]; nowMs: number },
): readonly Each[] =>
  hedges.filter(({ id, notional: size }) =>
    actions.some((it) => it.hedgeId === id && mayFillMore(it, nowMs) && it.notional?.gt(size) === true),
  );

/** The hedge at one moment. */
interface Sighting {
  atMs: number;
  size: Big;
}

/**
 * USD filled by now, if that is more than recorded: the largest size in a reading, now or before a later action of this machine, without
 * its own adds and with its own reductions up to then. `actions`: since this one.
 */
export function filledSince(
  action: Action,
  { hedge, nowMs }: { hedge: Hedge | undefined; nowMs: number },
  actions: () => readonly Action[],
): Big | undefined {
  const [part, asked] = [partialFillOf(action), action.notional];
  if (part === undefined || asked === undefined || hedge === undefined) return undefined;
  const adds = additionsSince(actions(), action);
  const reductions = reductionsSince(actions(), action);
  const filledAt = ({ atMs, size }: Sighting): Big => {
    const added = adds
      .filter(({ intent }) => Date.parse(intent.at) < atMs)
      .map((it) => changeOf(it, hedge.id));
    // A reading may be from before a reduction of the last minute.
    const reduced = reductions
      .filter(({ outcome }) => Date.parse(outcome?.at ?? '') + READINGS_LAG_MS <= atMs)
      // A closed hedge may be listed at its size before the close.
      .filter((it) => size.eq(0) || !closedBy(it, hedge.id))
      .map((it) => changeOf(it, hedge.id));
    return [...added, ...reduced].reduce((left, change) => left.minus(change), size);
  };
  const isShown = hedge.status === 'filled' || hedge.status === 'closed';
  const seen = [
    ...(isShown ? [{ atMs: nowMs, size: hedge.notional_usd }] : []),
    ...[...adds, ...reductions].flatMap(({ intent }) => sightingIn(intent, hedge.id)),
  ];
  const filled = seen.map(filledAt).reduce((most, each) => (each.gt(most) ? each : most), part);
  if (filled.eq(part)) return undefined;
  return filled.gt(asked) || isSameSize(filled, asked) ? asked : filled;
}

function sightingIn(intent: Action['intent'], id: string): readonly Sighting[] {
  const size = readDecimal(heldBefore(intent).find((it) => it.hedge_id === id)?.notional_usd);
  return size === undefined ? [] : [{ atMs: Date.parse(intent.at), size }];
}

const closedBy = (action: Action, id: string): boolean =>
  changesKept(action)?.some((change) => change.id === id && change.after.eq(0)) === true;

/** Signed USD by which it changed the hedge, as far as known; an add of which that is not known may be all on this one. */
function changeOf(action: Action, id: string): Big {
  const kept = changesKept(action);
  const own = kept?.find((change) => change.id === id);
  if (own !== undefined) return own.after.minus(own.before);
  return new Big(kept === undefined && enlarges(action.intent) ? (action.notional ?? 0) : 0);
}

/** Its own, so that it is opened once: `PAY-1-rest`. A very long one is cut. */
export const dealIdOfRest = (dealId: string): string =>
  `${Array.from(dealId)
    .slice(0, LONGEST_ID - REST.length)
    .join('')}${REST}`;

const REST = '-rest';

/** Opens of the last day that were filled in part, whose rest was not opened nor their side reduced since. */
export function lackingTheirRest({
  journal,
  clock,
  identity,
}: Pick<ReadContext, 'journal' | 'clock' | 'identity'>): readonly Action[] {
  const state = journal.read();
  const isRestOpen = ({ intent: { deal_id: dealId }, shortId }: Action): boolean =>
    state
      .find({ dealIds: [dealIdOfRest(dealId ?? shortId)] })
      .some((it) => maybeExecuted(it) && sameIdentity(it.intent.identity, identity));
  return state
    .since(exactInstant(clock.now() - DAY_MS))
    .filter(({ intent }) => sameIdentity(intent.identity, identity))
    .filter((each) => partialFillOf(each) !== undefined && !isRestOpen(each))
    .filter((each) => reductionsSince(state.since(each.intent.at), each).length === 0);
}
