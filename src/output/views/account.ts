/** The account summary. */
import type { Account } from '../../client/schemas.ts';
import type { Block } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { changesOf, columnsOf, type KnownField, pairsOf, signedCell } from './record-columns.ts';

const FIELDS: readonly KnownField[] = [
  { name: 'balance_usdc', header: 'Free balance (USDC)' },
  { name: 'margin_in_use_usdc', header: 'Margin in use (USDC)' },
  { name: 'open_exposure_usd', header: 'Open exposure (USD)' },
  { name: 'available_exposure_usd', header: 'Headroom (USD)' },
  { name: 'unrealized_pnl_usd', header: 'Unrealized P&L (USD)', cell: signedCell },
  { name: 'open_positions', header: 'Open positions' },
];

export const ACCOUNT_COLUMNS = columnsOf(FIELDS);

export const viewAccount = (account: Account): readonly Block[] => [
  pairsOf(
    account,
    FIELDS,
    FIELDS.map(({ name }) => name),
  ),
];

export const accountChanges = (account: Account): readonly ChangeLine[] =>
  changesOf([account], FIELDS, []).map((each) => ({ ...each, key: 'account' }));
