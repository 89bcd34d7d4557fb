/** The calendar file of maturities, read by another program: RFC 5545, one event per hedge, updated by the next export. */
import * as fc from 'fast-check';
import ICAL from 'ical.js';
import { describe, expect, it } from 'vitest';
import type { CalendarEvent, CalendarState } from '../../src/domain/calendar-events.ts';
import { readCalendar, updateCalendar } from '../../src/output/calendar-file.ts';

const at = (text: string): number => Date.parse(text);
const EVENT: CalendarEvent = {
  id: 'hdg_01JD8K',
  startMs: at('2026-11-23T09:02:59.700Z'),
  summary: 'USDTNGN buy 10,000.00 USD matures (PAY-8841)',
  description: 'Hedge hdg_01JD8K. Struck at 1532.71. Profile desk, live.',
};
const OTHER: CalendarEvent = {
  ...EVENT,
  id: 'hdg_02',
  startMs: at('2026-11-27T09:00:00Z'),
  summary: 'Another',
};

const state = (changes: Partial<CalendarState> = {}): CalendarState => ({
  name: 'hedge maturities: desk (live)',
  events: [EVENT, OTHER],
  ended: [],
  open: ['hdg_01JD8K', 'hdg_02'],
  closed: [],
  servedMs: at('2026-11-20T09:00:00Z'),
  nowMs: at('2026-11-20T09:00:00Z'),
  ...changes,
});

/** What a kept parser finds in it. */
function parsed(text: string) {
  const calendar = new ICAL.Component(ICAL.parse(text));
  return calendar.getAllSubcomponents('vevent').map((component) => {
    const event = new ICAL.Event(component);
    const value = (name: string): string => String(component.getFirstPropertyValue(name));
    return {
      uid: event.uid,
      start: event.startDate.toJSDate().toISOString(),
      summary: event.summary,
      description: event.description,
      sequence: event.sequence,
      stamp: value('dtstamp'),
      status: value('status'),
    };
  });
}

const next = (text: string, changes: Partial<CalendarState>) =>
  updateCalendar(readCalendar(text), state({ nowMs: at('2026-11-21T10:00:00Z'), ...changes }));

