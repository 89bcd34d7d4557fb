/**
 * The ends of an action that are not as asked, in words: what happened, what it means for the book, and the
 * exact commands that go on. Pure.
 *
 * What a look could not settle, in words: what is seen, what that means for the book, and the lines that go
 * on. Pure.
 */

import { USUAL_OPTIONS } from '../args/action-options.ts';
import { openCommandLine } from '../args/open-command-line.ts';
import { createsHedge, rowOf, takesWholeSide } from '../domain/action-table.ts';
import { usdInWords } from '../domain/exposure.ts';
import { exactInstant } from '../domain/instants.ts';
import { shellWord, unquoted } from '../domain/quoted.ts';
import {
  type HedgeError,
  InterruptedError,
  OrderFailedError,
  OutcomeUnknownError,
  PartialFillError,
  PendingError,
  RefusedError,
  StoppedError,
} from '../errors.ts';
import { actionInWords, nextSteps } from '../journal/describe.ts';
import { partialFillOf, wasNotExecuted } from '../journal/queries.ts';
import type { Action } from '../journal/replay.ts';
import type { ReadContext } from '../readings/read-context.ts';
import { confirmationCommands, type IndentedCommand } from './account-keys.ts';
import { actionByName, actionIds } from './actions.ts';
import { commandLines } from './command-lines.ts';
import {
  arrivalDetails,
  arrivalInWords,
  isKeyValid,
  mayArriveUntil,
  NOT_SEEN_AFTER_MS,
  sinceSent,
} from './idempotency-window.ts';
import type { Evidence } from './outcome/change-evidence.ts';
import { rebuildIntent } from './rebuild-plan.ts';
export const failedError = (entry: Action): OrderFailedError =>
  new OrderFailedError({
    ...(wasNotExecuted(entry)
      ? {
          what: `FAILED: ${actionInWords(entry)} was not executed (${actionByName(entry)}).`,
          book: `Nothing was opened: ${NOT_THERE}`,
        }
      : {
          what: `FAILED: ${actionInWords(entry)}: the order did not land (${actionByName(entry)}).`,
          book: 'Nothing was opened, and what was reserved is released.',
        }),
    hint: again(entry),
    details: actionIds(entry),
  });

/** Undefined of an open that was filled as asked, and of any other action. */
export function partialFillError(entry: Action): PartialFillError | undefined {
  const filled = partialFillOf(entry);
  if (filled === undefined) return undefined;
  const intent = rebuildIntent(entry, USUAL_OPTIONS);
  if (!createsHedge(intent)) throw new Error(`a partial fill of ${intent.action}`);
  const rest = intent.notional.minus(filled);
  const another = { ...intent, notional: rest.round(2), dealId: undefined };
  return new PartialFillError({
    what: `PARTIAL FILL: ${actionInWords(entry)}: ${usdInWords(filled)} of it was filled (${actionByName(entry)}).`,
    book: `The other ${usdInWords(rest)} is not open. A reduction by a colleague before it was first read looks the same.`,
    hint: commandLines([
      [`hedge hedges ${shellWord(entry.hedgeId ?? '')}`, 'shows the hedge as it is now'],
      [openCommandLine(another), 'the rest as a deal of its own, if it is still wanted'],
    ]),
    details: {
      ...actionIds(entry),
      asked_notional_usd: intent.notional,
      filled_notional_usd: filled,
    },
  });
}
const NOT_THERE = 'no hedge carries its reference, and no attempt can arrive any more.';

/** Sent, and no usable answer, or one that came too late to be trusted. */
export function unknownError(entry: Action, cause: OutcomeUnknownError): OutcomeUnknownError {
  return new OutcomeUnknownError(
    {
      what: `UNKNOWN: ${actionInWords(entry)}. ${cause.what}`,
      book: `It may have been done or not (${actionByName(entry)}). Do not deal it again.`,
      hint: linesOf(entry),
      httpStatus: cause.httpStatus,
      details: {
        ...actionIds(entry),
        ...arrivalDetails(entry),
        ...(cause.details === undefined ? {} : { service: cause.details }),
      },
      cause,
    },
    cause.refusal,
  );
}

