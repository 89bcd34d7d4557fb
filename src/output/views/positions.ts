/** Open positions: one line per side. */
import type { Position } from '../../client/schemas.ts';
import type { Block } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { signedCell } from './cells.ts';
import { changesOf, columnsOf, type KnownField, tableOf } from './record-columns.ts';

const COLUMNS: readonly KnownField[] = [
  { name: 'market', header: 'Market' },
  { name: 'side', header: 'Side' },
  { name: 'notional_usd', header: 'Notional USD' },
  { name: 'entry_price', header: 'Entry' },
  { name: 'mark_price', header: 'Mark' },
  { name: 'gross_pnl_usd', header: 'Gross P&L', cell: signedCell },
  { name: 'accrued_carry_usdc', header: 'Carry', cell: signedCell },
  { name: 'net_pnl_usd', header: 'Net P&L', cell: signedCell },
  { name: 'close_fee_usdc', header: 'Fee to close' },
  { name: 'net_margin_usd', header: 'Closing returns' },
];

export const POSITION_COLUMNS = columnsOf(COLUMNS);

export const viewPositions = (positions: readonly Position[]): readonly Block[] => [
  tableOf(positions, COLUMNS, { empty: 'No open positions' }),
];

export const positionChanges = (positions: readonly Position[]): readonly ChangeLine[] =>
  changesOf(positions, COLUMNS, ['market', 'side']);
