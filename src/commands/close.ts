/** `hedge close`: all of a side, now. */
import { ACTION_OPTIONS } from '../args/action-options.ts';
import { readCloseIntent } from '../args/read-action.ts';
import { viewAction } from '../output/views/action.ts';
import { actionDocument } from '../output/views/action-document.ts';
import { defineCommand } from './define.ts';
import { tradeAction } from './trade-action.ts';
export const close = defineCommand({
  name: 'close',
  summary: 'closes everything on a side; shows what comes back first',
  description:
    'The service closes a whole side of a market, every hedge on it. Shows each of them, what comes back to the balance (margin, fee, P&L) and what holding to maturity would mean, and asks. No halt, limit or unresolved action stops a close; an open, add or reduce of ours still in flight on the side does, unless --despite names it. Readings may lag: within 60 s of a fill or increase, a side that a reading does not show is not called flat or closed until its hedges are read as closed.',
  operands: [
    { name: 'MARKET', summary: 'USDTNGN, in any case' },
    { name: 'SIDE', summary: 'buy or sell' },
  ],
  judgesOperands: true,
  options: ACTION_OPTIONS.close,
  examples: [
    { line: 'hedge close USDTNGN buy', shows: 'shown, asked, closed' },
    {
      line: 'hedge close USDTNGN buy --if-open --yes',
      shows: 'for a script: exit 0 when it is flat already',
    },
  ],
  read: readCloseIntent,
  run: tradeAction,
  document: actionDocument,
  view: viewAction,
});
