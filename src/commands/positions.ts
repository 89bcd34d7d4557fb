/** `hedge positions` */
import { readNothing } from '../args/operands.ts';
import { type PositionsShown, positionList, viewPositions } from '../output/views/positions.ts';
import type { PendingActions } from '../readings/pending-actions.ts';
import type { CommandContext } from './command-context.ts';
import { defineCommand } from './define.ts';

export const positions = defineCommand({
  name: 'positions',
  summary: 'Show open positions and what closing now returns',
  description:
    'One line per open side. P&L BEFORE FEES (net_pnl_usd) is price and carry; no fee is in it. hedge history has the P&L after all fees. Carry is paid or earned. CLOSING RETURNS is the amount that closing now returns to the balance. A reading may be stale for some seconds after a fill. A line below counts your actions that may still change the figures.',
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
    const [{ data, meta, servedAt }, pending] = await Promise.all([
      context.api().then((api) => api.positions()),
      // A document has no place for them.
      context.printsDocument ? undefined : pendingNow(context),
    ]);
    return { value: { positions: data, pending }, meta, servedAt };
  },
  list: positionList.within(({ positions: shown }: PositionsShown) => shown),
  view: viewPositions,
});

async function pendingNow(context: CommandContext): Promise<PendingActions> {
  const { pendingOf } = await import('../readings/pending-actions.ts');
  return pendingOf(await context.readContext());
}
