/** `hedge positions` */
import { readNothing } from '../args/operands.ts';
import { positionList } from '../output/views/positions.ts';
import { defineCommand } from './define.ts';

export const positions = defineCommand({
  name: 'positions',
  summary: 'Show open positions and what closing now returns',
  description:
    'One line per open side. P&L BEFORE FEES (net_pnl_usd) is price and carry; no fee is in it. hedge history has the P&L after all fees. Carry is paid or earned. CLOSING RETURNS is the amount that closing now returns to the balance. A reading may be stale for some seconds after a fill.',
  examples: [
    { line: 'hedge positions', shows: 'both sides, marked to the mid' },
    {
      line: 'hedge positions --json | jq "[.data[].net_margin_usd] | add"',
      shows: 'what closing everything returns',
    },
  ],
  inBatch: 'reading',
  read: readNothing,
  async run(context) {
    const { data, meta, servedAt } = await (await context.api()).positions();
    return { value: data, meta, servedAt };
  },
  list: positionList,
});
