/**
 * Replays the journal's records into the state of each action. Pure. The service's response overrides assumptions, and an
 * action that may have executed is never called not executed.
 */
import { Big } from 'big.js';
import {
  type ActionRecord,
  type IntentRecord,
  isEnd,
  isOfAction,
  type JournalRecord,
  NOT_OURS,
  type Operator,
  type OutcomeKind,
  type Writer,
} from './records.ts';
import type { Stamp } from './stamp.ts';

/**
 * `prepared`: the intent is on disk, nothing was sent. `sent`: sending started, no response is recorded yet.
 * `unknown`: no usable response. `accepted`: by the service, outcome pending. `done` and `failed`: final. `refused`:
 * definitely not executed. `not_sent`: stopped before sending, or rate-limited. `settled`: recorded manually (`recordedAs`).
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

export interface Action {
  id: string;
  /** Shortest prefix, of four or more, that no earlier action has: it never changes. With a desk: that no other has now. */
  shortId: string;
  state: ActionState;
  /** Being sent by a running process, which will record the outcome: for two minutes at most. */
  underway: boolean;
  /** Accepted and pending, with its process still running: it may record the outcome itself. */
  awaited: boolean;
  intent: IntentRecord;
  /** USD; undefined for a close. */
  notional: Big | undefined;
  /** Sends started by all processes. */
  attempts: number;
  /** A send may have reached the service without a usable response: a later rejection alone does not resolve it. */
  unclear: boolean;
  /**
   * When the last send without a usable response ended: it may still arrive for some time. Undefined when there is none,
   * or its time is not recorded. ISO 8601 UTC.
   */
  unclearAt?: string | undefined;
  /** When a run of sends started whose end is not recorded. ISO 8601 UTC. */
  openRunAt?: string | undefined;
  /** How long a run of sends may last, if not `LONGEST_RUN_MS`. */
  longestRunMs?: number | undefined;
  /** The rejection that ended the last run of sends. `looked`: a later reading shows nothing of the action. */
  refusal?: { code: string; httpStatus: number; looked?: boolean } | undefined;
  /** The hedge was found by deal ID and may be a colleague's until then. ISO 8601 UTC. */
  provisionalUntil?: string | undefined;
  hedgeId?: string | undefined;
  orderTxHash?: string | undefined;
  /** The last one; `not_seen` leaves the state `accepted`. */
  outcome?: { kind: OutcomeKind; at: string; facts: Readonly<Record<string, string | null>> } | undefined;
  /** Set for `not_sent`: the code of the service's rejection. */
  rejectionCode?: string | undefined;
  recordedAs?: 'done' | 'nothing' | undefined;
  /** The last manual record, which a later response may have overridden. */
  settlement?: { by: Operator | undefined; at: string; note: string | undefined } | undefined;
  /** Who sent it, sent it again or recorded its outcome manually, each once. */
  operators: readonly Operator[];
  /** The login that recorded it; set with a desk only. */
  login?: string | undefined;
  /** Set with a desk only: who entered it, on another machine or as another user. */
  colleague?: Operator;
  /** Set with a desk only: it was sent before its machine joined, and only that machine sends it again. */
  onlyFrom?: string | undefined;
  /** Why it is unknown, not sent, or settled, by the last such record. */
  why?: string | undefined;
  /** First send, and last record. ISO 8601 UTC. */
  sentAt?: string | undefined;
  /** The last response that accepted it. ISO 8601 UTC. */
  acceptedAt?: string | undefined;
  changedAt: string;
}

/** Whether the process that wrote a record still runs. `lastAt`: of the action's last record, by the time of a desk's database. */
export type IsRunning = (writer: Writer, lastAt: string | undefined) => boolean;

/** A sender that took so long sends nothing more: the reading that it was decided on is too old. */
export const UNDER_WAY_MS = 2 * 60_000;

/** Also false after a clock was set. */
export const mayBeUnderWay = (at: string, nowMs: number): boolean =>
  Math.abs(nowMs - Date.parse(at)) < UNDER_WAY_MS;

/** `stamp`: of a desk's log. */
export interface StampedRecord {
  record: JournalRecord;
  stamp?: Stamp | undefined;
}

/** Hexadecimal digits. */
export const SHORTEST_ID = 4;

/** In the order of their intents. A record without an intent before it is passed over. `nowMs`: or as of each one's last record. */
export const replayRecords = (
  records: readonly JournalRecord[],
  isRunning: IsRunning,
  nowMs?: number,
): readonly Action[] =>
  trackRecords(records.map((record) => ({ record }))).map((each) => actionNow(each, isRunning, nowMs));

/** The same, of records that may be of a desk, whatever the processes and the time. */
export function trackRecords(records: Iterable<StampedRecord>): readonly Tracked[] {
  const found = new Map<string, Tracked>();
  for (const { record, stamp } of records) {
    if (!isOfAction(record)) continue;
    const known = found.get(record.action_id);
    if (known !== undefined) followAction(known, record, stamp);
    else if (record.kind === 'intent') found.set(record.action_id, beginAction(record, stamp));
  }
  return [...found.values()];
}

