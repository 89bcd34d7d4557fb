/** The errors of an action: what happened, what it means for the position, and the commands to run next. Pure. */

import type { Big } from 'big.js';
import { keepingNote, openCommandLine } from '../args/action-options.ts';
import type { Hedge } from '../client/schemas.ts';
import { createsHedge, takesWholeSide } from '../domain/action-table.ts';
import { sum } from '../domain/amounts.ts';
import { grouped, usdInWords, wholeCents } from '../domain/exposure.ts';
import { say, shell, step, TO_RETRY } from '../domain/hint.ts';
import { exactInstant, MINUTE_MS } from '../domain/instants.ts';
import { quotedName, unquoted } from '../domain/quoted.ts';
import {
  type HedgeError,
  type HintLine,
  InterruptedError,
  type NextStep,
  OrderFailedError,
  OutcomeUnknownError,
  PartialFillError,
  PendingError,
  RefusedError,
  StoppedError,
  serviceRejection,
} from '../errors.ts';
import { AFTER_THE_PARTNER, actionInWords, NOT_FOUND, nairaAsked } from '../journal/describe.ts';
import { wasNotExecuted } from '../journal/queries.ts';
import { type Action, inFlight, isUnanswered } from '../journal/replay.ts';
import { partialFillOf } from '../journal/results.ts';
import { dealIdOfRest, mayFillMore } from '../readings/partial-fills.ts';
import type { ReadContext } from '../readings/read-context.ts';
import { confirmationCommands } from './account-keys.ts';
import { rebuildIntent } from './action-parts.ts';
import {
  arrivalDetails,
  arrivalInWords,
  isKeyValid,
  mayArriveUntil,
  mayShowUntil,
  NOT_SEEN_AFTER_MS,
  sinceSent,
} from './idempotency-window.ts';
import type { Evidence } from './outcome/change-evidence.ts';
import { actionByName, actionIds } from './report.ts';

/** `earlier`: the action whose hedge it is: the service repeated the answer to that one. */
export function failedError(entry: Action, earlier?: Action): OrderFailedError {
  const [how, meaning] = wasNotExecuted(entry)
    ? [` was not executed (${actionByName(entry)}).`, `Nothing was opened: ${NOT_THERE}`]
    : earlier === undefined
      ? [`: order failed on-chain (action ${entry.shortId}).`, 'Nothing was opened; the margin was released.']
      : [
          ` (action ${entry.shortId}): the service answered with the earlier failure of action ${earlier.shortId}. Nothing new was ordered.`,
          'Nothing was opened. The next run is a new order.',
        ];
  const what = `FAILED: ${actionInWords(entry)}${how}`;
  return new OrderFailedError({ what, meaning, hint: again(entry), details: actionIds(entry) });
}

/** Undefined unless an open was filled in part. `since`: USD filled by now, if that is more than recorded. */
export function partialFillError(
  entry: Action,
  { hedge, since, nowMs }: { hedge: Hedge | undefined; since: Big | undefined; nowMs: number },
): PartialFillError | undefined {
  const filled = since ?? partialFillOf(entry);
  if (filled === undefined || entry.notional?.gt(filled) !== true) return undefined;
  const intent = rebuildIntent(entry, keepingNote(entry.intent));
  if (!createsHedge(intent)) throw new Error(`a partial fill of ${intent.action}`);
  const size = hedge?.status === 'filled' && hedge.notional_usd.gt(filled) ? hedge.notional_usd : filled;
  const rest = intent.notional.minus(size);
  const notional = wholeCents(rest);
  const next = mayFillMore(entry, nowMs)
    ? step(shell`hedge check ${entry.shortId}`, 'in a minute: the rest may still fill')
    : step(
        openCommandLine({ ...intent, notional, dealId: dealIdOfRest(intent.dealId ?? entry.shortId) }),
        '',
        'If unfilled:',
      );
  return new PartialFillError({
    what: `PARTIAL FILL: ${actionInWords(entry)}: ${usdInWords(filled)} filled.`,
    meaning: notional.gt(0)
      ? `${usdInWords(rest)} is not open (unfilled or reduced since).`
      : `Its hedge has ${usdInWords(size)} now.`,
    hint: notional.gt(0) ? next : undefined,
    details: {
      ...actionIds(entry),
      asked_notional_usd: intent.notional,
      filled_notional_usd: filled,
    },
  });
}

