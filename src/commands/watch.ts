/** `hedge watch`: one screen for the corner of a desk. */

import { readMarket } from '../args/operands.ts';
import { readEvery } from '../args/watch-options.ts';
import { dashboardChanges, dashboardDocument, viewDashboard } from '../output/views/dashboard.ts';
import { readDashboard } from '../trading/read-dashboard.ts';
import { defineCommand } from './define.ts';
export const watch = defineCommand({
  name: 'watch',
  summary: 'one screen for the corner of a desk',
  description:
    'Reads all of it again and again, until q or Ctrl-C. While answers fail it says how old its figures are and reads on. What is unresolved or in flight from this machine, a halt and a journal that cannot be read are said first. Bars are parts of the exposure cap; (!) marks a maturity on a weekend. In a pipe: a line for each change; with --json an envelope a turn.',
  aside: 'indicative',
  operands: [
    { name: 'MARKET', summary: 'only these markets; none: all of yours', optional: true, variadic: true },
  ],
  options: [
    { flags: '--every <seconds>', summary: 'from one turn to the next: 3 unless said, at least 1.5' },
  ],
  examples: [
    { line: 'hedge watch', shows: 'the desk, all day' },
    { line: 'hedge watch USDTNGN --every 10', shows: 'one market, in less haste' },
    {
      line: 'hedge watch --json | jq --unbuffered -c ".data.markets[] | [.market, .price]"',
      shows: 'the mids at every turn, for a script',
    },
  ],
  read: ({ operands }) => ({ named: operands.map(readMarket) }),
  async run(desk, { named }) {
    const [looking, memory, { selected }] = [await desk.looking(), await desk.prices(), await desk.vantage()];
    const reading = await readDashboard(looking, { memory, named });
    return { value: { ...reading, selected, halt: desk.brake.read() }, servedAt: reading.servedAt };
  },
  document: dashboardDocument,
  view: viewDashboard,
  changes: dashboardChanges,
  always: readEvery,
});