/** Accepted, and the book changed otherwise than by it: `closedBy` a later close of ours, or by whomever. */
export const changedByOthersError = (
  entry: Action,
  { says, closedBy }: { says: string; closedBy?: string | undefined },
): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `UNKNOWN: ${actionInWords(entry)} was accepted, and what the book shows is not exactly that: ${says}.`,
    book:
      closedBy === undefined
        ? `A colleague's deal cannot be told from it (${actionByName(entry)}). Do not deal it again.`
        : `What it did before that cannot be told (${actionByName(entry)}). Do not deal it again.`,
    hint: commandLines([
      [`hedge check ${entry.shortId}`, 'looks again, sends nothing'],
      ['hedge hedges', 'shows the side, hedge by hedge'],
      [
        `hedge journal settle ${entry.shortId} --as done --because TEXT`,
        'your word for it (or --as nothing)',
      ],
    ]),
    details: { ...actionIds(entry), seen: says },
  });

/** Accepted, and what the readings of its side say differs from one to the next. */
export const disagreeError = (entry: Action, says: string): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `UNKNOWN: ${actionInWords(entry)} was accepted, and readings disagree: ${says}.`,
    book: `It may be done or not yet (${actionByName(entry)}). Do not deal it again.`,
    hint: commandLines([
      [`hedge wait ${entry.shortId}`, 'reads on until they agree'],
      [`hedge check ${entry.shortId}`, 'looks again, sends nothing'],
    ]),
    details: { ...actionIds(entry), seen: says },
  });

/** The operator stopped the waiting. Nothing of the action is stopped by that. */
export function stoppedWaiting(entry: Action, stopped: InterruptedError): InterruptedError {
  const accepted = entry.state === 'accepted';
  return new InterruptedError(stopped.signal, {
    what: `${stopped.what} ${actionInWords(entry)} was ${accepted ? 'accepted' : 'sent'} (${actionByName(entry)}).`,
    book: accepted
      ? `Only the waiting was stopped. ${pendingEndText(entry)}`
      : 'It may have been done or not. Do not deal it again.',
    hint: accepted ? commandLines([[`hedge wait ${entry.shortId}`, 'waits for its end']]) : linesOf(entry),
    effect: accepted ? 'pending' : 'unknown',
    retry: 'after_check',
    details: actionIds(entry),
  });
}

/** What stopped it came before anything was sent again. */
export const nothingSentText = ({ shortId }: Action): string =>
  `Nothing was sent now; action ${shortId} is still unknown: it may have been done or not.`;

/** The operator stopped what was to settle it: the same as a no. */
export const stoppedBeforeResendingError = (
  entry: Action,
  { signal, what }: InterruptedError,
): InterruptedError =>
  new InterruptedError(signal, {
    what,
    book: nothingSentText(entry),
    hint: linesOf(entry),
    effect: 'unknown',
    retry: 'after_check',
    details: actionIds(entry),
  });

/** What the service, or nobody, said no to: with the name of the action in the journal. */
export function refusedError(entry: Action): RefusedError {
  const { refusal } = entry;
  return new RefusedError({
    code: refusal?.code ?? 'refused',
    what: `Refused: ${actionInWords(entry)} (action ${entry.shortId}).`,
    book: refusal?.looked === true ? LOOKED : 'Nothing was done.',
    httpStatus: refusal?.httpStatus,
    details: actionIds(entry),
  });
}

const LOOKED = 'Nothing was done: the book shows nothing of it, and no attempt can arrive any more.';

/** A person has said that nothing came of it. */
export const resolvedAsNotExecutedError = (entry: Action): StoppedError =>
  new StoppedError({
    code: 'settled',
    what: `Action ${entry.shortId} was settled as nothing: ${entry.why ?? 'no reason was given'}.`,
    book: 'Nothing was sent now.',
    hint: 'To deal it after all, use another key or deal id.',
    details: actionIds(entry),
  });

