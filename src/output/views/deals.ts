/** A deals file, row by row: as it would be opened, before the confirmation, and as it was. */
import type { Big } from 'big.js';
import type { DealsFile } from '../../args/deals-file.ts';
import { readDecimal, roundHalfUp, sum } from '../../domain/amounts.ts';
import { ownField } from '../../domain/fields.ts';
import { type QuoteFigures, quoteFigures } from '../../domain/quote-figures.ts';
import { type Cover, coverOf } from '../../domain/sizes.ts';
import { SIDES } from '../../domain/vocabulary.ts';
import { recordedFigures } from '../../journal/queries.ts';
import type { DealOutcome, EndedDeal } from '../../runs/deals/deal.ts';
import type { AccountLeft, SideTotal } from '../../runs/simulate-batch.ts';
import type { RunTotals, SideResult } from '../../runs/tally-batch.ts';
import type { DealsDocument } from '../../schema/action-document.ts';
import { type Block, dimLine, gap, line, type View } from '../blocks.ts';
import { type Cell, message, nameText, type Tone, text } from '../cells.ts';
import { type Listing, listOf } from '../list.ts';
import { ASSUMED, leftLine, totalsTable, viewRun } from './batch.ts';
import { bps, maturityCell, ofAmount, rate, usd } from './record-columns.ts';

interface PlannedDeals {
  sides: readonly SideTotal[];
  left: AccountLeft | undefined;
  /** A row does not fit: the run would open none. */
  isBlocked: boolean;
}

export interface DealsShown {
  file: DealsFile;
  ends: readonly EndedDeal[];
  /** The totals of the check; undefined if rows were sent. */
  planned?: PlannedDeals | undefined;
  /** Undefined for a check. */
  ran?: RunTotals | undefined;
}

const entryOf = ({ report }: EndedDeal) => report?.entry;
const quoteOf = ({ plan, quote }: EndedDeal) => plan?.facts.quote ?? quote;

/** A figure of the quote in the journal; undefined without one. */
function recorded(end: EndedDeal, name: 'execution_price' | 'total_upfront_usdc'): Big | undefined {
  const quote = entryOf(end)?.intent.quote;
  return quote === undefined ? undefined : readDecimal(ownField(quote, name));
}

function figuresOf(end: EndedDeal): Pick<QuoteFigures, 'cost_usdc' | 'cost_bps'> | undefined {
  const entry = entryOf(end);
  return end.plan?.figures ?? (entry && recordedFigures(entry)) ?? (end.quote && quoteFigures(end.quote));
}

/** USD; undefined: given in naira, and not computed yet. */
const notionalOf = ({ plan, intent, report }: EndedDeal): Big | undefined =>
  plan?.notional ?? intent.notional ?? report?.entry?.notional;

/** USD; undefined: not filled yet, or the hedge of another machine. */
const filledOf = ({ report }: EndedDeal): Big | undefined => report?.derived.filled_notional_usd;

/** The hedge's, else the quote's; undefined after a failed order. */
const maturityOf = (end: EndedDeal): string | undefined =>
  end.outcome === 'failed' ? undefined : (end.report?.hedge?.maturity_at ?? quoteOf(end)?.maturity);

const maturesCell = (at: unknown): Cell => maturityCell(String(at), 'date');

const priceOf = (end: EndedDeal): Big | undefined =>
  quoteOf(end)?.pricing.execution_price ?? recorded(end, 'execution_price');

const struckOf = ({ report }: EndedDeal): Big | undefined =>
  report?.derived.struck_rate ?? report?.hedge?.struck_rate ?? undefined;

/** NGN to be covered, of a row whose size was given so. */
const askedOf = ({ intent: { sizing } }: EndedDeal): Big | undefined =>
  sizing?.by === 'ngn' ? sizing.amount : undefined;

/** At the quoted price. */
function coveredBy(end: EndedDeal): Cover | undefined {
  const [asked, notional, price] = [askedOf(end), notionalOf(end), priceOf(end)];
  return asked === undefined || notional === undefined || price === undefined
    ? undefined
    : coverOf(notional, price, asked);
}