/** An action with what its later records need to know. */
export interface Tracked {
  action: Action;
  /** Writer of its last send. */
  writer: Writer;
  /** The result of the last send is recorded. */
  responded: boolean;
  /** The last record, by the time of a desk's database. */
  lastAt: string | undefined;
  /** The same, by the writer's clock without a desk. */
  writtenAt: string;
}

export const beginAction = (intent: IntentRecord, stamp?: Stamp): Tracked => ({
  action: {
    id: intent.action_id,
    shortId: intent.short_id ?? intent.action_id,
    state: 'prepared',
    underway: false,
    awaited: false,
    intent,
    notional: intent.notional_usd === undefined ? undefined : new Big(intent.notional_usd),
    attempts: 0,
    unclear: false,
    operators: intent.operator === undefined ? [] : [intent.operator],
    longestRunMs: stamp && LONGEST_RUN_OF_DESK_MS,
    login: stamp?.login,
    onlyFrom: stamp?.isEarlier === true ? intent.writer.hostname : undefined,
    changedAt: intent.at,
  },
  writer: intent.writer,
  responded: false,
  lastAt: stamp?.at,
  writtenAt: stamp?.at ?? intent.at,
});

/** The sender may wait so long before it sends, and then sends for so long. */
const LONGEST_RUN_OF_DESK_MS = 2 * 60_000;

/** Applies a later record of the action. */
export function followAction(tracked: Tracked, record: ActionRecord, stamp?: Stamp): void {
  if (stamp !== undefined) tracked.lastAt = stamp.at;
  tracked.writtenAt = stamp?.at ?? record.at;
  if (record.kind === 'sending') tracked.writer = record.writer;
  tracked.responded = isResponse(record) || (tracked.responded && record.kind !== 'sending');
  apply(tracked.action, record);
}

/** `isRunning`: of the processes, now. */
export function actionNow(tracked: Tracked, isRunning: IsRunning, nowMs?: number): Action {
  const action = { ...tracked.action };
  const mayBeSending = nowMs === undefined || mayBeUnderWay(tracked.writtenAt, nowMs);
  if (UNDERWAY.includes(action.state) && !tracked.responded)
    action.underway = mayBeSending && isRunning(tracked.writer, tracked.lastAt);
  if (inFlight(action)) action.awaited = isRunning(tracked.writer, tracked.lastAt);
  return action;
}

/** A record of a send's result. */
const isResponse = ({ kind }: ActionRecord): boolean =>
  kind === 'accepted' || kind === 'refused' || kind === 'unknown' || kind === 'not_sent';

const UNDERWAY: readonly ActionState[] = ['prepared', 'sent', 'unknown'];

/** The action after this record: for a record that could not be written. */
export function applyRecord(action: Action, record: ActionRecord): Action {
  const next = { ...action };
  apply(next, record);
  next.underway = action.underway && UNDERWAY.includes(next.state) && !isResponse(record);
  next.awaited = action.awaited && inFlight(next);
  return next;
}

const SEEN: readonly ActionState[] = ['accepted', 'done', 'failed'];

function apply(action: Action, record: ActionRecord): void {
  action.changedAt = record.at;
  followOperators(action, record);
  /** The service's outcome is known: neither a lost response nor a manual record overrides it. */
  const seen = SEEN.includes(action.state);
  switch (record.kind) {
    case 'intent':
      return;
    case 'sending':
      // A response that was not recorded counts as none.
      if (record.nothing_done_before !== true) {
        action.unclearAt = lastUnclearAt(action);
        if (action.openRunAt !== undefined) action.refusal = undefined;
        if (action.state === 'sent') action.unclear = true;
      }
      action.openRunAt = record.at;
      action.attempts += 1;
      action.sentAt ??= record.at;
      if (seen || action.recordedAs === 'done') return;
      action.recordedAs = undefined;
      action.state = action.unclear ? 'unknown' : 'sent';
      return;
    case 'accepted':
      // An ID from a response is final.
      if (record.by === 'answer' || action.hedgeId === undefined || action.provisionalUntil !== undefined)
        action.provisionalUntil = record.provisional_until;
      action.hedgeId = record.hedge_id ?? action.hedgeId;
      action.orderTxHash = record.order_tx_hash ?? action.orderTxHash;
      if (record.by === 'answer') {
        action.openRunAt = undefined;
        action.acceptedAt = record.at;
      }
      if (action.state === 'done' || action.state === 'failed' || action.recordedAs === 'done') return;
      action.state = 'accepted';
      action.recordedAs = undefined;
      // Its hedge was found after all, or its end is awaited again.
      if (action.outcome?.kind === 'not_told') action.outcome = undefined;
      return;
    case 'refused':
      action.openRunAt = undefined;
      action.refusal = { code: record.code, httpStatus: record.http_status };
      if (record.looked === true) action.refusal.looked = true;
      if (seen || action.state === 'settled') return;
      if (record.looked === true) action.unclear = false;
      action.state = action.unclear ? 'unknown' : 'refused';
      return;
    case 'unknown': {
      const { rejected } = record;
      // A record without that time was written when the last attempt had ended.
      action.unclearAt = record.unclear_at ?? record.at;
      action.openRunAt = undefined;
      action.refusal = rejected && { code: rejected.code, httpStatus: rejected.http_status };
      action.unclear = true;
      if (seen || action.state === 'settled') return;
      action.state = 'unknown';
      action.why = record.why;
      return;
    }
    case 'outcome':
      if (record.outcome === 'not_told') dropUncertainHedge(action, record.facts);
      action.hedgeId = record.hedge_id ?? action.hedgeId;
      // A hedge that was seen cannot turn out unopened.
      if (action.state === 'done' && (record.outcome === 'failed' || !isEnd(record.outcome))) return;
      if (['failed', 'settled'].includes(action.state) && !isEnd(record.outcome)) return;
      action.outcome = { kind: record.outcome, at: record.at, facts: record.facts };
      if (record.outcome === 'not_seen') return;
      if (record.outcome === 'not_told') {
        // It was accepted once: a later send's response does not change that.
        action.unclear = true;
        action.state = 'unknown';
        action.why = record.facts['seen'] ?? undefined;
        return;
      }
      action.state = record.outcome === 'failed' ? 'failed' : 'done';
      action.recordedAs = undefined;
      return;
    case 'settled':
      if (action.state === 'done' || action.state === 'failed') return;
      action.state = 'settled';
      action.recordedAs = record.as;
      action.why = record.because;
      return;
    case 'not_sent':
      action.openRunAt = undefined;
      // A later unsent attempt does not resolve a send that may have arrived.
      if (action.state !== 'prepared' && (action.state !== 'sent' || action.unclear)) return;
      action.state = 'not_sent';
      action.rejectionCode = record.code;
      action.why = record.why;
  }
}

