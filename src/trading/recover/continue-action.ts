/**
 * The same idempotency key again: the action that stands under it goes on, or is told as it ended. With
 * another request it is stopped here, before the service has to (specification §7).
 */

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
 * The action that the operator's own key belongs to; undefined also where that was not executed, and can be dealt again
 * under its key. @throws StoppedError when it was another request.
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
    what: `That idempotency key belongs to another request: ${actionInWords(earlier)}, action ${earlier.shortId}.`,
    book: 'Nothing was sent.',
    hint: `See it: hedge journal ${earlier.shortId}. Another request needs another key.`,
    details: { action_id: earlier.id },
  });
}

/**
 * The service keeps nothing of it: it rejected the API key, or nothing was done with a key that may be of another
 * account. The line is dealt as if for the first time.
 */
const isFree = (earlier: Action, identity: TradingContext['identity']): boolean =>
  isKeyRejected(earlier) ||
  (isOfAnotherKey(earlier, { identity }) && !maybeExecuted(earlier) && NOTHING_KEPT.includes(earlier.state));

const NOTHING_KEPT: readonly ActionState[] = ['prepared', 'not_sent', 'refused'];

/** Goes on with an action of the journal as `intent` asks it: waited for, told, or settled by sending it again. */
export async function continueAction(
  earlier: Action,
  intent: ActionIntent,
  dealing: TradingContext,
): Promise<ActionReport> {
  const { timeoutMs, dryRun } = intent.options;
  const wait = intent.options.wait && !dryRun;
  dealing.watch.note(`continuing action ${earlier.shortId}: ${actionInWords(earlier)}`);
  const entry = await waitForOtherSender(earlier, timeoutMs, dealing);
  if (!(await isOfThisAccount(entry, dealing))) throw earlierOfAnotherKey(entry);
  if (!canBeSent(entry)) return completeAction(entry, { wait, timeoutMs }, dealing);
  const { yes } = intent.options;
  return resumeAction(entry, { yes, resend: yes, dryRun, wait, timeoutMs, line: intent }, dealing);
}

/** What is unresolved says so itself; what has an answer is taken for this one only where its hedge is to be seen. */
const isOfThisAccount = async (entry: Action, dealing: TradingContext): Promise<boolean> =>
  !isOfAnotherKey(entry, dealing) ||
  canBeSent(entry) ||
  entry.underway ||
  (await observe(entry, dealing)).evidence.kind !== 'unclear';

/** The action once no running process is sending it, or as it is when the time is up or the operator stops it. */
export async function waitForOtherSender(
  entry: Action,
  timeoutMs: number,
  looking: ReadContext,
): Promise<Action> {
  if (!entry.underway) return entry;
  const { clock, signal, journal, watch } = looking;
  watch.start(`Another process is sending action ${entry.shortId}; waiting for its answer`);
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
    watch.stop();
  }
}
