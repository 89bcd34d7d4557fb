/** Sends a journaled action again with its own key and bytes, after new checks and a new confirmation (specification §7). */

import type { Big } from 'big.js';
import type { ResumeIntent } from '../../args/action-options.ts';
import type { ActionOptions, TypedIntent } from '../../domain/action-intent.ts';
import { createsHedge, enlarges, takesWholeSide } from '../../domain/action-table.ts';
import { isCommand, say, shell, step } from '../../domain/hint.ts';
import { type ClockReadings, clocksDisagree, durationInWords } from '../../domain/instants.ts';
import { unquoted } from '../../domain/quoted.ts';
import { hasLiveRules } from '../../domain/vocabulary.ts';
import { type CommandWords, type HintLine, nothingSent, type OwnCode, StoppedError } from '../../errors.ts';
import { actionInWords, lineUnderKey } from '../../journal/describe.ts';
import { findByKey } from '../../journal/queries.ts';
import { type Action, isUnanswered, wasNeverSent } from '../../journal/replay.ts';
import { actionById, type JournalState } from '../../journal/state.ts';
import { readClocks } from '../../platform/clock.ts';
import type { SidePosition } from '../../readings/side-position.ts';
import { confirmationCommands, isOfAnotherKey, otherKeyInWords } from '../account-keys.ts';
import { rebuildIntent, rebuildPlan } from '../action-parts.ts';
import { confirmPlan } from '../confirm.ts';
import {
  dealIdFindings,
  guardContext,
  hedgesOpenedElsewhere,
  isMeasured,
  journalTermsOf,
  settlingFindings,
} from '../evaluate.ts';
import { lookUpAction } from '../follow/follow.ts';
import type { Known } from '../follow/known.ts';
import { reportKnown } from '../follow/reports.ts';
import { guardLimits, guardPlan } from '../guards/guard-plan.ts';
import { guardJournal } from '../guards/journal-guard.ts';
import { checkNoStop } from '../guards/stops.ts';
import { isSetBack, KEY_LIFE_MS, keyAge, sinceSent } from '../idempotency-window.ts';
import { sendingOf } from '../journal-entry.ts';
import { type Evidence, openEvidence } from '../outcome/change-evidence.ts';
import { ownCloseLandsUntil, waitForOwnClose } from '../outcome/own-close.ts';
import { filledBefore } from '../outcome/position-diff.ts';
import type { Plan, PlanFacts } from '../plan.ts';
import { readFacts } from '../read-facts.ts';
import { type ActionReport, reportOf } from '../report.ts';
import {
  evidenceInWords,
  neverSentError,
  resolveSteps,
  stoppedBeforeResendingError,
} from '../report-errors.ts';
import type { Evaluation, Finding, TradingContext } from '../trading-context.ts';
import { asNotExecuted, resendBlocker } from './resend-preconditions.ts';

export interface ResumeOptions extends Omit<ResumeIntent, 'word'> {
  /** The same request typed again with its key; undefined for `resume`. */
  line?: TypedIntent | undefined;
}

/** The evidence of the lookup is undefined if it was never sent. */
interface Resending extends ResumeOptions {
  evidence: Evidence | undefined;
}

/** Whether it was not sent, or may be sent again. False once it is accepted or has an outcome. */
export const canBeSent = (action: Action): boolean =>
  !action.underway && (isUnanswered(action) || wasNeverSent(action));

/**
 * Checks, confirms and records another attempt. A stop leaves the action unchanged; the `finding` of the report says why it is
 * not sent.
 */
