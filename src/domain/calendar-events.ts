/** Events of a calendar file, one per hedge: their revisions from one export to the next. Pure. */
import { sanitize } from './sanitize.ts';

export interface CalendarEvent {
  /** A hedge ID. */
  id: string;
  /** Milliseconds since the epoch. */
  startMs: number;
  summary: string;
  description: string;
}

export interface KeptEvent extends Omit<CalendarEvent, 'id'> {
  uid: string;
  /** Revision: 0 at first, one more with every change. */
  sequence: number;
  /** Time of the last revision, in milliseconds since the epoch; the file has no METHOD. */
  stampMs: number;
  canceled: boolean;
}

export interface KeptCalendar {
  /** The account that it is of. */
  name: string;
  events: readonly KeptEvent[];
}

export interface CalendarState {
  name: string;
  events: readonly CalendarEvent[];
  /** Events of hedges past their maturity, as they ended: each changes one that the file has, and adds none. */
  ended: readonly CalendarEvent[];
  /** IDs of all open hedges, also of those without an event here. Undefined: the list may be incomplete. */
  open: readonly string[] | undefined;
  /** Closed records of the history: a hedge that was closed before its maturity did not settle. */
  closed: readonly { id: string; atMs: number }[];
  /** By the service's clock: maturities before it are settled, unless `closed` says otherwise. */
  servedMs: number;
  /** By this machine's clock: stamps revisions. */
  nowMs: number;
}

/** Settled and canceled events stay so long after their maturity. */
const KEPT_MS = 31 * 86_400_000;

/** Whether the history is needed to tell a settled hedge from one that was closed early. */
export const hasPastEvents = ({ events }: KeptCalendar, servedMs: number): boolean =>
  events.some(({ startMs, canceled }) => !canceled && startMs <= servedMs);

/**
 * The events after an export. One that did not change keeps its revision, so that an export without news writes the same
 * bytes. One whose hedge was closed early is canceled: a calendar that has imported it would not miss it.
 */
export function reviseEvents(kept: KeptCalendar | undefined, state: CalendarState) {
  const before = new Map((kept?.events ?? []).map((event) => [event.uid, event]));
  const now = state.events.map((event) => revised(before.get(uidOf(event.id)), event, state.nowMs));
  const open = state.open?.map(uidOf);
  const ended = new Map(state.ended.map((event) => [uidOf(event.id), event]));
  const closed = new Map(state.closed.map(({ id, atMs }) => [uidOf(id), atMs]));
  const others = [...before.values()]
    .filter(({ uid }) => !now.some((each) => each.event.uid === uid))
    .filter(({ startMs }) => startMs > state.servedMs - KEPT_MS)
    .map((event): Revised => {
      const isGone =
        event.startMs > state.servedMs
          ? open !== undefined && !open.includes(event.uid)
          : (closed.get(event.uid) ?? event.startMs) < event.startMs;
      if (isGone && !event.canceled)
        return { event: { ...nextRevision(event, state.nowMs), canceled: true }, was: 'canceled' };
      const last = ended.get(event.uid);
      return last === undefined || event.canceled
        ? { event, was: 'unchanged' }
        : revised(event, last, state.nowMs);
    });
  const all = [...now, ...others];
  const count = (was: Revised['was']): number => all.filter((each) => each.was === was).length;
  return {
    events: all.map(({ event }) => event),
    added: count('added'),
    changed: count('changed'),
    canceled: count('canceled'),
    unchanged: count('unchanged'),
  };
}

interface Revised {
  event: KeptEvent;
  was: 'added' | 'changed' | 'canceled' | 'unchanged';
}

function revised(before: KeptEvent | undefined, event: CalendarEvent, nowMs: number): Revised {
  const fields = {
    uid: uidOf(event.id),
    startMs: wholeSeconds(event.startMs),
    summary: oneLine(event.summary),
    description: oneLine(event.description),
    canceled: false,
  };
  if (before === undefined)
    return { event: { ...fields, sequence: 0, stampMs: wholeSeconds(nowMs) }, was: 'added' };
  const isSame =
    !before.canceled &&
    (['startMs', 'summary', 'description'] as const).every((name) => before[name] === fields[name]);
  return isSame
    ? { event: before, was: 'unchanged' }
    : { event: { ...nextRevision(before, nowMs), ...fields }, was: 'changed' };
}

/** A clock that was set back must not make a revision older than the one before it. */
const nextRevision = (event: KeptEvent, nowMs: number): KeptEvent => ({
  ...event,
  sequence: event.sequence + 1,
  stampMs: Math.max(wholeSeconds(nowMs), event.stampMs),
});

const wholeSeconds = (ms: number): number => Math.floor(ms / 1_000) * 1_000;
const oneLine = (text: string): string => sanitize(text).trim();

/** A calendar file has a UID as it is: an ID must not end its line. A usual one has none of these characters. */
const uidOf = (id: string): string => encodeURIComponent(id.replace(/\p{Cs}/gu, '\u{fffd}'));
