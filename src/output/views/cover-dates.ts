/** The dates of a cover: the naira due and covered on each, those in no bucket, and the marks of a weekend or a holiday. */
import { sum } from '../../domain/amounts.ts';
import { daysBetween, isBusinessDay } from '../../domain/business-days.ts';
import { localHourOf } from '../../domain/calendar.ts';
import { amountFor, type BucketCoverage, DIRECTIONS, weightedNaira } from '../../domain/cover.ts';
import { someOf } from '../../domain/exposure.ts';
import { instantOf } from '../../domain/instants.ts';
import { oppositeOf } from '../../domain/opposite-side.ts';
import { unquoted } from '../../domain/quoted.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { isDerivedReference, SIDES } from '../../domain/vocabulary.ts';
import { REST_DAY, restDaysNote } from '../../domain/zone-times.ts';
import type { CoverHedge, CoverReading } from '../../readings/read-cover.ts';
import { dimLine, gap, line, messageLine, tableOf, type View, warnLine } from '../blocks.ts';
import { text } from '../cells.ts';
import { daysInWords, naira, nairaInWords } from './cover-document.ts';
import { dateInWords, islamicLine } from './day-words.ts';
import { countOf, known } from './record-columns.ts';

/** `Mon 14 Dec`; `(!)` marks a weekend or a public holiday. */
export const markedDate = (date: string, { today, input }: CoverReading): string =>
  `${dateInWords(date, today)}${isBusinessDay(date, input.holidays) ? '' : ` ${REST_DAY}`}`;

const MOST_NAMED = 3;

export const fewOf = (words: readonly string[]): string => someOf(words, MOST_NAMED, ' (--json)');

/** In order, each once. */
export const datesInWords = (dates: readonly string[], today: string): string =>
  fewOf([...new Set(dates)].toSorted().map((date) => dateInWords(date, today)));

const MOST_DATES = 12;

const hasBoth = ({ receive, pay }: BucketCoverage): boolean => receive.gt(0) && pay.gt(0);

/** Every date of a bucket, so that they add up to it; a single one is its bucket. `held`: the side that covers it. */
function shownByDate({ coverage }: CoverReading) {
  const dates = coverage.buckets.flatMap(({ dues, coveredOn, side = 'buy' }) =>
    dues.map((due) => {
      const covered = coveredOn.get(due.date);
      return { ...due, covered, held: covered?.lt(0) === true ? oppositeOf(side) : side };
    }),
  );
  return dates.length > 1 ? dates : [];
}

/** Forecasts that count in part. */
export const countedForecasts = ({ exposures, policy }: CoverReading['input']): number =>
  policy.forecastWeightPct.eq(100) ? 0 : exposures.filter(({ certainty }) => certainty === 'forecast').length;

export function viewDates(reading: CoverReading): View {
  const dates = shownByDate(reading);
  if (dates.length === 0) return [];
  const { buckets } = reading.coverage;
  const more = dates.length - MOST_DATES;
  const weighted = countedForecasts(reading.input) > 0 ? ', WEIGHTED' : '';
  const namesOf = (some: typeof dates): string =>
    datesInWords(
      some.map(({ date }) => date),
      reading.today,
    );
  const below = dates.filter(({ covered }) => covered?.lt(0));
  const beyond = dates.filter((due) => due.covered?.abs().gt(amountFor(due.held, due)));
  return [
    gap,
    line('By date:'),
    tableOf(dates.slice(0, MOST_DATES), [
      { header: 'DUE', show: ({ date }) => text(markedDate(date, reading)) },
      { header: `RECEIVE NGN${weighted}`, align: 'right', show: ({ receive }) => naira(receive) },
      { header: `PAY NGN${weighted}`, align: 'right', show: ({ pay }) => naira(pay) },
      { header: 'NET TO COVER NGN', align: 'right', show: ({ toCover }) => naira(toCover) },
      {
        header: 'COVERED NGN',
        align: 'right',
        optional: 'first',
        show: ({ covered }) => known(covered, naira),
      },
    ]),
    buckets.some(hasBoth) && dimLine('Each amount is set against the nearest one of the other direction.'),
    SIDES.map((side) => {
      const own = below.filter(({ held }) => held === side);
      return own.length > 0 && dimLine(`COVERED below zero: ${side}s on ${namesOf(own)}.`);
    }),
    beyond.length > 0 && warnLine(`Hedged for more than falls due: ${namesOf(beyond)}.`),
    byMaturityLine(reading),
    more > 0 && dimLine(`${more} more dates: --json`),
    buckets.map((bucket) => shortLine(bucket, reading)),
  ];
}

