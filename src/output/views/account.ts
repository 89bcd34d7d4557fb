/** The account summary. */
import type { Account } from '../../client/schemas.ts';
import { resource } from '../list.ts';
import { signedCell } from './record-columns.ts';

export const accountReading = resource<Account>('account')([
  { name: 'balance_usdc', header: 'Free balance (USDC)' },
  { name: 'margin_in_use_usdc', header: 'Margin in use (USDC)' },
  { name: 'open_exposure_usd', header: 'Open exposure (USD)' },
  { name: 'available_exposure_usd', header: 'Headroom (USD)' },
  { name: 'unrealized_pnl_usd', header: 'P&L before fees (USD)', cell: signedCell },
  { name: 'open_positions', header: 'Open positions' },
]);
