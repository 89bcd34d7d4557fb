/** `hedge what-if` */

import { readWhatIfIntent, WHAT_IF_OPTIONS } from '../args/what-if-options.ts';
import {
  leftOutNotes,
  viewWhatIf,
  WHAT_IF_COLUMNS,
  whatIfDocument,
  whatIfTable,
} from '../output/views/what-if.ts';
import { payoffFinding, readWhatIf } from '../readings/read-what-if.ts';
import { defineCommand } from './define.ts';

export const whatIf = defineCommand({
  name: 'what-if',
  summary: 'Project P&L of the open hedges at a rate, a move or over a range',
  description:
    'Sends nothing and changes nothing. P&L is positive if the account gains. --move is in percent of the mid: + is USDTNGN up, a weaker naira. A range draws the curve of 11 rates. The payoff is that of an NDF settled in USD: buy N × (S − K) / S, sell N × (K − S) / S, with N the notional, K the struck rate and S the rate. It is first compared with the gross P&L that the service shows at its mark price. If the two differ, nothing is projected: exit code 6, payoff_unconfirmed. If the service shows none, the screen names it an assumed NDF payoff, not confirmed by the service. Margin used up is the rate at which the price loss is the margin; the specification does not show what the service does there.',
  options: Object.values(WHAT_IF_OPTIONS),
  examples: [
    { line: 'hedge what-if --move -10%,+30%', shows: 'a stronger and a weaker naira, closed now' },
    { line: 'hedge what-if --move +10% --at maturity', shows: 'with carry to maturity' },
    { line: 'hedge what-if --move -20%..+20%', shows: 'the curve of P&L by rate' },
    {
      line: "hedge what-if --move +10% --query 'data.derived.scenarios[0].net_pnl_usd'",
      shows: 'only the number, for a script',
    },
    { line: 'hedge what-if --move -10%,+10% --csv', shows: 'each hedge at each rate, for a spreadsheet' },
  ],
  inBatch: 'reading',
  read: readWhatIfIntent,
  async run(context, intent) {
    const reading = await readWhatIf(await context.readContext(), intent);
    const { servedAt } = reading;
    return { value: reading, servedAt, notes: leftOutNotes(reading), finding: payoffFinding(reading) };
  },
  document: whatIfDocument,
  columns: WHAT_IF_COLUMNS,
  table: whatIfTable,
  view: viewWhatIf,
});
