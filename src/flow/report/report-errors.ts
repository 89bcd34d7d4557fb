/**
 * The ends of an action that are not as asked, in words: what happened, what it means for the book, and the
 * exact commands that go on. Pure.
 */

import { usdInWords } from '../../domain/exposure.ts';
import { shellWord } from '../../domain/shell-word.ts';
import type { HedgeError } from '../../errors.ts';
import {
  InterruptedError,
  OrderFailedError,
  OutcomeUnknownError,
  PartialFillError,
  RefusedError,
  StoppedError,
} from '../../errors.ts';
import { USUAL_OPTIONS } from '../../intent/action-options.ts';
import { openLine } from '../../intent/open-line.ts';
import { partialFillOf } from '../../journal/fill.ts';
import type { Action } from '../../journal/fold.ts';
import { actionInWords } from '../../journal/in-words.ts';
import { wasNotExecuted } from '../../journal/ledger.ts';
import { waysOn } from '../../journal/ways-on.ts';
import { actionByName, actionIds } from '../action-words.ts';
import { commandLines } from '../command-lines.ts';
import { arrivalDetails } from '../late-arrival.ts';
import { intentAgain } from '../plan/plan-again.ts';
import { comesToItsEnd } from './still-open.ts';

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
  const intent = intentAgain(entry, USUAL_OPTIONS);
  if (intent.action !== 'open') throw new Error(`a partial fill of ${intent.action}`);
  const rest = intent.notional.minus(filled);
  const another = { ...intent, notional: rest.round(2), dealId: undefined };
  return new PartialFillError({
    what: `PARTIAL FILL: ${actionInWords(entry)}: ${usdInWords(filled)} of it was filled (${actionByName(entry)}).`,
    book: `The other ${usdInWords(rest)} is not open. A reduction by a colleague before it was first read looks the same.`,
    hint: commandLines([
      [`hedge hedges ${shellWord(entry.hedgeId ?? '')}`, 'shows the hedge as it is now'],
      [openLine(another), 'the rest as a deal of its own, if it is still wanted'],
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
export const notOursError = (
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
      ? `Only the waiting was stopped. ${comesToItsEnd(entry)}`
      : 'It may have been done or not. Do not deal it again.',
    hint: accepted ? commandLines([[`hedge wait ${entry.shortId}`, 'waits for its end']]) : linesOf(entry),
    effect: accepted ? 'pending' : 'unknown',
    retry: 'after_check',
    details: actionIds(entry),
  });
}

/** What stopped it came before anything was sent again. */
export const nothingSentNow = ({ shortId }: Action): string =>
  `Nothing was sent now; action ${shortId} is still unknown: it may have been done or not.`;

/** The operator stopped what was to settle it: the same as a no. */
export const stoppedBeforeResending = (entry: Action, { signal, what }: InterruptedError): InterruptedError =>
  new InterruptedError(signal, {
    what,
    book: nothingSentNow(entry),
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
export const settledAsNothing = (entry: Action): StoppedError =>
  new StoppedError({
    code: 'settled',
    what: `Action ${entry.shortId} was settled as nothing: ${entry.why ?? 'no reason was given'}.`,
    book: 'Nothing was sent now.',
    hint: 'To deal it after all, use another key or deal id.',
    details: actionIds(entry),
  });

/** Nothing of it ever acted, and nothing will: it is not what was asked for. */
export const neverSent = (entry: Action, hindrance?: string): StoppedError =>
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
  const { action, market, side, profile } = entry.intent;
  const settling = waysOn(entry, profile).filter(({ command }) => !command.includes(' settle '));
  return commandLines([
    ...settling.map(({ command, does }) => [command, does] as const),
    ...(action === 'close'
      ? []
      : [[`hedge close ${market} ${side}`, 'is allowed, if you must be flat'] as const]),
  ]);
};

/** The same open as a line, its terms on the price included; under its deal id, at most once more. */
function again(entry: Action): string {
  const intent = intentAgain(entry, USUAL_OPTIONS);
  if (intent.action !== 'open') throw new Error(`the end of ${intent.action} is not a failed order`);
  const isNamed = intent.dealId !== undefined;
  const retryFailed = isNamed && !wasNotExecuted(entry);
  return `If it is still wanted: ${openLine({ ...intent, ensure: isNamed, retryFailed })}`;
}
