/** Notional that matures, by day and hour of a zone and per side, and what settles before the next business morning. */
import type { Big } from 'big.js';
import { sum } from './amounts.ts';
import { daysAfter, type HolidayTable, isBusinessDay, isWeekendDay } from './business-days.ts';
import { instantAtHour, type LocalClock, localHourOf } from './calendar.ts';
import { groupBy } from './group-by.ts';
import { isoSeconds } from './instants.ts';
import type { Side } from './vocabulary.ts';

export interface MaturingHedge {
  side: Side;
  /** USD. */
  notional: Big;
  /** Milliseconds since the epoch. */
  maturesMs: number;
}

/** Notional per side, and the number of hedges; under the names of a document. */
export interface MaturingSum {
  buy_usd: Big;
  sell_usd: Big;
  hedges: number;
}

/** A date as hedge knows it. */
export interface DayMarks {
  weekend: boolean;
  /** The public holiday of Nigeria; null: none in the table. */
  holiday: string | null;
}

export interface LadderHour extends MaturingSum {
  /** 0 to 23. */
  hour: number;
  /** ISO 8601 UTC. */
  from: string;
  until: string;
  /** The first maturity in it, ISO 8601 UTC. */
  first: string;
}

export interface LadderDay extends MaturingSum, DayMarks {
  /** `2026-12-25`. */
  day: string;
  /** In order. */
  hours: readonly LadderHour[];
}

export interface MaturityLadder {
  /** In order; only days with a maturity. */
  days: readonly LadderDay[];
  total: MaturingSum;
  nextMorning: BusinessMorning;
}

/** Sums notional per hour, day and side: exact, nothing is rounded. */
export function maturityLadder(
  maturing: readonly MaturingHedge[],
  here: LocalClock,
  holidays: HolidayTable,
): MaturityLadder {
  const byHour = groupBy(maturing, ({ maturesMs }) => localHourOf(maturesMs, here.zone).fromMs);
  const hours = [...byHour.values()].map((those) => {
    const firstMs = Math.min(...those.map(({ maturesMs }) => maturesMs));
    const { date, hour, fromMs, untilMs } = localHourOf(firstMs, here.zone);
    const times = { from: isoSeconds(fromMs), until: isoSeconds(untilMs), first: isoSeconds(firstMs) };
    return { date, fromMs, those, rung: { hour, ...times, ...sumMaturing(those) } };
  });
  const days = [...groupBy(hours, ({ date }) => date)].map(
    ([day, those]): LadderDay => ({
      day,
      ...marksOn(day, holidays),
      ...sumMaturing(those.flatMap((each) => each.those)),
      hours: those.toSorted((one, other) => one.fromMs - other.fromMs).map(({ rung }) => rung),
    }),
  );
  return {
    days: days.toSorted((one, other) => (one.day < other.day ? -1 : 1)),
    total: sumMaturing(maturing),
    nextMorning: nextBusinessMorning(here, holidays),
  };
}

export const marksOn = (date: string, holidays: HolidayTable): DayMarks => ({
  weekend: isWeekendDay(date),
  holiday: holidays.nameOf(date) ?? null,
});

export const sumMaturing = (maturing: readonly MaturingHedge[]): MaturingSum => ({
  buy_usd: sumOf(maturing, 'buy'),
  sell_usd: sumOf(maturing, 'sell'),
  hedges: maturing.length,
});

const sumOf = (maturing: readonly MaturingHedge[], side: Side): Big =>
  sum(maturing.filter((each) => each.side === side).map(({ notional }) => notional));

/** The hour at which a business day begins. */
const MORNING = 8;

export interface BusinessMorning {
  date: string;
  /** Milliseconds since the epoch. */
  atMs: number;
}

/** The first 08:00 of a business day of the zone that is still to come: today's too, before 08:00. */
export function nextBusinessMorning(here: LocalClock, holidays: HolidayTable): BusinessMorning {
  let { date } = localHourOf(here.nowMs, here.zone);
  for (;;) {
    const atMs = instantAtHour(date, MORNING, here.zone);
    if (atMs > here.nowMs && isBusinessDay(date, holidays)) return { date, atMs };
    date = daysAfter(date, 1);
  }
}