/** Nothing of it ever acted, and nothing will: it is not what was asked for. */
export const neverSentError = (entry: Action, hindrance?: string): StoppedError =>
  new StoppedError({
    code: 'not_sent',
    what: `${entry.turnedAway === undefined ? 'NOT SENT' : 'TURNED AWAY'}: ${actionInWords(entry)} (action ${entry.shortId})${entry.why === undefined ? '.' : `: ${entry.why}`}`,
    book: 'Nothing was done.',
    hint: [
      ...(hindrance === undefined ? [] : [hindrance]),
      commandLines([[`hedge resume ${entry.shortId}`, 'asks, then sends it after all']]),
    ].join('\n'),
    details: actionIds(entry),
  });

/** Never left this machine, or was turned away: the cause's own words. */
export const notSentError = (entry: Action, cause: HedgeError): HedgeError =>
  cause instanceof InterruptedError && cause.book === undefined
    ? new InterruptedError(cause.signal, {
        what: cause.what,
        book: `Nothing was sent (action ${entry.shortId}).`,
        details: actionIds(entry),
      })
    : cause;

/** What settles it, and what is allowed meanwhile. A person's word comes only after a look. */
const linesOf = (entry: Action): string => {
  const { market, side, profile } = entry.intent;
  const settling = nextSteps(entry, profile).filter(({ command }) => !command.includes(' settle '));
  return commandLines([
    ...settling.map(({ command, does }) => [command, does] as const),
    ...(takesWholeSide(entry.intent)
      ? []
      : [[`hedge close ${market} ${side}`, 'is allowed, if you must be flat'] as const]),
  ]);
};

/** The same open as a line, its terms on the price included; under its deal id, at most once more. */
function again(entry: Action): string {
  const intent = rebuildIntent(entry, USUAL_OPTIONS);
  if (!createsHedge(intent)) throw new Error(`the end of ${intent.action} is not a failed order`);
  const isNamed = intent.dealId !== undefined;
  const retryFailed = isNamed && !wasNotExecuted(entry);
  return `If it is still wanted: ${openCommandLine({ ...intent, ensure: isNamed, retryFailed })}`;
}

/** Sent without a usable answer, and the book does not settle it. */
export const stillUnknownError = (
  action: Action,
  evidence: Evidence,
  looking: Pick<ReadContext, 'clock' | 'timeOfDay'>,
): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `UNKNOWN: ${actionInWords(action)} (${actionByName(action)}): ${evidenceInWords(action, evidence)}.`,
    book: `${mayArrive(action, evidence, looking)} Do not deal it again.`,
    hint: isOfOtherKey(evidence)
      ? linesFor(action, looking.clock.now(), { first: confirmationCommands(action), resumes: false })
      : linesFor(action, looking.clock.now(), { resumes: !isOverForGood(action, evidence) }),
    details: { ...actionIds(action), ...arrivalDetails(action), evidence: evidence.kind },
  });

const isOfOtherKey = (evidence: Evidence): boolean =>
  evidence.kind === 'unclear' && evidence.anotherKey === true;

/**
 * A close of which nothing is left to send it for: another of ours took it, or something else stands there since. And an
 * open that several hedges may be.
 */
const isOverForGood = ({ intent }: Action, evidence: Evidence): boolean =>
  evidence.kind === 'other'
    ? evidence.isOneOf !== undefined
    : takesWholeSide(intent) &&
      evidence.kind === 'exact' &&
      (evidence.closedBy !== undefined || evidence.says !== undefined);

/** Accepted, and for five minutes nothing of it could be seen. */
export const notSeenError = (action: Action, nowMs: number): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `NOT SEEN: ${actionInWords(action)} was accepted ${sinceSent(action, nowMs) ?? 'long'} ago (${actionByName(action)}), and the book shows nothing of it.`,
    book: 'The service tells no failure of these: it may have come to nothing, or be late. Do not deal it again.',
    hint: linesFor(action, nowMs),
    details: actionIds(action),
  });

