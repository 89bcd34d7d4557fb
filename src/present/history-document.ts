/**
 * Closed hedges for programs: the service's records as they came, or our sums of them, which are all `derived`.
 */
import type { ClosedHedge } from '../client/schemas.ts';
import type { AddedUpHistory } from '../flow/read/add-up-history.ts';
import type { Covers } from '../flow/read/find-hedges.ts';
import type { NarrowedCovers } from '../flow/read/narrow.ts';
import type { HistorySums, SumGroup, Summed, Sums } from '../flow/read/sum-history.ts';
import type { RecordTable } from './record-table.ts';
import { HISTORY_COLUMNS } from './views/history.ts';

export interface HistoryReading {
  records: readonly ClosedHedge[];
  covers: Covers | NarrowedCovers;
  sums: HistorySums | undefined;
  /** Net P&L added up, where a chart was asked for. */
  added?: AddedUpHistory | undefined;
}

export function historyDocument({ records, sums, added }: HistoryReading): unknown {
  if (added !== undefined) return addedRecords(added);
  if (sums === undefined) return records;
  const { by, zone, groups, total } = sums;
  return {
    derived: { by, zone, groups: groups.map((group) => groupRecord(sums, group)), total: sumsRecord(total) },
  };
}

export function historyTable({ records, sums, added }: HistoryReading): RecordTable {
  if (added !== undefined)
    return { columns: [...HISTORY_COLUMNS, 'derived.cumulative_net_pnl_usd'], records: addedRecords(added) };
  if (sums === undefined) return { columns: HISTORY_COLUMNS, records };
  const period = sums.zone === null ? [] : ['from', 'until'];
  return {
    columns: [sums.by, ...period, 'count', ...SUM_COLUMNS, ...SUM_COLUMNS.map((name) => `lacking.${name}`)],
    records: sums.groups.map((group) => groupRecord(sums, group)),
  };
}

/** Oldest first; behind them those that have no place in time, with nothing added up to them. */
const addedRecords = ({ steps, undated }: AddedUpHistory): readonly unknown[] => [
  ...steps.map(({ record, total }) => ({ ...record, derived: { cumulative_net_pnl_usd: total } })),
  ...undated.map((record) => ({ ...record, derived: { cumulative_net_pnl_usd: null } })),
];

const SUM_COLUMNS = [
  'notional_usd',
  'gross_pnl_usd',
  'carry_usdc',
  'fees_usdc',
  'net_pnl_usd',
] as const satisfies readonly Summed[];

const groupRecord = ({ by, zone }: HistorySums, { name, from, until, ...sums }: SumGroup) => ({
  [by]: name,
  ...(zone === null ? {} : { from: from ?? null, until: until ?? null }),
  ...sumsRecord(sums),
});

const sumsRecord = ({ count, sums, lacking }: Sums) => ({ count, ...sums, lacking });
