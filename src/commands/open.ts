/** `hedge open`: a hedge from quote to fill. */
import { ACTION_OPTIONS } from '../intent/action-options.ts';
import { readOpenDraft } from '../intent/open-intent.ts';
import { actionDocument } from '../present/action-document.ts';
import { viewAction } from '../present/views/action.ts';
import { defineCommand } from './define.ts';
import { openDealt } from './open-parts.ts';

export const open = defineCommand({
  name: 'open',
  summary: 'opens a hedge; on a terminal, missing parts are asked for',
  description:
    'Quotes, checks headroom, capacity, balance and the limits of the profile, shows what it costs and what the book becomes, and asks. Live deals ask for the side and the size to be typed. After the answer the price is read again, and asked about again when it is more than 10 bps worse. The same open within a minute is stopped as a double, unless each of the two has a deal id of its own. Sent once, under one key, and written down first; then it waits for the fill. Filled for less than was asked is exit 7, partial_fill: done, and never sent again for the rest.',
  operands: [
    { name: 'MARKET', summary: 'USDTNGN, in any case', optional: true },
    { name: 'SIDE', summary: 'buy gains when the naira weakens, sell when it strengthens', optional: true },
    { name: 'NOTIONAL', summary: 'size in USD: 10000, 10_000, 10,000, 10k, 1.5m', optional: true },
  ],
  judgesOperands: true,
  options: ACTION_OPTIONS.open,
  examples: [
    { line: 'hedge open USDTNGN buy 10000 --tenor 3', shows: 'shown, asked, opened, filled' },
    { line: 'hedge open', shows: 'asks for market, side, notional and tenor, one by one' },
    {
      line: 'hedge open USDTNGN buy 10k --tenor 3 --deal-id PAY-8841 --ensure --max-cost-bps 60 --yes',
      shows: 'for a script: safe to run again, never dearer than that',
    },
    { line: 'hedge open USDTNGN buy 10k --tenor 3 --dry-run', shows: 'everything but the sending' },
  ],
  read: readOpenDraft,
  run: openDealt,
  document: actionDocument,
  view: viewAction,
});
