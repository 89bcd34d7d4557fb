/** Maps the failure of a call to one HedgeError: its code, its effect on the position, and whether to retry. */

import { ownField } from '../../domain/fields.ts';
import { exactInstant } from '../../domain/instants.ts';
import { unquoted } from '../../domain/quoted.ts';
import { forScreen } from '../../domain/sanitize.ts';
import {
  CredentialError,
  type ErrorParts,
  type HedgeError,
  OutcomeUnknownError,
  RefusedError,
  StoppedError,
  UnavailableError,
  UnreadableAnswerError,
} from '../../errors.ts';
import {
  type FailureParts,
  isInFlight,
  isOutcomeUnknown,
  isRateLimit,
  isServerError,
} from './request-failure.ts';
import type { CallEffect, RetryState } from './retry-policy.ts';
export interface CallContext {
  /** `POST /hedges`, for messages. */
  line: string;
  /** `api.partner.test:443`. */
  host: string;
  /** The market or hedge of the request. */
  about?: string | undefined;
}

export function mapError(called: CallContext, tried: RetryState): HedgeError {
  const { effect, last, unclear } = tried;
  if (effect === 'action' && (unclear > 0 || isOutcomeUnknown(last))) return outcomeUnknown(called, tried);
  const book = NOTHING_DONE[effect];
  const parts = { book, httpStatus: last.status, details: last.details, said: last.message };
  if (last.status === 401 || last.status === 403) return keyRejected(called, last, parts);
  if (last.kind === 'status' && !isRateLimit(last) && !isServerError(last))
    return refused(called, last, parts);
  if (last.kind === 'unreadable') {
    return new UnreadableAnswerError({
      ...parts,
      code: 'unreadable_answer',
      what: `The response of ${called.host} to ${called.line} cannot be read: ${last.reason}.`,
      hint: 'Check the base URL: hedge profile show\nIf it is right, report this to the partner.',
      cause: last.cause,
    });
  }
  return unavailable(called, tried, parts);
}

const NOTHING_DONE: Readonly<Record<CallEffect, string>> = {
  reading: 'Nothing was changed.',
  action: 'Nothing was executed.',
};

type Common = Pick<ErrorParts, 'book' | 'httpStatus' | 'details' | 'said'>;

function keyRejected({ host }: CallContext, last: FailureParts, parts: Common): CredentialError {
  const said = last.message === undefined ? '.' : `: ${sentence(last.message)}`;
  return new CredentialError({
    ...parts,
    code: last.code ?? 'unauthorized',
    what: `${host} rejected the API key (${last.status})${said}`,
    hint: 'Check the key and the base URL: hedge profile show',
  });
}

const HINTS: Readonly<Record<string, string>> = {
  exposure_exceeded: 'See your available exposure: hedge account',
  market_not_found: 'See your markets: hedge markets',
  no_open_hedge: 'See your positions: hedge positions',
  hedge_not_found: 'See your hedges: hedge hedges',
  idempotency_key_reuse: 'Another request already used this idempotency key. Use a new one.',
};

function refused({ about }: CallContext, last: FailureParts, parts: Common): RefusedError {
  const code = last.code ?? `http_${last.status ?? 'error'}`;
  return new RefusedError({
    ...parts,
    code,
    what: `Refused${about === undefined ? '' : ` (${unquoted(about)})`}: ${sentence(last.message ?? code)}`,
    hint: ownField(HINTS, code),
  });
}

function unavailable(
  { host, line }: CallContext,
  { effect, last, attempts, ...tried }: RetryState,
  parts: Common,
): UnavailableError {
  const tries = attempts === 1 ? '' : `, ${attempts} attempts`;
  const final = last.kind === 'tls' || last.kind === 'proxy';
  const answered = last.phase === 'answered';
  const trouble =
    last.kind === 'tls'
      ? `The identity of ${host} cannot be verified: ${last.reason}`
      : last.phase === 'never_sent'
        ? `${host} cannot be reached: ${last.reason}`
        : `${host} failed: ${last.reason}`;
  return new UnavailableError({
    ...parts,
    code: answered && last.code !== undefined ? last.code : 'unavailable',
    what:
      answered && isRateLimit(last)
        ? `${host}: rate limit reached: ${last.reason}${tries}.${notAgain(tried)}`
        : `${trouble}${tries} (${line}).${notAgain(tried)}`,
    // With an unverified host it matters also for a read that the key was not sent.
    book:
      last.phase === 'never_sent' && (last.kind === 'tls' || effect === 'action')
        ? 'Nothing was sent.'
        : parts.book,
    hint: last.hint ?? (isRateLimit(last) ? 'Wait a moment, then try again.' : 'Try again later.'),
    retry: final ? 'never' : 'later',
    cause: last.cause,
  });
}

const notAgain = ({ withheld: reason }: Pick<RetryState, 'withheld'>): string =>
  reason === undefined ? '' : ` It was not resent: ${reason}.`;

function outcomeUnknown({ host, line }: CallContext, tried: RetryState): OutcomeUnknownError {
  const { last, attempts, unclear } = tried;
  // A rate limit rejects every request: it says nothing about the one before.
  const refusedLater = !isOutcomeUnknown(last) && last.kind === 'status' && !isRateLimit(last);
  const what = refusedLater
    ? `${host} rejected ${line} (${last.code ?? last.status ?? ''}), but only after ${times(unclear)} without a response.`
    : isInFlight(last)
      ? `${host} is still processing ${line}.`
      : `No response from ${host} after sending ${line}, ${times(attempts)}: ${last.reason}.`;
  return new OutcomeUnknownError(
    {
      what: `${what}${notAgain(tried)}`,
      book: 'Outcome unknown: it may have executed.',
      hint: 'Do not enter it again. Check first: hedge positions, hedge hedges',
      httpStatus: last.status,
      details: last.details,
      cause: last.cause,
    },
    refusedLater ? { code: last.code, message: last.message && forScreen(last.message) } : undefined,
  );
}

/** No attempt was made: another request with this key was rate-limited until then. */
export function rateLimitedError(
  { host, line }: CallContext,
  effect: CallEffect,
  until: number,
): UnavailableError {
  const at = exactInstant(until);
  return new UnavailableError({
    code: 'rate_limited',
    what: `${line} was not sent: the rate limit of ${host} for this key is reached until ${at.slice(11, 19)} UTC.`,
    book: NOTHING_DONE[effect],
    hint: 'Try again after that time.',
    retry: 'later',
    details: { held_back_until: at },
  });
}

/** No attempt was sent: the readings it was decided on are too old, or the clocks disagree about their age. */
export const notSentInTime = ({ line }: CallContext, reason: string): StoppedError =>
  new StoppedError({
    code: 'too_late',
    what: `${line} was not sent: ${reason}.`,
    book: NOTHING_DONE.action,
    hint: 'If you still want it, enter it again.',
    retry: 'later',
  });

const times = (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`);

/** The service's message, shortened, with one full stop. */
const sentence = (text: string): string => `${forScreen(text).replace(/[.\s]+$/, '')}.`;
