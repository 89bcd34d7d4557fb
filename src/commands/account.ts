/** `hedge account`: the account summary. */
import { readNothing } from '../args/option.ts';
import { accountReading } from '../output/views/account.ts';
import { defineCommand } from './define.ts';

export const account = defineCommand({
  name: 'account',
  summary: 'Show free balance, margin in use, exposure and headroom',
  examples: [
    { line: 'hedge account', shows: 'free balance and remaining headroom' },
    { line: 'hedge account --json | jq ".data.available_exposure_usd"', shows: 'headroom only' },
    { line: 'hedge account --csv', shows: 'for a spreadsheet' },
  ],
  inBatch: 'reading',
  read: readNothing,
  async run(context) {
    const { data, meta, servedAt } = await (await context.api()).account();
    return { value: data, meta, servedAt };
  },
  list: accountReading,
});
