/**
 * Sends an action again, only if a lookup leaves its outcome unknown: for `resume`, and for a repeated idempotency key.
 * Another request under the key is stopped (specification §7).
 */

import type { ResumeIntent } from '../../args/action-options.ts';
import type { TypedIntent } from '../../domain/action-intent.ts';
import { say, shell } from '../../domain/hint.ts';
import { DamagedFileError, InterruptedError, UsageError, unless } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { actionInWords } from '../../journal/describe.ts';
import { type Action, isUnanswered, isUnfinished, wasNeverSent } from '../../journal/replay.ts';
import { requireFound } from '../../readings/find-actions.ts';
import { incompleteError } from '../../readings/journal-trouble.ts';
import { isOver } from '../../readings/read-position.ts';
import { checkAccount, earlierOfAnotherKey, isOfAnotherKey } from '../account-keys.ts';
import { awaitSender } from '../follow/await-end.ts';
import { follow } from '../follow/follow.ts';
import type { Known } from '../follow/known.ts';
import { reportWithoutLookup } from '../follow/lookups.ts';
import { checkResending } from '../guards/unattended-policy.ts';
import { observe } from '../outcome/observe.ts';
import { type ActionReport, reportOf } from '../report.ts';
import { stoppedBeforeResendingError } from '../report-errors.ts';
import type { TradingContext } from '../trading-context.ts';
import { type ResumeOptions, sendAgain } from './resend.ts';

/**
 * Undefined: nothing is open under this profile.
 * @throws UsageError for a missing or unknown operand, or a flag missing without a terminal;
 * DamagedFileError when nothing is open in a journal that may lack records.
 */
export async function resumeOpenAction(
  { word, ...how }: ResumeIntent,
  context: TradingContext,
): Promise<ActionReport | undefined> {
  checkResending(how, context);
  checkAccount(context);
  const action = findOpenAction(word, context);
  return action === undefined ? undefined : resumeAction(action, how, context);
}

/** For `resume` and for a repeated command. */
export async function resumeAction(
  action: Action,
  how: ResumeOptions,
  context: TradingContext,
): Promise<ActionReport> {
  const { wait, timeoutMs } = how;
  if (isUnanswered(action)) context.progress.start(`Looking up action ${action.shortId}`);
  try {
    const again = (now: Known) => sendAgain(now, how, context);
    return await follow(action, { asks: 'resume', wait, timeoutMs, again }, context);
  } catch (error) {
    if (!isUnanswered(action)) throw error;
    return stillUnresolved(action, error, context);
  } finally {
    context.progress.stop();
  }
}

/** A failed or stopped reading leaves the outcome unknown. */
function stillUnresolved(action: Action, error: unknown, context: TradingContext): ActionReport {
  if (error instanceof InterruptedError)
    return reportOf('unknown', { entry: action, finding: stoppedBeforeResendingError(action, error) });
  if (error instanceof DamagedFileError) {
    const details = { action_id: action.id, path: error.path };
    const finding = stoppedBeforeResendingError(action, error, { details });
    return reportOf('unknown', { entry: action, finding });
  }
  return reportWithoutLookup(action, error, context);
}

/** The named action, or the only open one; unresolved ones come before those in flight. */
function findOpenAction(word: string | undefined, context: TradingContext): Action | undefined {
  const state = context.journal.read();
  if (word !== undefined) return requireFound(state, word, context.identity);
  const here = state.current.filter(({ intent }) => sameIdentity(intent.identity, context.identity));
  const unanswered = here.filter(isUnanswered);
  const open = unanswered.length > 0 ? unanswered : here.filter(isUnfinished);
  if (open.length === 0 && state.trouble !== undefined) throw incompleteError(state.trouble);
  if (open.length <= 1) return open[0];
  throw new UsageError(
    `${open.length.toString()} actions are open: ${open.map(({ shortId }) => shortId).join(', ')}.`,
    say`Resume one at a time: ${shell`hedge resume ID`}. To look up all of them: ${shell`hedge check`}`,
  );
}

/** Continues a journaled action as `intent` requests: waits, reports, or sends it again. */
export async function continueAction(
  earlier: Action,
  intent: TypedIntent,
  context: TradingContext,
): Promise<ActionReport> {
  const { timeoutMs, dryRun, yes, note } = intent.options;
  const found = earlier.state === 'done' ? 'exists     action' : 'continuing action';
  context.progress.note(`${found} ${earlier.shortId}: ${actionInWords(earlier)}`);
  const wait = intent.options.wait && !dryRun;
  const entry = await awaitSender(earlier, timeoutMs, context);
  if (!(await isOfThisAccount(entry, context))) throw earlierOfAnotherKey(entry);
  const how = { yes, resend: yes, dryRun, wait, timeoutMs, line: intent };
  const report = await resumeAction(entry, how, context);
  if (!dryRun) sayUnlessKept(note, earlier, context);
  const existing = entry.state === 'done' || entry.state === 'settled';
  return { ...report, existing, isOver: await isOverNow(report, context) };
}

export const isOverNow = async ({ hedge, servedAt }: ActionReport, context: TradingContext) =>
  hedge !== undefined && isOver(hedge, context, servedAt ?? new Date(context.clock.now()));

/** A note is kept with a sending only. */
function sayUnlessKept(
  note: string | undefined,
  { id, shortId }: Action,
  { journal, progress }: TradingContext,
): void {
  if (note === undefined) return;
  const records = unless(DamagedFileError, () => journal.read().recordsOf(id)) ?? [];
  if (!records.some((record) => 'note' in record && record.note === note))
    progress.news(`note       not kept: action ${shortId} was recorded before, and was not sent again.`);
}

/** A confirmed action of another key counts as this account's only if its hedge is visible. */
const isOfThisAccount = async (entry: Action, context: TradingContext): Promise<boolean> =>
  !isOfAnotherKey(entry, context) ||
  entry.underway ||
  isUnanswered(entry) ||
  wasNeverSent(entry) ||
  (await observe(entry, context)).evidence.kind !== 'unclear';
