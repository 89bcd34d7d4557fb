/** Closed hedges as a person reads them: when, what, and how it came out. */
import type { ClosedHedge } from '../../client/schemas.ts';
import type { AddedUpHistory } from '../../flow/read/add-up-history.ts';
import type { Covers } from '../../flow/read/find-hedges.ts';
import type { NarrowedCovers } from '../../flow/read/narrow.ts';
import type { HistorySums } from '../../flow/read/sum-history.ts';
import type { Block } from '../blocks.ts';
import { viewAddedUp } from './added-up.ts';
import { dealIdCell, signedCell } from './cells.ts';
import { viewCovers, viewPeriod } from './covers.ts';
import { viewHistorySums } from './history-sums.ts';
import { columnsOf, type KnownField, tableOf } from './records.ts';

const COLUMNS: readonly KnownField[] = [
  { name: 'closed_at', header: 'Closed' },
  { name: 'id', header: 'Hedge', optional: true },
  { name: 'client_reference', header: 'Deal id', cell: dealIdCell, optional: 'last' },
  { name: 'market', header: 'Market' },
  { name: 'side', header: 'Side' },
  { name: 'notional_usd', header: 'Notional' },
  { name: 'tenor_days', header: 'Days', optional: true },
  { name: 'entry_price', header: 'Entry', optional: true },
  { name: 'exit_price', header: 'Exit', optional: true },
  { name: 'gross_pnl_usd', header: 'Gross', cell: signedCell, optional: true },
  { name: 'carry_usdc', header: 'Carry', cell: signedCell, optional: true },
  { name: 'fees_usdc', header: 'Fees', optional: true },
  { name: 'net_pnl_usd', header: 'Net P&L USD', cell: signedCell },
  { name: 'reason', header: 'Ended by', optional: true },
  { name: 'opened_at', header: 'Opened', optional: true },
];

export const HISTORY_COLUMNS = columnsOf(COLUMNS);

export function viewHistory({
  records,
  covers,
  sums,
  added,
}: {
  records: readonly ClosedHedge[];
  covers: Covers | NarrowedCovers;
  sums: HistorySums | undefined;
  added?: AddedUpHistory | undefined;
}): readonly Block[] {
  if (added !== undefined) return [...viewAddedUp(added), ...viewCovers(covers, 'closed')];
  const empty = 'of' in covers ? 'Nothing that was closed fits.' : 'Nothing has been closed yet.';
  const shown =
    sums === undefined
      ? [tableOf(records, COLUMNS, { empty })]
      : [...viewHistorySums(sums), ...viewPeriod(covers, 'closed')];
  return [...shown, ...viewCovers(covers, 'closed')];
}
