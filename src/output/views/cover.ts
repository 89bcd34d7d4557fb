/** Coverage of exposures per bucket, the deals that are missing and their rolls; their document, their table and the deals file. */
import type { Big } from 'big.js';
import type { ExposureFile } from '../../args/cover-options.ts';
import { sum } from '../../domain/amounts.ts';
import { costLimit } from '../../domain/cover-plan.ts';
import { wholeCents } from '../../domain/exposure.ts';
import { commandOnId, optionWords, shell, step } from '../../domain/hint.ts';
import { unquoted } from '../../domain/quoted.ts';
import { SIDES } from '../../domain/vocabulary.ts';
import type { CoverDeal, CoverHedge, CoverReading } from '../../readings/read-cover.ts';
import {
  type Block,
  commandRows,
  dimLine,
  figureRows,
  gap,
  line,
  messageLine,
  phraseLine,
  tableOf,
  type View,
  warnLine,
} from '../blocks.ts';
import { nameText, partsIn, type Tone, text } from '../cells.ts';
import { constraintLines, reductionBlocks } from './cover-advice.ts';
import {
  countedForecasts,
  datesInWords,
  fewOf,
  footLines,
  inBuckets,
  markedDate,
  viewDates,
} from './cover-dates.ts';
import { bucketList, bucketsOf, coverDocument, naira, nairaInWords, totalsOf } from './cover-document.ts';
import { dateInWords } from './day-words.ts';
import { bpsFigure, cents, countCell, countOf, rate, row, usd } from './record-columns.ts';
import { viewUnfinishedRolls } from './unfinished-rolls.ts';

interface ShownCover {
  reading: CoverReading;
  /** USD that the daily limits still allow; undefined: no limit, or no deals. */
  leftToday: Big | undefined;
  file: ExposureFile;
  /** Undefined: not asked for, or not written. */
  written: { path: string; rows: number } | undefined;
  /** An error below the screen says that nothing was sent. */
  isSaidLast: boolean;
}

export const coverList = bucketList.within(({ reading }: ShownCover) => bucketsOf(reading), {
  document: ({ reading, file }) => coverDocument(reading, file),
  view: viewCover,
});

function viewCover({ reading, leftToday, file, written, isSaidLast }: ShownCover): View {
  return [
    headline(reading),
    fileLine(file),
    gap,
    bucketList.block(bucketsOf(reading)),
    forecastLine(reading),
    settledLine(reading),
    lostDatesLine(reading),
    mustRollBlocks(reading),
    constraintLines(reading),
    reductionBlocks(reading),
    viewDates(reading),
    gap,
    dealBlocks(reading, leftToday),
    hedgeLines(reading),
    viewUnfinishedRolls(reading.stopped),
    footer(reading, isSaidLast),
    written !== undefined && writtenBlocks(written),
  ];
}

function headline({ market, input: { exposures, zone }, today }: CoverReading): View {
  return phraseLine`Cover of ${countOf(exposures.length, 'exposure')} in ${nameText(market.market, 'strong')}, mid ${rate(market.price)}. Today is ${dateInWords(today, today)}, ${nameText(`${zone}.`)}`;
}

const ROUNDED = 'Rounded half up; full precision: --json';

/** Three lines at most; the rest with -v. */
function footer(reading: CoverReading, isSaidLast: boolean): View {
  const { deals } = reading;
  const lines = partsIn<Block>([
    footLines(reading),
    dimLine(
      deals.length === 0
        ? ROUNDED
        : `${isSaidLast ? '' : 'Nothing was sent. '}USDC counts as USD. ${ROUNDED}`,
    ),
  ]);
  return [lines.slice(0, MOST_LINES), { kind: 'details', blocks: lines.slice(MOST_LINES) }];
}

const MOST_LINES = 3;

/** `NET NGN counts 2 forecasts at 50 % of the amount.` */
function forecastLine({ input }: CoverReading): View {
  const counted = countedForecasts(input);
  const weight = input.policy.forecastWeightPct.toFixed();
  return (
    counted > 0 && dimLine(`NET NGN counts ${countOf(counted, 'forecast')} at ${weight} % of the amount.`)
  );
}