export async function sendAgain(
  now: Known,
  options: ResumeOptions,
  context: TradingContext,
): Promise<Known | ActionReport> {
  const { action, evidence } = now;
  const how = { ...options, evidence };
  // Sent again, it might be one more hedge with its reference.
  if (evidence?.kind === 'other' && createsHedge(action.intent)) return reportKnown(now, context);
  const obstacle = whyNotSent(action, how, context);
  if (obstacle !== undefined) return notSentAgain(now, obstacle, context);
  try {
    checkKey(action, context.journal.read(), [readClocks(context.clock)]);
    if (enlarges(action.intent) && !how.dryRun) await waitForOwnClose(action.intent, context);
    const first = await evaluateAgain(action, how, context);
    if (how.dryRun) return reportOf('planned', first);
    const { plan } = await confirmPlan(
      first,
      {
        yes: how.yes,
        again: evidence === undefined ? 'never_sent' : 'sent',
        read: (shown) => evaluateAgain(action, how, context, shown.facts),
      },
      context,
    );
    return await beginSending(action, plan, how, context);
  } catch (error) {
    if (error instanceof FoundMeanwhile) return foundOrAwaited(action, context);
    if (!(error instanceof StoppedError)) throw error;
    if (!isUnanswered(action)) return reportOf('not_sent', { entry: action, finding: error });
    const stopped = error.details === undefined ? {} : { stopped: error.details };
    const details = { action_id: action.id, ...stopped };
    const finding = stoppedBeforeResendingError(action, error, { details });
    return reportOf('unknown', { entry: action, finding });
  }
}

/** Its outcome is awaited as for any accepted action. */
async function foundOrAwaited(action: Action, context: TradingContext): Promise<Known | ActionReport> {
  const report = await lookUpAction(action, context);
  const { entry } = report;
  return entry?.state === 'accepted' ? { action: entry, asks: 'wait' } : report;
}

async function notSentAgain(
  now: Known,
  obstacle: readonly HintLine[],
  context: TradingContext,
): Promise<ActionReport> {
  const { action } = now;
  const report = isUnanswered(action)
    ? await reportKnown(now, context)
    : reportOf('not_sent', { entry: action, finding: neverSentError(action) });
  const { finding } = report;
  if (finding === undefined) return report;
  // One command to resume it: the obstacle's has the options that it needs.
  const others = obstacle.some(isResume) ? finding.hint?.filter((each) => !isResume(each)) : finding.hint;
  return { ...report, finding: finding.with({ hint: [...obstacle, ...(others ?? [])] }) };
}

const isResume = (line: HintLine): boolean => isCommand(line) && line.command[1] === 'resume';

/** Why it is not sent again, and what to do; undefined if it may be. */
function whyNotSent(
  action: Action,
  { yes, resend: again, dryRun, line, evidence }: Resending,
  context: TradingContext,
): readonly HintLine[] | undefined {
  const { intent } = action;
  const { attended, environment } = context;
  if (isOfAnotherKey(action, context))
    return evidence === undefined
      ? [`Not sent now: ${otherKeyInWords(action)}.`, ...confirmationCommands(action)]
      : ['It is not sent again until the account is confirmed.'];
  // A repeated action command has passed the unattended policy itself.
  if (line !== undefined) return undefined;
  const bound = intent.bounds !== undefined || intent.sent_by.includes('--any-price');
  const priceMissing = hasLiveRules(context) && enlarges(intent) && !bound ? [PRICE_TO_CONFIRM] : undefined;
  if (dryRun || again) return attended || dryRun ? undefined : priceMissing;
  const promise = hasLiveRules(context) ? ['--expect-env', environment] : [];
  if (!attended)
    return (
      priceMissing ?? [
        'Not a terminal.',
        step(shell`hedge resume ${action.shortId} --yes --resend ${promise}`, 'send it again'),
      ]
    );
  if (yes && (evidence?.kind === 'other' || evidence?.kind === 'unclear'))
    return ['The position is unclear. Leave out --yes to confirm, or add --resend.'];
  return undefined;
}

const PRICE_TO_CONFIRM = 'It has no price limit. Resume it at a terminal to confirm the price.';

