/**
 * How long what was sent is believed to be of consequence: its key, within whose life the same key and body are
 * answered with the original result and never acted on twice (specification §7), and a change that was accepted
 * and has not shown. Pure.
 */
import type { Decided } from '../client/hedge-api.ts';
import { type ClockReadings, durationInWords, type Elapsed, elapsedOver } from '../domain/elapsed.ts';
import type { Action } from '../journal/fold.ts';
import type { JournalRecord } from '../journal/record.ts';

/** ASSUMED: the specification shows no lifetime of keys. */
export const KEY_LIFE_MS = 60 * 60_000;

/** How long an accepted change may take to show before it is called not seen. The service tells no failure of it. */
export const NOT_SEEN_AFTER_MS = 5 * 60_000;

/** A clock may be corrected by so much; set back further, it tells no ages any more. */
const CORRECTED_MS = 60_000;

/** From the first send on, or from the intent where no send is on record. */
export function keyLives({ sentAt, intent }: Action, nowMs: number): boolean {
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
export const decidedAt = (action: Action, at: ClockReadings): Decided => ({
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
