/** `hedge account`: the account summary. */
import { readNothing } from '../args/operands.ts';
import { accountChanges, viewAccount } from '../output/views/account.ts';
import { defineCommand } from './define.ts';
export const account = defineCommand({
  name: 'account',
  summary: 'free balance, margin in use, exposure and headroom',
  examples: [
    { line: 'hedge account', shows: 'what is free and how much can still be opened' },
    { line: 'hedge account --json | jq ".data.available_exposure_usd"', shows: 'the headroom alone' },
  ],
  read: readNothing,
  async run(desk) {
    const { data, meta, servedAt } = await (await desk.api()).account();
    return { value: data, meta, servedAt };
  },
  view: viewAccount,
  changes: accountChanges,
});
