/**
 * Sends an action again, only if a lookup leaves its outcome unknown: for `resume`, and for a repeated idempotency key.
 * Another request under the key is stopped (specification §7).
 */

import type { TypedIntent } from '../../args/action-intent.ts';
import type { ResumeIntent } from '../../args/action-options.ts';
import { enlarges } from '../../domain/action-table.ts';
import { say, shell } from '../../domain/hint.ts';
import { hasLiveRules } from '../../domain/vocabulary.ts';
import {
  DamagedFileError,
  type HintLine,
  InterruptedError,
  nothingSent,
  OutcomeUnknownError,
  UsageError,
} from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { actionInWords } from '../../journal/describe.ts';
import { findByKey, isKeyRejected } from '../../journal/queries.ts';
import {
  type Action,
  type ActionState,
  isAwaitingOutcome,
  isUnresolved,
  maybeExecuted,
} from '../../journal/replay.ts';
import { actionById } from '../../journal/state.ts';
import { incompleteError } from '../../readings/journal-trouble.ts';
import { poll } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import {
  checkAccount,
  confirmationCommands,
  earlierOfAnotherKey,
  isOfAnotherKey,
  otherKeyInWords,
} from '../account-keys.ts';
import { isSameRequest } from '../action-parts.ts';
import { completeAction } from '../await-completion.ts';
import { checkResending } from '../guards/unattended-policy.ts';
import { keepsItsKey } from '../idempotency-window.ts';
import { isReadingFailure, lookupFailed, type ObservedAction, observeAction } from '../observe-action.ts';
import { observe } from '../outcome/observe.ts';
import { reportOf } from '../report.ts';
import { neverSentError, nothingSentText, stoppedBeforeResendingError } from '../report-errors.ts';
import type { ActionReport, TradingContext } from '../trading-context.ts';
import { requireFound } from './check-action.ts';
import { canBeSent, resend } from './resend.ts';

export interface ResumeOptions extends Omit<ResumeIntent, 'word'> {
  /** The same request typed again with its key. */
  line?: TypedIntent | undefined;
}

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
  if (action.underway) return (await observeAction(action, context)).report;
  if (!canBeSent(action)) return completeAction(action, { wait, timeoutMs }, context);
  if (!isUnresolved(action)) return sendUnsent(action, how, context);
  try {
    return await lookUpOrResend(action, how, context);
  } catch (error) {
    return stillUnresolved(action, error, context);
  } finally {
    context.progress.stop();
  }
}

/** It was never sent, or was rate limited: no lookup is needed, only a new confirmation. */
async function sendUnsent(
  action: Action,
  how: ResumeOptions,
  context: TradingContext,
): Promise<ActionReport> {
  const obstacle = whyNotSent(action, undefined, how, context);
  return obstacle === undefined
    ? resend(action, { ...how, evidence: undefined }, context)
    : reportOf('not_sent', { entry: action, finding: neverSentError(action, obstacle) });
}

async function lookUpOrResend(
  action: Action,
  how: ResumeOptions,
  context: TradingContext,
): Promise<ActionReport> {
  context.progress.start(`Looking up action ${action.shortId}`);
  const looked = await observeAction(action, context);
  const entry = looked.report.entry ?? action;
  if (entry.state === 'accepted') return completeAction(entry, how, context);
  if (!isUnresolved(entry) || isOneOfSeveral(looked)) return looked.report;
  const obstacle = whyNotSent(entry, looked.evidence, how, context);
  if (obstacle !== undefined) return notSentAgain(looked.report, obstacle);
  return resend(entry, { ...how, evidence: looked.evidence }, context);
}

/** Sent again, it might be one more hedge with its reference. */
const isOneOfSeveral = ({ evidence }: ObservedAction): boolean =>
  evidence?.kind === 'other' && evidence.isOneOf !== undefined;

/** A failed or stopped reading leaves the outcome unknown. */
function stillUnresolved(action: Action, error: unknown, { clock }: TradingContext): ActionReport {
  if (error instanceof InterruptedError)
    return reportOf('unknown', { entry: action, finding: stoppedBeforeResendingError(action, error) });
  if (error instanceof DamagedFileError)
    return reportOf('unknown', { entry: action, finding: damagedJournal(action, error) });
  const report = isReadingFailure(error) ? lookupFailed(action, error, clock.now()) : undefined;
  if (report === undefined) throw error;
  return report;
}

/** Nothing was sent now; the earlier outcome is still unknown. */
const damagedJournal = (action: Action, error: DamagedFileError): DamagedFileError =>
  error.with({
    book: nothingSentText(action),
    effect: 'unknown',
    retry: 'after_check',
    details: { action_id: action.id, path: error.path },
  });

