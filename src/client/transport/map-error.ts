/**
 * What a call's failure means to its caller: one error that knows its code, its effect on the book and whether
 * to try again. Names the host and port, never a key.
 */
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
import { type FailureParts, isInFlight, isRateLimit, isServerError, isUnclear } from './request-failure.ts';
import type { Effectful, Tried } from './retry-policy.ts';
export interface CallContext {
  /** `POST /hedges`, for messages. */
  line: string;
  /** `api.partner.test:443`. */
  host: string;
  /** The market or the hedge that was asked about. */
  about?: string | undefined;
}

export function mapError(called: CallContext, tried: Tried): HedgeError {
  const { effect, last, unclear } = tried;
  if (effect === 'action' && (unclear > 0 || isUnclear(last))) return outcomeUnknown(called, tried);
  const book = NOTHING_DONE[effect];
  const parts = { book, httpStatus: last.status, details: last.details, said: last.message };
  if (last.status === 401 || last.status === 403) return turnedDown(called, last, parts);
  if (last.kind === 'status' && !isRateLimit(last) && !isServerError(last))
    return refused(called, last, parts);
  if (last.kind === 'unreadable') {
    return new UnreadableAnswerError({
      ...parts,
      code: 'unreadable_answer',
      what: `The answer of ${called.host} to ${called.line} cannot be read: ${last.reason}.`,
      hint: 'Check the base address of the profile (hedge profile show); if it is right, tell the partner.',
      cause: last.cause,
    });
  }
  return unavailable(called, tried, parts);
}

const NOTHING_DONE: Readonly<Record<Effectful, string>> = {
  reading: 'Nothing was changed.',
  action: 'Nothing was done.',
};

type Common = Pick<ErrorParts, 'book' | 'httpStatus' | 'details' | 'said'>;

function turnedDown({ host }: CallContext, last: FailureParts, parts: Common): CredentialError {
  const said = last.message === undefined ? '.' : `: ${sentence(last.message)}`;
  return new CredentialError({
    ...parts,
    code: last.code ?? 'unauthorized',
    what: `${host} turned the API key down (${last.status})${said}`,
    hint: 'Check which key and address are in use: hedge profile show.',
  });
}

const HINTS: Readonly<Record<string, string>> = {
  exposure_exceeded: 'See what is free: hedge account.',
  market_not_found: 'See your markets: hedge markets.',
  no_open_hedge: 'See what is open: hedge positions.',
  hedge_not_found: 'See your hedges: hedge hedges.',
  idempotency_key_reuse: 'That idempotency key already belongs to another request: use a new one.',
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
  { effect, last, attempts, ...tried }: Tried,
  parts: Common,
): UnavailableError {
  const tries = attempts === 1 ? '' : `, ${attempts} attempts`;
  const final = last.kind === 'tls' || last.kind === 'proxy';
  const answered = last.phase === 'answered';
  const trouble =
    last.kind === 'tls'
      ? `${host} is not to be trusted: ${last.reason}`
      : last.phase === 'never_sent'
        ? `${host} cannot be reached: ${last.reason}`
        : `${host} is unwell: ${last.reason}`;
  return new UnavailableError({
    ...parts,
    code: answered && last.code !== undefined ? last.code : 'unavailable',
    what:
      answered && isRateLimit(last)
        ? `${host} takes no more requests for now: ${last.reason}${tries}.${notAgain(tried)}`
        : `${trouble}${tries} (${line}).${notAgain(tried)}`,
    // To a host that is not believed, what matters of a reading too is that the key stayed here.
    book:
      last.phase === 'never_sent' && (last.kind === 'tls' || effect === 'action')
        ? 'Nothing was sent.'
        : parts.book,
    hint: last.hint ?? (isRateLimit(last) ? 'Wait a little, then try again.' : 'Try again later.'),
    retry: final ? 'never' : 'later',
    cause: last.cause,
  });
}

const notAgain = ({ withheld: says }: Pick<Tried, 'withheld'>): string =>
  says === undefined ? '' : ` It was not sent again: ${says}.`;

function outcomeUnknown({ host, line }: CallContext, tried: Tried): OutcomeUnknownError {
  const { last, attempts, unclear } = tried;
  // A rate limit turns away whatever comes: it says nothing of the request before it.
  const refusedLater = !isUnclear(last) && last.kind === 'status' && !isRateLimit(last);
  const what = refusedLater
    ? `${line} was refused by ${host} (${last.code ?? last.status ?? ''}), but only after ${times(unclear)} without a clear answer.`
    : isInFlight(last)
      ? `${host} is still working on ${line} and has not said what became of it.`
      : `No usable answer from ${host} after sending ${line}, ${times(attempts)}: ${last.reason}.`;
  return new OutcomeUnknownError(
    {
      what: `${what}${notAgain(tried)}`,
      book: 'It may have been done or not.',
      hint: 'Do not deal it again; look first: hedge positions, hedge hedges.',
      httpStatus: last.status,
      details: last.details,
      cause: last.cause,
    },
    refusedLater ? { code: last.code, message: last.message && forScreen(last.message) } : undefined,
  );
}

/** Not one attempt was made: another request with this key was told to slow down until then. */
export function rateLimitedError(
  { host, line }: CallContext,
  effect: Effectful,
  until: number,
): UnavailableError {
  const at = exactInstant(until);
  return new UnavailableError({
    code: 'rate_limited',
    what: `${line} was not sent: ${host} takes no more requests with this key until ${at.slice(11, 19)} UTC, as it told another one.`,
    book: NOTHING_DONE[effect],
    hint: 'Wait until then, then try again.',
    retry: 'later',
    details: { held_back_until: at },
  });
}

/** No attempt was sent: the readings it was decided on are too old, or the clocks disagree about their age. */
export const notSentInTime = ({ line }: CallContext, says: string): StoppedError =>
  new StoppedError({
    code: 'too_late',
    what: `${line} was not sent: ${says}.`,
    book: NOTHING_DONE.action,
    hint: 'If you still want it, enter it again: everything is read again first.',
    retry: 'later',
  });

const times = (count: number): string => (count === 1 ? '1 attempt' : `${count} attempts`);

/** The service's own sentence, as long as a person reads it, closed by one full stop. */
const sentence = (text: string): string => `${forScreen(text).replace(/[.\s]+$/, '')}.`;
