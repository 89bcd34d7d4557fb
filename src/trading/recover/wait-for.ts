/**
 * `wait`: waits for the end of an action of this machine, or of any hedge of the account. Sends nothing that
 * changes anything.
 */
import type { Hedge } from '../../client/schemas.ts';
import { InterruptedError } from '../../errors.ts';
import { type Action, isUnresolved } from '../../journal/replay.ts';
import { findActionOfAccount } from '../../readings/find-actions.ts';
import { findHedges } from '../../readings/find-hedges.ts';
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
import { waitForOtherSender } from './continue-action.ts';
/** `word`: an action id or its beginning, a hedge id or a deal id. What has ended already is told at once. */
export async function waitFor(
  word: string,
  { timeoutMs }: { timeoutMs: number },
  looking: ReadContext,
): Promise<ActionReport> {
  const action = findActionOfAccount(looking.journal.read().actions, word, looking.identity);
  if (action === undefined)
    return awaitHedge(await hedgeNamed(word, looking), { wait: true, timeoutMs }, looking);
  const entry = await waitForOtherSender(action, timeoutMs, looking);
  const isWaitedFor = isUnresolved(entry) && canBeRuledOut(entry) && conclusiveFrom(entry) !== undefined;
  return isWaitedFor
    ? untilNothingArrives(entry, timeoutMs, looking)
    : completeAction(entry, { wait: true, timeoutMs }, looking);
}

/** The waiting goes by another clock than the journal. */
const A_LITTLE_MS = 1_000;

/** Until it is found, or nothing of it can arrive any more: then the last look settles it. */
async function untilNothingArrives(
  action: Action,
  timeoutMs: number,
  looking: ReadContext,
): Promise<ActionReport> {
  const { clock, signal, watch, timeOfDay } = looking;
  const startedAt = clock.now();
  const toldFrom = conclusiveFrom(action) ?? startedAt;
  let last: ActionReport | undefined;
  watch.start(
    `waiting until ${timeOfDay(toldFrom)}: an earlier attempt may still arrive (Ctrl-C stops only the waiting)`,
  );
  try {
    await poll({
      clock,
      signal,
      withinMs: Math.max(0, Math.min(timeoutMs, toldFrom - startedAt + A_LITTLE_MS)),
      async read(own) {
        last = (await observeAction(last?.entry ?? action, { ...looking, signal: own })).report;
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
    watch.stop();
  }
  const entry = last?.entry ?? action;
  if (entry.state !== 'accepted') return last ?? completeAction(entry, { wait: true, timeoutMs }, looking);
  const left = Math.max(0, startedAt + timeoutMs - clock.now());
  return completeAction(entry, { wait: true, timeoutMs: left }, looking);
}

/** @throws OutcomeUnknownError when several hedges carry the deal id; the service's own refusal when it knows none. */
async function hedgeNamed(word: string, { api }: ReadContext): Promise<Hedge> {
  const { data } = await findHedges(api, word);
  // A service that does not filter has sent them all.
  const named = data.filter(({ id, client_reference: reference }) => id === word || reference === word);
  const several = hedgesUnderDealId(word, named);
  if (several !== undefined) throw several;
  return named.find(({ status }) => status !== 'failed') ?? named[0] ?? (await api.hedge(word)).data;
}
