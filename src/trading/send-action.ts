/**
 * Sends an action whose intent is on disk, and stays with it to its report. A rejection that came only after an
 * unclear attempt, of this run or of an earlier one, says nothing about that attempt.
 *
 * Sends an action that stands in the journal, under its own key and with its own bytes, and writes down what
 * the service said. The resending inside one call is the client's; nothing here looks at the book.
 */

import type { AttemptRecord } from '../client/call-options.ts';
import type { AcceptedChange, AcceptedOpen } from '../client/schemas.ts';
import { textFrom } from '../client/unspecified-fields.ts';
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
import { hashInWords } from './actions.ts';
import { type CompletionOptions, completeAction } from './await-completion.ts';
import { arrivalInWords, decidedAt } from './idempotency-window.ts';
import { observeAction } from './observe-action.ts';
import { appendRecord } from './outcome/append-record.ts';
import { isDueToRuleOut } from './outcome/found-hedge.ts';
import { reportOf } from './report.ts';
import { notSentError, stoppedWaiting, unknownError } from './report-errors.ts';
import type { ActionReport, TradingContext } from './trading-context.ts';
/** Never throws once something may have left: the report's `finding` says what happened. */
export async function sendAndFinish(
  entry: Action,
  options: CompletionOptions,
  dealing: TradingContext,
): Promise<ActionReport> {
  const { plan } = options;
  const sent = await submit(entry, plan?.facts.clocks, dealing);
  const { action } = sent;
  // Not told by this answer: an earlier run sent it, and had none that could be used.
  if ((sent.became === 'refused' || sent.became === 'not_sent') && isUnresolved(action))
    return inDoubt(action, { ...options, error: afterDoubt(sent) }, dealing);
  switch (sent.became) {
    case 'accepted':
      return completeAction(action, options, dealing);
    case 'refused':
      return reportOf('refused', { entry: action, plan, finding: sent.error });
    case 'not_sent':
      return reportOf('not_sent', { entry: action, plan, finding: notSentError(action, sent.error) });
    case 'unknown':
      return inDoubt(action, { ...options, error: sent.error }, dealing);
    default:
      return sent satisfies never;
  }
}

/** What a definite answer to a later sending says of the one before it: nothing. */
const afterDoubt = ({ became, error }: Exclude<Submitted, { became: 'accepted' | 'unknown' }>) =>
  new OutcomeUnknownError(
    {
      what: `${error.what} What an earlier sending came to is not told by that.`,
      httpStatus: error.httpStatus,
    },
    became === 'refused' ? { code: error.code, message: error.what } : undefined,
  );

async function inDoubt(
  entry: Action,
  options: CompletionOptions & { error: OutcomeUnknownError },
  dealing: TradingContext,
): Promise<ActionReport> {
  const { plan, error } = options;
  const { reason } = dealing.signal;
  if (reason instanceof InterruptedError)
    return reportOf('unknown', { entry, plan, finding: stoppedWaiting(entry, reason) });
  const settled = error.refusal === undefined ? undefined : await settledByNow(entry, dealing);
  if (settled !== undefined) return { ...settled, plan };
  return reportOf('unknown', {
    entry,
    plan,
    finding: unknownError(entry, rejectedNow(entry, error, dealing)),
  });
}

/** Where none of its sends can arrive any more, a look tells; undefined where it can't be made, or may be too early. */
async function settledByNow(entry: Action, dealing: TradingContext): Promise<ActionReport | undefined> {
  try {
    const isDue = isDueToRuleOut(entry, dealing.journal.read(), dealing.clock.now());
    return isDue ? (await observeAction(entry, dealing)).report : undefined;
  } catch (error) {
    if (error instanceof HedgeError) return undefined;
    throw error;
  }
}

/** The rejection first: it is what the operator asked for now. */
function rejectedNow(
  entry: Action,
  error: OutcomeUnknownError,
  dealing: TradingContext,
): OutcomeUnknownError {
  const arrival = arrivalInWords(entry, dealing);
  if (error.refusal === undefined || arrival === undefined) return error;
  const { refusal, httpStatus, details } = error;
  const may = `${arrival.charAt(0).toLowerCase()}${arrival.slice(1)}`;
  const said = refusal.code === undefined ? '' : ` The rejection: ${unquoted(refusal.code)}.`;
  return new OutcomeUnknownError(
    { what: `Rejected now, but ${may}${said}`, httpStatus, details, cause: error },
    refusal,
  );
}

