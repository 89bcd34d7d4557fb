/**
 * Sends a journaled action with its own key and bytes, records the response, and completes the report. A rejection
 * after an unclear attempt does not settle that attempt. Retries are the client's.
 */

import { textFrom } from '../client/json.ts';
import type { AcceptedChange, AcceptedOpen } from '../client/schemas.ts';
import { NEVER_SENT_ATTEMPTS, UNKNOWN_OUTCOME_SENDS } from '../client/transport/retry-policy.ts';
import type { AttemptRecord } from '../client/transport/transport.ts';
import { type ClockReadings, exactInstant } from '../domain/instants.ts';
import { unquoted } from '../domain/quoted.ts';
import {
  CredentialError,
  HedgeError,
  InterruptedError,
  OutcomeUnknownError,
  RefusedError,
  StoppedError,
  UnavailableError,
} from '../errors.ts';
import { actionInWords } from '../journal/describe.ts';
import { type Action, isUnresolved } from '../journal/replay.ts';
import { type CompletionOptions, completeAction } from './await-completion.ts';
import { dealSentElsewhere } from './deal-id.ts';
import { arrivalInWords, decidedAt } from './idempotency-window.ts';
import { observeAction } from './observe-action.ts';
import { appendRecord } from './outcome/append-record.ts';
import { isDueToRuleOut } from './outcome/found-hedge.ts';
import { hashInWords, reportOf } from './report.ts';
import { notSentError, stoppedWaiting, unknownError } from './report-errors.ts';
import type { ActionReport, TradingContext } from './trading-context.ts';

/** Never throws once something may have left: the report's `finding` says what happened. */
export async function sendAndFinish(
  entry: Action,
  options: CompletionOptions,
  context: TradingContext,
): Promise<ActionReport> {
  const { plan } = options;
  const sent = await submit(entry, plan?.facts.clocks, context);
  const { action } = sent;
  // An earlier attempt is unresolved; this response does not settle it.
  if ((sent.outcome === 'refused' || sent.outcome === 'not_sent') && isUnresolved(action))
    return inDoubt(action, { ...options, error: afterDoubt(sent), wentOut: [] }, context);
  switch (sent.outcome) {
    case 'accepted':
      return completeAction(action, options, context);
    case 'refused':
      return reportOf('refused', { entry: action, plan, finding: refusalOf(action, sent.error) });
    case 'not_sent':
      return reportOf('not_sent', { entry: action, plan, finding: notSentError(action, sent.error) });
    case 'unknown':
      return inDoubt(action, { ...options, error: sent.error, wentOut: sent.wentOut }, context);
    default:
      return sent satisfies never;
  }
}

const refusalOf = (action: Action, error: RefusedError | CredentialError) =>
  (error instanceof RefusedError ? dealSentElsewhere(action, error) : undefined) ?? error;

/** A definite response to a later attempt does not settle an earlier one. */
const afterDoubt = ({ outcome, error }: Exclude<Submitted, { outcome: 'accepted' | 'unknown' }>) =>
  new OutcomeUnknownError(
    {
      what: `${error.what} An earlier attempt is still unresolved.`,
      httpStatus: error.httpStatus,
    },
    outcome === 'refused' ? { code: error.code, message: error.what } : undefined,
  );

async function inDoubt(
  entry: Action,
  options: CompletionOptions & { error: OutcomeUnknownError; wentOut: readonly number[] },
  context: TradingContext,
): Promise<ActionReport> {
  const { plan, error, wentOut } = options;
  const { reason } = context.signal;
  if (reason instanceof InterruptedError)
    return reportOf('unknown', { entry, plan, finding: stoppedWaiting(entry, reason, wentOut) });
  const lookedUp = error.refusal === undefined ? undefined : await lookUpIfDue(entry, context);
  if (lookedUp !== undefined) return { ...lookedUp, plan };
  return reportOf('unknown', {
    entry,
    plan,
    finding: unknownError(entry, rejectedNow(entry, error, context)),
  });
}

/** Looks it up once no attempt can still arrive; undefined before that, or if the lookup fails. */
async function lookUpIfDue(entry: Action, context: TradingContext): Promise<ActionReport | undefined> {
  try {
    const isDue = isDueToRuleOut(entry, context.journal.read(), context.clock.now());
    return isDue ? (await observeAction(entry, context)).report : undefined;
  } catch (error) {
    if (error instanceof HedgeError) return undefined;
    throw error;
  }
}

