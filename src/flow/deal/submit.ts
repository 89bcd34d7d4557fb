/**
 * Sends an action that stands in the journal, under its own key and with its own bytes, and writes down what
 * the service said. The resending inside one call is the client's; nothing here looks at the book.
 */
import { textIn } from '../../client/guessed.ts';
import type { AttemptRecord } from '../../client/hedge-api.ts';
import type { AcceptedChange, AcceptedOpen } from '../../client/schemas.ts';
import type { ClockReadings } from '../../domain/elapsed.ts';
import { exactInstant } from '../../domain/instants.ts';
import { unquoted } from '../../domain/quoted.ts';
import {
  CredentialError,
  HedgeError,
  InterruptedError,
  OutcomeUnknownError,
  RefusedError,
  StoppedError,
  UnavailableError,
} from '../../errors.ts';
import type { Action } from '../../journal/fold.ts';
import { actionInWords } from '../../journal/in-words.ts';
import { hashInWords } from '../action-words.ts';
import type { Dealing } from '../dealing.ts';
import { writeDown } from '../evidence/write-down.ts';
import { decidedAt } from '../key-life.ts';

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
  dealing: Dealing,
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
  dealing: Dealing,
): Promise<Submitted> {
  const hedgeId = textIn(answer['hedge_id']) || undefined;
  const hash = textIn(answer.order_tx_hash) || undefined;
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
  return { became: 'accepted', action: await writeDown(action, said, dealing) };
}

async function failed(
  action: Action,
  error: unknown,
  unclearAt: number,
  dealing: Dealing,
): Promise<Submitted> {
  if (error instanceof RefusedError || error instanceof CredentialError) {
    const said = { kind: 'refused', code: error.code, http_status: error.httpStatus ?? 0 } as const;
    return { became: 'refused', error, action: await writeDown(action, said, dealing) };
  }
  if (NOTHING_LEFT.some((kind) => error instanceof kind) && error instanceof HedgeError) {
    const turnedAway = error.httpStatus === RATE_LIMITED ? { code: error.code } : {};
    const said = { kind: 'not_sent', why: error.what, ...turnedAway } as const;
    return { became: 'not_sent', error, action: await writeDown(action, said, dealing) };
  }
  const unknown = error instanceof OutcomeUnknownError ? error : afterFault(error);
  const { refusal, httpStatus = 0 } = unknown;
  const said = {
    kind: 'unknown',
    why: unknown.what,
    unclear_at: exactInstant(unclearAt),
    ...(refusal && { rejected: { code: refusal.code ?? 'refused', http_status: httpStatus } }),
  } as const;
  return { became: 'unknown', error: unknown, action: await writeDown(action, said, dealing) };
}

const NOTHING_LEFT = [UnavailableError, InterruptedError, StoppedError] as const;

/** A fault of ours after bytes may have left is no reason to call the action not done. */
const afterFault = (error: unknown): OutcomeUnknownError =>
  new OutcomeUnknownError({
    what: `A fault in hedge itself while sending: ${error instanceof Error ? error.message : String(error)}.`,
    cause: error,
  });

function sayAttempt({ number, became, status, code }: AttemptRecord, { watch }: Dealing): void {
  const came = code ?? (status === undefined ? undefined : `HTTP ${status.toString()}`);
  const answer = came === undefined ? '' : ` (${came})`;
  if (became === 'unclear')
    watch.note(`try ${number.toString()}      no usable answer${answer}; any other try has the same key`);
  else if (became === 'never_sent') watch.note(`try ${number.toString()}      no connection`);
  else if (became === 'refused' && status === RATE_LIMITED)
    watch.note(`try ${number.toString()}      told to slow down${answer}`);
}

const RATE_LIMITED = 429;