/** The action as it stands in the journal now, and why it did not go as asked. */
export type Submitted =
  | { became: 'accepted'; action: Action }
  | { became: 'refused'; action: Action; error: RefusedError | CredentialError }
  /** Nothing was done: no connection, a rate limit, too late, or the operator's own stop in time. */
  | { became: 'not_sent'; action: Action; error: HedgeError }
  | { became: 'unknown'; action: Action; error: OutcomeUnknownError };

/** `action`: its intent and the beginning of this sending are in the journal, on disk. `readAt`: what it was decided on. */
export async function submit(
  action: Action,
  readAt: ClockReadings | undefined,
  dealing: TradingContext,
): Promise<Submitted> {
  const { api, clock, signal, watch } = dealing;
  const { intent } = action;
  let unclearAt: number | undefined;
  watch.note(`sending    action ${action.shortId}: ${actionInWords(action)}`);
  watch.update(`Waiting for the answer (action ${action.shortId})`);
  try {
    const answer = await api.act({ action: intent.action, body: intent.body }, intent.idempotency_key, {
      signal,
      decided: readAt && decidedAt(action, readAt),
      onAttempt(attempt) {
        if (attempt.became === 'unclear') unclearAt = clock.now();
        sayAttempt(attempt, dealing);
      },
      onHeldBack: (ms) => watch.note(`waiting    ${(ms / 1000).toFixed(1)} s: the service said to slow down`),
    });
    return await accepted(action, answer.data, dealing);
  } catch (error) {
    return failed(action, error, unclearAt ?? clock.now(), dealing);
  }
}

async function accepted(
  action: Action,
  answer: AcceptedOpen | AcceptedChange,
  dealing: TradingContext,
): Promise<Submitted> {
  const hedgeId = textFrom(answer['hedge_id']) || undefined;
  const hash = textFrom(answer.order_tx_hash) || undefined;
  const names = [
    ...(hedgeId === undefined ? [] : [unquoted(hedgeId)]),
    ...(hash ? [`tx ${hashInWords(hash)}`] : []),
  ];
  dealing.watch.note(`accepted   ${names.join(', ')}`.trimEnd());
  const said = {
    kind: 'accepted',
    by: 'answer',
    ...(hedgeId === undefined ? {} : { hedge_id: hedgeId }),
    ...(hash === undefined ? {} : { order_tx_hash: hash }),
  } as const;
  return { became: 'accepted', action: await appendRecord(action, said, dealing) };
}

async function failed(
  action: Action,
  error: unknown,
  unclearAt: number,
  dealing: TradingContext,
): Promise<Submitted> {
  if (error instanceof RefusedError || error instanceof CredentialError) {
    const said = { kind: 'refused', code: error.code, http_status: error.httpStatus ?? 0 } as const;
    return { became: 'refused', error, action: await appendRecord(action, said, dealing) };
  }
  if (NOTHING_LEFT.some((kind) => error instanceof kind) && error instanceof HedgeError) {
    const turnedAway = error.httpStatus === RATE_LIMITED ? { code: error.code } : {};
    const said = { kind: 'not_sent', why: error.what, ...turnedAway } as const;
    return { became: 'not_sent', error, action: await appendRecord(action, said, dealing) };
  }
  const unknown = error instanceof OutcomeUnknownError ? error : afterFault(error);
  const { refusal, httpStatus = 0 } = unknown;
  const said = {
    kind: 'unknown',
    why: unknown.what,
    unclear_at: exactInstant(unclearAt),
    ...(refusal && { rejected: { code: refusal.code ?? 'refused', http_status: httpStatus } }),
  } as const;
  return { became: 'unknown', error: unknown, action: await appendRecord(action, said, dealing) };
}

const NOTHING_LEFT = [UnavailableError, InterruptedError, StoppedError] as const;

/** A fault of ours after bytes may have left is no reason to call the action not done. */
const afterFault = (error: unknown): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `A fault in hedge itself while sending: ${error instanceof Error ? error.message : String(error)}.`,
    cause: error,
  });

function sayAttempt({ number, became, status, code }: AttemptRecord, { watch }: TradingContext): void {
  const came = code ?? (status === undefined ? undefined : `HTTP ${status.toString()}`);
  const answer = came === undefined ? '' : ` (${came})`;
  if (became === 'unclear')
    watch.note(`try ${number.toString()}      no usable answer${answer}; any other try has the same key`);
  else if (became === 'never_sent') watch.note(`try ${number.toString()}      no connection`);
  else if (became === 'refused' && status === RATE_LIMITED)
    watch.note(`try ${number.toString()}      told to slow down${answer}`);
}

const RATE_LIMITED = 429;
