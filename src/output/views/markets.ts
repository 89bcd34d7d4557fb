/** Markets: one line each, with both sides. */
import { Big } from 'big.js';
import type { Market } from '../../client/schemas.ts';
import { type Block, type Cell, line, text } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { changesOf, columnsOf, type KnownField, tableOf } from './record-columns.ts';

const FIELDS: readonly KnownField[] = [
  { name: 'market', header: 'Market' },
  { name: 'status', header: 'Status', cell: statusCell },
  { name: 'price', header: 'Mid' },
  { name: 'available_capacity_usd.buy', header: 'Max buy (USD)', cell: amountCell },
  { name: 'available_capacity_usd.sell', header: 'Max sell (USD)', cell: amountCell },
  { name: 'net_rate_daily_pct.buy', header: 'Buy carry', cell: carryCell },
  { name: 'net_rate_daily_pct.sell', header: 'Sell carry', cell: carryCell },
];

export const MARKET_COLUMNS = columnsOf(FIELDS);

export function viewMarkets(markets: readonly Market[]): readonly Block[] {
  const rows = rowsOf(markets);
  const table = tableOf(rows, FIELDS, { empty: 'No markets available to this account' });
  return rows.length === 0 ? [table] : [table, line(text('Max: capacity now, USD. Carry: per day.', 'dim'))];
}

export const marketChanges = (markets: readonly Market[]): readonly ChangeLine[] =>
  changesOf(rowsOf(markets), FIELDS, ['market']);

const rowsOf = (markets: readonly Market[]) =>
  markets.map(({ available_capacity_usd: capacity, net_rate_daily_pct: carry, ...market }) => ({
    ...market,
    'available_capacity_usd.buy': capacity.buy,
    'available_capacity_usd.sell': capacity.sell,
    'net_rate_daily_pct.buy': carry.buy,
    'net_rate_daily_pct.sell': carry.sell,
  }));

function statusCell(status: unknown): Cell {
  return status === 'open' ? text('open') : text(String(status), 'warn');
}

function amountCell(amount: unknown): Cell {
  return amount instanceof Big ? { kind: 'money', amount } : { kind: 'missing' };
}

/** Carry in words, from the signed daily rate: positive means the account pays (specification §2). */
function carryCell(rate: unknown): Cell {
  if (!(rate instanceof Big)) return { kind: 'missing' };
  if (rate.eq(0)) return text('none');
  return text(`${rate.gt(0) ? 'pays' : 'earns'} ${rate.abs().toFixed()} %`);
}
