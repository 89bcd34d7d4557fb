/** Weekends and Nigerian public holidays of dates such as `2026-11-20`. No time zones, so that every screen can afford it. */
import { DAY_MS, utcDay } from './instants.ts';
import { once } from './once.ts';

export interface Holiday {
  /** `2026-12-25`. */
  date: string;
  name: string;
}

/**
 * Holidays that follow the moon are declared by the Federal Ministry of Interior, days before. This table has those whose
 * declaration was found: the ministry's statements of 26 March, 2 June and September 2025 and of 17 March 2026, as the
 * press reported them. The dates of a later year are not computed: a sighting moves them.
 */
const DECLARED: readonly Holiday[] = [
  { date: '2025-03-31', name: 'Id el Fitr' },
  { date: '2025-04-01', name: 'Id el Fitr' },
  { date: '2025-06-06', name: 'Id el Kabir' },
  { date: '2025-06-09', name: 'Id el Kabir' },
  { date: '2025-09-05', name: 'Id el Maulud' },
  { date: '2026-03-19', name: 'Id el Fitr' },
  { date: '2026-03-20', name: 'Id el Fitr' },
];

/** The first and the last date for which the table has the holidays that follow the moon. */
export const DECLARED_SPAN = { from: '2025-01-01', to: '2026-03-20' } as const;

/** Public Holidays Act, and Democracy Day on 12 June since 2019: month, day, name. */
const FIXED: readonly (readonly [month: number, day: number, name: string])[] = [
  [1, 1, "New Year's Day"],
  [5, 1, "Workers' Day"],
  [6, 12, 'Democracy Day'],
  [10, 1, 'National Day'],
  [12, 25, 'Christmas Day'],
  [12, 26, 'Boxing Day'],
];

export interface HolidayTable {
  /** Undefined: not in the table. */
  nameOf(date: string): string | undefined;
  /** Whether the holidays that follow the moon are known for that date. */
  isComplete(date: string): boolean;
  /** Whether one of them may fall on that date and is not known. */
  mayLack(date: string): boolean;
}

/** `given`: holidays from the operator's file. It replaces the built-in ones of every year that it has a date of. */
export function holidayTable(given: readonly Holiday[] = []): HolidayTable {
  const givenYears = new Set(given.map(({ date }) => yearOf(date)));
  const names = new Map([...DECLARED, ...given].map(({ date, name }) => [date, name]));
  const computed = new Map<number, ReadonlyMap<string, string>>();
  const computedOf = (year: number): ReadonlyMap<string, string> => {
    const known = computed.get(year) ?? computedHolidays(year);
    computed.set(year, known);
    return known;
  };
  const isComplete = (date: string): boolean =>
    givenYears.has(yearOf(date)) || (date >= DECLARED_SPAN.from && date <= DECLARED_SPAN.to);
  return {
    nameOf(date) {
      const year = yearOf(date);
      if (givenYears.has(year)) return given.find((each) => each.date === date)?.name;
      return names.get(date) ?? computedOf(year).get(date);
    },
    isComplete,
    mayLack: (date) => !isComplete(date) && isNearIslamicHoliday(date),
  };
}

/** Id el Fitr, Id el Kabir and Id el Maulud: month and day of the Umm al-Qura calendar, from which a sighting differs by a day or two. */
const ISLAMIC: readonly (readonly [month: number, day: number])[] = [
  [10, 1],
  [12, 10],
  [3, 12],
];
/** A holiday may be a day or two early, last two days, and be moved past a weekend. */
const EARLIEST = -2;
const LATEST = 5;

const islamicCalendar = once(
  () =>
    new Intl.DateTimeFormat('en-u-ca-islamic-umalqura', {
      month: 'numeric',
      day: 'numeric',
      timeZone: 'UTC',
    }),
);

function isNearIslamicHoliday(date: string): boolean {
  for (let after = EARLIEST; after <= LATEST; after += 1) {
    const parts = islamicCalendar().formatToParts(new Date(noon(date) - after * DAY_MS));
    const partOf = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
    if (ISLAMIC.some(([month, day]) => month === partOf('month') && day === partOf('day'))) return true;
  }
  return false;
}

/**
 * Those of fixed date, Good Friday and Easter Monday. One of fixed date on a weekend is usually declared for the next
 * working day: that day is named as such.
 */
function computedHolidays(year: number): ReadonlyMap<string, string> {
  const easter = easterSunday(year);
  const days = new Map<string, string>([
    [daysAfter(easter, -2), 'Good Friday'],
    [daysAfter(easter, 1), 'Easter Monday'],
    ...FIXED.map(([month, day, name]) => [dateText(year, month, day), name] as const),
  ]);
  // No holiday is late enough in December to be moved into January.
  const moved = FIXED.map(([month, day, name]) => ({ date: dateText(year, month, day), name })).filter(
    ({ date }) => isWeekendDay(date),
  );
  for (const { date, name } of moved) {
    let next = daysAfter(date, 1);
    while (isWeekendDay(next) || days.has(next)) next = daysAfter(next, 1);
    days.set(next, `${name} (in lieu, if declared)`);
  }
  return days;
}

/** Easter Sunday of the Gregorian calendar, by the anonymous algorithm of 1876 (Meeus). */
function easterSunday(year: number): string {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const leapCenturies = Math.floor(century / 4);
  const moonShift = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - leapCenturies - moonShift + 15) % 30;
  const toSunday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const late = Math.floor((golden + 11 * epact + 22 * toSunday) / 451);
  const day = epact + toSunday - 7 * late + 114;
  return dateText(year, Math.floor(day / 31), (day % 31) + 1);
}

const noon = (date: string): number => Date.parse(`${date}T12:00:00Z`);

const dateText = (year: number, month: number, day: number): string => utcDay(Date.UTC(year, month - 1, day));

export const daysAfter = (date: string, days: number): string => utcDay(noon(date) + days * DAY_MS);

/** Calendar days from one date to another; below zero: the other is earlier. */
export const daysBetween = (from: string, to: string): number => Math.round((noon(to) - noon(from)) / DAY_MS);

const yearOf = (date: string): number => new Date(noon(date)).getUTCFullYear();

/** 0 Sunday to 6 Saturday. */
export const weekdayOf = (date: string): number => new Date(noon(date)).getUTCDay();

export const isWeekendDay = (date: string): boolean => [0, 6].includes(weekdayOf(date));

/** Monday to Friday, and not in the holiday table. */
export const isBusinessDay = (date: string, holidays: HolidayTable): boolean =>
  !isWeekendDay(date) && holidays.nameOf(date) === undefined;