/** `COVERED NGN counts 2 settled hedges; 1 is assumed to have reached its maturity: hdg_1.` */
function settledLine({ hedges, coverage }: CoverReading): View {
  const settled = hedges.filter(
    (hedge) => hedge.derived.settlement !== null && inBuckets(hedge.derived, coverage).length > 0,
  );
  const assumed = settled.filter(({ derived }) => derived.settlement === 'assumed');
  if (settled.length === 0) return [];
  const which =
    assumed.length === 0
      ? ''
      : `; assumed to have reached ${assumed.length === 1 ? 'its' : 'their'} maturity: ${fewOf(assumed.map(({ id }) => unquoted(id)))}`;
  return messageLine(`COVERED NGN counts ${countOf(settled.length, 'settled hedge')}${which}.`, 'dim');
}

/** Hedges that were opened for a past due date which is no longer in the file: a later date takes them. */
function lostDatesLine({ hedges, today, input: { exposures }, coverage }: CoverReading): View {
  const isThere = (date: string, { side }: CoverHedge): boolean =>
    exposures.some(({ due, direction }) => due === date && (direction === 'receive') === (side === 'buy'));
  const lost = hedges.flatMap((hedge) => {
    const { opened_for: openedFor } = hedge.derived;
    return openedFor === null || openedFor > today || isThere(openedFor, hedge)
      ? []
      : inBuckets(hedge.derived, coverage).map((part) => ({ ...part, openedFor }));
  });
  if (lost.length === 0) return [];
  return warnLine(
    `COVERED NGN counts ${nairaInWords(sum(lost.map(({ ngn }) => ngn)))} of hedges opened for ${datesInWords(
      lost.map(({ openedFor }) => openedFor),
      today,
    )}. The file no longer has those exposures, so the hedges count for ${datesInWords(
      lost.map(({ due }) => due),
      today,
    )}. Keep past due dates in the file.`,
  );
}

/** The rolls have no quote here, so their limit is the operator's. */
function mustRollBlocks(reading: CoverReading): View {
  const {
    hedges,
    market: { market },
  } = reading;
  const early = hedges.flatMap((hedge) => {
    const { must_roll: mustRoll } = hedge.derived;
    return mustRoll === null ? [] : [{ hedge, ...mustRoll }];
  });
  if (early.length === 0) return [];
  const quotes = new Map(
    early.map(({ hedge: { side, notional_usd: notional }, tenors_days: [tenor] }) => [
      `${side} ${tenor}`,
      { side, notional, tenor },
    ]),
  );
  return [
    warnLine('COVERED NGN counts hedges that mature too early. They must be rolled, and no roll is planned:'),
    commandRows(
      early.slice(0, MOST_CHAINS).map(({ hedge, due, matures_on: maturesOn, tenors_days: tenors }) => {
        const options = ['--tenor', String(tenors[0]), '--at', 'maturity'];
        return step(
          commandOnId(shell`hedge roll`, hedge.client_reference ?? hedge.id, options),
          `matures ${markedDate(maturesOn, reading)}, due ${markedDate(due, reading)}`,
        );
      }),
    ),
    andMore(early.length - MOST_CHAINS),
    line(
      'On live add --max-cost-bps: the BPS of this quote, and some more, since the price at maturity is not known:',
    ),
    commandRows(
      [...quotes.values()].map(({ side, notional, tenor }) =>
        step(shell`hedge quote ${market} ${side} ${wholeCents(notional).toFixed()} --tenor ${String(tenor)}`),
      ),
    ),
  ];
}

const andMore = (count: number, tone: Tone = 'dim'): View =>
  count > 0 && line(text(`And ${count} more: --json`, tone));

