/**
 * What a look could not settle, in words: what is seen, what that means for the book, and the lines that go
 * on. Pure.
 */
import { usdInWords } from '../../domain/exposure.ts';
import { exactInstant } from '../../domain/instants.ts';
import { unquoted } from '../../domain/quoted.ts';
import { OutcomeUnknownError, PendingError } from '../../errors.ts';
import type { Action } from '../../journal/fold.ts';
import { actionInWords } from '../../journal/in-words.ts';
import { waysOn } from '../../journal/ways-on.ts';
import { type CommandRow, confirming } from '../account-unclear.ts';
import { actionByName, actionIds } from '../action-words.ts';
import { commandLines } from '../command-lines.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { keyLives, NOT_SEEN_AFTER_MS, sinceSent } from '../key-life.ts';
import { arrivalDetails, arrivalInWords, mayArriveUntil } from '../late-arrival.ts';
import type { Looking } from '../looking.ts';

/** Sent without a usable answer, and the book does not settle it. */
export const stillUnknown = (
  action: Action,
  evidence: Evidence,
  looking: Pick<Looking, 'clock' | 'timeOfDay'>,
): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `UNKNOWN: ${actionInWords(action)} (${actionByName(action)}): ${evidenceInWords(action, evidence)}.`,
    book: `${mayArrive(action, evidence, looking)} Do not deal it again.`,
    hint: isOfOtherKey(evidence)
      ? linesFor(action, looking.clock.now(), { first: confirming(action), resumes: false })
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
    : intent.action === 'close' &&
      evidence.kind === 'exact' &&
      (evidence.closedBy !== undefined || evidence.says !== undefined);

/** Accepted, and for five minutes nothing of it could be seen. */
export const notSeen = (action: Action, nowMs: number): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `NOT SEEN: ${actionInWords(action)} was accepted ${sinceSent(action, nowMs) ?? 'long'} ago (${actionByName(action)}), and the book shows nothing of it.`,
    book: 'The service tells no failure of these: it may have come to nothing, or be late. Do not deal it again.',
    hint: linesFor(action, nowMs),
    details: actionIds(action),
  });

/** Accepted, and its end may still come. `says`: what is seen, as half a sentence. */
export const stillPending = (
  action: Action,
  says: string,
  nowMs: number,
  first: readonly CommandRow[] = [],
): PendingError =>
  new PendingError({
    what: `PENDING: ${actionInWords(action)} was accepted (${actionByName(action)}) and has not ended: ${says}.`,
    book: `${comesToItsEnd(action)} Do not deal it again.`,
    hint: linesFor(action, nowMs, { first }),
    details: actionIds(action),
  });

/** Of what the service has taken, and how long to wait for it: only an open is told to have failed. */
export function comesToItsEnd({ intent, changedAt }: Action): string {
  if (intent.action === 'open') return 'It comes to its end without us.';
  const until = Math.ceil((Date.parse(changedAt) + NOT_SEEN_AFTER_MS) / MINUTE_MS) * MINUTE_MS;
  const at = `${exactInstant(until).slice('2026-11-20T'.length, '2026-11-20T10:07'.length)} UTC`;
  return `The service tells no failure of ${A[intent.action]}: when nothing of it shows by ${at}, it most likely did not land.`;
}

const MINUTE_MS = 60_000;
const A = { add: 'an add', reduce: 'a reduction', close: 'a close' } as const;

export const beingSent = (action: Action): PendingError =>
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
      return intent.action === 'open'
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
  looking: Pick<Looking, 'clock' | 'timeOfDay'>,
): string {
  const arrival = arrivalInWords(action, looking);
  if (kind !== 'none')
    return ['It may have been done or not.', ...(arrival === undefined ? [] : [arrival])].join(' ');
  const nowMs = looking.clock.now();
  const sent = `It was sent ${sinceSent(action, nowMs) ?? 'a moment'} ago`;
  if (arrival !== undefined) return `${sent}. ${arrival}`;
  const isTold = mayArriveUntil(action) !== undefined || !keyLives(action, nowMs);
  return isTold ? `${sent}: it will hardly arrive any more.` : `${sent} and may still arrive for a while.`;
}

/** Without the looking that was just done, and without sending again once the key may be forgotten. */
const linesFor = (
  action: Action,
  nowMs: number,
  { first = [], resumes = true }: { first?: readonly CommandRow[]; resumes?: boolean } = {},
): string =>
  commandLines([
    ...first,
    ...waysOn(action, action.intent.profile)
      .filter(({ command }) => !command.startsWith('hedge check'))
      .filter(({ command }) => !command.startsWith('hedge resume') || (resumes && keyLives(action, nowMs)))
      .map(({ command, does }) => [command, does] as const),
  ]);
