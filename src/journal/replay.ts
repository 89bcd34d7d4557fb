/**
 * What the records say about each action, taken together: pure, and the same whoever reads them. What the
 * service said outweighs what was supposed, and nothing that may have happened is ever called not done.
 *
 * What the answers to an action's sends told, and what they left open: when the last send left that got no usable
 * answer, what a later one was rejected with, and whether the hedge that was found is this action's for certain. Pure.
 */
import { Big } from 'big.js';
import { type IntentRecord, isEnd, type JournalRecord, type OutcomeKind, type Writer } from './records.ts';
/**
 * `prepared`: the intent is on disk, nothing has left. `sent`: sending began, no answer is written yet.
 * `unknown`: no usable answer. `accepted`: the service took it, its end is not known. `done` and `failed`:
 * its end was seen. `refused`: definite, nothing was done. `not_sent`: stopped before anything left, or turned away.
 * `settled`: a person's word (`settledAs`).
 */
export type ActionState =
  | 'prepared'
  | 'sent'
  | 'unknown'
  | 'accepted'
  | 'done'
  | 'failed'
  | 'refused'
  | 'not_sent'
  | 'settled';

export interface Action extends AttemptAnswers {
  id: string;
  /** Shortest beginning, of four or more, that no earlier action has: never changes. */
  shortId: string;
  state: ActionState;
  /** Being sent, once more perhaps, by a process that still runs: it will write what comes of it. */
  underway: boolean;
  /** Accepted without an end, by a process that still runs: it may be waiting, and would write the end itself. */
  awaited: boolean;
  intent: IntentRecord;
  /** USD; undefined for a close. */
  notional: Big | undefined;
  /** Sends that began, over all processes. */
  attempts: number;
  /** A send may have reached the service without a usable answer: a later refusal alone does not settle it. */
  unclear: boolean;
  hedgeId: string | undefined;
  orderTxHash: string | undefined;
  /** Last one written; `not_seen` leaves the state `accepted`. */
  outcome: { kind: OutcomeKind; at: string; facts: Readonly<Record<string, string | null>> } | undefined;
  /** Of one that is `not_sent`: the code with which the service turned it away. */
  turnedAway: string | undefined;
  settledAs: 'done' | 'nothing' | undefined;
  /** Why it is unknown, not sent, or settled: of the last record that says so. */
  why: string | undefined;
  /** First send, and last record. ISO 8601 UTC. */
  sentAt: string | undefined;
  changedAt: string;
}

export interface ReplayedJournal {
  /** In the order of their intents. */
  actions: readonly Action[];
  /** Actions that records name and no intent begins: its line is damaged. */
  orphans: readonly string[];
}

/** Whether the process that wrote a record still runs here. */
export type IsRunning = (writer: Writer) => boolean;

const SHORTEST_ID = 4;

/** `damageAt`: how many of the records stand before a line that cannot be read. */
export function replayRecords(
  records: Iterable<JournalRecord>,
  isRunning: IsRunning,
  damageAt = 0,
): ReplayedJournal {
  const found = new Map<string, { action: Action; writer: Writer; answered: boolean; last: number }>();
  let count = 0;
  const orphans = new Map<string, number>();
  const shortIds = new Set<string>();
  for (const record of records) {
    const known = found.get(record.action_id);
    count += 1;
    if (known === undefined) {
      if (record.kind !== 'intent') orphans.set(record.action_id, count - 1);
      else
        found.set(record.action_id, {
          action: begun(record, shortIds),
          writer: record.writer,
          answered: false,
          last: count,
        });
      continue;
    }
    known.last = count;
    if (record.kind === 'sending') known.writer = record.writer;
    known.answered = isAnswer(record) || (known.answered && record.kind !== 'sending');
    apply(known.action, record);
  }
  // What names an action that nothing begins may have been another's.
  const hiddenAt = Math.max(damageAt, ...orphans.values());
  for (const { action, writer, answered, last } of found.values()) {
    if (last <= hiddenAt) doubted(action);
    if (UNDERWAY.includes(action.state) && !answered) action.underway = isRunning(writer);
    if (inFlight(action)) action.awaited = isRunning(writer);
  }
  return {
    actions: [...found.values()].map(({ action }) => action),
    orphans: [...orphans.keys()].filter((id) => !found.has(id)),
  };
}

