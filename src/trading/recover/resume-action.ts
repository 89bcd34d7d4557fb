/**
 * `resume`: settles an action. Looks first, as `check` does; what the book tells is written down and awaited.
 * Only what it does not tell is sent again.
 */

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
  /** The same request, typed once more under its key. */
  line?: ActionIntent | undefined;
}

/**
 * Undefined: nothing is open under this profile.
 * @throws UsageError when a word is missing or means none, or the line leaves out what nobody can be asked;
 * DamagedFileError when nothing is open as far as the journal can be read, and it cannot be read whole.
 */
export async function resumeActions(
  { word, ...how }: ResumeIntent,
  dealing: TradingContext,
): Promise<ActionReport | undefined> {
  checkResending(how, dealing);
  checkAccount(dealing);
  const action = meant(word, dealing);
  return action === undefined ? undefined : resumeAction(action, how, dealing);
}

/** The report that the action ends in, whoever asked for it to go on. */
export async function resumeAction(
  action: Action,
  how: ResumeOptions,
  dealing: TradingContext,
): Promise<ActionReport> {
  const { wait, timeoutMs } = how;
  if (action.underway) return (await observeAction(action, dealing)).report;
  if (!canBeSent(action)) return completeAction(action, { wait, timeoutMs }, dealing);
  if (!isUnresolved(action)) return sendAfterAll(action, how, dealing);
  try {
    return await settle(action, how, dealing);
  } catch (error) {
    return stillInDoubt(action, error, dealing);
  } finally {
    dealing.watch.stop();
  }
}

/** It never left, or was turned away: there is nothing to look for, and the same has to be agreed to. */
async function sendAfterAll(
  action: Action,
  how: ResumeOptions,
  dealing: TradingContext,
): Promise<ActionReport> {
  const hindrance = whyNotSent(action, undefined, how, dealing);
  return hindrance === undefined
    ? resend(action, { ...how, evidence: undefined }, dealing)
    : reportOf('not_sent', { entry: action, finding: neverSentError(action, hindrance) });
}

async function settle(action: Action, how: ResumeOptions, dealing: TradingContext): Promise<ActionReport> {
  dealing.watch.start(`Looking at action ${action.shortId}`);
  const looked = await observeAction(action, dealing);
  const entry = looked.report.entry ?? action;
  if (entry.state === 'accepted') return completeAction(entry, how, dealing);
  if (!isUnresolved(entry) || isOneOfSeveral(looked)) return looked.report;
  const hindrance = whyNotSent(entry, looked.evidence, how, dealing);
  if (hindrance !== undefined) return notSentAgain(looked.report, hindrance);
  return resend(entry, { ...how, evidence: looked.evidence }, dealing);
}

/** Sent again it might be one more under its reference. */
const isOneOfSeveral = ({ evidence }: ObservedAction): boolean =>
  evidence?.kind === 'other' && evidence.isOneOf !== undefined;

/** A reading that failed, or was stopped, leaves an action that may stand as unknown as it was. */
function stillInDoubt(action: Action, error: unknown, { clock }: TradingContext): ActionReport {
  if (error instanceof InterruptedError)
    return reportOf('unknown', { entry: action, finding: stoppedBeforeResendingError(action, error) });
  if (error instanceof DamagedFileError)
    return reportOf('unknown', { entry: action, finding: overDamage(action, error) });
  const report = isReadingFailure(error) ? lookupFailed(action, error, clock.now()) : undefined;
  if (report === undefined) throw error;
  return report;
}

/** Nothing was sent over it now; what was sent before is as unknown as it was. */
const overDamage = (action: Action, { path, what, hint }: DamagedFileError): DamagedFileError =>
  new DamagedFileError(path, {
    what,
    book: nothingSentText(action),
    hint,
    effect: 'unknown',
    retry: 'after_check',
    details: { action_id: action.id, path },
  });

/** The word's action; without a word the one that is open, unresolved ones before those that are in flight. */
function meant(word: string | undefined, dealing: TradingContext): Action | undefined {
  const state = dealing.journal.read();
  const { actions } = state;
  if (word !== undefined) return requireFound(actions, word, dealing);
  const here = actions.filter(({ intent }) => sameIdentity(intent.identity, dealing.identity));
  const unresolved = here.filter(isUnresolved);
  const open = unresolved.length > 0 ? unresolved : here.filter(isAwaitingOutcome);
  const damage = open.length === 0 ? damageOf(dealing.journal.path, state) : undefined;
  if (damage !== undefined) throw damageError(damage);
  if (open.length <= 1) return open[0];
  throw new UsageError(
    `${open.length.toString()} actions are open: ${open.map(({ shortId }) => shortId).join(', ')}.`,
    'Settle one at a time: hedge resume ID. To look at all of them: hedge check',
  );
}

/** Why it is not sent again, and what to do; undefined when it may be. */
function whyNotSent(
  action: Action,
  evidence: ObservedAction['evidence'],
  { yes, resend: again, dryRun, line }: ResumeOptions,
  dealing: TradingContext,
): string | undefined {
  const { intent } = action;
  const { attended, environment, expected } = dealing;
  if (isOfAnotherKey(action, dealing))
    return evidence === undefined
      ? `Not sent now: ${otherKeyInWords(action)}.\n${commandLines(confirmationCommands(action))}`.trimEnd()
      : 'Nothing is sent again before the account is confirmed.';
  // A line that deals has said on its own what has to be said where nobody is there.
  if (line !== undefined) return undefined;
  const bound = intent.bounds !== undefined || intent.sent_by.includes('--any-price');
  const unbound = environment === 'live' && enlarges(intent) && !bound ? PRICE_TO_AGREE_TO : undefined;
  if (dryRun || again) return attended || dryRun ? undefined : unbound;
  const promise = environment === 'live' && expected !== 'live' ? ' --expect-env live' : '';
  if (!attended)
    return unbound ?? `Nobody is at a terminal to be asked: it is sent only with --yes --resend${promise}.`;
  if (yes && (evidence?.kind === 'other' || evidence?.kind === 'unclear'))
    return 'What the book shows is not clear: leave out --yes to be asked, or add --resend.';
  return undefined;
}

const PRICE_TO_AGREE_TO =
  'It was dealt without a bound on its price, so a person has to agree to the price: resume it at a terminal.';

function notSentAgain(report: ActionReport, hindrance: string): ActionReport {
  const { finding } = report;
  if (!(finding instanceof OutcomeUnknownError)) return report;
  const { what, book, hint, details } = finding;
  const lines = hint === undefined ? hindrance : `${hindrance}\n${hint}`;
  return { ...report, finding: new OutcomeUnknownError({ what, book, hint: lines, details }) };
}