/** `Counted by maturity: SUP-090 (Wed 2 Dec) for Tue 1 Dec.`, where neither the deal ID nor the maturity names the date. */
function byMaturityLine({ hedges, coverage, today, input: { zone } }: CoverReading): View {
  const counted = hedges.flatMap(({ id, client_reference: reference, maturity_at: maturity, derived }) => {
    const { date: matures } = localHourOf(instantOf(maturity ?? '') ?? Number.NaN, zone);
    const name = reference && !isDerivedReference(reference) ? reference : id;
    return inBuckets(derived, coverage)
      .filter(({ due }) => due !== derived.opened_for && due !== matures)
      .map(({ due, ngn }) => {
        const part = ngn.eq(derived.covered_ngn) ? '' : ` ${nairaInWords(ngn)}`;
        return `${unquoted(name)} (${dateInWords(matures, today)})${part} for ${dateInWords(due, today)}`;
      });
  });
  return counted.length > 0 && messageLine(`Counted by maturity: ${fewOf(counted)}.`, 'dim');
}

/** The parts of a hedge that cover a date of a bucket. */
export const inBuckets = ({ allotted }: CoverHedge['derived'], { buckets }: CoverReading['coverage']) =>
  allotted.filter(({ due }) => buckets.some(({ coveredOn }) => coveredOn.has(due)));

/** A bucket is judged as a whole, which hides a date without cover. */
function shortLine({ bucket, short }: BucketCoverage, { today }: CoverReading): View {
  const dates = short.map(({ date }) => date);
  if (dates.length === 0) return [];
  return warnLine(
    `${daysInWords(bucket)} count as a whole: hedges that mature close to ${datesInWords(dates, today)} cover less than ${bucket.minPct.toFixed()} % of it.`,
  );
}

/** `In no bucket: 2 exposures, receive 5,000,000.00 NGN, pay 2,000,000.00 NGN: A (Tue 22 Dec), B (Wed 23 Dec). …` */
function outsideLine(reading: CoverReading): View {
  const { outside, today, input } = reading;
  if (outside.length === 0) return [];
  const shown = outside.map(({ id, due }) => `${unquoted(id)} (${markedDate(due, reading)})`);
  const past = outside.filter(({ due }) => due < today).length;
  const amounts = DIRECTIONS.flatMap((direction) => {
    const own = outside.filter((each) => each.direction === direction);
    const counted = own.map((each) => weightedNaira(each, input.policy).abs());
    return own.length === 0 ? [] : [`${direction} ${nairaInWords(sum(counted))}`];
  });
  return messageLine(
    `In no bucket: ${countOf(outside.length, 'exposure')}${past === 0 ? '' : ` (${past} past due)`}, ${amounts.join(', ')}: ${fewOf(shown)}.${betweenBuckets(reading)}`,
    'warn',
  );
}

/** Days between two buckets on which something falls due: a gap of the policy is more likely an error than days after its end. */
function betweenBuckets({ outside, today, coverage }: CoverReading): string {
  const gaps = coverage.buckets.flatMap(({ bucket: { fromDays } }, index) => {
    const before = coverage.buckets[index - 1]?.bucket.toDays;
    return before === undefined ? [] : [{ fromDays: before + 1, toDays: fromDays - 1 }];
  });
  const isIn = ({ fromDays, toDays }: (typeof gaps)[number], due: string): boolean =>
    daysBetween(today, due) >= fromDays && daysBetween(today, due) <= toDays;
  return gaps
    .filter((each) => outside.some(({ due }) => isIn(each, due)))
    .map((each) => ` The policy has no bucket for ${daysInWords(each).toLowerCase()}.`)
    .join('');
}

/** `(!) Weekend, or public holiday: Fri 25 Dec, Christmas Day.` */
function marksLine(reading: CoverReading): View {
  const { today, input } = reading;
  const marked = datesShown(reading).filter((date) => !isBusinessDay(date, input.holidays));
  const holidays = marked.flatMap((date) => {
    const holiday = input.holidays.nameOf(date);
    return holiday === undefined ? [] : [`${dateInWords(date, today)}, ${spelledName(holiday)}`];
  });
  return marked.length > 0 && messageLine(restDaysNote(holidays, holidays.length < marked.length), 'warn');
}

/** In order. */
const datesShown = (reading: CoverReading): readonly string[] =>
  [
    ...new Set([
      ...reading.hedges.flatMap(({ derived: { must_roll: roll } }) =>
        roll === null ? [] : [roll.matures_on, roll.due],
      ),
      ...reading.deals.flatMap((deal) => [deal.due, ...deal.rolls.map(({ date }) => date), deal.matures_on]),
      ...shownByDate(reading)
        .slice(0, MOST_DATES)
        .map(({ date }) => date),
      ...reading.outside.slice(0, MOST_NAMED).map(({ due }) => due),
    ]),
  ].toSorted();

export const footLines = (reading: CoverReading): View => [
  outsideLine(reading),
  marksLine(reading),
  islamicLine(datesShown(reading).filter((date) => reading.input.holidays.mayLack(date))),
];
