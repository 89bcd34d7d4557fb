/** Notional that matures, by day and hour of a zone and per side, and what settles before the next business morning. */
import { Big } from 'big.js';
import { sum } from './amounts.ts';
import {
  type BusinessMorning,
  type HolidayTable,
  isWeekendDay,
  nextBusinessMorning,
} from './business-days.ts';
import { type LocalClock, localHourOf } from './calendar.ts';
import type { Side } from './vocabulary.ts';

export interface MaturingHedge {
  side: Side;
  /** USD. */
  notional: Big;
  /** Milliseconds since the epoch. */
  maturesMs: number;
}

/** USD per side, and the number of hedges. */
export interface MaturingSum {
  buy: Big;
  sell: Big;
  hedges: number;
}

/** A day as hedge knows it. */
export interface MaturityDay {
  date: string;
  weekend: boolean;
  /** The public holiday of Nigeria; undefined: none in the table. */
  holiday: string | undefined;
}

export interface LadderHour extends MaturingSum {
  /** 0 to 23. */
  hour: number;
  fromMs: number;
  untilMs: number;
  /** The first maturity in it. */
  firstMs: number;
}

export interface LadderDay extends MaturingSum, MaturityDay {
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
  const byHour = groups(maturing, ({ maturesMs }) => localHourOf(maturesMs, here.zone).fromMs);
  const hours = byHour.map((those) => {
    const times = those.map(({ maturesMs }) => maturesMs);
    const firstMs = Math.min(...times);
    const { date, ...hour } = localHourOf(firstMs, here.zone);
    return { date, those, rung: { ...hour, firstMs, ...sumMaturing(those) } };
  });
  const days = groups(hours, ({ date }) => date).map((those): LadderDay => {
    const date = those[0]?.date ?? '';
    return {
      ...dayOf(date, holidays),
      hours: those.map(({ rung }) => rung).toSorted((one, other) => one.fromMs - other.fromMs),
      ...sumMaturing(those.flatMap((each) => each.those)),
    };
  });
  return {
    days: days.toSorted((one, other) => (one.date < other.date ? -1 : 1)),
    total: sumMaturing(maturing),
    nextMorning: nextBusinessMorning(here, holidays),
  };
}

export const dayOf = (date: string, holidays: HolidayTable): MaturityDay => ({
  date,
  weekend: isWeekendDay(date),
  holiday: holidays.nameOf(date),
});

export const sumMaturing = (maturing: readonly MaturingHedge[]): MaturingSum => ({
  buy: sumOf(maturing, 'buy'),
  sell: sumOf(maturing, 'sell'),
  hedges: maturing.length,
});

const sumOf = (maturing: readonly MaturingHedge[], side: Side): Big =>
  sum([new Big(0), ...maturing.filter((each) => each.side === side).map(({ notional }) => notional)]);

function groups<T>(all: readonly T[], key: (one: T) => string | number): readonly (readonly T[])[] {
  const byKey = new Map<string | number, T[]>();
  for (const one of all) byKey.set(key(one), [...(byKey.get(key(one)) ?? []), one]);
  return [...byKey.values()];
}