const NOT_THERE = `${NOT_FOUND}, and no attempt can still arrive.`;

/** Sent, but without a usable response. */
export function unknownError(entry: Action, cause: OutcomeUnknownError): OutcomeUnknownError {
  return cause.with({
    what: `UNKNOWN: ${actionInWords(entry)}. ${withoutReason(cause.what)}`,
    meaning: `${mayBe(entry)} ${notAgain(entry)}`,
    hint: checkCommand(entry),
    details: {
      ...actionIds(entry),
      ...arrivalDetails(entry),
      why: cause.what,
      ...(cause.details === undefined ? {} : { service: cause.details }),
    },
  });
}

/** The reason of each attempt is in the notes, in the journal and in `error.details`. */
const withoutReason = (what: string): string =>
  what.replace(/^(No (?:usable )?response) after sending(, \d+ attempts?): .*$/s, '$1$2.');

/** Accepted, but the position changed differently. `closedBy`: a later close of the journal, in words. */
export const changedByOthersError = (
  entry: Action,
  { message, closedBy, nowMs }: { message: string; closedBy?: string | undefined; nowMs: number },
): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `UNKNOWN: ${actionInWords(entry)}: ${createsHedge(entry.intent) ? '' : 'another change was seen: '}${message}.`,
    meaning: takesWholeSide(entry.intent)
      ? 'It may have executed, or still land and close hedges opened there. Do not send it again.'
      : closedBy === undefined
        ? `${mayBe(entry)} Do not send it again.`
        : 'It may have executed before that close. Do not send it again.',
    hint: step(
      shell`hedge check ${entry.shortId}`,
      mayShowUntil(entry, nowMs) === undefined ? say`look up; or: ${shell`hedge journal resolve`}` : LOOK_UP,
    ),
    details: { ...actionIds(entry), seen: message },
  });

/** Accepted, but successive readings of the position differ. */
export const disagreeError = (entry: Action, message: string): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `UNKNOWN: ${actionInWords(entry)} was accepted, but readings disagree: ${message}.`,
    meaning: `${mayBe(entry)} Do not send it again.`,
    hint: step(shell`hedge wait ${entry.shortId}`, 'wait until the readings agree'),
    details: { ...actionIds(entry), seen: message },
  });

/** The operator stopped the waiting; the action itself goes on. */
export function stoppedWaiting(
  entry: Action,
  stopped: InterruptedError,
  wentOut: readonly number[] = [],
): InterruptedError {
  const accepted = entry.state === 'accepted';
  return stopped.with({
    what: `${stopped.what} ${actionInWords(entry)}${accepted ? ' was accepted' : attemptsIn(wentOut)}.`,
    meaning: accepted ? outcomeExpected(entry) : `It may have executed. ${notAgain(entry)}`,
    hint: accepted
      ? step(shell`hedge wait ${entry.shortId}`, 'wait again: only the waiting stopped')
      : checkCommand(entry),
    effect: accepted ? 'pending' : 'unknown',
    retry: 'after_check',
    details: actionIds(entry),
  });
}

/** A resume stopped before it sent anything. `parts`: those of a stop by the operator unless given. */
export const stoppedBeforeResendingError = <Stop extends HedgeError>(
  entry: Action,
  stop: Stop,
  parts: Parameters<Stop['with']>[0] = { hint: checkCommand(entry), details: actionIds(entry) },
): Stop =>
  stop.with({
    meaning: `Nothing was sent now. The outcome of action ${entry.shortId} is still unknown: it may have executed.`,
    effect: 'unknown',
    retry: 'after_check',
    ...parts,
  });

/** Rejected by the service in an earlier command. */
export function refusedError(entry: Action): RefusedError {
  const { refusal } = entry;
  return new RefusedError({
    ...serviceRejection(refusal?.code ?? 'refused', refusal?.httpStatus, actionIds(entry)),
    what: `REJECTED: ${actionInWords(entry)} (action ${entry.shortId}).`,
    meaning: refusal?.looked === true ? LOOKED : 'Nothing was done.',
    httpStatus: refusal?.httpStatus,
  });
}

