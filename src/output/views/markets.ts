/** Markets: one line each, with both sides. */
import { Big } from 'big.js';
import type { Market } from '../../client/schemas.ts';
import { dimLine, type View } from '../blocks.ts';
import { type Cell, missing, text } from '../cells.ts';
import { listOf } from '../list.ts';
import { ofAmount, usd } from './record-columns.ts';

export const marketList = listOf<Market>()(
  [
    { name: 'market', header: 'Market' },
    { name: 'status', header: 'Status', cell: statusCell },
    { name: 'price', header: 'Mid' },
    { name: 'available_capacity_usd.buy', header: 'Max buy (USD)', cell: ofAmount(usd) },
    { name: 'available_capacity_usd.sell', header: 'Max sell (USD)', cell: ofAmount(usd) },
    { name: 'net_rate_daily_pct.buy', header: 'Buy carry', cell: carryCell },
    { name: 'net_rate_daily_pct.sell', header: 'Sell carry', cell: carryCell },
  ],
  { isSent: true, key: ['market'], empty: 'No markets available to this account' },
);

export const viewMarkets = (markets: readonly Market[]): View => [
  marketList.view(markets),
  markets.length > 0 && dimLine('Max: capacity now, USD. Carry: per day.'),
];

function statusCell(status: unknown): Cell {
  return status === 'open' ? text('open') : text(String(status), 'warn');
}

/** Carry in words, from the signed daily rate: positive means the account pays (specification §2). */
function carryCell(rate: unknown): Cell {
  if (!(rate instanceof Big)) return missing;
  if (rate.eq(0)) return text('none');
  return text(`${rate.gt(0) ? 'pays' : 'earns'} ${rate.abs().toFixed()} %`);
}