/** Accepted, and its end may still come. `says`: what is seen, as half a sentence. */
export const stillPendingError = (
  action: Action,
  says: string,
  nowMs: number,
  first: readonly IndentedCommand[] = [],
): PendingError =>
  new PendingError({
    what: `PENDING: ${actionInWords(action)} was accepted (${actionByName(action)}) and has not ended: ${says}.`,
    book: `${pendingEndText(action)} Do not deal it again.`,
    hint: linesFor(action, nowMs, { first }),
    details: actionIds(action),
  });

/** Of what the service has taken, and how long to wait for it: only an open is told to have failed. */
export function pendingEndText({ intent, changedAt }: Action): string {
  if (createsHedge(intent)) return 'It comes to its end without us.';
  const until = Math.ceil((Date.parse(changedAt) + NOT_SEEN_AFTER_MS) / MINUTE_MS) * MINUTE_MS;
  const at = `${exactInstant(until).slice('2026-11-20T'.length, '2026-11-20T10:07'.length)} UTC`;
  return `The service tells no failure of ${rowOf(intent.action).words.noun}: when nothing of it shows by ${at}, it most likely did not land.`;
}

const MINUTE_MS = 60_000;

export const beingSentError = (action: Action): PendingError =>
  new PendingError({
    what: `PENDING: ${actionInWords(action)} (${actionByName(action)}) is being sent by another process at this moment.`,
    book: 'What comes of it is not known yet.',
    hint: `hedge wait ${action.shortId}    waits for it`,
    details: actionIds(action),
  });

/** As half a sentence. */
export function evidenceInWords({ intent, outcome }: Action, evidence: Evidence): string {
  const side = `${unquoted(intent.market)} ${intent.side}`;
  switch (evidence.kind) {
    case 'none':
      return createsHedge(intent)
        ? 'it is not on the book, no hedge carries its reference'
        : `nothing of it can be seen on ${side}`;
    case 'exact': {
      const changed = evidence.hedges
        .filter(({ before, after }) => !before.eq(after))
        .map(({ id, before, after }) => `${unquoted(id)} ${usdInWords(before)} -> ${usdInWords(after)}`);
      const seen = changed.length === 0 ? `${side} is flat` : changed.join(', ');
      const other =
        evidence.closedBy === undefined ? 'a colleague' : `action ${evidence.closedBy} of this machine`;
      const whose = outcome === undefined ? `; that may be this one, or ${other}` : '';
      const besides = evidence.says === undefined ? '' : `; ${evidence.says}`;
      return `the side became exactly what was asked (${seen})${whose}${besides}`;
    }
    case 'other':
    case 'unclear':
      return evidence.says;
    default:
      return evidence satisfies never;
  }
}

function mayArrive(
  action: Action,
  { kind }: Evidence,
  looking: Pick<ReadContext, 'clock' | 'timeOfDay'>,
): string {
  const arrival = arrivalInWords(action, looking);
  if (kind !== 'none')
    return ['It may have been done or not.', ...(arrival === undefined ? [] : [arrival])].join(' ');
  const nowMs = looking.clock.now();
  const sent = `It was sent ${sinceSent(action, nowMs) ?? 'a moment'} ago`;
  if (arrival !== undefined) return `${sent}. ${arrival}`;
  const isTold = mayArriveUntil(action) !== undefined || !isKeyValid(action, nowMs);
  return isTold ? `${sent}: it will hardly arrive any more.` : `${sent} and may still arrive for a while.`;
}

/** Without the looking that was just done, and without sending again once the key may be forgotten. */
const linesFor = (
  action: Action,
  nowMs: number,
  { first = [], resumes = true }: { first?: readonly IndentedCommand[]; resumes?: boolean } = {},
): string =>
  commandLines([
    ...first,
    ...nextSteps(action, action.intent.profile)
      .filter(({ command }) => !command.startsWith('hedge check'))
      .filter(({ command }) => !command.startsWith('hedge resume') || (resumes && isKeyValid(action, nowMs)))
      .map(({ command, does }) => [command, does] as const),
  ]);
