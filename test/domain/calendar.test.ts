import { describe, expect, it } from 'vitest';
import { readMoment } from '../../src/args/list-filter.ts';
import { endOfMoment, mondayOf, periodOf, startOfMoment } from '../../src/domain/calendar.ts';
import { instantText } from '../../src/domain/instants.ts';

const NOW = '2026-11-20T09:02:11Z';

/** The span of what was written, as `from until`, at a time in a zone. */
function spanOf(text: string, zone = 'UTC', now = NOW): string {
  const here = { zone, nowMs: Date.parse(now) };
  const moment = readMoment(text, '--since');
  return `${instantText(startOfMoment(moment, here))} ${instantText(endOfMoment(moment, here))}`;
}

describe('what an operator writes', () => {
  it.each([
    ['2026-11-01', 'UTC', '2026-11-01T00:00:00Z 2026-11-02T00:00:00Z'],
    ['2026-11-01', 'Africa/Lagos', '2026-10-31T23:00:00Z 2026-11-01T23:00:00Z'],
    ['today', 'UTC', '2026-11-20T00:00:00Z 2026-11-21T00:00:00Z'],
    ['Yesterday', 'UTC', '2026-11-19T00:00:00Z 2026-11-20T00:00:00Z'],
    ['2026-11-01T10:00', 'Africa/Lagos', '2026-11-01T09:00:00Z 2026-11-01T09:00:00Z'],
    ['2026-11-01 10:00:30', 'UTC', '2026-11-01T10:00:30Z 2026-11-01T10:00:30Z'],
    ['2026-11-01T10:00Z', 'Africa/Lagos', '2026-11-01T10:00:00Z 2026-11-01T10:00:00Z'],
    ['2026-11-01T10:00+02:00', 'Africa/Lagos', '2026-11-01T08:00:00Z 2026-11-01T08:00:00Z'],
    ['7d', 'UTC', '2026-11-13T09:02:11Z 2026-11-13T09:02:11Z'],
    ['12h', 'UTC', '2026-11-19T21:02:11Z 2026-11-19T21:02:11Z'],
    ['0d', 'UTC', '2026-11-20T09:02:11Z 2026-11-20T09:02:11Z'],
  ])('%s in %s is %s', (text, zone, span) => {
    expect(spanOf(text, zone)).toBe(span);
  });

  it.each([
    [
      'the day London loses an hour',
      '2026-03-29',
      'Europe/London',
      '2026-03-29T00:00:00Z 2026-03-29T23:00:00Z',
    ],
    ['the day London gains one', '2026-10-25', 'Europe/London', '2026-10-24T23:00:00Z 2026-10-26T00:00:00Z'],
    [
      'a day that begins at one o’clock',
      '2026-04-24',
      'Africa/Cairo',
      '2026-04-23T22:00:00Z 2026-04-24T21:00:00Z',
    ],
    [
      'a time that is skipped',
      '2026-03-29T01:30',
      'Europe/London',
      '2026-03-29T01:30:00Z 2026-03-29T01:30:00Z',
    ],
    [
      'a time that comes twice',
      '2026-10-25T01:30',
      'Europe/London',
      '2026-10-25T00:30:00Z 2026-10-25T00:30:00Z',
    ],
  ])('%s is right', (_what, text, zone, span) => {
    expect(spanOf(text, zone)).toBe(span);
  });

  it('counts days back by the clock on the wall, hours by the hour', () => {
    const after = '2026-03-29T12:00:00Z';
    expect(spanOf('1d', 'Europe/London', after)).toMatch(/^2026-03-28T13:00:00Z /);
    expect(spanOf('24h', 'Europe/London', after)).toMatch(/^2026-03-28T12:00:00Z /);
  });

  it('takes today from the zone, not from UTC', () => {
    const late = '2026-11-20T23:30:00Z';
    expect(spanOf('today', 'Africa/Lagos', late)).toBe('2026-11-20T23:00:00Z 2026-11-21T23:00:00Z');
    expect(spanOf('today', 'America/New_York', late)).toBe('2026-11-20T05:00:00Z 2026-11-21T05:00:00Z');
  });

  it.each([
    'tomorrow',
    '2026-11-31',
    '2026-02-29',
    '2026-13-01',
    '2026-11-01T24:00',
    '2026-11-01T10',
    '10:00',
    '7',
    '7w',
    '-7d',
    '1.5d',
    '99999d',
    '',
    '2026-11-01Z',
    '01/11/2026',
    '2026-11-01T10:00+99:99',
  ])('%j is refused with the forms that are allowed', (text) => {
    expect(() => readMoment(text, '--since')).toThrow('not a date or time (--since)');
  });
});

describe('the period an instant falls in', () => {
  it.each([
    ['day', '2026-11-20T23:30:00Z', 'UTC', '2026-11-20', '2026-11-20T00:00:00Z 2026-11-21T00:00:00Z'],
    [
      'day',
      '2026-11-20T23:30:00Z',
      'Africa/Lagos',
      '2026-11-21',
      '2026-11-20T23:00:00Z 2026-11-21T23:00:00Z',
    ],
    [
      'day',
      '2026-10-25T23:30:00Z',
      'Europe/London',
      '2026-10-25',
      '2026-10-24T23:00:00Z 2026-10-26T00:00:00Z',
    ],
    ['week', '2026-11-22T23:59:59Z', 'UTC', '2026-W47', '2026-11-16T00:00:00Z 2026-11-23T00:00:00Z'],
    ['week', '2026-11-23T00:00:00Z', 'UTC', '2026-W48', '2026-11-23T00:00:00Z 2026-11-30T00:00:00Z'],
    ['week', '2027-01-03T12:00:00Z', 'UTC', '2026-W53', '2026-12-28T00:00:00Z 2027-01-04T00:00:00Z'],
    ['month', '2026-10-31T23:30:00Z', 'Africa/Lagos', '2026-11', '2026-10-31T23:00:00Z 2026-11-30T23:00:00Z'],
    ['month', '2026-12-31T23:59:59Z', 'UTC', '2026-12', '2026-12-01T00:00:00Z 2027-01-01T00:00:00Z'],
  ] as const)('is the %s of %s in %s: %s', (period, at, zone, name, span) => {
    const found = periodOf(Date.parse(at), period, zone);
    expect([found.name, `${instantText(found.fromMs)} ${instantText(found.untilMs)}`]).toEqual([name, span]);
  });
});

describe('the Monday of a week', () => {
  it.each([
    ['2026-W47', '2026-11-16'],
    ['2026w01', '2025-12-29'],
    ['2026-W53', '2026-12-28'],
    ['2025-W53', undefined],
    ['2026-W00', undefined],
    ['2026-11', undefined],
  ])('%s is %s', (week, monday) => {
    expect(mondayOf(week)).toBe(monday);
  });
});
