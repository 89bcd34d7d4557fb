/** Continues the action of a repeated idempotency key, or reports its outcome. Another request under it is stopped (specification §7). */

import type { ActionIntent } from '../../args/action-intent.ts';
import { InterruptedError, StoppedError } from '../../errors.ts';
import { actionInWords } from '../../journal/describe.ts';
import { findByKey, isKeyRejected } from '../../journal/queries.ts';
import { type Action, type ActionState, maybeExecuted } from '../../journal/replay.ts';
import { poll } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { earlierOfAnotherKey, isOfAnotherKey } from '../account-keys.ts';
import { isSameRequest } from '../action-parts.ts';
import { completeAction } from '../await-completion.ts';
import { keepsItsKey } from '../idempotency-window.ts';
import { observe } from '../outcome/observe.ts';
import type { ActionReport, TradingContext } from '../trading-context.ts';
import { canBeSent } from './resend.ts';
import { resumeAction } from './resume-action.ts';
/**
 * The earlier action with the operator's key; undefined also if it was not executed and its key can be reused.
 * @throws StoppedError when it was another request.
 */
export function earlierUnderKey(
  intent: ActionIntent,
  { journal, identity, clock }: TradingContext,
): Action | undefined {
  const key = intent.options.idempotencyKey;
  if (key === undefined) return undefined;
  const earlier = findByKey(journal.read().actions, identity, key);
  if (earlier === undefined || isFree(earlier, identity)) return undefined;
  if (isSameRequest(intent, earlier)) return keepsItsKey(earlier, clock.now()) ? undefined : earlier;
  throw new StoppedError({
    code: 'idempotency_key_reuse',
    what: `This idempotency key belongs to another request: ${actionInWords(earlier)}, action ${earlier.shortId}.`,
    book: 'Nothing was sent.',
    hint: `To see it: hedge journal ${earlier.shortId}. A new request needs a new key.`,
    details: { action_id: earlier.id },
  });
}

/** The service keeps no record of it: it rejected the API key, or nothing was done under a key of a possibly other account. */
const isFree = (earlier: Action, identity: TradingContext['identity']): boolean =>
  isKeyRejected(earlier) ||
  (isOfAnotherKey(earlier, { identity }) && !maybeExecuted(earlier) && NOTHING_KEPT.includes(earlier.state));

const NOTHING_KEPT: readonly ActionState[] = ['prepared', 'not_sent', 'refused'];

/** Continues a journaled action as `intent` requests: waits, reports, or sends it again. */
export async function continueAction(
  earlier: Action,
  intent: ActionIntent,
  context: TradingContext,
): Promise<ActionReport> {
  const { timeoutMs, dryRun } = intent.options;
  const wait = intent.options.wait && !dryRun;
  context.progress.note(`continuing action ${earlier.shortId}: ${actionInWords(earlier)}`);
  const entry = await awaitOtherSender(earlier, timeoutMs, context);
  if (!(await isOfThisAccount(entry, context))) throw earlierOfAnotherKey(entry);
  if (!canBeSent(entry)) return completeAction(entry, { wait, timeoutMs }, context);
  const { yes } = intent.options;
  return resumeAction(entry, { yes, resend: yes, dryRun, wait, timeoutMs, line: intent }, context);
}

/** A confirmed action of another key counts as this account's only if its hedge is visible. */
const isOfThisAccount = async (entry: Action, context: TradingContext): Promise<boolean> =>
  !isOfAnotherKey(entry, context) ||
  canBeSent(entry) ||
  entry.underway ||
  (await observe(entry, context)).evidence.kind !== 'unclear';

/** Waits while another process is sending the action, until the timeout or a signal. */
export async function awaitOtherSender(
  entry: Action,
  timeoutMs: number,
  context: ReadContext,
): Promise<Action> {
  if (!entry.underway) return entry;
  const { clock, signal, journal, progress } = context;
  progress.start(`Another process is sending action ${entry.shortId}; waiting for the response`);
  const now = (): Action => journal.read().actions.find(({ id }) => id === entry.id) ?? entry;
  try {
    const ended = await poll({
      clock,
      signal,
      withinMs: timeoutMs,
      read: async () => {
        const seen = now();
        return seen.underway ? undefined : seen;
      },
    });
    return ended ?? now();
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    return now();
  } finally {
    progress.stop();
  }
}
