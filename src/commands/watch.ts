/** `hedge watch`: the live dashboard. */

import { readMarket } from '../args/operands.ts';
import { readEvery } from '../args/watch-options.ts';
import { dashboardChanges, dashboardDocument, viewDashboard } from '../output/views/dashboard.ts';
import { viewActiveHalt } from '../output/views/halt.ts';
import { haltNow } from '../readings/read-journal.ts';
import { readDashboard } from '../runs/read-dashboard.ts';
import { defineCommand } from './define.ts';

export const watch = defineCommand({
  name: 'watch',
  summary: 'Show a live dashboard',
  description:
    'Refreshes until q or Ctrl-C. If the service does not respond, it shows the age of the figures and retries. Unknown outcomes, actions in flight, a halt and a damaged journal come first. Bars show a share of the exposure cap; (!) marks a maturity on a weekend or a public holiday. In a pipe: one line per change; with --json one document per reading.',
  aside: 'indicative',
  operands: [{ name: 'MARKET', summary: 'only these markets; default: all', optional: true, variadic: true }],
  options: [{ flags: '--every <seconds>', summary: 'refresh interval (default 3, at least 1.5)' }],
  examples: [
    { line: 'hedge watch', shows: 'all markets' },
    { line: 'hedge watch USDTNGN --every 10', shows: 'one market, every 10 seconds' },
    {
      line: 'hedge watch --json | jq --unbuffered -c ".data.markets[] | [.market, .price]"',
      shows: 'the mids of every reading, for a script',
    },
  ],
  read: ({ operands }) => ({ named: operands.map(readMarket) }),
  async run(context, { named }) {
    const [reading, memory, { implied }] = [
      await context.readContext(),
      await context.prices(),
      await context.profileContext(),
    ];
    const dashboard = await readDashboard(reading, { memory, named });
    return {
      value: { ...dashboard, selected: implied },
      servedAt: dashboard.servedAt,
    };
  },
  document: dashboardDocument,
  view: viewDashboard,
  changes: dashboardChanges,
  always: readEvery,
  async urgent(context) {
    const journal = await context.journal();
    return () => {
      const halt = haltNow(journal);
      return halt === undefined ? [] : viewActiveHalt(halt);
    };
  },
});