/** Names the rejection first: it answers the current command. */
function rejectedNow(
  entry: Action,
  error: OutcomeUnknownError,
  context: TradingContext,
): OutcomeUnknownError {
  const arrival = arrivalInWords(entry, context);
  if (error.refusal === undefined || arrival === undefined) return error;
  const { refusal } = error;
  const may = `${arrival.charAt(0).toLowerCase()}${arrival.slice(1)}`;
  const code = refusal.code === undefined ? '' : ` The rejection: ${unquoted(refusal.code)}.`;
  return error.with({ what: `Rejected now, but ${may}${code}` });
}

/** The action as recorded now, and the error if it was not accepted. */
export type Submitted =
  | { outcome: 'accepted'; action: Action }
  | { outcome: 'refused'; action: Action; error: RefusedError | CredentialError }
  /** Nothing was done: no connection, a rate limit, too late, or stopped by the operator in time. */
  | { outcome: 'not_sent'; action: Action; error: HedgeError }
  /** `wentOut`: the numbers of the attempts that may have arrived. */
  | { outcome: 'unknown'; action: Action; error: OutcomeUnknownError; wentOut: readonly number[] };

/** `action`: its intent and this attempt are on disk. `readAt`: the clocks of the reading it was decided on. */
export async function submit(
  action: Action,
  readAt: ClockReadings | undefined,
  context: TradingContext,
): Promise<Submitted> {
  const { api, clock, signal, progress } = context;
  const { intent } = action;
  let unclearAt: number | undefined;
  const wentOut: number[] = [];
  progress.note(`sending    action ${action.shortId}: ${actionInWords(action)}`);
  progress.update(`Waiting for the response (action ${action.shortId})`);
  try {
    const response = await api.act({ action: intent.action, body: intent.body }, intent.idempotency_key, {
      signal,
      decided: readAt && decidedAt(action, readAt),
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
  context: TradingContext,
): Promise<Submitted> {
  const hedgeId = textFrom(response['hedge_id']) || undefined;
  const hash = textFrom(response.order_tx_hash) || undefined;
  const names = [
    ...(hedgeId === undefined ? [] : [unquoted(hedgeId)]),
    ...(hash ? [`tx ${hashInWords(hash)}`] : []),
  ];
  context.progress.note(`accepted   ${names.join(', ')}`.trimEnd());
  const record = {
    kind: 'accepted',
    by: 'answer',
    ...(hedgeId === undefined ? {} : { hedge_id: hedgeId }),
    ...(hash === undefined ? {} : { order_tx_hash: hash }),
  } as const;
  return { outcome: 'accepted', action: await appendRecord(action, record, context) };
}

async function failed(
  action: Action,
  error: unknown,
  { unclearAt, wentOut }: { unclearAt: number; wentOut: readonly number[] },
  context: TradingContext,
): Promise<Submitted> {
  if (error instanceof RefusedError || error instanceof CredentialError) {
    const record = {
      kind: 'refused',
      code: error.serviceCode ?? error.code,
      http_status: error.httpStatus ?? 0,
    } as const;
    return { outcome: 'refused', error, action: await appendRecord(action, record, context) };
  }
  if (NOTHING_LEFT.some((kind) => error instanceof kind) && error instanceof HedgeError) {
    const turnedAway = error.httpStatus === RATE_LIMITED ? { code: error.serviceCode ?? error.code } : {};
    const record = { kind: 'not_sent', why: error.what, ...turnedAway } as const;
    return { outcome: 'not_sent', error, action: await appendRecord(action, record, context) };
  }
  const unknown = error instanceof OutcomeUnknownError ? error : afterInternalError(error);
  const { refusal, httpStatus = 0 } = unknown;
  const record = {
    kind: 'unknown',
    why: unknown.what,
    unclear_at: exactInstant(unclearAt),
    ...(refusal && { rejected: { code: refusal.code ?? 'refused', http_status: httpStatus } }),
  } as const;
  return { outcome: 'unknown', error: unknown, wentOut, action: await appendRecord(action, record, context) };
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
  { wentOut, context }: { wentOut: readonly number[]; context: TradingContext },
): void {
  const { number, outcome, status, code, responded, retries } = attempt;
  const suffix = status === undefined ? '' : ` (HTTP ${status.toString()})`;
  const next = retries === true ? '; retrying with the same key' : '';
  const most = mostAttempts(attempt, wentOut.length);
  const of = most === undefined ? '' : ` of ${most.toString()}`;
  const note = (text: string): void => context.progress.note(`attempt ${number.toString()}${of}: ${text}`);
  if (code === 'idempotency_in_flight') note(`still in progress${next}`);
  else if (outcome === 'unclear')
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
