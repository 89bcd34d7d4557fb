/** `hedge positions` */
import { readNothing } from '../args/option.ts';
import { type PositionsShown, positionList, viewPositions } from '../output/views/positions.ts';
import type { PendingActions, pendingOf } from '../readings/pending-actions.ts';
import { defineCommand } from './define.ts';

export const positions = defineCommand({
  name: 'positions',
  summary: 'Show open positions and what closing now returns',
  description:
    'One line per open side. P&L BEFORE FEES (net_pnl_usd) is price and carry; no fee is in it. hedge history has the P&L after all fees. Carry is paid or earned. CLOSING RETURNS is the amount that closing now returns to the balance. A reading may be stale for some seconds after a fill. The lines below count your actions that may still change the figures, and name rolls without their leg 2.',
  examples: [
    { line: 'hedge positions', shows: 'both sides, marked to the mid' },
    {
      line: "hedge positions --query 'sum(data[].net_margin_usd)'",
      shows: 'what closing everything returns',
    },
  ],
  inBatch: 'reading',
  read: readNothing,
  async run(context) {
    const [{ data, meta, servedAt }, readContext] = await Promise.all([
      context.api().then((api) => api.positions()),
      // A document has no place for the actions of the journal.
      context.printsDocument ? undefined : context.readContext(),
    ]);
    const pending =
      readContext &&
      (await pendingNow(readContext, { nowMs: context.clock.now(), servedMs: servedAt?.getTime() }));
    return { value: { positions: data, pending }, meta, servedAt };
  },
  list: positionList.within(({ positions: shown }: PositionsShown) => shown),
  view: viewPositions,
});

async function pendingNow(...asked: Parameters<typeof pendingOf>): Promise<PendingActions> {
  const pending = await import('../readings/pending-actions.ts');
  return pending.pendingOf(...asked);
}
