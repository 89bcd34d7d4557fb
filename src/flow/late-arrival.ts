/**
 * Until when a send without a usable answer may still arrive at the service and act: no rejection of a later one, and
 * no look at the book, tells before then that nothing was done. Pure.
 */
import { exactInstant } from '../domain/instants.ts';
import { lastUnclearAt } from '../journal/answers.ts';
import type { Action } from '../journal/fold.ts';
import { wasNotExecuted } from '../journal/ledger.ts';
import type { JournalRecord } from '../journal/record.ts';
import { isSetBack, keyLives } from './key-life.ts';
import type { Looking } from './looking.ts';

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
export function isToldFrom(action: Action): number | undefined {
  const until = mayArriveUntil(action);
  return until === undefined || action.intent.action === 'open' ? until : until + READINGS_LAG_MS;
}

/** Whether a look tells it by now. A clock that was set back tells no ages. */
export function isToldByNow(action: Action, records: readonly JournalRecord[], nowMs: number): boolean {
  const from = isToldFrom(action);
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
  wasNotExecuted(action) && keyLives(action, nowMs);

/** As a whole sentence; undefined when it can't arrive any more and would show, or that is not known. */
export function arrivalInWords(
  action: Action,
  { clock, timeOfDay }: Pick<Looking, 'clock' | 'timeOfDay'>,
): string | undefined {
  const [until, from] = [mayArriveUntil(action), isToldFrom(action)];
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
