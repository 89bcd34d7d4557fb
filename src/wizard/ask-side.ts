/** Which side, in words: who gains, who pays the carry, how much can be opened. */
import type { Big } from 'big.js';
import type { Market } from '../client/schemas.ts';
import { carryInWords } from '../domain/carry.ts';
import { SIDES, type Side, sideInWords } from '../domain/vocabulary.ts';
import { type Cell, nameText, text } from '../present/blocks.ts';
import { usd } from '../present/views/cells.ts';
import type { Asking } from './asking.ts';
import { chooseRow } from './choose.ts';

const COLUMNS = [
  { header: 'SIDE' },
  { header: 'MEANS' },
  { header: 'CARRY', optional: true },
  { header: 'UP TO USD', align: 'right', optional: true },
] as const;

export function askSide(market: Market, asking: Asking): Promise<Side> {
  const rows = SIDES.map((side): readonly Cell[] => [
    text(side),
    nameText(sideInWords(market.market, side)),
    text(carryOf(market.net_rate_daily_pct[side])),
    usd(market.available_capacity_usd[side]),
  ]);
  return chooseRow(
    asking,
    { message: 'Side', otherwise: `hedge open ${market.market} SIDE NOTIONAL --tenor DAYS` },
    { table: { kind: 'table', columns: COLUMNS, rows }, choices: SIDES.map((value) => ({ value })) },
  );
}

/** `you pay 0.05 % a day`. */
function carryOf(daily: Big): string {
  const { words, amount } = carryInWords(daily);
  return amount.eq(0) ? words : `${words} ${amount.toFixed()} % a day`;
}