/** What a sending came to, as far as its process could tell. */
const isAnswer = ({ kind }: JournalRecord): boolean =>
  kind === 'accepted' || kind === 'refused' || kind === 'unknown' || kind === 'not_sent';

/** What looks as if it never left may have left: a line that may be its sending cannot be read. */
function doubted(action: Action): void {
  forgetSends(action);
  if (action.state !== 'prepared' && action.state !== 'not_sent') return;
  action.state = 'unknown';
  action.unclear = true;
  action.why = 'A line of the journal that may be its sending cannot be read.';
}

const UNDERWAY: readonly ActionState[] = ['prepared', 'sent', 'unknown'];

function begun(intent: IntentRecord, taken: Set<string>): Action {
  let length = SHORTEST_ID;
  while (taken.has(intent.action_id.slice(0, length))) length += 1;
  const shortId = intent.action_id.slice(0, length);
  taken.add(shortId);
  return {
    id: intent.action_id,
    shortId,
    state: 'prepared',
    underway: false,
    awaited: false,
    intent,
    notional: intent.notional_usd === undefined ? undefined : new Big(intent.notional_usd),
    attempts: 0,
    unclear: false,
    ...NO_ANSWERS,
    hedgeId: undefined,
    orderTxHash: undefined,
    outcome: undefined,
    turnedAway: undefined,
    settledAs: undefined,
    why: undefined,
    sentAt: undefined,
    changedAt: intent.at,
  };
}

/** The action as this record leaves it: for a record that could not be written. */
export function advanced(action: Action, record: JournalRecord): Action {
  const next = { ...action };
  apply(next, record);
  next.underway = action.underway && UNDERWAY.includes(next.state) && !isAnswer(record);
  next.awaited = action.awaited && inFlight(next);
  return next;
}

const SEEN: readonly ActionState[] = ['accepted', 'done', 'failed'];

function apply(action: Action, record: JournalRecord): void {
  action.changedAt = record.at;
  followAnswers(action, record);
  /** The service has told what it did: neither a lost answer nor a person's guess takes that back. */
  const seen = SEEN.includes(action.state);
  switch (record.kind) {
    case 'intent':
      return;
    case 'sending':
      // An answer that was never written down is a send without one.
      if (action.state === 'sent' && record.nothing_done_before !== true) action.unclear = true;
      action.attempts += 1;
      action.sentAt ??= record.at;
      if (seen || action.settledAs === 'done') return;
      action.settledAs = undefined;
      action.state = action.unclear ? 'unknown' : 'sent';
      return;
    case 'accepted':
      action.hedgeId = record.hedge_id ?? action.hedgeId;
      action.orderTxHash = record.order_tx_hash ?? action.orderTxHash;
      if (action.state === 'done' || action.state === 'failed' || action.settledAs === 'done') return;
      action.state = 'accepted';
      action.settledAs = undefined;
      return;
    case 'refused':
      if (seen || action.state === 'settled') return;
      if (record.looked === true) action.unclear = false;
      action.state = action.unclear ? 'unknown' : 'refused';
      return;
    case 'unknown':
      action.unclear = true;
      if (seen || action.state === 'settled') return;
      action.state = 'unknown';
      action.why = record.why;
      return;
    case 'outcome':
      action.hedgeId = record.hedge_id ?? action.hedgeId;
      // A hedge that was seen to stand does not turn out never to have been opened.
      if (action.state === 'done' && (record.outcome === 'failed' || !isEnd(record.outcome))) return;
      if (['failed', 'settled'].includes(action.state) && !isEnd(record.outcome)) return;
      action.outcome = { kind: record.outcome, at: record.at, facts: record.facts };
      if (record.outcome === 'not_seen') return;
      if (record.outcome === 'not_told') {
        // Accepted once: what a later send is told does not make it undone.
        action.unclear = true;
        action.state = 'unknown';
        action.why = record.facts['seen'] ?? undefined;
        return;
      }
      action.state = record.outcome === 'failed' ? 'failed' : 'done';
      action.settledAs = undefined;
      return;
    case 'settled':
      if (action.state === 'done' || action.state === 'failed') return;
      action.state = 'settled';
      action.settledAs = record.as;
      action.why = record.because;
      return;
    case 'not_sent':
      // A send that may have arrived is not taken back by a later one that did not.
      if (action.state !== 'prepared' && (action.state !== 'sent' || action.unclear)) return;
      action.state = 'not_sent';
      action.turnedAway = record.code;
      action.why = record.why;
  }
}