/** NGN at the struck rate, of what was filled; undefined also for a row in USD. */
function struckNaira(end: EndedDeal): Big | undefined {
  const [filled, struck] = [filledOf(end) ?? notionalOf(end), struckOf(end)];
  return askedOf(end) === undefined || filled === undefined ? undefined : struck && filled.times(struck);
}

/** An earlier run sent it, or it was opened elsewhere. */
const isEarlier = ({ plan, report }: EndedDeal): boolean => report !== undefined && plan === undefined;

const dealRows = listOf<EndedDeal, DealsDocument['deals'][number]>()(
  [
    { name: 'line', header: 'Line', of: ({ line: at }) => at },
    {
      name: 'deal_id',
      header: 'Deal ID',
      isId: true,
      cell: (id) => nameText(String(id)),
      of: ({ intent }) => intent.dealId,
    },
    { name: 'market', header: 'Market', optional: 'first', of: ({ intent }) => intent.market },
    { name: 'side', header: 'Side', of: ({ intent }) => intent.side },
    { name: 'notional_usd', header: 'Notional', of: notionalOf },
    { name: 'filled_notional_usd', header: 'Filled', optional: 'last', of: filledOf },
    {
      name: 'ngn_asked',
      header: 'Naira',
      optional: 'last',
      cell: ofAmount(usd),
      of: askedOf,
    },
    { name: 'ngn', header: 'Naira covered', optional: 'first', of: (end) => coveredBy(end)?.amount },
    { name: 'ngn_rest', header: 'Naira rest', optional: 'first', of: (end) => coveredBy(end)?.rest },
    { name: 'ngn_struck', header: 'Naira struck', optional: 'first', of: struckNaira },
    { name: 'tenor_days', header: 'Days', optional: true, of: ({ intent }) => intent.tenor },
    { name: 'maturity_at', header: 'Matures', optional: true, cell: maturesCell, of: maturityOf },
    {
      name: 'worst_price',
      header: 'Worst price',
      optional: 'first',
      of: ({ intent }) => intent.bounds.worstPrice,
    },
    {
      name: 'max_cost_bps',
      header: 'Max cost',
      optional: 'first',
      of: ({ intent }) => intent.bounds.maxCostBps,
    },
    {
      name: 'execution_price',
      header: 'Price',
      optional: 'last',
      cell: ofAmount((price) => rate(price, 4)),
      of: priceOf,
    },
    {
      name: 'cost_bps',
      header: 'Cost',
      optional: 'last',
      cell: ofAmount(bps),
      of: (end) => figuresOf(end)?.cost_bps,
    },
    { name: 'cost_usdc', header: 'Cost USDC', optional: 'first', of: (end) => figuresOf(end)?.cost_usdc },
    {
      name: 'upfront_usdc',
      header: 'Upfront',
      optional: true,
      of: (end) => quoteOf(end)?.upfront.total_upfront_usdc ?? recorded(end, 'total_upfront_usdc'),
    },
    {
      name: 'struck_rate',
      header: 'Struck',
      optional: 'last',
      cell: ofAmount((price) => rate(price, 4)),
      of: struckOf,
    },
    {
      name: 'slippage_bps',
      header: 'Slippage',
      optional: true,
      cell: ofAmount(bps),
      of: ({ report }) => report?.derived.slippage_bps,
    },
    { name: 'outcome', header: 'Outcome', cell: outcomeCell, of: ({ outcome }) => outcome },
    { name: 'code', header: 'Code', optional: 'first', of: ({ error }) => error?.code },
    { name: 'earlier', header: 'Earlier', optional: 'first', of: isEarlier },
    {
      name: 'hedge_id',
      header: 'Hedge',
      optional: 'first',
      of: ({ report }) => report?.entry?.hedgeId ?? report?.hedge?.id,
    },
    { name: 'action_id', header: 'Action', optional: 'first', of: (end) => entryOf(end)?.id },
    { name: 'sent_at', header: 'Sent', optional: 'first', of: (end) => entryOf(end)?.sentAt },
    { name: 'note', header: 'Note', optional: 'first', of: ({ intent }) => intent.options.note },
    { name: 'message', header: 'Message', optional: 'first', of: ({ error }) => error?.what },
  ],
  { isRounded: true, empty: 'The file has no deals.' },
);