describe('a calendar file', () => {
  const first = updateCalendar(undefined, state());

  it('has the hedge ID as UID and the maturity in UTC', () => {
    expect(first).toMatchObject({ events: 2, added: 2, changed: 0, canceled: 0, unchanged: 0 });
    expect(parsed(first.text)[0]).toEqual({
      uid: 'hdg_01JD8K',
      start: '2026-11-23T09:02:59.000Z',
      summary: EVENT.summary,
      description: EVENT.description,
      sequence: 0,
      stamp: '2026-11-20T09:00:00Z',
      status: 'CONFIRMED',
    });
  });

  it('has lines of at most 75 octets that end in CR LF, and no METHOD, so that DTSTAMP is the last revision', () => {
    expect(first.text).toMatch(/^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\nPRODID:[^]*\r\nEND:VCALENDAR\r\n$/);
    expect(first.text).not.toMatch(/[^\r]\n/);
    expect(first.text.split('\r\n').filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
    expect(first.text).not.toContain('METHOD');
  });

  it('is the same to the byte when nothing changed', () => {
    const again = next(first.text, {});
    expect(again.text).toBe(first.text);
    expect(again).toMatchObject({ added: 0, changed: 0, canceled: 0, unchanged: 2 });
  });

  it('gives a changed event the next revision, and keeps the others', () => {
    const again = next(first.text, {
      events: [{ ...EVENT, summary: 'USDTNGN buy 5,000.00 USD matures' }, OTHER],
    });
    expect(again).toMatchObject({ events: 2, changed: 1, unchanged: 1 });
    expect(parsed(again.text)).toMatchObject([
      {
        uid: 'hdg_01JD8K',
        sequence: 1,
        stamp: '2026-11-21T10:00:00Z',
        summary: 'USDTNGN buy 5,000.00 USD matures',
      },
      { uid: 'hdg_02', sequence: 0, stamp: '2026-11-20T09:00:00Z' },
    ]);
  });

  it('cancels the event of a hedge that was closed early, once, and takes it up again', () => {
    const closed = next(first.text, { events: [OTHER], open: ['hdg_02'] });
    expect(closed).toMatchObject({ events: 2, canceled: 1 });
    expect(parsed(closed.text)[0]).toMatchObject({ uid: 'hdg_01JD8K', status: 'CANCELLED', sequence: 1 });
    const again = next(closed.text, { events: [OTHER], open: ['hdg_02'] });
    expect(again.text).toBe(closed.text);
    const back = next(again.text, {});
    expect(parsed(back.text)[0]).toMatchObject({ uid: 'hdg_01JD8K', status: 'CONFIRMED', sequence: 2 });
  });

  it('cancels the event of a hedge that was closed early, also when its maturity has passed', () => {
    const past = { events: [OTHER], open: ['hdg_02'], servedMs: at('2026-11-24T00:00:00Z') };
    const closed = [{ id: 'hdg_01JD8K', atMs: at('2026-11-22T15:00:00Z') }];
    const gone = next(first.text, { ...past, closed });
    expect(gone).toMatchObject({ events: 2, canceled: 1, unchanged: 1 });
    expect(parsed(gone.text)[0]).toMatchObject({ uid: 'hdg_01JD8K', status: 'CANCELLED', sequence: 1 });
    expect(next(gone.text, { ...past, closed }).text).toBe(gone.text);
    const settled = [{ id: 'hdg_01JD8K', atMs: EVENT.startMs }];
    expect(next(first.text, { ...past, closed: settled }).text).toBe(first.text);
  });

  it.each([
    ['settled', { servedMs: at('2026-11-24T00:00:00Z'), open: ['hdg_02'] }],
    ['outside the time that was asked for', { open: ['hdg_01JD8K', 'hdg_02'] }],
    ['missing in a list that may be incomplete', { open: undefined }],
  ])('keeps the event of a hedge that is %s', (_why, changes) => {
    const again = next(first.text, { events: [OTHER], ...changes });
    expect(again).toMatchObject({ events: 2, canceled: 0, unchanged: 2 });
    expect(again.text).toBe(first.text);
  });

  it('drops an event 31 days after its maturity', () => {
    const servedMs = at('2026-12-25T00:00:00Z');
    expect(parsed(next(first.text, { events: [], open: [], servedMs }).text)).toMatchObject([
      { uid: 'hdg_02' },
    ]);
  });

  it('never has a revision stamped before the one it follows', () => {
    const again = next(first.text, {
      events: [{ ...EVENT, summary: 'x' }],
      nowMs: at('2026-11-19T00:00:00Z'),
    });
    expect(parsed(again.text)[0]).toMatchObject({ sequence: 1, stamp: '2026-11-20T09:00:00Z' });
  });

  it('of any text is read as it was written, by the parser and by the next export', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 120 }),
      fc.constantFrom(
        'a\r\nUID:other',
        'a\\nb',
        '\\',
        ';,"',
        'Ω'.repeat(60),
        '😀'.repeat(40),
        '',
        ' x ',
        'END:VEVENT',
      ),
    );
    const event = fc.record({
      id: fc.oneof(
        fc.constant('hdg_1\r\nSTATUS:CANCELLED'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
      ),
      startMs: fc.integer({ min: at('2026-11-20T10:00:00Z'), max: at('2036-01-01T00:00:00Z') }),
      summary: text,
      description: text,
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(event, { selector: ({ id }) => encodeURIComponent(id), maxLength: 4 }),
        (events) => {
          const open = events.map(({ id }) => id);
          const once = updateCalendar(undefined, state({ events, open }));
          expect(once.text.split('\r\n').filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
          const found = parsed(once.text);
          expect(found.map(({ uid }) => uid).toSorted()).toEqual(
            events.map(({ id }) => encodeURIComponent(id)).toSorted(),
          );
          expect(found.every(({ status, sequence }) => status === 'CONFIRMED' && sequence === 0)).toBe(true);
          const again = next(once.text, { events, open });
          expect(again).toMatchObject({ unchanged: events.length, text: once.text });
          const kept = readCalendar(once.text)?.events ?? [];
          expect(kept.map(({ summary }) => summary)).toEqual(found.map(({ summary }) => summary));
        },
      ),
    );
  });

  it.each([
    ['another program', 'BEGIN:VCALENDAR\r\nPRODID:-//other//EN\r\nEND:VCALENDAR\r\n'],
    ['no calendar', 'date,name\n2026-01-01,x\n'],
    ['an empty file', ''],
    ['a damaged event', first.text.replace('DTSTART:2026', 'DTSTART:x')],
  ])('is not taken from %s', (_which, text) => {
    expect(readCalendar(text)).toBeUndefined();
  });
});
