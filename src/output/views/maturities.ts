/** Maturities as a ladder by day and hour and as a list; their document, their table and their calendar events. */

import type { Big } from 'big.js';
import { DECLARED_SPAN } from '../../domain/business-days.ts';
import type { CalendarEvent } from '../../domain/calendar-events.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { instantOf, isoSeconds } from '../../domain/instants.ts';
import type { LadderDay, MaturingSum } from '../../domain/maturity-ladder.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { isDerivedReference, SIDES, type Side } from '../../domain/vocabulary.ts';
import { two } from '../../domain/zone-times.ts';
import type { KnownRolls } from '../../readings/read-journal.ts';
import type { MaturitiesReading, PlacedMaturity } from '../../readings/read-maturities.ts';
import type { MaturitiesDocument } from '../../schema/reading-document.ts';
import { type Block, dimLine, gap, line, phraseLine, tableOf, type View, warnLine } from '../blocks.ts';
import type { CalendarUpdate } from '../calendar-file.ts';
import { type Cell, type ChangeLine, nameText, phrase, text } from '../cells.ts';
import { listOf } from '../list.ts';
import { dateInWords, islamicLine, marksOf } from './day-words.ts';
import { DEAL_ID_FIELD, ID_FIELD } from './hedges.ts';
import { cents, centsCell, countOf, maturityCell, minute, priceCell, row, usd } from './record-columns.ts';
import { viewKnownRolls } from './unfinished-rolls.ts';

export interface WrittenCalendar extends Omit<CalendarUpdate, 'text'> {
  path: string;
}

function viewMaturities(reading: MaturitiesReading, calendar: WrittenCalendar | undefined): View {
  const { maturing, ladder, untilMs } = reading;
  const none = reading.open.length === 0 ? 'No open hedges' : 'No open hedge matures in that time';
  const shown: View =
    maturing.length === 0
      ? dimLine(none)
      : [
          phraseLine`Days and hours of ${nameText(`${reading.zone}.`)} ${untilMs !== undefined && phrase`Until ${minute(untilMs)}.`}`,
          gap,
          ladderTable(ladder.days, reading.servedAt.toISOString()),
          { kind: 'figures', rows: totalRows(reading) },
          gap,
          maturingHedges.block(reading.maturing),
        ];
  return [
    shown,
    maturing.length > 0 && gap,
    morningLine(reading),
    maturityNotes(reading).map((note) => line(nameText(note, 'warn'))),
    warnings(reading),
    calendar !== undefined && calendarLine(calendar),
  ];
}

/** Shown on the screen, and with CSV and a query on standard error. */
export const maturityNotes = ({ maturing, leftOut }: MaturitiesReading): readonly string[] => [
  ...maturing
    .filter(({ derived }) => derived.may_fill_more)
    .map(({ id }) => `Hedge ${id} was filled in part just now, and the rest may still fill.`),
  ...leftOut.map(({ id, why }) => `Not included: hedge ${id}: ${why}.`),
];

function ladderTable(days: readonly LadderDay[], now: string): Block {
  const ofDays = days.map((day) => ({ title: dayTitle(day, now), rows: ladderRows(day) }));
  return tableOf(
    ofDays.flatMap(({ rows }) => rows),
    [
      { header: 'HOUR', show: ({ name }) => text(name) },
      { header: 'IN', show: ({ first }) => (first === undefined ? text('') : { kind: 'until', at: first }) },
      { header: 'BUY USD', align: 'right', show: ({ buy_usd: size }) => ladderCell(size) },
      { header: 'SELL USD', align: 'right', show: ({ sell_usd: size }) => ladderCell(size) },
      { header: 'HEDGES', align: 'right', show: ({ hedges: amount }) => ({ kind: 'number', amount }) },
    ],
    { sections: ofDays.map(({ title, rows }) => ({ title, rows: rows.length })) },
  );
}

/** Its hours, and their sum where there are several. */
const ladderRows = ({ hours, ...day }: LadderDay) => [
  ...hours.map((hour) => ({ ...hour, name: `${two(hour.hour)}:00–${two((hour.hour + 1) % 24)}:00` })),
  ...(hours.length < 2 ? [] : [{ ...day, name: 'all day', first: undefined }]),
];

const ladderCell = (size: Big): Cell => (size.eq(0) ? text('') : usd(cents(size)));

/** `Sat 26 Dec, weekend, public holiday: Boxing Day` */
const dayTitle = (day: LadderDay, now: string): string =>
  [dateInWords(day.day, now), ...marksOf(day)].join(', ');

const totalRows = ({ maturing, ladder }: MaturitiesReading): readonly (readonly Cell[])[] =>
  SIDES.map((side) => ({ side, hedges: maturing.filter((hedge) => hedge.side === side).length }))
    .filter(({ hedges }) => hedges > 0)
    .map(({ side, hedges }) =>
      row(
        `Total ${side}`,
        usd(cents(sumOfSide(ladder.total, side)), 'USD'),
        `in ${countOf(hedges, 'hedge')}`,
      ),
    );

const sumOfSide = (sums: MaturingSum, side: Side): Big => (side === 'buy' ? sums.buy_usd : sums.sell_usd);

