/**
 * How long what was sent is believed to be of consequence: its key, within whose life the same key and body are
 * answered with the original result and never acted on twice (specification §7), and a change that was accepted
 * and has not shown. Pure.
 *
 * Until when a send without a usable answer may still arrive at the service and act: no rejection of a later one, and
 * no look at the book, tells before then that nothing was done. Pure.
 */
import type { AttemptDecision } from '../client/call-options.ts';
import { createsHedge } from '../domain/action-table.ts';
import {
  type ClockReadings,
  durationInWords,
  type Elapsed,
  elapsedOver,
  exactInstant,
} from '../domain/instants.ts';
import { wasNotExecuted } from '../journal/queries.ts';
import type { JournalRecord } from '../journal/records.ts';
import { type Action, lastUnclearAt } from '../journal/replay.ts';
import type { ReadContext } from '../readings/read-context.ts';
/** ASSUMED: the specification shows no lifetime of keys. */
export const KEY_LIFE_MS = 60 * 60_000;

/** How long an accepted change may take to show before it is called not seen. The service tells no failure of it. */
export const NOT_SEEN_AFTER_MS = 5 * 60_000;

/** A clock may be corrected by so much; set back further, it tells no ages any more. */
const CORRECTED_MS = 60_000;

/** From the first send on, or from the intent where no send is on record. */
export function isKeyValid({ sentAt, intent }: Action, nowMs: number): boolean {
  const age = nowMs - Date.parse(sentAt ?? intent.at);
  return age < KEY_LIFE_MS && age > -CORRECTED_MS;
}

/**
 * How old its key is: from the first send on, or from the reading before it, of which the service's own time is known.
 * `moments`: from the last reading of the book to this one.
 */
export function keyAge({ sentAt, intent }: Action, moments: readonly ClockReadings[]): Elapsed {
  const { answered_at: answeredAt, served_at: servedAt } = intent.before;
  const first =
    answeredAt === undefined || servedAt === undefined
      ? { wall: Date.parse(sentAt ?? intent.at) }
      : { wall: Date.parse(answeredAt), service: Date.parse(servedAt) };
  return elapsedOver([first, ...moments]);
}

/** Who sends goes by what was read so long ago at most, waits for a connection and for a rate limit included. */
const READ_MS = 2 * 60_000;

/** Until when an action may leave that was decided on what was read then: nothing under a key that may be forgotten. */
export const decidedAt = (action: Action, at: ClockReadings): AttemptDecision => ({
  at,
  withinMs: Math.min(READ_MS, KEY_LIFE_MS - keyAge(action, [at]).ms),
});

/**
 * Whether the clock stands before what was written after the action was: then it was set back since, and tells no age.
 */
export const isSetBack = ({ id }: Action, records: readonly JournalRecord[], nowMs: number): boolean =>
  records
    .slice(records.findIndex((each) => each.action_id === id))
    .some(({ at }) => Date.parse(at) - nowMs > CORRECTED_MS);

/** `4 min`, `2 h`, `30 s`: since it was sent first; undefined when it never was. */
export function sinceSent({ sentAt }: Action, nowMs: number): string | undefined {
  if (sentAt === undefined) return undefined;
  const age = nowMs - Date.parse(sentAt);
  if (age < -CORRECTED_MS) return 'an unknown time';
  return durationInWords(age);
}

/** ASSUMED: readings lag at most 60 s. What is older is in every reading, unless it is gone. */
export const READINGS_LAG_MS = 60_000;

/** ASSUMED: the specification does not say how long a request may be held on its way. */
const MAY_ARRIVE_MS = 5 * 60_000;

/** Milliseconds since the epoch; undefined where nothing is unclear, or the journal does not tell when it was sent. */
export function mayArriveUntil(action: Action): number | undefined {
  const at = lastUnclearAt(action);
  return at === undefined ? undefined : Date.parse(at) + MAY_ARRIVE_MS;
}

/**
 * From when on a look tells that nothing was done, in milliseconds since the epoch; undefined as above. An open is
 * listed from its acceptance on (specification §3). The others show once they have landed, usually within seconds: what
 * arrived last is given the time that readings may lag.
 */
export function conclusiveFrom(action: Action): number | undefined {
  const until = mayArriveUntil(action);
  return until === undefined || createsHedge(action.intent) ? until : until + READINGS_LAG_MS;
}

/** Whether a look tells it by now. A clock that was set back tells no ages. */
export function isConclusive(action: Action, records: readonly JournalRecord[], nowMs: number): boolean {
  const from = conclusiveFrom(action);
  return from !== undefined && nowMs >= from && !isSetBack(action, records, nowMs);
}

/**
 * Until when a hedge that an open's reference finds may be a colleague's, in milliseconds since the epoch; undefined: it
 * is ours. So is an id that an answer told, and whatever carries a reference made from our key: a deal id is not ours
 * alone, and the same may be dealt under it elsewhere while a send of ours is on its way.
 */
export function foundProvisionallyUntil(action: Action, nowMs: number): number | undefined {
  const { hedgeId, intent } = action;
  const isTold = hedgeId !== undefined && action.provisionalUntil === undefined;
  const until = isTold || intent.deal_id === undefined ? undefined : mayArriveUntil(action);
  return until !== undefined && nowMs < until ? until : undefined;
}

/**
 * Not executed, as far as can be told: dealt again within the life of its key it has the same one, so that a send which
 * arrives after all is the same deal.
 */
export const keepsItsKey = (action: Action, nowMs: number): boolean =>
  wasNotExecuted(action) && isKeyValid(action, nowMs);

/** As a whole sentence; undefined when it can't arrive any more and would show, or that is not known. */
export function arrivalInWords(
  action: Action,
  { clock, timeOfDay }: Pick<ReadContext, 'clock' | 'timeOfDay'>,
): string | undefined {
  const [until, from] = [mayArriveUntil(action), conclusiveFrom(action)];
  if (until === undefined || from === undefined || from <= clock.now()) return undefined;
  return until > clock.now()
    ? `${action.refusal === undefined ? 'It' : 'An earlier attempt'} may still arrive until ${timeOfDay(until)}.`
    : `What arrived last may take until ${timeOfDay(from)} to show.`;
}

/** For scripts, among the details of an error. */
export function arrivalDetails(action: Action): Readonly<Record<string, string>> {
  const until = mayArriveUntil(action);
  return until === undefined ? {} : { may_arrive_until: exactInstant(until) };
}
