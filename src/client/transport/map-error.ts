/** Maps the failure of a call to one HedgeError: its code, its effect on the position, and whether to retry. */

import { ownField } from '../../domain/fields.ts';
import { say, shell } from '../../domain/hint.ts';
import { exactInstant } from '../../domain/instants.ts';
import { unquoted } from '../../domain/quoted.ts';
import { forScreen } from '../../domain/sanitize.ts';
import {
  CredentialError,
  type ErrorParts,
  type HedgeError,
  OutcomeUnknownError,
  RefusedError,
  type Sentence,
  StoppedError,
  serviceCode,
  serviceRejection,
  UnavailableError,
  UnreadableAnswerError,
} from '../../errors.ts';
import {
  type FailureParts,
  hasResponse,
  isInFlight,
  isOutcomeUnknown,
  isPassing,
  isRateLimit,
} from './request-failure.ts';
import type { CallEffect, RetryState } from './retry-policy.ts';

export interface CallContext {
  /** `POST /hedges`, for messages. */
  line: string;
  /** The market or hedge of the request. */
  about?: string | undefined;
}

export function mapError(called: CallContext, tried: RetryState): HedgeError {
  const { effect, last, unclear } = tried;
  if (effect === 'action' && (unclear > 0 || isOutcomeUnknown(last))) return outcomeUnknown(tried);
  const meaning = NOTHING_DONE[effect];
  const parts = {
    meaning,
    httpStatus: last.status,
    details: last.details,
    said: last.message,
    serviceCode: last.code,
  };
  if (last.status === 401 || last.status === 403) return keyRejected(last, parts);
  if (last.kind === 'status' && !isRateLimit(last) && !isPassing(last)) return refused(called, last, parts);
  if (last.kind === 'unreadable') {
    return new UnreadableAnswerError({
      ...parts,
      code: 'unreadable_answer',
      what: `Unusable response to ${called.line}: ${last.reason}.`,
      hint: say`Report it to the partner, or check the base URL: ${shell`hedge profile show`}`,
      cause: last.cause,
    });
  }
  return unavailable(tried, parts);
}

const NOTHING_DONE: Readonly<Record<CallEffect, string>> = {
  reading: 'Nothing was changed.',
  action: 'Nothing was executed.',
};

type Common = Pick<ErrorParts, 'meaning' | 'httpStatus' | 'details' | 'said' | 'serviceCode'>;

function keyRejected(last: FailureParts, parts: Common): CredentialError {
  const message = last.message === undefined ? '.' : `: ${sentence(last.message)}`;
  return new CredentialError({
    ...parts,
    ...serviceCode(last.code, 'unauthorized', last.details),
    what: `The service rejected the API key (${last.status})${message}`,
    hint: say`Check the key and the base URL: ${shell`hedge profile show`}`,
  });
}

const WRONG_PATH = say`Check the path and the base URL: ${shell`hedge profile show`}`;

const HINTS: Readonly<Record<string, Sentence>> = {
  not_found: WRONG_PATH,
  method_not_allowed: WRONG_PATH,
  http_404: WRONG_PATH,
  http_405: WRONG_PATH,
  exposure_exceeded: say`See your available exposure: ${shell`hedge account`}`,
  capacity_exceeded: say`See the capacity of each side: ${shell`hedge markets`}`,
  insufficient_balance: say`See your free balance: ${shell`hedge account`}`,
  market_not_found: say`See your markets: ${shell`hedge markets`}`,
  no_open_hedge: say`See your positions: ${shell`hedge positions`}`,
  hedge_not_found: say`See your hedges: ${shell`hedge hedges`}`,
  idempotency_key_reuse: 'Another request already used this idempotency key. Use a new one.',
};

function refused({ about }: CallContext, last: FailureParts, parts: Common): RefusedError {
  const { code, details } = serviceRejection(last.code, last.status, last.details);
  const isOurs = last.code !== undefined && last.code !== code;
  return new RefusedError({
    ...parts,
    code,
    details,
    what: `${code.endsWith('_not_found') ? 'Not found' : 'Refused'}${about === undefined ? '' : ` (${unquoted(about)})`}: ${sentence(last.message ?? code)}${isOurs ? ` Code of the service: ${last.code} (${code}).` : ''}`,
    hint: ownField(HINTS, code),
  });
}

