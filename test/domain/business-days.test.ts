/** Nigerian public holidays by their rules, those that follow the moon only as declared, and the next business morning. */
import { describe, expect, it } from 'vitest';
import {
  daysAfter,
  daysBetween,
  type Holiday,
  holidayTable,
  isBusinessDay,
} from '../../src/domain/business-days.ts';
import { periodOf } from '../../src/domain/calendar.ts';
import { instantText } from '../../src/domain/instants.ts';
import { nextBusinessMorning } from '../../src/domain/maturity-ladder.ts';

const table = holidayTable();

describe('a public holiday', () => {
  it.each([
    ['2026-01-01', "New Year's Day"],
    ['2026-05-01', "Workers' Day"],
    ['2026-06-12', 'Democracy Day'],
    ['2026-10-01', 'National Day'],
    ['2026-12-25', 'Christmas Day'],
    ['2026-12-26', 'Boxing Day'],
  ])('of fixed date: %s is %s', (date, name) => {
    expect(table.nameOf(date)).toBe(name);
  });

  // Easter Sundays: 20 April 2025, 5 April 2026, 28 March 2027, 16 April 2028, 25 April 2038, the latest there is.
  it.each([
    ['2025-04-18', '2025-04-21'],
    ['2026-04-03', '2026-04-06'],
    ['2027-03-26', '2027-03-29'],
    ['2028-04-14', '2028-04-17'],
    ['2038-04-23', '2038-04-26'],
  ])('follows Easter: %s is Good Friday and %s Easter Monday', (friday, monday) => {
    expect([table.nameOf(friday), table.nameOf(monday)]).toEqual(['Good Friday', 'Easter Monday']);
  });

  // Each of these was declared: Saturday 12 June 2021, Saturday 1 October 2022, both days of Christmas 2021.
  it.each([
    ['2021-06-14', 'Democracy Day (in lieu, if declared)'],
    ['2022-10-03', 'National Day (in lieu, if declared)'],
    ['2021-12-27', 'Christmas Day (in lieu, if declared)'],
    ['2021-12-28', 'Boxing Day (in lieu, if declared)'],
    // Christmas on a Sunday: Monday is Boxing Day itself.
    ['2022-12-26', 'Boxing Day'],
    ['2022-12-27', 'Christmas Day (in lieu, if declared)'],
    ['2026-12-28', 'Boxing Day (in lieu, if declared)'],
  ])('on a weekend moves to the next working day: %s is %s', (date, name) => {
    expect(table.nameOf(date)).toBe(name);
  });

  it('that follows the moon is known where it was declared, and never computed', () => {
    expect(table.nameOf('2025-06-09')).toBe('Id el Kabir');
    expect(table.nameOf('2026-03-19')).toBe('Id el Fitr');
    expect(
      ['2024-12-31', '2025-01-01', '2026-03-20', '2026-03-21', '2027-03-10'].map(table.isComplete),
    ).toEqual([false, true, true, false, false]);
    // About 10 March 2027, once the moon was seen.
    expect(['2027-03-09', '2027-03-10', '2027-03-11'].map(table.nameOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('that follows the moon is expected only about its date in the Islamic calendar', () => {
    // Id el Kabir about 27 May 2026, Id el Maulud about 25 August 2026, Id el Fitr about 10 March 2027.
    const near = ['2026-05-27', '2026-05-29', '2026-08-25', '2027-03-09', '2027-03-10', '2027-03-12'];
    expect(near.filter(table.mayLack)).toEqual(near);
    const far = ['2026-03-20', '2026-04-10', '2026-07-01', '2026-11-25', '2026-12-24', '2027-02-01'];
    expect(far.filter(table.mayLack)).toEqual([]);
  });

  it('of the file of an operator replaces the built-in ones of its years', () => {
    const own = holidayTable([{ date: '2027-03-10', name: 'Id el Fitr' }]);
    expect(own.nameOf('2027-03-10')).toBe('Id el Fitr');
    expect(own.nameOf('2027-10-01')).toBeUndefined();
    expect(own.nameOf('2026-10-01')).toBe('National Day');
    expect([own.isComplete('2027-12-31'), own.isComplete('2028-01-01')]).toEqual([true, false]);
  });

  it('is no business day, nor is a weekend', () => {
    const days = ['2026-12-24', '2026-12-25', '2026-12-26', '2026-12-27', '2026-12-28', '2026-12-29'];
    expect(days.filter((date) => isBusinessDay(date, table))).toEqual(['2026-12-24', '2026-12-29']);
  });
});

describe('the next business morning', () => {
  const morning = (now: string, zone: string, given: readonly Holiday[] = []): string =>
    instantText(nextBusinessMorning({ zone, nowMs: Date.parse(now) }, holidayTable(given)).atMs);

  it.each([
    ['a Tuesday at ten', '2026-11-24T09:00:00Z', '2026-11-25T07:00:00Z'],
    ['a Tuesday at six', '2026-11-24T05:00:00Z', '2026-11-24T07:00:00Z'],
    ['a Tuesday at eight', '2026-11-24T07:00:00Z', '2026-11-25T07:00:00Z'],
    ['a Friday afternoon', '2026-11-27T14:00:00Z', '2026-11-30T07:00:00Z'],
    ['the day before Christmas 2026', '2026-12-24T09:00:00Z', '2026-12-29T07:00:00Z'],
    // 23:30 UTC is Saturday 00:30 in Lagos.
    ['a Friday night', '2026-11-27T23:30:00Z', '2026-11-30T07:00:00Z'],
  ])('after %s in Lagos', (_when, now, at) => {
    expect(morning(now, 'Africa/Lagos')).toBe(at);
  });

  it('is that of the zone, over a change of its clocks too', () => {
    // Clocks in London go back on Sunday 25 October 2026.
    expect(morning('2026-10-23T12:00:00Z', 'Europe/London')).toBe('2026-10-26T08:00:00Z');
    expect(morning('2026-10-22T12:00:00Z', 'Europe/London')).toBe('2026-10-23T07:00:00Z');
  });

  it('skips a holiday of the operator', () => {
    expect(morning('2027-03-09T12:00:00Z', 'UTC', [{ date: '2027-03-10', name: 'Id el Fitr' }])).toBe(
      '2027-03-11T08:00:00Z',
    );
  });
});

describe('the end of the year 9999, which a Date header can name', () => {
  it('is followed by a day like any other', () => {
    const nowMs = Date.parse('9999-12-31T23:00:00Z');
    // New Year's Day is a Saturday, and so in lieu on the Monday.
    expect(nextBusinessMorning({ zone: 'Africa/Lagos', nowMs }, table)).toEqual({
      date: '+010000-01-04',
      atMs: Date.parse('+010000-01-04T07:00:00Z'),
    });
    expect([daysAfter('9999-12-31', 1), daysBetween('9999-12-31', '+010000-01-04')]).toEqual([
      '+010000-01-01',
      4,
    ]);
    expect(periodOf(nowMs + 3_600_000, 'month', 'UTC').name).toBe('+010000-01');
  });
});