/** Several hedges match, and another may be this action's; or the one of the response is another's. */
function dropUncertainHedge(action: Action, facts: Readonly<Record<string, string | null>>): void {
  if (action.provisionalUntil === undefined && !Object.hasOwn(facts, NOT_OURS)) return;
  action.provisionalUntil = undefined;
  action.hedgeId = undefined;
  if (action.state === 'done' || action.state === 'failed') action.state = 'accepted';
}

/** A `check` by anyone records an outcome: who sent it and who decided it count. */
function followOperators(action: Action, record: ActionRecord): void {
  const { kind, operator } = record;
  if (kind === 'settled') action.settlement = { by: operator, at: record.at, note: record.note };
  if ((kind !== 'sending' && kind !== 'settled') || operator === undefined) return;
  const isSame = ({ name, user, host }: Operator): boolean =>
    name === operator.name && user === operator.user && host === operator.host;
  if (!action.operators.some(isSame)) action.operators = [...action.operators, operator];
}

const ENDS: readonly ActionState[] = ['done', 'failed', 'refused', 'not_sent', 'settled'];

/** No record of it is due: its outcome is known, and its hedge is certain. Only a late response may still change it. */
export const isEnded = ({ state, provisionalUntil }: Action): boolean =>
  ENDS.includes(state) && provisionalUntil === undefined;

/** No usable response, and no process waits for one. */
export const isUnanswered = (action: Action): boolean =>
  action.state === 'unknown' || (action.state === 'sent' && !action.underway);

/** Accepted, but the position showed nothing of it in time: it may have failed, or still execute. */
export const isNotSeen = ({ state, outcome }: Action): boolean =>
  state === 'accepted' && outcome?.kind === 'not_seen';

/** Its outcome is unknown, and nothing waits for it: a lookup or a person's word decides. */
export const isUnresolved = (action: Action): boolean => isUnanswered(action) || isNotSeen(action);

/** Its end is not known. */
export const isUnfinished = (action: Action): boolean => isUnresolved(action) || isAwaitingOutcome(action);

/** Accepted, outcome pending. */
export const inFlight = (action: Action): boolean =>
  action.state === 'accepted' && action.outcome === undefined;

/** Executed, possibly executed, or being sent: it counts for limits and duplicates. */
export function maybeExecuted({ state, underway, recordedAs }: Action): boolean {
  if (state === 'prepared') return underway;
  if (state === 'settled') return recordedAs === 'done';
  return !['failed', 'refused', 'not_sent'].includes(state);
}

/** No attempt can have reached the service: its key is still unused. */
export const wasNeverSent = ({ state, underway }: Action): boolean =>
  !underway && (state === 'prepared' || state === 'not_sent');

/** Accepted, and its outcome may come; or being sent by a running process. */
export const isAwaitingOutcome = (action: Action): boolean =>
  (action.state === 'accepted' || action.underway) && !isUnresolved(action);

/** From the record before the first attempt to the last attempt. */
export const LONGEST_RUN_MS = 30_000;

/** A process that died while sending may have sent until its time limit. */
export function lastUnclearAt({
  unclearAt,
  openRunAt,
  longestRunMs = LONGEST_RUN_MS,
}: Pick<Action, 'unclearAt' | 'openRunAt' | 'longestRunMs'>): string | undefined {
  if (openRunAt === undefined) return unclearAt;
  return new Date(Date.parse(openRunAt) + longestRunMs).toISOString();
}