function unavailable(tried: RetryState, parts: Common): UnavailableError {
  const { effect, last } = tried;
  const isFinal = last.kind === 'tls' || last.kind === 'proxy';
  return new UnavailableError({
    ...parts,
    ...(last.code === 'rate_limited'
      ? { code: last.code, details: last.details }
      : serviceCode(last.phase === 'answered' ? last.code : undefined, 'unavailable', last.details)),
    what: `${outage(last)}${attemptsOf(tried)}.${notAgain(tried)}`,
    // The host is not verified, so it matters for a read too that the key was not sent.
    meaning:
      last.phase === 'never_sent' && (last.kind === 'tls' || effect === 'action')
        ? 'Nothing was sent.'
        : parts.meaning,
    hint: last.hint ?? nextStep(last),
    retry: isFinal ? 'never' : 'later',
    cause: last.cause,
  });
}

function nextStep(last: FailureParts): Sentence {
  if (isRateLimit(last)) return 'Wait a moment, then try again.';
  return last.kind === 'unreachable'
    ? say`Try again later, or check the base URL: ${shell`hedge profile show`}`
    : 'Try again later.';
}

function outage(last: FailureParts): string {
  if (last.kind === 'tls') return `Service not verified: ${last.reason}`;
  if (last.phase === 'never_sent') return `The service cannot be reached: ${last.reason}`;
  if (last.phase === 'answered') return isRateLimit(last) ? 'Rate limit reached' : capitalized(last.reason);
  if (last.kind === 'timeout') return 'The service did not respond in time';
  return `No usable response from the service: ${last.reason}`;
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const attemptsOf = ({ attempts }: RetryState): string => (attempts === 1 ? '' : `, ${attempts} attempts`);
const notAgain = ({ withheld: reason }: RetryState): string =>
  reason === undefined ? '' : ` It was not resent: ${reason}.`;

function outcomeUnknown(tried: RetryState): OutcomeUnknownError {
  const { last, unclear } = tried;
  // A rate limit rejects every request: it says nothing about the one before.
  const refusedLater = !isOutcomeUnknown(last) && last.kind === 'status' && !isRateLimit(last);
  return new OutcomeUnknownError(
    {
      what: `${refusedLater ? refusedAfter(last, unclear) : noOutcome(tried)}${notAgain(tried)}`,
      meaning: 'Outcome unknown: it may have executed.',
      hint: say`Do not send it again. Check first: ${shell`hedge positions`}, ${shell`hedge hedges`}`,
      httpStatus: last.status,
      details: serviceCode(last.code, 'outcome_unknown', last.details).details,
      cause: last.cause,
    },
    refusedLater ? { code: last.code, message: last.message && forScreen(last.message) } : undefined,
  );
}

const refusedAfter = ({ code, status }: FailureParts, unclear: number): string =>
  `Rejected (${code ?? status ?? ''}), but only after ${times(unclear)} without a usable response.`;

function noOutcome({ last, attempts }: RetryState): string {
  if (isInFlight(last)) return 'The service is still processing it.';
  const response = hasResponse(last) ? 'usable response' : 'response';
  return `No ${response} after sending, ${times(attempts)}: ${last.reason}.`;
}

/** No attempt was made: another request with this key was rate-limited until then. */
export function rateLimitedError(effect: CallEffect, until: number): UnavailableError {
  const at = exactInstant(until);
  return new UnavailableError({
    code: 'rate_limited',
    what: `Not sent: the rate limit of this key is reached until ${at.slice(11, 19)} UTC.`,
    meaning: NOTHING_DONE[effect],
    hint: 'Try again after that time.',
    retry: 'later',
    details: { held_back_until: at },
  });
}

/** No attempt was sent: the readings it was decided on are too old, or the clocks disagree about their age. */
export const notSentInTime = ({ reason, hint }: FailureParts): StoppedError =>
  new StoppedError({
    code: 'too_late',
    what: `The request was not sent: ${reason}.`,
    meaning: NOTHING_DONE.action,
    hint: hint ?? 'If you still want it, send it again.',
    retry: 'later',
  });

const times = (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`);

/** The service's message, shortened, with one full stop. */
const sentence = (text: string): string => `${forScreen(text).replace(/[.\s]+$/, '')}.`;
