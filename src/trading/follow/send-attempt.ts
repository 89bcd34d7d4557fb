/**
 * Sends an action of the journal with its own key and bytes, and records the response. A rejection after an unclear attempt
 * does not settle that attempt. Retries are the client's.
 */

import { textFrom } from '../../client/json.ts';
import type { AcceptedChange, AcceptedOpen } from '../../client/schemas.ts';
import { NEVER_SENT_ATTEMPTS, UNKNOWN_OUTCOME_SENDS } from '../../client/transport/retry-policy.ts';
import type { AttemptRecord } from '../../client/transport/transport.ts';
import { type ClockReadings, exactInstant } from '../../domain/instants.ts';
import { unquoted } from '../../domain/quoted.ts';
import { shortHash } from '../../domain/sanitize.ts';
import {
  CredentialError,
  HedgeError,
  InterruptedError,
  OutcomeUnknownError,
  RefusedError,
  StoppedError,
  UnavailableError,
} from '../../errors.ts';
import { actionInWords } from '../../journal/describe.ts';
import type { Action } from '../../journal/replay.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { decidedAt } from '../idempotency-window.ts';
import { appendRecord } from '../outcome/append-record.ts';

/** The result of an attempt. `not_sent`: no connection, a rate limit, too late, or stopped by the operator in time. */
export type Sent =
  | { outcome: 'accepted' }
  | { outcome: 'refused'; error: RefusedError | CredentialError }
  | { outcome: 'not_sent'; error: HedgeError }
  /** `wentOut`: the numbers of the attempts that may have arrived. */
  | { outcome: 'unknown'; error: OutcomeUnknownError; wentOut: readonly number[] };

/**
 * The action as recorded afterwards. Never throws: bytes may have left. `action`: its intent and this attempt are on disk.
 * `readAt`: the clocks of the reading it was decided on.
 */
export async function sendAction(
  action: Action,
  readAt: ClockReadings | undefined,
  context: ReadContext,
): Promise<{ action: Action; sent: Sent }> {
  const { api, clock, signal, progress } = context;
  const { intent } = action;
  let unclearAt: number | undefined;
  const wentOut: number[] = [];
  progress.note(`sending    action ${action.shortId}: ${actionInWords(action)}`);
  progress.update(`Waiting for the response (action ${action.shortId})`);
  try {
    const response = await api.act({ action: intent.action, body: intent.body }, intent.idempotency_key, {
      signal,
      decided: decidedAt(action, readAt, context.journal.sendBy?.(action.id)),
      onAttempt(attempt) {
        if (attempt.outcome === 'unclear') {
          unclearAt = clock.now();
          wentOut.push(attempt.number);
        }
        noteAttempt(attempt, { wentOut, context });
      },
      onHeldBack: (ms) => progress.note(`waiting    ${(ms / 1000).toFixed(1)} s: rate limit reached`),
    });
    return await accepted(action, response.data, context);
  } catch (error) {
    return failed(action, error, { unclearAt: unclearAt ?? clock.now(), wentOut }, context);
  }
}

async function accepted(
  action: Action,
  response: AcceptedOpen | AcceptedChange,
  context: ReadContext,
): Promise<{ action: Action; sent: Sent }> {
  const hedgeId = textFrom(response['hedge_id']) || undefined;
  const hash = textFrom(response.order_tx_hash) || undefined;
  const names = [
    ...(hedgeId === undefined ? [] : [unquoted(hedgeId)]),
    ...(hash ? [`tx ${unquoted(shortHash(hash))}`] : []),
  ];
  context.progress.note(`accepted   ${names.join(', ')}`.trimEnd());
  const record = {
    kind: 'accepted',
    by: 'answer',
    ...(hedgeId === undefined ? {} : { hedge_id: hedgeId }),
    ...(hash === undefined ? {} : { order_tx_hash: hash }),
  } as const;
  return { action: await appendRecord(action, record, context), sent: { outcome: 'accepted' } };
}

async function failed(
  action: Action,
  error: unknown,
  { unclearAt, wentOut }: { unclearAt: number; wentOut: readonly number[] },
  context: ReadContext,
): Promise<{ action: Action; sent: Sent }> {
  if (error instanceof RefusedError || error instanceof CredentialError) {
    const record = {
      kind: 'refused',
      code: error.serviceCode ?? error.code,
      http_status: error.httpStatus ?? 0,
    } as const;
    return { action: await appendRecord(action, record, context), sent: { outcome: 'refused', error } };
  }
  if (NOTHING_LEFT.some((kind) => error instanceof kind) && error instanceof HedgeError) {
    const turnedAway = error.httpStatus === RATE_LIMITED ? { code: error.serviceCode ?? error.code } : {};
    const record = { kind: 'not_sent', why: error.what, ...turnedAway } as const;
    return { action: await appendRecord(action, record, context), sent: { outcome: 'not_sent', error } };
  }
  const unknown = error instanceof OutcomeUnknownError ? error : afterInternalError(error);
  const { refusal, httpStatus = 0 } = unknown;
  const record = {
    kind: 'unknown',
    why: unknown.what,
    unclear_at: exactInstant(unclearAt),
    ...(refusal && { rejected: { code: refusal.code ?? 'refused', http_status: httpStatus } }),
  } as const;
  const sent = { outcome: 'unknown', error: unknown, wentOut } as const;
  return { action: await appendRecord(action, record, context), sent };
}

const NOTHING_LEFT = [UnavailableError, InterruptedError, StoppedError] as const;

/** After an internal error during sending, the outcome is unknown: bytes may have left. */
const afterInternalError = (error: unknown): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `Internal error while sending: ${error instanceof Error ? error.message : String(error)}.`,
    cause: error,
  });

function noteAttempt(
  attempt: AttemptRecord,
  { wentOut, context }: { wentOut: readonly number[]; context: ReadContext },
): void {
  const { number, outcome, status, code, responded, retries } = attempt;
  const suffix = status === undefined ? '' : ` (HTTP ${status.toString()})`;
  const next = retries === true ? '; retrying with the same key' : '';
  const most = mostAttempts(attempt, wentOut.length);
  const of = most === undefined ? '' : ` of ${most.toString()}`;
  const note = (text: string): void => context.progress.note(`attempt ${number.toString()}${of}: ${text}`);
  if (code === 'idempotency_in_flight') note(`still in progress${next}`);
  // After Ctrl-C nobody waits for one: that is no fault of the network.
  else if (outcome === 'unclear' && !context.signal.aborted)
    note(`${responded === true ? 'no usable response' : 'no response'}${suffix}${next}`);
  else if (outcome === 'never_sent') note('no connection');
  else if (outcome === 'refused' && status === RATE_LIMITED) note('rate limit reached');
}

/** Undefined when rate limits or requests in flight change how many there are. */
function mostAttempts({ number, outcome, code }: AttemptRecord, unclear: number): number | undefined {
  if (outcome === 'never_sent' && number <= NEVER_SENT_ATTEMPTS) return NEVER_SENT_ATTEMPTS;
  const isCounted = outcome === 'unclear' && code !== 'idempotency_in_flight' && unclear === number;
  return isCounted ? UNKNOWN_OUTCOME_SENDS : undefined;
}

const RATE_LIMITED = 429;
