/** `hedge reduce`: less notional on a side, proportionally over its hedges. */
import { ACTION_OPTIONS } from '../args/action-options.ts';
import { readReduceIntent } from '../args/read-action.ts';
import { viewAction } from '../output/views/action.ts';
import { actionDocument } from '../output/views/action-document.ts';
import { defineCommand } from './define.ts';
import { tradeAction } from './trade-action.ts';
export const reduce = defineCommand({
  name: 'reduce',
  summary: 'takes notional off a side: an amount, a part (--by) or down to a size (--to)',
  description:
    'Every hedge of the side shrinks in proportion, and margin with it; the maturities stay. A reduction of about everything (99 % or more) closes the side, and says so beforehand. --by and --to are worked out from the book as it is read; should it change before the answer, it is shown again.',
  operands: [
    { name: 'MARKET', summary: 'USDTNGN, in any case' },
    { name: 'SIDE', summary: 'buy or sell' },
    { name: 'NOTIONAL', summary: 'what comes off, in USD: 5000, 5k', optional: true },
  ],
  judgesOperands: true,
  options: ACTION_OPTIONS.reduce,
  examples: [
    { line: 'hedge reduce USDTNGN buy 5000', shows: '5,000 USD come off' },
    { line: 'hedge reduce USDTNGN buy --by 50%', shows: 'half of what is open' },
    { line: 'hedge reduce USDTNGN buy --to 5000 --yes', shows: 'down to 5,000 USD, without a question' },
  ],
  read: readReduceIntent,
  run: tradeAction,
  document: actionDocument,
  view: viewAction,
});