const LOOKED = 'Nothing was done: the positions show no trace of it, and no attempt can still arrive.';

/** Recorded manually as not executed. */
export const resolvedAsNotExecutedError = (entry: Action): StoppedError =>
  new StoppedError({
    code: 'settled',
    what: `Action ${entry.shortId} was recorded as not executed: ${entry.why ?? 'no reason was given'}.`,
    meaning: 'Nothing was sent now.',
    hint: 'To send it anyway, use another idempotency key or deal ID.',
    details: actionIds(entry),
  });

/** Never sent, or only answered by a rate limit. */
export const neverSentError = (entry: Action): StoppedError =>
  new StoppedError({
    code: 'not_sent',
    what: `${entry.rejectionCode === undefined ? 'NOT SENT' : 'RATE LIMITED'}: ${actionInWords(entry)} (action ${entry.shortId})${entry.why === undefined ? '.' : `: ${entry.why}`}`,
    meaning: 'Nothing was done.',
    hint: step(shell`hedge resume ${entry.shortId}`, 'ask, then send it'),
    details: actionIds(entry),
  });

/** Never sent, or only answered by a rate limit: the error of the attempt itself. */
export const notSentError = (entry: Action, cause: HedgeError): HedgeError =>
  cause instanceof InterruptedError && cause.meaning === undefined
    ? cause.with({ meaning: `Nothing was sent (action ${entry.shortId}).`, details: actionIds(entry) })
    : cause;

/** `: attempts 1-3 went out`. */
function attemptsIn(wentOut: readonly number[]): string {
  const [first, ...more] = wentOut;
  if (first === undefined) return ' was sent';
  const last = more.at(-1);
  if (last === undefined) return `: attempt ${first.toString()} went out`;
  const isRow = last - first === more.length;
  return `: attempts ${isRow ? `${first.toString()}-${last.toString()}` : wentOut.join(', ')} went out`;
}

const mayBe = ({ intent }: Action): string =>
  createsHedge(intent) ? 'It may be open.' : 'It may have executed.';

const notAgain = ({ intent }: Action): string =>
  `Do not send it again${takesWholeSide(intent) ? '.' : '. You may still close.'}`;

/** How to find out. Sending again and recording manually are offered only after a lookup. */
const checkCommand = ({ shortId }: Action) => step(shell`hedge check ${shortId}`, LOOK_UP);

const LOOK_UP = 'look up; send nothing';

/** The command that opens it again, with its price limits and its note. */
function again(entry: Action) {
  const intent = rebuildIntent(entry, keepingNote(entry.intent));
  if (!createsHedge(intent)) throw new Error(`a failed order of ${intent.action}`);
  const naira = nairaAsked(entry.intent.asked);
  const ensure = intent.dealId !== undefined;
  const same = { ...intent, ensure, retryFailed: ensure && !wasNotExecuted(entry) };
  const line = naira ? { ...same, notional: undefined, sizing: { by: 'ngn', amount: naira } as const } : same;
  return step(openCommandLine(line), '', TO_RETRY);
}

/** Sent without a usable response, and the positions do not show the outcome. */
export const stillUnknownError = (
  action: Action,
  evidence: Evidence,
  context: Pick<ReadContext, 'clock' | 'timeOfDay'>,
): OutcomeUnknownError => {
  const nowMs = context.clock.now();
  const resumes = !isOfOtherKey(evidence) && !isPastResending(action, evidence);
  const first = isOfOtherKey(evidence) ? confirmationCommands(action) : [];
  // A resume does send it again, safely.
  const warning = resumes && isResumable(action, nowMs) ? 'Do not retype it.' : 'Do not send it again.';
  return new OutcomeUnknownError({
    what: `UNKNOWN: ${actionInWords(action)}: ${evidenceBriefly(action, evidence)}.`,
    meaning: `${mayArrive(action, evidence, context)} ${warning}`,
    hint: nextCommands(action, nowMs, { first, resumes }),
    details: {
      ...actionIds(action),
      ...arrivalDetails(action),
      evidence: evidence.kind,
      seen: evidenceInWords(action, evidence),
    },
  });
};