const WORDS: Readonly<Record<DealOutcome, readonly [word: string, tone: Tone]>> = {
  planned: ['FITS', 'good'],
  filled: ['FILLED', 'good'],
  changed: ['FILLED', 'good'],
  closed: ['CLOSED', 'dim'],
  submitted: ['ACCEPTED', 'warn'],
  pending: ['PENDING', 'warn'],
  failed: ['FAILED', 'bad'],
  unknown: ['UNKNOWN', 'bad'],
  refused: ['REJECTED', 'bad'],
  not_sent: ['NOT SENT', 'bad'],
  flat: ['NOT SENT', 'bad'],
  skipped: ['SKIPPED', 'warn'],
  stopped: ['BLOCKED', 'bad'],
  not_run: ['NOT RUN', 'dim'],
};

const isPartialFill = ({ error }: EndedDeal): boolean => error?.code === 'partial_fill';

/** The word of an outcome, and how it looks. */
function wordOf(end: EndedDeal): { word: string; tone: Tone } {
  if (isPartialFill(end)) return { word: 'PARTIAL FILL', tone: 'bad' };
  const [word, tone] = WORDS[end.outcome];
  return isEarlier(end) ? { word: `${word} before`, tone: tone === 'good' ? 'dim' : tone } : { word, tone };
}

function outcomeCell(_outcome: unknown, end: EndedDeal): Cell {
  const { word, tone } = wordOf(end);
  return text(word, tone);
}

/** Row by row, then what needs attention, then the totals. */
function viewDeals({ file, ends, planned, ran }: DealsShown): View {
  return [
    remarksOn(file),
    rowsTable(ends),
    problems(ends),
    planned !== undefined && viewPlanned(planned),
    ran !== undefined && viewRun(ran),
    nairaLines(ends),
    ends.length > 0 && countsLine(ends, planned?.isBlocked === true),
  ];
}

/** The other fields: --columns, --csv. */
const ON_SCREEN: readonly string[] =
  'line deal_id market side notional_usd tenor_days maturity_at execution_price cost_bps upfront_usdc outcome'.split(
    ' ',
  );
/** Columns of rows that were sent, and of sizes in naira. */
const IF_KNOWN: readonly string[] = ['struck_rate', 'slippage_bps', 'ngn_asked'];
const IF_PARTIAL = 'filled_notional_usd';

function rowsTable(ends: readonly EndedDeal[]): Block {
  const isPartial = ends.some(isPartialFill);
  return dealRows.block(ends, {
    only: ({ name, of }) =>
      ON_SCREEN.includes(name) ||
      (isPartial && name === IF_PARTIAL) ||
      (IF_KNOWN.includes(name) && ends.some((end) => of?.(end) !== undefined)),
  });
}

export function remarksOn({ ignored, dates }: DealsFile): View {
  return [
    ignored.length > 0 && line(text('Columns that are not read:', 'dim'), nameText(ignored.join(', '))),
    dates.length > 0 &&
      line(
        text('Looks like a date that the spreadsheet made of a deal ID:', 'warn'),
        nameText(dates.slice(0, MOST_NAMED).join(', ')),
        dates.length > MOST_NAMED && `and ${dates.length - MOST_NAMED} more`,
      ),
  ];
}

export const MOST_NAMED = 5;
const MOST_PROBLEMS = 10;

function problems(ends: readonly EndedDeal[]): View {
  const wrong = ends.filter(({ error }) => error !== undefined && error.code !== 'not_run');
  const more = wrong.length - MOST_PROBLEMS;
  return (
    wrong.length > 0 && [
      gap,
      wrong
        .slice(0, MOST_PROBLEMS)
        .map(({ line: at, error }) => line(text(`line ${at}:`, 'warn'), message(error?.what ?? ''))),
      more > 0 && dimLine(`and ${more} more: --csv, column message`),
    ]
  );
}

