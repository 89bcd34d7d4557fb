/** `hedge reduce` */
import { ACTION_OPTIONS } from '../args/action-options.ts';
import { readReduceIntent } from '../args/read-action.ts';
import { ACTION_REPORT } from '../output/views/action.ts';
import { defineCommand } from './define.ts';
import { tradeAction } from './trade-action.ts';

export const reduce = defineCommand({
  name: 'reduce',
  summary: 'Reduce a side by an amount, by a part (--by), by naira (--ngn) or to a size (--to)',
  description:
    'Every hedge on the side is reduced in proportion, and its margin with it; maturities stay. A reduce by 99 % or more closes the side; hedge warns you first. --by, --ngn and --to are computed from the current position; if it changes before you confirm, you are asked again. --ngn is converted at the struck rate of the side. More: hedge help trading.',
  operands: [
    { name: 'MARKET', summary: 'market, such as USDTNGN' },
    { name: 'SIDE', summary: 'buy or sell' },
    { name: 'NOTIONAL', summary: 'size to take off in USD: 5000, 5k', optional: true },
  ],
  checksOperands: true,
  options: ACTION_OPTIONS.reduce,
  examples: [
    { line: 'hedge reduce USDTNGN buy 5000', shows: 'reduce by 5,000 USD' },
    { line: 'hedge reduce USDTNGN buy --by 50%', shows: 'reduce by half' },
    { line: 'hedge reduce USDTNGN buy --ngn 45m', shows: 'cover 45 million naira less' },
    { line: 'hedge reduce USDTNGN buy --to 5000 --yes', shows: 'reduce to 5,000 USD, without confirmation' },
  ],
  inBatch: 'action',
  read: readReduceIntent,
  run: tradeAction,
  ...ACTION_REPORT,
});
