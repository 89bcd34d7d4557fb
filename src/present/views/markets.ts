/** Markets as a person reads them: one line a market, both sides beside each other. */
import { Big } from 'big.js';
import type { Market } from '../../client/schemas.ts';
import { type Block, type Cell, line, text } from '../blocks.ts';
import { type KnownField, tableOf } from './records.ts';

const FIELDS: readonly KnownField[] = [
  { name: 'market', header: 'Market' },
  { name: 'status', header: 'Status', cell: statusCell },
  { name: 'price', header: 'Mid' },
  { name: 'capacity_buy', header: 'Buy up to', cell: amountCell },
  { name: 'capacity_sell', header: 'Sell up to', cell: amountCell },
  { name: 'carry_buy', header: 'Buy carry', cell: carryCell },
  { name: 'carry_sell', header: 'Sell carry', cell: carryCell },
];

export function viewMarkets(markets: readonly Market[]): readonly Block[] {
  const rows = markets.map(({ available_capacity_usd: capacity, net_rate_daily_pct: carry, ...market }) => ({
    ...market,
    capacity_buy: capacity.buy,
    capacity_sell: capacity.sell,
    carry_buy: carry.buy,
    carry_sell: carry.sell,
  }));
  const table = tableOf(rows, FIELDS, { empty: 'No market is available to this account.' });
  return rows.length === 0
    ? [table]
    : [table, line(text('Up to: the most that can be opened on a side now, in USD. Carry: a day.', 'dim'))];
}

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