function dealBlocks(reading: CoverReading, leftToday: Big | undefined): View {
  const { deals, uncertain, coverage } = reading;
  if (uncertain.length > 0)
    return [
      uncertain.slice(0, MOST_REASONS).map(({ why }) => messageLine(`Uncertain: ${why}.`, 'warn')),
      andMore(uncertain.length - MOST_REASONS, 'warn'),
    ];
  if (deals.length === 0) {
    const isShort = coverage.buckets.some(({ status }) => status === 'below');
    return dimLine(
      isShort ? 'No deals: none fits, for the reason above.' : 'No deals: no bucket is below its band.',
    );
  }
  return [dealTable(reading), totals(deals, leftToday), rollLines(reading)];
}

const dealTable = (reading: CoverReading): View =>
  tableOf(reading.deals, [
    { header: 'DUE', show: ({ due }) => text(markedDate(due, reading)) },
    { header: 'SIDE', show: ({ side }) => text(side) },
    { header: 'NOTIONAL USD', align: 'right', show: ({ notional_usd: notional }) => usd(notional) },
    { header: 'NGN', align: 'right', optional: 'first', show: ({ covers_ngn: ngn }) => naira(ngn) },
    { header: 'TENOR', show: ({ tenor_days: tenor }) => text(`${tenor} d`) },
    {
      header: 'MATURES',
      optional: true,
      // The leg that is opened now, if it is rolled.
      show: ({ rolls: [roll], matures_on: last }) => text(markedDate(roll?.date ?? last, reading)),
    },
    {
      header: 'PRICE',
      align: 'right',
      optional: 'last',
      show: ({ quote: { pricing } }) => ({ ...rate(pricing.execution_price, 4), decimals: 4 }),
    },
    { header: 'COST USDC', align: 'right', show: ({ cost_usdc: cost }) => usd(cents(cost)) },
    { header: 'BPS', align: 'right', optional: true, show: ({ quote }) => bpsFigure(quote.derived.cost_bps) },
    {
      header: 'ROLLS',
      align: 'right',
      show: ({ rolls }) => (rolls.length === 0 ? text('') : countCell(rolls.length)),
    },
    { header: 'DEAL ID', optional: 'first', show: (deal) => nameText(dealIdsOf(deal)) },
  ]);

/** The IDs of the rows in the deals file: `COVER-20261214-BUY-3f9a21 to -2`. */
const dealIdsOf = ({ rows }: CoverDeal): string =>
  `${rows[0]?.deal_id ?? ''}${rows.length > 1 ? ` to -${rows.length}` : ''}`;

function totals(deals: readonly CoverDeal[], leftToday: Big | undefined): View {
  const { notional_usd: notional, upfront_usdc: upfront, cost_usdc: cost, ...all } = totalsOf(deals);
  const { chain_cost_usdc: chain } = all;
  const rows = deals.flatMap((deal) => deal.rows).length;
  const count = countOf(deals.length, 'deal');
  return figureRows(
    row('Total', usd(notional, 'USD'), rows > deals.length ? `in ${count} of ${rows} rows` : `in ${count}`),
    leftToday?.lt(notional) === true &&
      row(
        'Left today',
        usd(wholeCents(leftToday), 'USD', 'warn'),
        text(
          `of the daily limit: hedge deals run would open no row. ${leftToday.eq(0) ? 'Wait' : 'Open fewer deals'} until 00:00 UTC, or raise the daily limit.`,
          'warn',
        ),
      ),
    row('Upfront', usd(cents(upfront), 'USDC'), 'margin and fee'),
    row(cost.lt(0) ? 'Earned' : 'Cost', usd(cents(cost.abs()), 'USDC'), 'to the first maturities'),
    deals.some(({ rolls }) => rolls.length > 0) &&
      row(
        'With rolls',
        usd(cents(chain.abs()), 'USDC'),
        `${chain.lt(0) ? 'earned' : 'paid'}, if every leg is at today's quotes`,
      ),
  );
}

const MOST_REASONS = 3;

const MOST_ROLLS = 3;
const MOST_CHAINS = 5;