/** `Before the next business morning, Mon 30 Nov 08:00 WAT: 2 hedges, buy 30,000.00 USD, sell 5,000.00 USD.` */
function morningLine({ ladder, beforeNextMorning: before, unlisted, covers }: MaturitiesReading): Block {
  const morning = minute(ladder.nextMorning.atMs);
  const name = text('Before the next business morning,', 'strong');
  const { maybe_truncated: isPart } = covers;
  if (unlisted > 0 || (isPart && before.hedges === 0)) return line(name, morning, text(': unknown.', 'warn'));
  if (before.hedges === 0) return line(name, morning, ': nothing settles.');
  const sides = SIDES.map((side) => ({ side, size: sumOfSide(before, side) }));
  return line(
    name,
    morning,
    `: ${isPart ? 'at least ' : ''}${countOf(before.hedges, 'hedge')}`,
    sides.map(({ side, size }) => size.gt(0) && [`, ${side}`, usd(cents(size), 'USD')]),
    '.',
  );
}

const UNLISTED = 'The service shows a position, but no open hedge of it.';

function warnings({ maybeHolidays, sidesKnown, covers, maturing, unlisted }: MaturitiesReading): View {
  const isCut = maturing.some(({ notional_usd: size }) => !cents(size).eq(size));
  return [
    isCut && dimLine('Rounded half up to cents. Full precision: --json'),
    covers.maybe_truncated && warnLine('The service may have more hedges than it listed.'),
    unlisted > 0 && warnLine(UNLISTED),
    !sidesKnown &&
      warnLine('The positions do not name their sides: a hedge that was closed early may be listed.'),
    islamicLine(maybeHolidays),
  ];
}

const calendarLine = ({ path, events, added, changed, canceled }: WrittenCalendar): Block =>
  line(
    `Calendar written: ${countOf(events, 'event')}, ${added} new, ${changed} changed, ${canceled} canceled, in`,
    text(path, 'strong'),
  );

/** The hedges as sent, each with its place in the ladder; in the order of CSV. */
const maturingHedges = listOf<PlacedMaturity, PlacedMaturity>()(
  [
    {
      name: 'maturity_at',
      header: 'Matures',
      show: ({ maturity_at: at, derived: { holiday } }) => ({
        ...maturityCell(at ?? '', 'date'),
        style: 'short',
        holiday,
      }),
    },
    ID_FIELD,
    DEAL_ID_FIELD,
    { name: 'market', header: 'Market', optional: 'first' },
    {
      name: 'side',
      header: 'Side',
      // The totals name it.
      optional: (rows) => (new Set(rows.map(({ side }) => side)).size === 1 ? 'first' : false),
    },
    { name: 'notional_usd', header: 'Notional USD', cell: centsCell },
    'tenor_days status',
    { name: 'struck_rate', header: 'Struck', align: 'right', optional: 'first', cell: priceCell },
    'opened_at derived.zone derived.day derived.hour derived.weekend',
    'derived.holiday',
    {
      name: 'derived.seconds_to_maturity',
      header: 'In',
      optional: true,
      show: ({ maturity_at: at }) => ({ kind: 'until', at: at ?? '' }),
    },
    'derived.before_next_business_morning derived.may_fill_more',
  ],
  {
    screen:
      'maturity_at derived.seconds_to_maturity side notional_usd client_reference id market struck_rate',
    record: (hedge) => hedge,
  },
);

/** The hedges as sent, and under `derived` the ladder. */
const documentOf = ({ ladder, untilMs, ...reading }: MaturitiesReading): MaturitiesDocument => ({
  hedges: reading.maturing,
  derived: {
    zone: reading.zone,
    until: untilMs === undefined ? null : isoSeconds(untilMs),
    days: ladder.days.map(({ hours, ...day }) => ({
      ...day,
      hours: hours.map(({ first: _first, ...hour }) => hour),
    })),
    total: ladder.total,
    next_business_morning: isoSeconds(ladder.nextMorning.atMs),
    before_next_business_morning: reading.beforeNextMorning,
    islamic_holidays: { from: DECLARED_SPAN.from, to: DECLARED_SPAN.to, unknown: reading.incomplete ?? null },
    sides_known: reading.sidesKnown,
    unlisted_positions: reading.unlisted,
    left_out: reading.leftOut,
  },
});

const linesOf = ({ maturing }: MaturitiesReading): readonly ChangeLine[] =>
  maturing.map((hedge) => ({
    key: spelledName(hedge.id),
    cells: [
      hedge.side,
      usd(hedge.notional_usd, 'USD'),
      'matures',
      maturityCell(hedge.maturity_at ?? '', 'minute'),
    ],
  }));

interface ShownMaturities {
  reading: MaturitiesReading;
  rolls: KnownRolls | undefined;
  calendar: WrittenCalendar | undefined;
}

export const maturityList = maturingHedges.within(({ reading }: ShownMaturities) => reading.maturing, {
  document: ({ reading }) => documentOf(reading),
  view: ({ reading, rolls, calendar }) => [viewMaturities(reading, calendar), viewKnownRolls(rolls)],
  changes: ({ reading }) => linesOf(reading),
});

/** One event per hedge; an environment without real money is in its title. */
export const maturityEvents = (
  hedges: MaturitiesReading['ended'],
  { profile, environment }: { profile: string; environment: string },
): readonly CalendarEvent[] =>
  hedges.map((hedge) => {
    const reference = hedge.client_reference ?? undefined;
    const deal = reference === undefined || isDerivedReference(reference) ? '' : ` (${reference})`;
    const title = environment === 'live' ? '' : `[${environment}] `;
    const struck = hedge.struck_rate ? ` Struck at ${hedge.struck_rate.toFixed()}.` : '';
    return {
      id: hedge.id,
      startMs: instantOf(hedge.maturity_at ?? '') ?? Number.NaN,
      summary: `${title}${hedge.market} ${hedge.side} ${usdInWords(hedge.notional_usd)} matures${deal}`,
      description: `Hedge ${hedge.id}.${struck} Settles by itself. Profile ${profile}, ${environment}.`,
    };
  });
