/** `resume`: looks up an action as `check` does, and sends it again only if its outcome stays unknown. */

import type { ActionIntent } from '../../args/action-intent.ts';
import type { ResumeIntent } from '../../args/follow-up-options.ts';
import { enlarges } from '../../domain/action-table.ts';
import { DamagedFileError, InterruptedError, OutcomeUnknownError, UsageError } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../../journal/replay.ts';
import { damageError, damageOf } from '../../readings/read-journal.ts';
import { checkAccount, confirmationCommands, isOfAnotherKey, otherKeyInWords } from '../account-keys.ts';
import { completeAction } from '../await-completion.ts';
import { commandLines } from '../command-lines.ts';
import { checkResending } from '../guards/unattended-policy.ts';
import { isReadingFailure, lookupFailed, type ObservedAction, observeAction } from '../observe-action.ts';
import { reportOf } from '../report.ts';
import { neverSentError, nothingSentText, stoppedBeforeResendingError } from '../report-errors.ts';
import type { ActionReport, TradingContext } from '../trading-context.ts';
import { requireFound } from './check-action.ts';
import { canBeSent, resend } from './resend.ts';
export interface ResumeOptions extends Omit<ResumeIntent, 'word'> {
  /** The same request typed again with its key. */
  line?: ActionIntent | undefined;
}

/**
 * Undefined: nothing is open under this profile.
 * @throws UsageError for a missing or unknown operand, or a flag missing without a terminal;
 * DamagedFileError when nothing is open in the readable part of a damaged journal.
 */
export async function resumeActions(
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
const damagedJournal = (action: Action, { path, what, hint }: DamagedFileError): DamagedFileError =>
  new DamagedFileError(path, {
    what,
    book: nothingSentText(action),
    hint,
    effect: 'unknown',
    retry: 'after_check',
    details: { action_id: action.id, path },
  });

/** The named action, or the only open one; unresolved ones come before those in flight. */
function findOpenAction(word: string | undefined, context: TradingContext): Action | undefined {
  const state = context.journal.read();
  const { actions } = state;
  if (word !== undefined) return requireFound(actions, word, context);
  const here = actions.filter(({ intent }) => sameIdentity(intent.identity, context.identity));
  const unresolved = here.filter(isUnresolved);
  const open = unresolved.length > 0 ? unresolved : here.filter(isAwaitingOutcome);
  const damage = open.length === 0 ? damageOf(context.journal.path, state) : undefined;
  if (damage !== undefined) throw damageError(damage);
  if (open.length <= 1) return open[0];
  throw new UsageError(
    `${open.length.toString()} actions are open: ${open.map(({ shortId }) => shortId).join(', ')}.`,
    'Resume one at a time: hedge resume ID. To look up all of them: hedge check',
  );
}

/** Why it is not sent again, and what to do; undefined if it may be. */
function whyNotSent(
  action: Action,
  evidence: ObservedAction['evidence'],
  { yes, resend: again, dryRun, line }: ResumeOptions,
  context: TradingContext,
): string | undefined {
  const { intent } = action;
  const { attended, environment, expected } = context;
  if (isOfAnotherKey(action, context))
    return evidence === undefined
      ? `Not sent now: ${otherKeyInWords(action)}.\n${commandLines(confirmationCommands(action))}`.trimEnd()
      : 'It is not sent again until the account is confirmed.';
  // A repeated action command has passed the unattended policy itself.
  if (line !== undefined) return undefined;
  const bound = intent.bounds !== undefined || intent.sent_by.includes('--any-price');
  const priceMissing = environment === 'live' && enlarges(intent) && !bound ? PRICE_TO_CONFIRM : undefined;
  if (dryRun || again) return attended || dryRun ? undefined : priceMissing;
  const promise = environment === 'live' && expected !== 'live' ? ' --expect-env live' : '';
  if (!attended) return priceMissing ?? `Not a terminal. To send it again: --yes --resend${promise}`;
  if (yes && (evidence?.kind === 'other' || evidence?.kind === 'unclear'))
    return 'The position is unclear. Leave out --yes to confirm, or add --resend.';
  return undefined;
}

const PRICE_TO_CONFIRM = 'It has no price limit. Resume it at a terminal to confirm the price.';

function notSentAgain(report: ActionReport, obstacle: string): ActionReport {
  const { finding } = report;
  if (!(finding instanceof OutcomeUnknownError)) return report;
  const { what, book, hint, details } = finding;
  const lines = hint === undefined ? obstacle : `${obstacle}\n${hint}`;
  return { ...report, finding: new OutcomeUnknownError({ what, book, hint: lines, details }) };
}
