/** `hedge positions`: what is open per side. */
import { readNothing } from '../args/operands.ts';
import { POSITION_COLUMNS, positionChanges, viewPositions } from '../output/views/positions.ts';
import { defineCommand } from './define.ts';
export const positions = defineCommand({
  name: 'positions',
  summary: 'what is open per side, and what closing it now would return',
  description:
    'One line a side that is open. Net P&L is price and carry together; CLOSING RETURNS is what closing right now would return to the balance. As the service shows it: seconds after a fill, a reading may lag behind.',
  examples: [
    { line: 'hedge positions', shows: 'both sides, marked to the mid' },
    {
      line: 'hedge positions --json | jq "[.data[].net_margin_usd] | add"',
      shows: 'what closing all would return',
    },
  ],
  read: readNothing,
  async run(desk) {
    const { data, meta, servedAt } = await (await desk.api()).positions();
    return { value: data, meta, servedAt };
  },
  table: (records) => ({ columns: POSITION_COLUMNS, records }),
  view: viewPositions,
  changes: positionChanges,
});