/** `Due Mon 14 Dec: 7 d now, roll Mon 30 Nov for 7 d, Mon 7 Dec for 7 d, to Mon 14 Dec.` */
function rollLines(reading: CoverReading): View {
  const rolled = reading.deals.filter(({ rolls }) => rolls.length > 0);
  if (rolled.length === 0) return [];
  const planned = rolled.slice(0, MOST_CHAINS);
  return [
    planned.map(({ due, tenor_days: tenor, rolls, matures_on: last, chain_cost_usdc: cost }) => {
      const shown = rolls
        .slice(0, MOST_ROLLS)
        .map((roll) => `${markedDate(roll.date, reading)} for ${roll.tenor_days} d`);
      const more = rolls.length - shown.length;
      return line(
        `Due ${markedDate(due, reading)}: ${tenor} d now, roll ${shown.join(', ')}${more > 0 ? `, and ${more} more (--json)` : ''}, to ${markedDate(last, reading)}.`,
        cost.lt(0) ? 'Earns' : 'Costs',
        usd(cents(cost.abs()), 'USDC'),
        'in all.',
      );
    }),
    rolled.length > MOST_CHAINS && dimLine(`Rolls of ${rolled.length - MOST_CHAINS} more due dates: --json`),
    line('Once the deals are open, plan their first rolls:'),
    commandRows(
      planned.flatMap(({ due, rows, rolls: [first], firstRollBps }) => {
        // On live the command needs one, as a deals file does.
        const limit = optionWords('--max-cost-bps', firstRollBps && costLimit(firstRollBps).toFixed());
        return rows.map(({ deal_id: dealId }) =>
          step(
            shell`hedge roll ${dealId} --tenor ${String(first?.tenor_days)} --at maturity ${limit}`,
            `due ${markedDate(due, reading)}`,
          ),
        );
      }),
    ),
  ];
}

/** `Of the open buys, 3,032,500.00 NGN cover no due date: hdg_1, hdg_2, hdg_3 and 2 more (--json). Let them settle, ….` */
const unusedLines = ({ hedges, uncertain, today }: CoverReading): View =>
  SIDES.flatMap((side) => {
    const open = hedges.filter((hedge) => hedge.side === side && hedge.derived.settlement === null);
    const unused = open.filter(({ derived }) => derived.unused_ngn.gt(0));
    if (unused.length === 0) return [];
    const total = nairaInWords(sum(unused.map(({ derived }) => derived.unused_ngn)));
    const ids = unused.map(({ id }) => unquoted(id));
    // A close takes the whole side.
    const covered = open.flatMap(({ derived }) => derived.allotted.map(({ due }) => due));
    const orClose = uncertain.length === 0 ? ', or close the side' : '';
    const closing =
      covered.length === 0
        ? orClose
        : `: closing the side would also close the hedges that cover ${datesInWords(covered, today)}`;
    return [
      messageLine(
        `Of the open ${side}s, ${total} cover no due date: ${fewOf(ids)}. Let them settle${closing}.`,
      ),
    ];
  });

function hedgeLines(reading: CoverReading): View {
  const { leftOut, sidesKnown, uncertain } = reading;
  return [
    unusedLines(reading),
    uncertain.length === 0 &&
      leftOut.map(({ id, why }) => line(nameText(`Not counted: hedge ${id}: ${why}.`, 'warn'))),
    !sidesKnown &&
      warnLine('The positions do not name their sides: a hedge that was closed early may be counted.'),
  ];
}

/** `Dates were read with the day first. Columns not read: bank.` */
function fileLine({ ignored, dateOrder, serialDates }: ExposureFile): View {
  const [serial] = serialDates;
  const words = partsIn<string>([
    serial &&
      `${countOf(serialDates.length, 'due date')} read as a spreadsheet's number of a day: ${serial.text} is ${dateInWords(serial.date)}.`,
    dateOrder && `Dates were read with the ${dateOrder === 'day_first' ? 'day' : 'month'} first.`,
    ignored.length > 0 && `Columns not read: ${ignored.map(unquoted).join(', ')}.`,
  ]);
  return words.length > 0 && messageLine(words.join(' '), 'dim');
}

const writtenBlocks = ({ path, rows }: { path: string; rows: number }): View => [
  line(`Deals written: ${countOf(rows, 'row')} in`, text(path, 'strong')),
  rows !== 0 && commandRows(step(shell`hedge deals check ${path}`, 'check each row; sends nothing')),
];
