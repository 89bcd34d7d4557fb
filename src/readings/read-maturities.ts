/** Reads the open hedges and places their maturities in days, hours and business days of a zone. */
import type { MaturitiesIntent } from '../args/maturity-options.ts';
import { textFrom } from '../client/json.ts';
import type { ClosedHedge, Hedge } from '../client/schemas.ts';
import { daysAfter, type Holiday, holidayTable } from '../domain/business-days.ts';
import { instantAhead, localHourOf } from '../domain/calendar.ts';
import { instantOf } from '../domain/instants.ts';
import {
  type MaturingSum,
  type MaturityLadder,
  marksOn,
  maturityLadder,
  sumMaturing,
} from '../domain/maturity-ladder.ts';
import { HEDGE_STATUSES } from '../domain/vocabulary.ts';
import type { MaturitiesDocument } from '../schema/reading-document.ts';
import { FILLED_STATUSES } from './breaks.ts';
import { closedHedgeId, closedInstant } from './closed-record.ts';
import { hedgeCoverage, type ListCoverage } from './filter-records.ts';
import type { ReadContext } from './read-context.ts';
import { readPositionFacts } from './read-position.ts';
import {
  everySide,
  isOpenHedge,
  isRunningHedge,
  mayLackOpen,
  PENDING_STATUSES,
  type PositionFacts,
} from './side-position.ts';

/** An open hedge with its place in the ladder. */
export type PlacedMaturity = MaturitiesDocument['hedges'][number];

export interface MaturitiesReading {
  /** IANA zone that cut the days and hours. */
  zone: string;
  servedAt: Date;
  /** In order of maturity; within the time asked for. */
  maturing: readonly PlacedMaturity[];
  /** All open hedges, whenever they mature. */
  open: readonly Hedge[];
  /** Listed, filled or closed, and past their maturity. */
  ended: readonly Hedge[];
  ladder: MaturityLadder;
  /** Sum of the hedges that settle before the next business morning, also those beyond --within. */
  beforeNextMorning: MaturingSum;
  /** The last instant that was asked for; undefined: every maturity. */
  untilMs: number | undefined;
  /** Open hedges that are not placed: `why` is half a sentence. */
  leftOut: readonly { id: string; why: string }[];
  /** The first and last of the dates looked at for which holidays that follow the moon are not known. */
  incomplete: { from: string; to: string } | undefined;
  /** Dates that may be one of these holidays. */
  maybeHolidays: readonly string[];
  /** Whether the positions tell which sides are open: if not, a hedge closed early may be listed. */
  sidesKnown: boolean;
  /** Positions, where no open hedge is listed that would make them. */
  unlisted: number;
  covers: ListCoverage;
}

export async function readMaturities(
  reading: ReadContext,
  { within }: Pick<MaturitiesIntent, 'within'>,
  { zone, holidays: given }: { zone: string; holidays: readonly Holiday[] | undefined },
): Promise<MaturitiesReading> {
  const positionFacts = await readPositionFacts(reading);
  const here = { zone, nowMs: positionFacts.servedAt.getTime() };
  const holidays = holidayTable(given);
  const { notShown = [] } = positionFacts;
  const filling = new Set(notShown.flatMap(({ id, isInPart }) => (isInPart === true ? id : [])));
  const open = positionFacts.hedges
    .filter(({ status }) => status === 'filled')
    .filter((hedge) => isOpenHedge(hedge, positionFacts))
    .filter(({ id }) => filling.has(id) || !notShown.some((each) => each.id === id));
  const dated = open
    .flatMap((hedge) => {
      const maturesMs = instantOf(hedge.maturity_at ?? '');
      return maturesMs === undefined
        ? []
        : [{ hedge, maturesMs, side: hedge.side, notional: hedge.notional_usd }];
    })
    .toSorted((one, other) => one.maturesMs - other.maturesMs);
  const untilMs = within === undefined ? undefined : instantAhead(within.count, within.unit, here);
  const wanted = dated.filter(({ maturesMs }) => untilMs === undefined || maturesMs <= untilMs);
  const ladder = maturityLadder(wanted, here, holidays);
  const isBefore = ({ maturesMs }: { maturesMs: number }): boolean => maturesMs < ladder.nextMorning.atMs;
  const today = localHourOf(here.nowMs, zone).date;
  const soon: string[] = [];
  for (let date = today; date <= ladder.nextMorning.date; date = daysAfter(date, 1)) soon.push(date);
  const dates = [...new Set([...soon, ...ladder.days.map(({ day }) => day)])].toSorted();
  const incomplete = dates.filter((date) => !holidays.isComplete(date));
  const [from] = incomplete;
  const to = incomplete.at(-1);
  return {
    zone,
    servedAt: positionFacts.servedAt,
    maturing: wanted.map((each) => {
      const { date, hour } = localHourOf(each.maturesMs, zone);
      return {
        ...each.hedge,
        derived: {
          zone,
          day: date,
          hour,
          ...marksOn(date, holidays),
          seconds_to_maturity: Math.floor((each.maturesMs - here.nowMs) / 1_000),
          before_next_business_morning: isBefore(each),
          may_fill_more: filling.has(each.hedge.id),
        },
      };
    }),
    open,
    ended: positionFacts.hedges.filter(
      (hedge) =>
        FILLED_STATUSES.includes(hedge.status) &&
        (instantOf(hedge.maturity_at ?? '') ?? Infinity) <= here.nowMs,
    ),
    ladder,
    beforeNextMorning: sumMaturing(dated.filter(isBefore)),
    untilMs,
    leftOut: leftOutOf(positionFacts),
    maybeHolidays: dates.filter((date) => holidays.mayLack(date)),
    incomplete: from === undefined || to === undefined ? undefined : { from, to },
    sidesKnown: everySide(positionFacts).every(({ inPositions }) => inPositions !== undefined),
    unlisted: open.length === 0 ? positionFacts.positions.length : 0,
    covers: hedgeCoverage(
      wanted.map(({ hedge }) => hedge),
      'maturity_at',
      mayLackOpen(positionFacts),
    ),
  };
}

const leftOutOf = ({ hedges, servedAt, notShown = [] }: PositionFacts): MaturitiesReading['leftOut'] => [
  ...notShown.filter(({ isInPart }) => isInPart !== true).map(({ id, why }) => ({ id, why })),
  ...hedges
    .filter((hedge) => isRunningHedge(hedge, servedAt) && !notShown.some(({ id }) => id === hedge.id))
    .flatMap(({ id, status }) => {
      if (PENDING_STATUSES.includes(status)) return [{ id, why: `${status}, may still fill` }];
      return HEDGE_STATUSES.some((known) => known === status)
        ? []
        : [{ id, why: `unknown status: ${status}` }];
    }),
];

/** Hedges that did not settle, and when they were closed: never one whose record has no time of day or names its maturity. */
export const closedByAction = (records: readonly ClosedHedge[]): readonly { id: string; atMs: number }[] =>
  records.flatMap((record) => {
    const [id, atMs] = [closedHedgeId(record), closedInstant(record)];
    const hasSettled = textFrom(record.reason) === 'maturity';
    return id === undefined || atMs === undefined || hasSettled ? [] : [{ id, atMs }];
  });
