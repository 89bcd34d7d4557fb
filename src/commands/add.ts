/** `hedge add`: more notional on the open hedge of a side, at the same maturity. */
import { ACTION_OPTIONS } from '../args/action-options.ts';
import { readAddIntent } from '../args/read-action.ts';
import { viewAction } from '../output/views/action.ts';
import { actionDocument } from '../output/views/action-document.ts';
import { defineCommand } from './define.ts';
import { tradeAction } from './trade-action.ts';
export const add = defineCommand({
  name: 'add',
  summary: 'adds notional to the open hedge on a side; the maturity stays',
  description:
    'Shows the price, the cost and the side before and after, and asks. The cost has the carry from now to the maturity that is kept. Where several hedges are open on the side, the service chooses which one grows, and the dearest of their maturities is counted. Waits until the book shows exactly this addition; what else a colleague changed is named and not called ours.',
  operands: [
    { name: 'MARKET', summary: 'USDTNGN, in any case' },
    { name: 'SIDE', summary: 'buy or sell' },
    { name: 'NOTIONAL', summary: 'what is added, in USD: 5000, 5k' },
  ],
  judgesOperands: true,
  options: ACTION_OPTIONS.add,
  examples: [
    { line: 'hedge add USDTNGN buy 5000', shows: 'shown, asked, added' },
    { line: 'hedge add USDTNGN buy 5k --yes --json', shows: 'without a question, as a document' },
  ],
  read: readAddIntent,
  run: tradeAction,
  document: actionDocument,
  view: viewAction,
});
