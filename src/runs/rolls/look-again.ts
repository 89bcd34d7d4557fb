/**
 * Looks at leg 2 once more before a roll is called done: the close of leg 1 takes the whole side, and may have come after it.
 * Sends no action.
 */
import { commandOnId, say, shell, step } from '../../domain/hint.ts';
import { exactInstant } from '../../domain/instants.ts';
import { quotedName } from '../../domain/quoted.ts';
import { HedgeError, OutcomeUnknownError, PendingError, without } from '../../errors.ts';
import { isOn } from '../../journal/queries.ts';
import type { RollChain } from '../../journal/roll-chains.ts';
import { poll, READINGS_LAG_MS } from '../../readings/poll.ts';
import { sidePositionOf } from '../../readings/side-position.ts';
import { hasEnded } from '../../readings/unconfirmed-hedges.ts';
import { readAt } from '../../trading/outcome/concurrent-actions.ts';
import { readActions } from '../../trading/outcome/observe.ts';
import { closeOrigin, landsUntil, waitUntilLanded } from '../../trading/outcome/own-close.ts';
import type { ActionReport } from '../../trading/report.ts';
import type { TradingContext } from '../../trading/trading-context.ts';
import { isMatured } from './plan-roll.ts';

/**
 * Undefined while leg 2 is open, once it has run to its maturity, and where a later action found it open.
 * @throws PendingError when the readings fail at the end; the signal's reason; CredentialError when the API key is rejected.
 */
export async function lookAgain(
  chain: RollChain,
  leg: ActionReport | undefined,
  context: TradingContext,
): Promise<OutcomeUnknownError | undefined> {
  const id = leg?.hedge?.id ?? chain.open?.hedgeId;
  if (id === undefined || wasSeenToHold(chain, id, context)) return undefined;
  await waitForLateClose(chain, leg, context);
  const { plan, state } = chain;
  const { api, clock, signal } = context;
  const seen = await poll({
    clock,
    signal,
    withinMs: READINGS_LAG_MS,
    async read(own) {
      const [{ data: hedge, servedAt = new Date(clock.now()) }, { data: positions }, markets] =
        await Promise.all([
          api.hedge(id, { signal: own }),
          api.positions({ signal: own }),
          // Without them another name of a market proves nothing.
          api.markets({ signal: own }).catch(without(HedgeError)),
        ]);
      const { listed, inPositions } = sidePositionOf(plan, {
        positions,
        hedges: [hedge],
        markets: markets?.data.map(({ market }) => market),
        mayBeCut: true,
        servedAt,
      });
      if (listed.some((each) => hasEnded(each, servedAt)))
        // The journal may know that it was closed early.
        return isMatured(hedge, servedAt) && state !== 'dropped' ? 'kept' : 'taken';
      return inPositions === false ? undefined : 'kept';
    },
    // An earlier reading without the side may lag.
    unread(cause) {
      throw notSeen(chain, id, cause);
    },
  });
  return seen === 'kept' ? undefined : notOpen(chain, id, seen);
}

/** A later action read the side with it, once the close of leg 1 could no longer land: what took it since came after the roll. */
function wasSeenToHold(
  { plan, close, open }: RollChain,
  hedgeId: string,
  { journal }: TradingContext,
): boolean {
  if (open?.outcome === undefined) return false;
  const fromMs = Math.max(Date.parse(open.outcome.at), close === undefined ? 0 : landsUntil(close));
  return readActions(journal, (state) => state.since(exactInstant(fromMs))).some(
    (action) =>
      isOn(action, plan) &&
      readAt(action.intent) >= fromMs &&
      action.intent.before.in_positions !== false &&
      action.intent.before.hedges.some((each) => each.hedge_id === hedgeId && each.status === 'filled'),
  );
}

/** Waits if something suggests that another order closed leg 1: this one may still arrive. */
async function waitForLateClose(
  { close, plan }: RollChain,
  leg: ActionReport | undefined,
  context: TradingContext,
): Promise<void> {
  if (close === undefined || landsUntil(close) <= context.clock.now()) return;
  const { api, signal, journal } = context;
  // Its failure must not fail the roll.
  const history = await api.history({ signal }).catch(without(HedgeError));
  const origin = closeOrigin(close, { after: undefined, records: history?.data ?? [] }, journal);
  if (origin === 'other' || (origin === undefined && isFromElsewhere(leg)))
    await waitUntilLanded(plan, landsUntil(close), context);
}

/** Another machine rolled the same hedge, so it closed leg 1 too. */
function isFromElsewhere(leg: ActionReport | undefined): boolean {
  const decidedAt = leg?.plan?.facts.sidePosition.servedAt.getTime() ?? Number.NaN;
  return leg !== undefined && (leg.entry === undefined || Date.parse(leg.hedge?.opened_at ?? '') < decidedAt);
}

const notSeen = (
  { plan: { chain_id: id, market, side } }: RollChain,
  hedgeId: string,
  cause: HedgeError | undefined,
): PendingError =>
  new PendingError({
    what: `PENDING: leg 2 of roll ${id}, hedge ${quotedName(hedgeId)}, was filled, but could not be looked at again${cause === undefined ? '' : `: ${cause.clause}`}.`,
    meaning: `An earlier close may still have taken it: ${market} ${side} is not known to be hedged.`,
    hint: step(shell`hedge roll run ${id}`, 'look at leg 2 again; sends nothing'),
    details: { chain_id: id, hedge_id: hedgeId },
    cause,
  });

/** Leg 2 was opened, and does not hold. `seen`: undefined where the positions lack it. */
export const notOpen = (
  { plan: { chain_id: id, market, side, when } }: RollChain,
  hedgeId: string,
  seen: 'taken' | undefined,
): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what:
      seen === 'taken'
        ? `NOT ROLLED: leg 2 of roll ${id}, hedge ${quotedName(hedgeId)}, was filled and is closed again.`
        : `UNKNOWN: leg 2 of roll ${id}, hedge ${quotedName(hedgeId)}, was filled, but the positions do not show ${market} ${side}.`,
    meaning:
      when === 'maturity'
        ? 'Another order closed it: it hedges nothing.'
        : seen === 'taken'
          ? `${market} ${side} is flat: the close of leg 1, or another order, took it.`
          : `${market} ${side} may be flat: the close of leg 1, or another order, may have taken it.`,
    hint: step(commandOnId(shell`hedge hedges`, hedgeId), say`see it; to hedge again: ${shell`hedge open`}`),
    details: { chain_id: id, hedge_id: hedgeId },
  });