function viewPlanned({ sides, left, isBlocked }: PlannedDeals): View {
  return (
    sides.length > 0 && [
      gap,
      sidesTable(sides, isBlocked ? 'FITS, NOT RUN' : 'TO OPEN'),
      left !== undefined && !isBlocked && leftLine(left),
      dimLine(ASSUMED),
    ]
  );
}

const COUNTED: readonly DealOutcome[] = ['planned', 'submitted', 'pending', 'filled', 'changed', 'closed'];

/** `buy: 799,999,988.89 NGN of 800,000,000.00 asked, at the quoted prices.` */
export function nairaLines(ends: readonly EndedDeal[]): View {
  const counted = ends.filter((end) => COUNTED.includes(end.outcome) && coveredBy(end) !== undefined);
  return SIDES.flatMap((side) => {
    const rows = counted.filter(({ intent }) => intent.side === side);
    if (rows.length === 0) return [];
    const areStruck = rows.every((end) => struckNaira(end) !== undefined);
    const naira = rows.map((end) => (areStruck ? struckNaira(end) : coveredBy(end)?.amount));
    return [
      line(
        `${rows.length === 1 ? '1 row' : `${rows.length} rows`} in naira, ${side}:`,
        usd(roundHalfUp(sum(naira.filter((amount) => amount !== undefined)), 2), 'NGN'),
        'of',
        usd(sum(rows.map(askedOf).filter((amount) => amount !== undefined))),
        `asked, at the ${areStruck ? 'struck rates' : 'quoted prices'}.`,
      ),
    ];
  });
}

/** To the cent: the sum of many quotes has more digits than anyone pays. */
export const sidesTable = (sides: readonly SideTotal[], header: string): Block =>
  totalsTable(
    sides.map(({ upfront, cost, ...side }) => ({
      ...side,
      upfront: upfront && roundHalfUp(upfront, 2),
      cost: cost && roundHalfUp(cost, 2),
    })),
    header,
  );

/** `200 rows: 197 filled, 2 skipped, 1 failed.` `isBlocked`: of a check. */
function countsLine(ends: readonly EndedDeal[], isBlocked: boolean): Block {
  const counts = new Map<string, number>();
  for (const end of ends) {
    const word = wordOf(end)
      .word.toLowerCase()
      .replace(/^fits\b/, 'fit')
      .replace('partial fill', 'filled in part');
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const each = [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
  return line(
    text(`${ends.length === 1 ? '1 row' : `${ends.length} rows`}: ${each}.`, 'strong'),
    isBlocked && text('deals run would open none of them.', 'warn'),
  );
}

/** The rows, and their totals per side: planned ones of a check, or those of this run. */
const documentOf = ({ file, ends, planned, ran }: DealsShown): DealsDocument => ({
  file: file.path,
  deals: ends.map(dealRows.record),
  derived:
    planned !== undefined
      ? {
          sides: planned.sides.map(plannedSide),
          left: planned.left ?? null,
          would_open: planned.isBlocked ? 0 : ends.filter(({ outcome }) => outcome === 'planned').length,
        }
      : { sides: (ran?.sides ?? []).map(sideOfRun) },
});

const plannedSide = ({ market, side, lines, notional, upfront, cost }: SideTotal) => ({
  market,
  side,
  deals: lines,
  notional_usd: notional,
  upfront_usdc: upfront ?? null,
  cost_usdc: cost ?? null,
});

const sideOfRun = ({ market, side, done, failed, pending, opened, upfront }: SideResult) => ({
  market,
  side,
  deals: done,
  not_opened: failed,
  pending,
  notional_usd: opened,
  upfront_usdc: upfront,
});

export const dealList: Listing<DealsShown> = {
  ...dealRows.within(({ ends }: DealsShown) => ends),
  document: documentOf,
  view: viewDeals,
};
