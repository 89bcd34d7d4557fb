/**
 * How long a key can be resent safely (specification §7), and until when a request without a response may still arrive:
 * before then neither a rejection nor a lookup proves that nothing was done. Pure.
 */

import type { AttemptDecision } from '../client/transport/transport.ts';
import { createsHedge } from '../domain/action-table.ts';
import {
  type ClockReadings,
  clocksDisagree,
  durationInWords,
  type Elapsed,
  elapsedOver,
  exactInstant,
} from '../domain/instants.ts';
import { machineTimeNote } from '../journal/describe.ts';
import { wasNotExecuted } from '../journal/queries.ts';
import { type Action, lastUnclearAt } from '../journal/replay.ts';
import type { JournalState } from '../journal/state.ts';
import { READINGS_LAG_MS } from '../readings/poll.ts';
import type { ReadContext } from '../readings/read-context.ts';

/** ASSUMED: the specification shows no lifetime of keys. */
export const KEY_LIFE_MS = 60 * 60_000;

/** How long an accepted change may take to show. The service does not report its failure. */
export const NOT_SEEN_AFTER_MS = 5 * 60_000;

/** Whether it should have shown by now. The service's clock counts too where it was read: this machine's may have been set ahead. */
export function isOverdue({ changedAt, intent }: Action, now: ClockReadings): boolean {
  const { answered_at: answeredAt, served_at: servedAt } = intent.before;
  const changed = Date.parse(changedAt);
  const byService =
    answeredAt === undefined || servedAt === undefined || now.service === undefined
      ? Infinity
      : now.service - Date.parse(servedAt) - (changed - Date.parse(answeredAt));
  return Math.min(now.wall - changed, byService) >= NOT_SEEN_AFTER_MS;
}

/** A clock set back by more than this gives no reliable ages. */
const CORRECTED_MS = 60_000;

/** Measured from the first send, or from the intent if no send is recorded. */
export function isKeyValid({ sentAt, intent }: Action, nowMs: number): boolean {
  const age = nowMs - Date.parse(sentAt ?? intent.at);
  return age < KEY_LIFE_MS && age > -CORRECTED_MS;
}

/** The age of its key, from the first send or the reading before it. `moments`: clock readings since then. */
export function keyAge({ sentAt, intent }: Action, moments: readonly ClockReadings[]): Elapsed {
  const { answered_at: answeredAt, served_at: servedAt } = intent.before;
  const first =
    answeredAt === undefined || servedAt === undefined
      ? { wall: Date.parse(sentAt ?? intent.at) }
      : { wall: Date.parse(answeredAt), service: Date.parse(servedAt) };
  return elapsedOver([first, ...moments]);
}

/** The oldest reading that a send may rely on, waiting for a connection or rate limit included. */
const READ_MS = 2 * 60_000;

/** On a desk, a first send starts so long after its record was committed, or never: then others may judge it. */
const FIRST_SEND_MS = 30_000;

/**
 * How long an action may be sent after the reading it was decided on: never under a key that may be forgotten. `committedAt`:
 * when its record was about to be committed to the log of a desk.
 */
export function decidedAt(
  action: Action,
  at: ClockReadings | undefined,
  committedAt?: ClockReadings,
): AttemptDecision | undefined {
  if (at === undefined)
    return committedAt === undefined ? undefined : { at: committedAt, withinMs: FIRST_SEND_MS };
  const withinMs = Math.min(READ_MS, KEY_LIFE_MS - keyAge(action, [at]).ms);
  const passed = committedAt && elapsedOver([at, committedAt]);
  if (committedAt === undefined || passed === undefined || clocksDisagree(passed)) return { at, withinMs };
  return { at: committedAt, withinMs: Math.min(FIRST_SEND_MS, withinMs - passed.ms) };
}

/** Whether the clock was set back since the action: it is earlier than a later record of the journal. */
export const isSetBack = ({ id }: Action, state: JournalState, nowMs: number): boolean =>
  Date.parse(state.latestSince(id) ?? '') - nowMs > CORRECTED_MS;