/** The named action, or the only open one; unresolved ones come before those in flight. */
function findOpenAction(word: string | undefined, context: TradingContext): Action | undefined {
  const state = context.journal.read();
  if (word !== undefined) return requireFound(state, word, context);
  const here = state.current.filter(({ intent }) => sameIdentity(intent.identity, context.identity));
  const unresolved = here.filter(isUnresolved);
  const open = unresolved.length > 0 ? unresolved : here.filter(isAwaitingOutcome);
  if (open.length === 0 && state.trouble !== undefined) throw incompleteError(state.trouble);
  if (open.length <= 1) return open[0];
  throw new UsageError(
    `${open.length.toString()} actions are open: ${open.map(({ shortId }) => shortId).join(', ')}.`,
    say`Resume one at a time: ${shell`hedge resume ID`}. To look up all of them: ${shell`hedge check`}`,
  );
}

/** Why it is not sent again, and what to do; undefined if it may be. */
function whyNotSent(
  action: Action,
  evidence: ObservedAction['evidence'],
  { yes, resend: again, dryRun, line }: ResumeOptions,
  context: TradingContext,
): readonly HintLine[] | undefined {
  const { intent } = action;
  const { attended, environment, expected } = context;
  if (isOfAnotherKey(action, context))
    return evidence === undefined
      ? [`Not sent now: ${otherKeyInWords(action)}.`, ...confirmationCommands(action)]
      : ['It is not sent again until the account is confirmed.'];
  // A repeated action command has passed the unattended policy itself.
  if (line !== undefined) return undefined;
  const bound = intent.bounds !== undefined || intent.sent_by.includes('--any-price');
  const priceMissing = hasLiveRules(context) && enlarges(intent) && !bound ? [PRICE_TO_CONFIRM] : undefined;
  if (dryRun || again) return attended || dryRun ? undefined : priceMissing;
  const promise = hasLiveRules(context) && expected !== environment ? ['--expect-env', environment] : [];
  if (!attended)
    return priceMissing ?? [say`Not a terminal. To send it again: ${shell`--yes --resend ${promise}`}`];
  if (yes && (evidence?.kind === 'other' || evidence?.kind === 'unclear'))
    return ['The position is unclear. Leave out --yes to confirm, or add --resend.'];
  return undefined;
}

const PRICE_TO_CONFIRM = 'It has no price limit. Resume it at a terminal to confirm the price.';

function notSentAgain(report: ActionReport, obstacle: readonly HintLine[]): ActionReport {
  const { finding } = report;
  if (!(finding instanceof OutcomeUnknownError)) return report;
  return { ...report, finding: finding.with({ hint: [...obstacle, ...(finding.hint ?? [])] }) };
}

/**
 * The earlier action with the operator's key; undefined also if it was not executed and its key can be reused.
 * @throws StoppedError when it was another request.
 */
export function earlierUnderKey(
  intent: TypedIntent,
  { journal, identity, clock }: TradingContext,
): Action | undefined {
  const key = intent.options.idempotencyKey;
  if (key === undefined) return undefined;
  const earlier = findByKey(journal.read().find({ keys: [key] }), identity, key);
  if (earlier === undefined || isFree(earlier, identity)) return undefined;
  if (isSameRequest(intent, earlier)) return keepsItsKey(earlier, clock.now()) ? undefined : earlier;
  throw nothingSent({
    code: 'idempotency_key_reuse',
    what: `This idempotency key belongs to another request: ${actionInWords(earlier)}, action ${earlier.shortId}.`,
    hint: say`To see it: ${shell`hedge journal ${earlier.shortId}`}. A new request needs a new key.`,
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
  intent: TypedIntent,
  context: TradingContext,
): Promise<ActionReport> {
  const found = earlier.state === 'done' ? 'exists     action' : 'continuing action';
  context.progress.note(`${found} ${earlier.shortId}: ${actionInWords(earlier)}`);
  const report = await continued(earlier, intent, context);
  if (!intent.options.dryRun) sayUnlessKept(intent.options.note, earlier, context);
  return report;
}

async function continued(
  earlier: Action,
  intent: TypedIntent,
  context: TradingContext,
): Promise<ActionReport> {
  const { timeoutMs, dryRun, yes } = intent.options;
  const wait = intent.options.wait && !dryRun;
  const entry = await awaitOtherSender(earlier, timeoutMs, context);
  if (!(await isOfThisAccount(entry, context))) throw earlierOfAnotherKey(entry);
  if (!canBeSent(entry)) {
    const report = await completeAction(entry, { wait, timeoutMs }, context);
    return { ...report, existing: entry.state === 'done' || entry.state === 'settled' };
  }
  return resumeAction(entry, { yes, resend: yes, dryRun, wait, timeoutMs, line: intent }, context);
}

/** A note is kept with a sending only. */
function sayUnlessKept(
  note: string | undefined,
  { id, shortId }: Action,
  { journal, progress }: TradingContext,
): void {
  if (note === undefined || isKept(note, id, journal)) return;
  progress.news(`note       not kept: action ${shortId} was recorded before, and was not sent again.`);
}

function isKept(note: string, id: string, journal: TradingContext['journal']): boolean {
  try {
    return journal
      .read()
      .recordsOf(id)
      .some((record) => 'note' in record && record.note === note);
  } catch (error) {
    if (error instanceof DamagedFileError) return false;
    throw error;
  }
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
  const now = (): Action => actionById(journal.read(), entry.id) ?? entry;
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