async function evaluateAgain(
  action: Action,
  how: Resending,
  context: TradingContext,
  before?: PlanFacts,
): Promise<Evaluation> {
  const intent = rebuildIntent(action, optionsOf(action, how), how.line);
  const facts = await readFacts(intent, context, before);
  const state = context.journal.read();
  const { evidence } = how;
  const actions = () => state.since(action.intent.at);
  checkNoStop(resendBlocker(action, { now: facts.sidePosition, evidence, quote: facts.quote, actions }));
  // Seen exactly as requested, it is only answered once more.
  if (evidence?.kind !== 'exact' && isMeasured(intent.action, action.intent.asked))
    checkNoStop(settlingFindings(facts.sidePosition));
  const listed = facts.underDealId.filter(({ status }) => status !== 'failed');
  if (evidence !== undefined && openEvidence(action.intent, listed).kind === 'exact')
    throw new FoundMeanwhile();
  const plan = {
    ...rebuildPlan(intent, facts),
    totalBefore: totalBefore(action, facts.sidePosition, evidence),
  };
  const findings = [
    ...guardPlan(plan, { limits: context.limits() }).map((finding) => softened(finding, evidence)),
    ...judgedByJournal(action, plan, state, context),
    ...dealIdFindings(intent, { state, facts, context, except: action.id }),
  ];
  checkNoStop(how.line === undefined ? findings.map((each) => resumeHint(each, action)) : findings);
  const warnings = findings.filter(({ level }) => level === 'warn');
  return {
    plan,
    warnings: [sentBefore(action, evidence, context), ...warnings],
    openedElsewhere: hedgesOpenedElsewhere({ state, facts }, context),
  };
}

/** Undefined unless the first attempt may be why the side has changed: that of a close, once nothing is left. */
function totalBefore(
  { intent }: Action,
  { total }: SidePosition,
  evidence: Evidence | undefined,
): Big | undefined {
  if (evidence === undefined || evidence.kind === 'none' || total === undefined) return undefined;
  if (createsHedge(intent) || (takesWholeSide(intent) && total.gt(0))) return undefined;
  const before = filledBefore(intent);
  return before.eq(total) ? undefined : before;
}

/** The checks of a first send, except that it is no duplicate of itself. */
const judgedByJournal = (
  { id }: Action,
  plan: Plan,
  state: JournalState,
  context: TradingContext,
): readonly Finding[] =>
  guardJournal({ ...journalTermsOf(plan, context), except: id }, state, guardContext(context));

/** The action may have executed, and then it uses the capacity that it seems to lack. */
const SERVICE_LIMITS: readonly string[] = ['exposure_exceeded', 'capacity_exceeded', 'insufficient_balance'];

const softened = (finding: Finding, evidence: Evidence | undefined): Finding =>
  evidence?.kind === 'exact' && SERVICE_LIMITS.includes(finding.code)
    ? { ...finding, level: 'warn' }
    : finding;

function sentBefore(action: Action, evidence: Evidence | undefined, { clock }: TradingContext): Finding {
  const since = sinceSent(action, clock.now());
  const before = `${actionInWords(action)}, action ${action.shortId}`;
  return {
    level: 'warn',
    code: 'unresolved',
    message:
      evidence === undefined || since === undefined
        ? `${before}, has not been accepted by the service so far.`
        : `${before}, was sent ${since} ago: ${evidenceInWords(action, evidence)}.`,
  };
}

/** The attempt is on disk; or the action as another process has left it. */
async function beginSending(
  action: Action,
  plan: Plan,
  how: Resending,
  context: TradingContext,
): Promise<Known> {
  const { journal, signal, clock } = context;
  const { clocks } = plan.facts;
  const own = (state: JournalState): Action => {
    const found = actionById(state, action.id);
    if (found === undefined) throw new Error(`the journal does not show action ${action.id} any more`);
    return found;
  };
  let current = action;
  signal.throwIfAborted();
  context.progress.note(`resuming   action ${action.shortId}: ${lookupInWords(how.evidence)}`);
  try {
    const record = sendingOf(action.id, action.attempts + 1, context, how.line);
    const written = await journal.append([record], (state) => {
      current = own(state);
      if (!canBeSent(current)) throw new ResolvedMeanwhile();
      checkKey(current, state, [...(clocks === undefined ? [] : [clocks]), readClocks(clock)]);
      checkNoStop([...guardLimits(plan, context.limits()), ...judgedByJournal(action, plan, state, context)]);
      if (enlarges(plan) && ownCloseLandsUntil(plan, state, context) !== undefined)
        throw closedMeanwhile(plan);
    });
    return { action: own(written), plan, toSend: true };
  } catch (error) {
    if (error instanceof ResolvedMeanwhile) return { action: current, asks: 'send' };
    throw error;
  }
}

