/** `wait`: waits for the outcome of an action of this machine, or of any hedge of the account. Sends no action. */

import type { Hedge } from '../../client/schemas.ts';
import { InterruptedError } from '../../errors.ts';
import { machineTimeNote } from '../../journal/describe.ts';
import { type Action, isUnresolved } from '../../journal/replay.ts';
import { findHedges } from '../../readings/filter-records.ts';
import { findActionOfAccount } from '../../readings/find-actions.ts';
import { poll } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { completeAction } from '../await-completion.ts';
import { conclusiveFrom } from '../idempotency-window.ts';
import { isReadingFailure, lookupFailed, observeAction } from '../observe-action.ts';
import { awaitHedge } from '../outcome/await-outcome.ts';
import { hedgesUnderDealId } from '../outcome/change-evidence.ts';
import { canBeRuledOut } from '../outcome/found-hedge.ts';
import { reportOf } from '../report.ts';
import { stoppedWaiting } from '../report-errors.ts';
import type { ActionReport } from '../trading-context.ts';
import { awaitOtherSender } from './resume-action.ts';

/** `word`: an action ID or its beginning, a hedge ID or a deal ID. */
export async function waitFor(
  word: string,
  { timeoutMs }: { timeoutMs: number },
  context: ReadContext,
): Promise<ActionReport> {
  const action = findActionOfAccount(context.journal.read(), word, context.identity);
  if (action === undefined)
    return awaitHedge(await hedgeNamed(word, context), { wait: true, timeoutMs }, context);
  const entry = await awaitOtherSender(action, timeoutMs, context);
  const isWaitedFor = isUnresolved(entry) && canBeRuledOut(entry) && conclusiveFrom(entry) !== undefined;
  return isWaitedFor
    ? untilNothingArrives(entry, timeoutMs, context)
    : completeAction(entry, { wait: true, timeoutMs }, context);
}

/** The wait and the journal use different clocks. */
const A_LITTLE_MS = 1_000;

/** Waits until it is found, or no attempt can still arrive. */
async function untilNothingArrives(
  action: Action,
  timeoutMs: number,
  context: ReadContext,
): Promise<ActionReport> {
  const { clock, signal, progress, timeOfDay } = context;
  const startedAt = clock.now();
  const conclusiveAt = conclusiveFrom(action) ?? startedAt;
  let last: ActionReport | undefined;
  progress.start(
    `waiting until ${timeOfDay(conclusiveAt)}${machineTimeNote(action)}: an earlier attempt may still arrive (Ctrl-C stops only the waiting)`,
  );
  try {
    await poll({
      clock,
      signal,
      withinMs: Math.max(0, Math.min(timeoutMs, conclusiveAt - startedAt + A_LITTLE_MS)),
      async read(own) {
        last = (await observeAction(last?.entry ?? action, { ...context, signal: own })).report;
        return last.outcome === 'unknown' ? undefined : last;
      },
    });
  } catch (error) {
    if (error instanceof InterruptedError)
      return reportOf('unknown', { entry: action, finding: stoppedWaiting(action, error) });
    const report = isReadingFailure(error) ? lookupFailed(action, error, clock.now()) : undefined;
    if (report === undefined) throw error;
    return report;
  } finally {
    progress.stop();
  }
  const entry = last?.entry ?? action;
  if (entry.state !== 'accepted') return last ?? completeAction(entry, { wait: true, timeoutMs }, context);
  const left = Math.max(0, startedAt + timeoutMs - clock.now());
  return completeAction(entry, { wait: true, timeoutMs: left }, context);
}

/** @throws OutcomeUnknownError when several hedges carry the deal ID; the service's rejection when it knows none. */
async function hedgeNamed(word: string, { api }: ReadContext): Promise<Hedge> {
  const { data } = await findHedges(api, word);
  // The service may ignore the filter.
  const named = data.filter(({ id, client_reference: reference }) => id === word || reference === word);
  const several = hedgesUnderDealId(word, named);
  if (several !== undefined) throw several;
  return named.find(({ status }) => status !== 'failed') ?? named[0] ?? (await api.hedge(word)).data;
}
