/** `hedge practice reset`: both books fresh. */
import { readBalance } from '../../intent/practice-operands.ts';
import { optionText } from '../../intent/raw-input.ts';
import { viewPracticeState } from '../../present/views/practice.ts';
import { defineCommand } from '../define.ts';

export const practiceReset = defineCommand({
  name: 'practice reset',
  summary: 'starts both books anew: flat, the opening balance, book time at the wall clock',
  description: 'The old books are gone. Keys, weather and settings stay.',
  options: [{ flags: '--balance <usdc>', summary: 'opening balance of each book (100000)' }],
  examples: [
    { line: 'hedge practice reset', shows: 'a fresh desk' },
    { line: 'hedge practice reset --balance 5000', shows: 'a desk that soon runs out of margin' },
  ],
  read(raw) {
    const balance = optionText(raw, 'balance');
    return balance === undefined ? {} : { balance: readBalance(balance).toFixed() };
  },
  run: async (desk, options) => ({ value: await desk.practice.reset(options) }),
  view: viewPracticeState,
});
