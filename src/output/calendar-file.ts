/** The calendar file of maturities (RFC 5545): one event per hedge with its ID as UID, and its update by a second export. */
import ical, { ICalEventStatus, ICalEventTransparency } from 'ical-generator';
import {
  type CalendarState,
  type KeptCalendar,
  type KeptEvent,
  reviseEvents,
} from '../domain/calendar-events.ts';

export type CalendarUpdate = ReturnType<typeof updateCalendar>;

const PRODUCT = { company: 'hedge', product: 'maturities', language: 'EN' };
const PRODUCT_LINE = 'PRODID:-//hedge//maturities//EN';
/** The file after an export, and how many of its events are new to it. */
export function updateCalendar(kept: KeptCalendar | undefined, state: CalendarState) {
  const { events, ...counts } = reviseEvents(kept, state);
  return { text: textOf({ name: state.name, events }), events: events.length, ...counts };
}

function textOf({ name, events }: KeptCalendar): string {
  const calendar = ical({ prodId: PRODUCT, name });
  const sorted = events.toSorted(
    (one, other) => one.startMs - other.startMs || (one.uid < other.uid ? -1 : 1),
  );
  for (const { uid, startMs, stampMs, canceled, ...words } of sorted)
    calendar.createEvent({
      ...words,
      id: uid,
      start: new Date(startMs),
      stamp: new Date(stampMs),
      status: canceled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
      transparency: ICalEventTransparency.TRANSPARENT,
    });
  return `${calendar.toString().trimEnd()}\r\n`;
}

/** Undefined for a file that hedge did not write. */
export function readCalendar(text: string): KeptCalendar | undefined {
  const lines = text.replace(/\r?\n[ \t]/g, '').split(/\r?\n/);
  if (lines[0] !== 'BEGIN:VCALENDAR' || !lines.includes(PRODUCT_LINE)) return undefined;
  const events: KeptEvent[] = [];
  let fields: Map<string, string> | undefined;
  for (const line of lines) {
    if (line === 'BEGIN:VEVENT') fields = new Map();
    else if (line === 'END:VEVENT') {
      const event = fields && eventOf(fields);
      if (event === undefined) return undefined;
      events.push(event);
      fields = undefined;
    } else fields?.set(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1));
  }
  const name = lines.find((line) => line.startsWith(NAME))?.slice(NAME.length) ?? '';
  return { name: unescaped(name), events };
}

const NAME = 'X-WR-CALNAME:';
const UID = /^[\w.!~*'()%-]+$/;

function eventOf(fields: ReadonlyMap<string, string>): KeptEvent | undefined {
  const uid = fields.get('UID') ?? '';
  const startMs = msOf(fields.get('DTSTART'));
  const stampMs = msOf(fields.get('DTSTAMP'));
  const sequence = Number(fields.get('SEQUENCE') ?? '0');
  if (!UID.test(uid) || startMs === undefined || stampMs === undefined || !Number.isSafeInteger(sequence))
    return undefined;
  return {
    uid,
    startMs,
    stampMs,
    sequence,
    summary: unescaped(fields.get('SUMMARY') ?? ''),
    description: unescaped(fields.get('DESCRIPTION') ?? ''),
    canceled: fields.get('STATUS') === 'CANCELLED',
  };
}

const unescaped = (text: string): string => text.replace(/\\([\\;,])/g, '$1');

/** `20261123T090259Z` */
function msOf(text: string | undefined): number | undefined {
  const iso = text?.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const ms = Date.parse(iso ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
