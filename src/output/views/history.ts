/** Closed hedges: one by one, summed, or as a chart of cumulative net P&L; and their documents and tables. */

import { Big } from 'big.js';
import type { ClosedHedge } from '../../client/schemas.ts';
import { roundHalfUp } from '../../domain/amounts.ts';
import { say, shell } from '../../domain/hint.ts';
import type { FilteredCoverage, ListCoverage } from '../../readings/filter-records.ts';
import type { CumulativeHistory, HistorySums, SummedField, Sums } from '../../readings/sum-history.ts';
import type { HistoryDocument } from '../../schema/reading-document.ts';
import { type Block, dimLine, line, type View, warnLine } from '../blocks.ts';
import { hintCell, phrase, text } from '../cells.ts';
import { type Field, firstIfSame, type Listing, listOf } from '../list.ts';
import type { RecordTable } from '../record-table.ts';
import { viewListSummary, viewPeriod } from './list-summary.ts';
import { carryCell, countOf, dealIdCell, minute, shortTime, signedCell, signedIn } from './record-columns.ts';

const closedHedges = listOf<ClosedHedge>()(
  [
    { name: 'closed_at', header: 'Closed', cell: shortTime },
    { name: 'id', header: 'Hedge', optional: 'first', isId: true },
    { name: 'client_reference', header: 'Deal ID', cell: dealIdCell, optional: 'last', isId: true },
    { name: 'market', header: 'Market', optional: firstIfSame(({ market }) => market) },
    { name: 'side', header: 'Side' },
    { name: 'notional_usd', header: 'Notional' },
    { name: 'tenor_days', header: 'Days', optional: 'first' },
    { name: 'entry_price', header: 'Entry', optional: true, group: 'prices' },
    { name: 'exit_price', header: 'Exit', optional: true, group: 'prices' },
    { name: 'gross_pnl_usd', header: 'Gross', cell: signedCell, optional: true, group: 'sum' },
    { name: 'carry_usdc', header: 'Carry', cell: carryCell, optional: true, group: 'sum' },
    { name: 'fees_usdc', header: 'Fees', optional: true, group: 'sum' },
    { name: 'net_pnl_usd', header: 'Net P&L USD', cell: signedCell },
    { name: 'reason', header: 'Reason', optional: 'first' },
    { name: 'opened_at', header: 'Opened', optional: 'first' },
  ],
  { isSent: true },
);

function viewHistory({ records, covers, sums, added }: HistoryReading): View {
  if (added !== undefined)
    return [viewCumulativePnl(added), CLOSED_ONLY, partialLines(covers), viewListSummary(covers, 'closed')];
  const empty = 'of' in covers ? 'No matching hedges' : 'No closed hedges';
  return [
    sums === undefined
      ? closedHedges.block(records, { empty })
      : [viewHistorySums(sums), CLOSED_ONLY, partialLines(covers), viewPeriod(covers, 'closed')],
    records.some(({ notional_usd: size }) => (size ?? null) !== null) && dimLine(WHOLE_LIFE),
    viewListSummary(covers, 'closed'),
  ];
}

/** Sums of a page that the service may have cut; a --limit is no surprise. */
const partialLines = ({ maybe_truncated: cut, count, matching = count }: ListCoverage): View =>
  cut && matching <= count && warnLine('These sums may be partial: the service may have older hedges.');

/** Below sums that could be taken for what the account made. */
const CLOSED_ONLY: Block = line(
  hintCell(
    say`Closed hedges only, each over its whole life. For the P&L of a period: ${shell`hedge report`}`,
    'warn',
  ),
);

/** `hedge hedges` has the size when it closed instead. */
const WHOLE_LIFE =
  'Over the whole life of the hedge: notional, all that was opened and added; entry and exit, averages.';

interface HistoryReading {
  records: readonly ClosedHedge[];
  covers: ListCoverage | FilteredCoverage;
  sums: HistorySums | undefined;
  /** For a chart. */
  added?: CumulativeHistory | undefined;
}

function documentOf({ records, sums, added }: HistoryReading): HistoryDocument {
  if (added !== undefined) return addedRecords(added);
  if (sums === undefined) return records;
  const { by, zone, groups, total } = sums;
  return {
    derived: {
      of: 'closed_hedges',
      by,
      zone,
      groups: groups.map((group) => groupRecord(sums, group)),
      total: sumsRecord(total),
    },
  };
}

function tableOf({ records, sums, added }: HistoryReading): RecordTable {
  if (added !== undefined)
    return {
      columns: [...closedHedges.columns, 'derived.cumulative_net_pnl_usd'],
      records: addedRecords(added),
    };
  if (sums === undefined) return closedHedges.table(records);
  return sumList(sums).table(sums.groups.map((group) => groupRecord(sums, group)));
}

