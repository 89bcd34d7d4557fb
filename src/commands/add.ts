/** `hedge add` */
import { ACTION_OPTIONS } from '../args/action-options.ts';
import { readAddIntent } from '../args/read-action.ts';
import { ACTION_REPORT } from '../output/views/action.ts';
import { defineCommand } from './define.ts';
import { tradeAction } from './trade-action.ts';

export const add = defineCommand({
  name: 'add',
  summary: 'Increase the open hedge on a side; the maturity stays',
  description:
    'Shows the price, the cost, and the side before and after, then asks for confirmation. The cost includes carry from now to the maturity of the hedge. If several hedges are open on the side, the service picks which one to increase, and hedge counts the most expensive. Waits until the position shows the increase. Changes by other users are reported separately. --ngn, --max and --to give the size in other ways; with --to the size is computed again if the position changes before you confirm. More: hedge help trading.',
  operands: [
    { name: 'MARKET', summary: 'market, such as USDTNGN' },
    { name: 'SIDE', summary: 'buy or sell' },
    { name: 'NOTIONAL', summary: 'size to add in USD: 5000, 5k', optional: true },
  ],
  checksOperands: true,
  options: ACTION_OPTIONS.add,
  examples: [
    { line: 'hedge add USDTNGN buy 5000', shows: 'add 5,000 USD' },
    { line: 'hedge add USDTNGN buy --to 100k', shows: 'increase the side to 100,000 USD' },
    { line: 'hedge add USDTNGN buy 6k --yes --json', shows: 'without confirmation, as JSON' },
  ],
  inBatch: 'action',
  read: readAddIntent,
  run: tradeAction,
  ...ACTION_REPORT,
});