/** `4 min`, `2 h`, `30 s` since the first send; undefined if never sent. */
export function sinceSent({ sentAt }: Action, nowMs: number): string | undefined {
  if (sentAt === undefined) return undefined;
  const age = nowMs - Date.parse(sentAt);
  if (age < -CORRECTED_MS) return 'an unknown time';
  return durationInWords(age);
}

/** ASSUMED: an accepted close lands within 60 s, or not at all. */
export const CLOSE_LANDS_MS = 60_000;

/** ASSUMED: the specification does not say how long a request may be delayed. */
const MAY_ARRIVE_MS = 5 * 60_000;

/** Milliseconds since the epoch; undefined if no attempt is unclear, or its time is not recorded. */
export function mayArriveUntil(action: Action): number | undefined {
  const at = lastUnclearAt(action);
  return at === undefined ? undefined : Date.parse(at) + MAY_ARRIVE_MS;
}

/**
 * When a lookup can prove that nothing was done, in milliseconds since the epoch; undefined as above. An open is listed
 * once accepted (specification §3); the others show after execution, so they get the time that readings may lag.
 */
export function conclusiveFrom(action: Action): number | undefined {
  const until = mayArriveUntil(action);
  return until === undefined || createsHedge(action.intent) ? until : until + READINGS_LAG_MS;
}

/** `conclusiveFrom`, while that is still to come. */
export function lateUntil(action: Action, nowMs: number): number | undefined {
  const from = conclusiveFrom(action);
  return from !== undefined && from > nowMs ? from : undefined;
}

/**
 * Like `lateUntil`, also for an accepted action whose position changed differently: its own change may still show.
 * Before then it is not recorded as not executed.
 */
export function mayShowUntil(action: Action, nowMs: number): number | undefined {
  const late = lateUntil(action, nowMs);
  if (action.acceptedAt === undefined || action.outcome?.kind !== 'not_told') return late;
  const shown = Date.parse(action.acceptedAt) + NOT_SEEN_AFTER_MS;
  return shown > nowMs ? Math.max(shown, late ?? shown) : late;
}

/** Whether a lookup can prove it now. Never after the clock was set back. */
export function isConclusive(action: Action, state: JournalState, nowMs: number): boolean {
  const from = conclusiveFrom(action);
  return from !== undefined && nowMs >= from && !isSetBack(action, state, nowMs);
}

/**
 * Until when a hedge found by deal ID may be somebody else's, in milliseconds since the epoch; undefined when it is
 * certain: its ID came in a response, or its reference is derived from our key.
 */
export function foundProvisionallyUntil(action: Action, nowMs: number): number | undefined {
  const { hedgeId, intent } = action;
  const isCertain = hedgeId !== undefined && action.provisionalUntil === undefined;
  const until = isCertain || intent.deal_id === undefined ? undefined : mayArriveUntil(action);
  return until !== undefined && nowMs < until ? until : undefined;
}

/** A failed open reuses its key while the service remembers it, so that a late arrival is the same deal. */
export const keepsItsKey = (action: Action, nowMs: number): boolean =>
  wasNotExecuted(action) && isKeyValid(action, nowMs);

/** A sentence; undefined when nothing can arrive any more, or that is not known. */
export function arrivalInWords(
  action: Action,
  { clock, timeOfDay }: Pick<ReadContext, 'clock' | 'timeOfDay'>,
): string | undefined {
  const [until, from] = [mayArriveUntil(action), conclusiveFrom(action)];
  if (until === undefined || from === undefined || from <= clock.now()) return undefined;
  const note = machineTimeNote(action);
  return until > clock.now()
    ? `${action.refusal === undefined ? 'It' : 'An earlier attempt'} may still arrive${from > until ? ' and show' : ''} until ${timeOfDay(from)}${note}.`
    : `A late arrival may take until ${timeOfDay(from)}${note} to show.`;
}

export function arrivalDetails(action: Action): Readonly<Record<string, string>> {
  const [until, from] = [mayArriveUntil(action), conclusiveFrom(action)];
  if (until === undefined || from === undefined) return {};
  return { may_arrive_until: exactInstant(until), may_show_until: exactInstant(from) };
}