/** The side as a whole: its hedges are in the details. */
export function evidenceBriefly(action: Action, evidence: Evidence): string {
  if (evidence.kind !== 'exact') return evidenceInWords(action, evidence);
  const { hedges, message } = evidence;
  const [before, after] = [hedges.map((each) => each.before), hedges.map((each) => each.after)].map(sum);
  const change =
    before === undefined || after === undefined || before.eq(after)
      ? 'changed as asked'
      : after.eq(0)
        ? `the side is flat (was ${usdInWords(before)}), by this ${action.intent.action} or by ${othersOf(action, evidence, 'others')}`
        : `${grouped(before)} -> ${usdInWords(after)}, as asked`;
  return `${change}${message === undefined ? '' : `; ${message}`}`;
}

/** A close that came later takes what a reduction or add left: only of a close it may be the cause. */
const othersOf = (
  { intent }: Action,
  { closedBy }: Extract<Evidence, { kind: 'exact' }>,
  others: string,
): string => (closedBy !== undefined && takesWholeSide(intent) ? `action ${closedBy}` : others);

const ITS_HEDGES_ARE_OVER =
  'All hedges that it could change are past their maturity. How each of them ended: hedge history.';

const isOver = (evidence: Evidence | undefined): boolean =>
  evidence !== undefined && 'isOver' in evidence && evidence.isOver;

const isOfOtherKey = (evidence: Evidence): boolean =>
  evidence.kind === 'unclear' && evidence.anotherKey === true;

/** Closed since, so that it has nothing left to act on. Or an open whose reference another hedge carries. */
const isPastResending = ({ intent }: Action, evidence: Evidence): boolean =>
  isOver(evidence) ||
  (evidence.kind === 'other'
    ? createsHedge(intent) || evidence.closedBy !== undefined
    : takesWholeSide(intent) &&
      evidence.kind === 'exact' &&
      (evidence.closedBy !== undefined || evidence.isReopened === true));

/** Accepted, but not visible for five minutes. */
export const notSeenError = (action: Action, nowMs: number): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `NOT SEEN: ${actionInWords(action)} was accepted ${sinceSent(action, nowMs) ?? 'long'} ago (action ${action.shortId}); position unchanged.`,
    meaning: MAY_BE_LATE,
    hint: nextCommands(action, nowMs),
    details: actionIds(action),
  });

const MAY_BE_LATE = 'It may have failed, or be late. Do not send it again.';

/** Accepted, and the outcome may still come. `message`: the current state, without a full stop. */
export const stillPendingError = (
  action: Action,
  message: string,
  nowMs: number,
  { first = [], seen }: { first?: readonly NextStep[]; seen?: Evidence } = {},
): PendingError =>
  new PendingError({
    what: `PENDING: ${actionInWords(action)} accepted; so far: ${message}.`,
    meaning: isOver(seen) ? ITS_HEDGES_ARE_OVER : inFlight(action) ? outcomeExpected(action) : MAY_BE_LATE,
    hint: nextCommands(action, nowMs, { first }),
    details: actionIds(action),
  });

/** How long to wait for an accepted action: the service reports the failure of an open only. */
function outcomeExpected({ intent, changedAt }: Action): string {
  if (createsHedge(intent)) return 'It continues at the service.';
  const until = Math.ceil((Date.parse(changedAt) + NOT_SEEN_AFTER_MS) / MINUTE_MS) * MINUTE_MS;
  const at = `${exactInstant(until).slice('2026-11-20T'.length, '2026-11-20T10:07'.length)} UTC`;
  return `If the position is still unchanged at ${at}, it most likely failed.`;
}

export const beingSentError = (action: Action): PendingError =>
  new PendingError({
    what: `PENDING: ${actionInWords(action)} (${actionByName(action)}) is being sent by another process.`,
    meaning: 'Its outcome is not known yet.',
    hint: step(shell`hedge wait ${action.shortId}`, 'wait for the outcome'),
    details: actionIds(action),
  });