/** Oldest first; those without a close time come last, without a total. */
const addedRecords = ({ steps, undated }: CumulativeHistory) => [
  ...steps.map(({ record, total }) => ({ ...record, derived: { cumulative_net_pnl_usd: total } })),
  ...undated.map((record) => ({ ...record, derived: { cumulative_net_pnl_usd: null } })),
];

export const historyList: Listing<HistoryReading> = {
  columns: closedHedges.columns,
  document: documentOf,
  table: tableOf,
  view: viewHistory,
};

type Group = HistorySums['groups'][number];

const groupRecord = ({ by, zone }: HistorySums, { name, from, until, ...sums }: Group) => ({
  [by]: name,
  ...(zone === null ? {} : { from: from ?? null, until: until ?? null }),
  ...sumsRecord(sums),
});

const sumsRecord = ({ count, sums, lacking }: Sums) => ({ count, ...sums, lacking });

type SumRecord = ReturnType<typeof sumsRecord> & Readonly<Partial<Record<string, unknown>>>;

const FIGURES: readonly (Field<SumRecord> & { name: SummedField; named: string })[] = [
  { name: 'notional_usd', header: 'Notional USD', named: 'notional' },
  { name: 'gross_pnl_usd', header: 'Gross USD', named: 'gross P&L', cell: signedCell, optional: true },
  { name: 'carry_usdc', header: 'Carry USDC', named: 'carry', cell: carryCell, optional: true },
  { name: 'fees_usdc', header: 'Fees USDC', named: 'fees', optional: true },
  { name: 'net_pnl_usd', header: 'Net P&L USD', named: 'net P&L', cell: signedCell },
];

/** One record a group; on a screen the last one, without a name, is the total. */
const sumList = ({ by, zone }: HistorySums) =>
  listOf<SumRecord, SumRecord>()(
    [
      {
        name: by,
        header: by,
        show: ({ [by]: name }) =>
          name === undefined ? text('TOTAL', 'strong') : text(typeof name === 'string' ? name : '(unknown)'),
      },
      ...(zone === null ? [] : ['from until']),
      { name: 'count', header: 'Hedges' },
      ...FIGURES,
      { name: 'lacking', parts: FIGURES.map(({ name }) => name) },
    ],
    { isRounded: true, empty: 'No closed hedges', record: (sums) => sums },
  );

function viewHistorySums(history: HistorySums): View {
  const { zone, groups, total } = history;
  const sums: SumRecord = sumsRecord(total);
  return [
    sumList(history).block(
      groups.length === 0 ? [] : [...groups.map((group) => groupRecord(history, group)), sums],
      { only: ({ name }) => sums[name] !== null },
    ),
    zone !== null && groups.length > 0 && dimLine(`Grouped by close date (${zone})`),
    lackingLines(total),
  ];
}

/** A note on a sum that lacks some records. */
function lackingLines({ count, lacking }: Sums): View {
  const none = FIGURES.filter(({ name }) => count > 0 && lacking[name] === count);
  const some = FIGURES.filter(({ name }) => lacking[name] > 0 && lacking[name] !== count);
  return [
    none.length > 0 && dimLine(`The service did not send ${none.map(({ named }) => named).join(', ')}.`),
    some.map(({ name, named }) =>
      warnLine(
        `The sum of ${named} covers ${count - lacking[name]} of ${count} hedges: the service did not send the others.`,
      ),
    ),
  ];
}

function viewCumulativePnl({ steps, undated }: CumulativeHistory): View {
  const [first] = steps;
  const last = steps.at(-1);
  const left = undated.length;
  const leftOut = left > 0 && warnLine(`${left} left out: no close time.`);
  if (first === undefined || last === undefined) return left === 0 ? dimLine('No matching hedges') : leftOut;
  const hedges = countOf(steps.length, 'closed hedge');
  return [
    line(text('Cumulative net P&L, USD:', 'strong'), phrase`${hedges}, now ${signedIn('USD', last.total)}`),
    {
      kind: 'chart',
      // Starts at zero, so that the first step is visible.
      points: [
        { x: first.closedAt, y: new Big(0) },
        ...steps.map(({ closedAt, total }) => ({ x: closedAt, y: total })),
      ],
      label: (total) => ({ kind: 'money', amount: roundHalfUp(total, 2), signed: true, unit: 'USD' }),
      ends: [minute(first.closedAt), minute(last.closedAt)],
      empty: 'No closed hedges',
    },
    leftOut,
  ];
}