/** No usable answer, and nobody is waiting for one: a person or `check` has to look. */
export const isUnresolved = (action: Action): boolean =>
  action.state === 'unknown' || (action.state === 'sent' && !action.underway);

/** Accepted, and its end may still come. */
export const inFlight = (action: Action): boolean =>
  action.state === 'accepted' && action.outcome === undefined;

/** It stands on the book, may stand there, or is about to: limits and doubles count it. */
export function maybeExecuted({ state, underway, settledAs }: Action): boolean {
  if (state === 'prepared') return underway;
  if (state === 'settled') return settledAs === 'done';
  return !['failed', 'refused', 'not_sent'].includes(state);
}

/** Accepted and not seen to end, late or not; or being sent for the first time by a running process. */
export const awaitsEnd = (action: Action): boolean =>
  action.state === 'accepted' || (action.underway && !isUnresolved(action));

export interface AttemptAnswers {
  /**
   * When the last send ended that got no usable answer: it may arrive for some time from then on, whatever a later one
   * was told. Undefined where there is none, or the journal does not tell when it was. ISO 8601 UTC.
   */
  unclearAt: string | undefined;
  /** When the run of sends began whose end is not on record. ISO 8601 UTC. */
  openRunAt: string | undefined;
  /** Of the last run of sends. `looked`: the book was read after it, and shows nothing of the action. */
  refusal: { code: string; httpStatus: number; looked?: boolean } | undefined;
  /** The hedge was found under a deal id, and may be a colleague's until then. ISO 8601 UTC. */
  provisionalUntil: string | undefined;
}

export const NO_ANSWERS: AttemptAnswers = {
  unclearAt: undefined,
  openRunAt: undefined,
  refusal: undefined,
  provisionalUntil: undefined,
};

/** The client makes its last attempt within this time of the record that stands before the first. */
export const LONGEST_RUN_MS = 30_000;

/** Before the record changes anything else of the action. */
export function followAnswers(
  action: AttemptAnswers & { hedgeId: string | undefined; state: string },
  record: JournalRecord,
): void {
  switch (record.kind) {
    case 'sending':
      if (record.nothing_done_before !== true) action.unclearAt = lastUnclearAt(action);
      action.openRunAt = record.at;
      return;
    case 'unknown': {
      const { rejected } = record;
      // A record without the instant was written when the last attempt had ended.
      action.unclearAt = record.unclear_at ?? record.at;
      action.openRunAt = undefined;
      action.refusal = rejected && { code: rejected.code, httpStatus: rejected.http_status };
      return;
    }
    case 'refused':
      action.openRunAt = undefined;
      action.refusal = { code: record.code, httpStatus: record.http_status };
      if (record.looked === true) action.refusal.looked = true;
      return;
    case 'not_sent':
      action.openRunAt = undefined;
      return;
    case 'intent':
    case 'settled':
      return;
    case 'accepted':
      if (record.by === 'answer') action.openRunAt = undefined;
      // An id that an answer told is final.
      if (record.by === 'answer' || action.hedgeId === undefined || action.provisionalUntil !== undefined)
        action.provisionalUntil = record.provisional_until;
      return;
    case 'outcome':
      // The hedge that was found is one of several, and another may be this action's.
      if (record.outcome !== 'not_told' || action.provisionalUntil === undefined) return;
      action.provisionalUntil = undefined;
      action.hedgeId = undefined;
      if (action.state === 'done' || action.state === 'failed') action.state = 'accepted';
  }
}

/** A process that ended while it was sending may have sent to the end of its time. */
export function lastUnclearAt({ unclearAt, openRunAt }: AttemptAnswers): string | undefined {
  if (openRunAt === undefined) return unclearAt;
  return new Date(Date.parse(openRunAt) + LONGEST_RUN_MS).toISOString();
}

/** Of an action whose last record stands before a damaged line: a later send may be written there. */
export function forgetSends(action: AttemptAnswers): void {
  action.unclearAt = undefined;
  action.openRunAt = undefined;
}
