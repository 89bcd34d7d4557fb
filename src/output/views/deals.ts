/** A deals file, row by row: as it would be opened, before the confirmation, and as it was. */
import type { Big } from 'big.js';
import type { DealsFile } from '../../args/deals-file.ts';
import { sum } from '../../domain/amounts.ts';
import { someOf } from '../../domain/exposure.ts';
import { shell } from '../../domain/hint.ts';
import { SIDES } from '../../domain/vocabulary.ts';
import type { DailyLimitOfFile } from '../../runs/deals/daily-limit.ts';
import type { DealEnd, DealOutcome, DealRecord } from '../../runs/deals/deal.ts';
import type { AccountLeft, SideTotal } from '../../runs/simulate-batch.ts';
import type { RunTotals, SideResult } from '../../runs/tally-batch.ts';
import type { DealsDocument } from '../../schema/action-document.ts';
import { andMore, type Block, dimLine, gap, line, type View, warnLine } from '../blocks.ts';
import { message, nameText, phrase, type Tone, text, warnPhrase } from '../cells.ts';
import { listOf } from '../list.ts';
import { ASSUMED, leftLine, totalsTable, viewRun } from './batch.ts';
import { bps, cents, countOf, maturityCell, ofAmount, priceCell, usd } from './record-columns.ts';

interface PlannedDeals {
  sides: readonly SideTotal[];
  left: AccountLeft | undefined;
  /** A row does not fit: the run would open none. */
  isBlocked: boolean;
}

export interface DealsShown {
  file: DealsFile;
  rows: readonly DealRecord[];
  /** Set where it stops a row, and none was sent. */
  dailyLimit?: DailyLimitOfFile | undefined;
  /** The totals of the check; undefined if rows were sent. */
  planned?: PlannedDeals | undefined;
  /** Undefined for a check. */
  ran?: RunTotals | undefined;
}