/** A clause without a full stop. */
export function evidenceInWords(action: Action, evidence: Evidence): string {
  const { intent, outcome } = action;
  const side = `${unquoted(intent.market)} ${intent.side}`;
  switch (evidence.kind) {
    case 'none':
      if (evidence.failed !== undefined)
        return `only hedge ${quotedName(evidence.failed)} has its reference, and that one failed before`;
      return createsHedge(intent) ? NOT_FOUND : `${side} shows no change from it`;
    case 'exact': {
      const changed = evidence.hedges
        .filter(({ before, after }) => !before.eq(after))
        .map(({ id, before, after }) => `${unquoted(id)} ${usdInWords(before)} -> ${usdInWords(after)}`);
      const flat = takesWholeSide(intent) ? [`${side} is flat`] : [];
      const seen = (changed.length === 0 ? flat : changed).join(', ');
      const other = othersOf(action, evidence, 'somebody else');
      const origin = outcome === undefined ? `, by this action or by ${other}` : '';
      const remark = evidence.message === undefined ? '' : `; ${evidence.message}`;
      return `the position changed exactly as requested${seen === '' ? '' : ` (${seen})`}${origin}${remark}`;
    }
    case 'other':
    case 'unclear':
      return evidence.message;
    default:
      return evidence satisfies never;
  }
}

function mayArrive(
  action: Action,
  seen: Evidence,
  context: Pick<ReadContext, 'clock' | 'timeOfDay'>,
): string {
  const { intent } = action;
  const arrival = arrivalInWords(action, context);
  const closed = 'closedBy' in seen && seen.closedBy !== undefined;
  const isFlat = closed || takesWholeSide(intent);
  const late = arrival?.replace(/\.$/, isFlat ? `, and ${intent.action} what you open there.` : '.');
  if (seen.kind === 'exact' && late !== undefined)
    return `If by others, ${late.replace(/^It /, 'yours ').replace(/^A/, 'a').replace(' and show', '')}`;
  if (seen.kind !== 'none') {
    const before = closed ? 'It may have executed before that close.' : mayBe(action);
    return `${isOver(seen) ? ITS_HEDGES_ARE_OVER : before} ${late ?? ''}`.trimEnd();
  }
  if (arrival !== undefined) return arrival;
  const nowMs = context.clock.now();
  const sent = `Sent ${sinceSent(action, nowMs) ?? 'a moment'} ago`;
  const isLate = mayArriveUntil(action) !== undefined || !isKeyValid(action, nowMs);
  return isLate ? `${sent}; it is unlikely to arrive now.` : `${sent}; it may still arrive.`;
}

export const resolveSteps = ({ shortId }: Action): readonly HintLine[] => [
  AFTER_THE_PARTNER,
  step(shell`hedge journal resolve ${shortId} --as executed --reason TEXT`, 'or --as not-executed'),
];

const isResumable = (action: Action, nowMs: number): boolean =>
  isUnanswered(action) && isKeyValid(action, nowMs);

/** One command, after `first`. Never `check`, which has just been done, nor `resume` once the service may have forgotten the key. */
function nextCommands(
  action: Action,
  nowMs: number,
  { first = [], resumes = true }: { first?: readonly NextStep[]; resumes?: boolean } = {},
): readonly HintLine[] {
  const { shortId } = action;
  if (!isUnanswered(action) && (inFlight(action) || action.underway))
    return [...first, step(shell`hedge wait ${shortId}`, 'wait; do not send it again')];
  const resume = step(shell`hedge resume ${shortId}`, 'ask, then resend: one key executes once');
  const commands = [...first, ...(resumes && isResumable(action, nowMs) ? [resume] : [])];
  const isOpenEnded = isUnanswered(action) || action.state === 'accepted';
  // Not while it may still arrive: recorded as not executed and entered again, it might execute twice.
  if (isOpenEnded && mayShowUntil(action, nowMs) === undefined) return [...commands, ...resolveSteps(action)];
  return commands.length === 0
    ? [step(shell`hedge check ${shortId}`, 'look up again after that time')]
    : commands;
}