function lookupInWords(evidence: Evidence | undefined): string {
  if (evidence === undefined) return 'not sent so far; sending';
  return evidence.kind === 'none' ? 'not found; sending again' : 'still unclear; sending again';
}

const closedMeanwhile = ({ market, side }: Plan): StoppedError =>
  nothingSent({
    code: 'in_flight',
    what: `A close of ${unquoted(market)} ${side} by another process may still land, and would take this too.`,
    hint: 'Run the same command again: it waits for that.',
    retry: 'later',
  });

/** Another process continued it. */
class ResolvedMeanwhile extends Error {}

/** Its hedge is listed since it was looked up: it arrived late, or another machine sent it. */
class FoundMeanwhile extends Error {}

const optionsOf = (
  { intent }: Action,
  { yes, dryRun, wait, timeoutMs, line }: ResumeOptions,
): ActionOptions => ({
  yes,
  dryRun,
  wait,
  timeoutMs,
  idempotencyKey: intent.idempotency_key,
  despite: line?.options.despite ?? [],
  note: undefined,
});

/** @throws StoppedError when it is or may be too old to be sent again (`key_expired`), or was entered again since. */
function checkKey(action: Action, state: JournalState, moments: readonly ClockReadings[]): void {
  const { idempotency_key: key, identity } = action.intent;
  const latest = findByKey(state.find({ keys: [key] }), identity, key);
  if (latest !== undefined && latest.id !== action.id)
    throw nothingSent({
      code: 'duplicate',
      what: `Action ${action.shortId} was entered again since, under the same key: action ${latest.shortId}.`,
      hint: step(shell`hedge journal ${latest.shortId}`, 'see what became of it'),
    });
  const age = keyAge(action, moments);
  const unclearTime = 'was sent at an unclear time:';
  if (isUnanswered(action) && isSetBack(action, state, moments.at(-1)?.wall ?? 0))
    throw keyExpired(action, `${unclearTime} the clock of this machine is behind its own journal`);
  if (clocksDisagree(age))
    throw keyExpired(
      action,
      `${unclearTime} the clocks of this machine and of the service differ by ${durationInWords(age.apartMs)}`,
    );
  if (age.ms >= KEY_LIFE_MS) throw keyExpired(action, `was first sent ${durationInWords(age.ms)} ago`);
}

const keyExpired = (action: Action, when: string): StoppedError =>
  nothingSent({
    code: 'key_expired',
    ...(isUnanswered(action)
      ? {
          what: `Action ${action.shortId} ${when}. Its key is safe for an hour only: sent again, it might execute twice.`,
          hint: resolveSteps(action),
        }
      : {
          what: `Action ${action.shortId} was entered more than an hour ago, or at an unclear time, and was not executed.`,
          hint: 'To send it again: the same command, with another --idempotency-key if it had one.',
        }),
  });

const OVERRIDES: Readonly<Partial<Record<OwnCode, CommandWords>>> = {
  no_reference: shell`--any-price`,
  worse_price: shell`--worst-price PRICE`,
  implausible_price: shell`--worst-price PRICE`,
  cost_too_high: shell`--max-cost-bps BPS`,
  duplicate: shell`--allow-duplicate`,
};

/** The finding with commands that work after a resume; unchanged if no option helps. */
export function resumeHint(finding: Finding, action: Action): Finding {
  const option = OVERRIDES[finding.code];
  if (option === undefined || finding.hint === undefined) return finding;
  return {
    ...finding,
    hint: [
      say`${shell`hedge resume`} keeps the original terms. To change them, repeat the command with its key:`,
      step([...lineUnderKey(action), ...option]),
      ...asNotExecuted(action),
    ],
  };
}