/** The names are for --columns and --csv. */
const dealRows = listOf<DealRecord, DealsDocument['deals'][number]>()(
  [
    { name: 'line', header: 'Line' },
    { name: 'deal_id', header: 'Deal ID', isId: true },
    { name: 'market', header: 'Market', optional: 'first' },
    { name: 'side', header: 'Side' },
    { name: 'notional_usd', header: 'Notional' },
    { name: 'filled_notional_usd', header: 'Filled', optional: 'last' },
    { name: 'ngn_asked', header: 'Naira', optional: 'last', cell: ofAmount(usd) },
    'ngn ngn_rest ngn_struck',
    { name: 'tenor_days', header: 'Days', optional: true },
    {
      name: 'maturity_at',
      header: 'Matures',
      optional: true,
      cell: (at) => maturityCell(String(at), 'date'),
    },
    'worst_price max_cost_bps',
    { name: 'execution_price', header: 'Price', optional: 'last', cell: priceCell },
    { name: 'cost_bps', header: 'Cost', optional: 'last', cell: ofAmount(bps) },
    'cost_usdc',
    { name: 'upfront_usdc', header: 'Upfront', optional: true },
    { name: 'struck_rate', header: 'Struck', optional: 'last', cell: priceCell },
    { name: 'slippage_bps', header: 'Slippage', optional: true, cell: ofAmount(bps) },
    { name: 'outcome', header: 'Outcome', show: (row) => text(...wordOf(row)) },
    'code earlier hedge_id action_id sent_at note message',
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

const isPartialFill = ({ code }: DealRecord): boolean => code === 'partial_fill';

/** The word of an outcome, and how it looks. */
function wordOf(row: DealRecord): readonly [word: string, tone: Tone] {
  if (isPartialFill(row)) return ['PARTIAL FILL', 'bad'];
  const [word, tone] = WORDS[row.outcome];
  return row.earlier ? [`${word} before`, tone === 'good' ? 'dim' : tone] : [word, tone];
}

/** Row by row, then what needs attention, then the totals. */
function viewDeals({ file, rows, dailyLimit, planned, ran }: DealsShown): View {
  return [
    remarksOn(file),
    rowsTable(rows),
    problems(rows),
    dailyLimit !== undefined && dailyLimitLine(dailyLimit),
    planned !== undefined && viewPlanned(planned),
    ran !== undefined && viewRun(ran),
    nairaLines(rows),
    rows.length > 0 && countsLine(rows, planned?.isBlocked === true),
  ];
}

/** Without the columns of rows that were sent, of sizes in naira, and of a partial fill, where no row has one. */
function rowsTable(rows: readonly DealRecord[]): Block {
  const hidden = [
    ...(['struck_rate', 'slippage_bps', 'ngn_asked'] as const).filter((name) =>
      rows.every((row) => row[name] === undefined),
    ),
    !rows.some(isPartialFill) && 'filled_notional_usd',
  ];
  return dealRows.block(rows, { only: ({ name }) => !hidden.includes(name) });
}

function remarksOn({ ignored, dates }: DealsFile): View {
  return [
    ignored.length > 0 && line(text('Columns that are not read:', 'dim'), nameText(ignored.join(', '))),
    dates.length > 0 &&
      line(warnPhrase`Looks like a date that the spreadsheet made of a deal ID: ${nameText(someOf(dates))}`),
  ];
}

const MOST_NAMED = 5;
const MOST_PROBLEMS = 10;

/** Rows with the same one share a line. */
function problems(rows: readonly DealRecord[]): View {
  const wrong = new Map<string, string[]>();
  for (const { code, message: why = '', line: at } of rows)
    if (code !== undefined && code !== 'not_run') wrong.set(why, [...(wrong.get(why) ?? []), at.toString()]);
  const more = wrong.size - MOST_PROBLEMS;
  if (wrong.size === 0) return [];
  return [
    gap,
    [...wrong].slice(0, MOST_PROBLEMS).map(([why, lines]) => {
      const where = `${lines.length === 1 ? 'line' : 'lines'} ${someOf(lines)}:`;
      return line(text(where, 'warn'), message(why));
    }),
    more > 0 && dimLine(`and ${more} more: --csv, column message`),
  ];
}

const dailyLimitLine = ({ limit, left, needed, enough }: DailyLimitOfFile): View => [
  gap,
  line(
    phrase`Daily limit ${usd(limit, 'USD')}: ${usd(left, 'USD')} is left, and the whole file needs ${usd(needed, 'USD')}.`,
    phrase`A limit of ${usd(enough, 'USD')} would admit it.`,
  ),
];

function viewPlanned({ sides, left, isBlocked }: PlannedDeals): View {
  if (sides.length === 0) return [];
  return [
    gap,
    sidesTable(sides, isBlocked ? 'FITS, NOT RUN' : 'TO OPEN'),
    !isBlocked && leftLine(left),
    dimLine(ASSUMED),
  ];
}

const COUNTED: readonly DealOutcome[] = ['planned', 'submitted', 'pending', 'filled', 'changed', 'closed'];

/** `1 row in naira, buy: covers 799,999,988.89 NGN at the quoted prices; asked 800,000,000.00.` */
function nairaLines(deals: readonly DealRecord[]): View {
  const counted = deals.filter(({ outcome, ngn }) => COUNTED.includes(outcome) && ngn !== undefined);
  return SIDES.map((side) => {
    const rows = counted.filter((row) => row.side === side);
    const areStruck = rows.every(({ ngn_struck: struck }) => struck !== undefined);
    if (rows.length === 0) return [];
    return line(
      `${countOf(rows.length, 'row')} in naira, ${side}: ${rows.length === 1 ? 'covers' : 'cover'}`,
      usd(cents(sumOf(rows, areStruck ? 'ngn_struck' : 'ngn')), 'NGN'),
      `at the ${areStruck ? 'struck rates' : 'quoted prices'}; asked`,
      usd(sumOf(rows, 'ngn_asked')),
      '.',
    );
  });
}

const sumOf = (rows: readonly DealRecord[], name: 'ngn' | 'ngn_struck' | 'ngn_asked'): Big =>
  sum(rows.flatMap((row) => row[name] ?? []));

/** To the cent: the sum of many quotes has more digits than anyone pays. */
const sidesTable = (sides: readonly SideTotal[], header: string): Block =>
  totalsTable(
    sides.map((side) => ({
      ...side,
      upfront: side.upfront && cents(side.upfront),
      cost: side.cost && cents(side.cost),
    })),
    header,
  );

/** `200 rows: 197 filled, 2 skipped, 1 failed.` `isBlocked`: of a check. */
function countsLine(rows: readonly DealRecord[], isBlocked: boolean): Block {
  const counts = new Map<string, number>();
  for (const row of rows) {
    const [word] = wordOf(row);
    const shown = word
      .toLowerCase()
      .replace(/^fits\b/, 'fit')
      .replace('partial fill', 'filled in part');
    counts.set(shown, (counts.get(shown) ?? 0) + 1);
  }
  const each = [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
  return line(
    text(`${countOf(rows.length, 'row')}: ${each}.`, 'strong'),
    isBlocked && text('deals run would open none of them.', 'warn'),
  );
}

/** The rows, and their totals per side: planned ones of a check, or those of this run. */
const documentOf = ({ file, rows, planned, ran }: DealsShown): DealsDocument => ({
  file: file.path,
  deals: dealRows.document(rows),
  derived:
    planned !== undefined
      ? {
          sides: planned.sides.map(plannedSide),
          left: planned.left ?? null,
          would_open: planned.isBlocked ? 0 : rows.filter(({ outcome }) => outcome === 'planned').length,
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

export const dealList = dealRows.within(({ rows }: DealsShown) => rows, {
  document: documentOf,
  view: viewDeals,
});

interface DealsPreview {
  file: DealsFile;
  ends: readonly DealEnd[];
  rows: readonly DealRecord[];
  sides: readonly SideTotal[];
  left: AccountLeft | undefined;
  /** How many rows are to be sent. */
  toRun: number;
  quotes: { asked: number; estimated: boolean };
}

/** The deals that open at the prices of now, or all, where none does; and what the others wait for. */
export function toOpen(toRun: number, skipped: number): { now: number; ifBetter: string } {
  if (skipped === 0) return { now: toRun, ifBetter: '' };
  return skipped === toRun
    ? { now: toRun, ifBetter: ' if the price gets better' }
    : { now: toRun - skipped, ifBetter: `, and ${skipped} more if the price gets better` };
}

/** The preview that the operator of `hedge deals run` confirms. */
export function viewDealsPreview({ file, ends, rows, sides, left, toRun, quotes }: DealsPreview): View {
  const skipped = rows.filter(({ outcome }) => outcome === 'skipped');
  const { now } = toOpen(toRun, skipped.length);
  const unresolved = ends.filter((end) => end.report?.entry !== undefined && end.report.effect === 'unknown');
  const sentBefore = ends.length - toRun;
  const warnings = new Set(ends.flatMap(({ report }) => report?.warnings ?? []).map((each) => each.message));
  return [
    line(
      text(`OPEN ${countOf(now, 'deal')}`, 'strong'),
      'of',
      nameText(file.path),
      sentBefore !== 0 && `; ${sentBefore} sent before`,
    ),
    remarksOn(file),
    sides.length > 0 && [sidesTable(sides, 'TO OPEN'), leftLine(left)],
    nairaLines(rows.filter(({ outcome }) => outcome === 'planned')),
    skipped.length > 0 &&
      line(
        warnPhrase`${countOf(skipped.length, 'row')} ${skipped.length === 1 ? 'is' : 'are'} beyond the price limit now, not in these totals, and skipped unless the price gets better: ${nameText(skippedByName(skipped))}`,
      ),
    unresolved.length > 0 &&
      warnLine(
        `${countOf(unresolved.length, 'row')} ${unresolved.length === 1 ? 'has' : 'have'} an unknown outcome: sent again with the same key, which executes once.`,
      ),
    [...warnings].slice(0, MOST_NAMED).map((each) => line(text('Warning:', 'warn'), message(each))),
    warnings.size > MOST_NAMED && andMore(warnings.size - MOST_NAMED, shell`hedge deals check`, ' warnings'),
    dimLine(
      `${quotes.estimated ? `Estimated from ${quotes.asked} quotes` : 'As quoted now'}. Each row is quoted again before it is sent; without a price limit, more than 10 bps worse stops the run.`,
    ),
  ];
}

/** `line 3 PAY-3, line 5 PAY-5 and 2 more` */
const skippedByName = (rows: readonly DealRecord[]): string =>
  someOf(rows.map(({ line: at, deal_id: id }) => `line ${at} ${id ?? ''}`));
