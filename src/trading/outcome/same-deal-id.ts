/** After an acceptance: whether the service has another hedge under the deal ID. Reads only. */
import { unquoted } from '../../domain/quoted.ts';
import { HedgeError, type OutcomeUnknownError } from '../../errors.ts';
import type { Action } from '../../journal/replay.ts';
import { poll } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { readUnderReference } from '../../readings/read-position.ts';
import { READINGS_LAG_MS } from '../idempotency-window.ts';
import { hedgesUnderDealId } from './change-evidence.ts';

/**
 * A list that shows the action's own hedge shows all that were accepted before. While it does not, it is read again, as
 * long as lists may lag and `withinMs` allows. Undefined also when it cannot be read: the outcome is known without it.
 */
export async function otherUnderDealId(
  { intent: { deal_id: dealId }, hedgeId, provisionalUntil, acceptedAt }: Action,
  context: ReadContext,
  withinMs: number,
): Promise<OutcomeUnknownError | undefined> {
  if (dealId === undefined || hedgeId === undefined || provisionalUntil !== undefined) return undefined;
  const { clock, progress, signal } = context;
  const look = async (within: AbortSignal) => {
    const { hedges } = await readUnderReference({ ...context, signal: within }, dealId);
    const several = hedgesUnderDealId(dealId, hedges, hedgeId);
    return several !== undefined || hedges.some(({ id }) => id === hedgeId) ? { several } : undefined;
  };
  try {
    const seen = await look(signal);
    const lagMs = Date.parse(acceptedAt ?? '') + READINGS_LAG_MS - clock.now();
    if (seen !== undefined || !(Math.min(lagMs, withinMs) > 0)) return seen?.several;
    progress.start(
      `waiting for the list of hedges to show ${unquoted(hedgeId)} (Ctrl-C stops only the waiting)`,
    );
    return (await poll({ clock, signal, withinMs: Math.min(lagMs, withinMs), read: look }))?.several;
  } catch (error) {
    if (error instanceof HedgeError) return undefined;
    throw error;
  } finally {
    progress.stop();
  }
}
