/** `hedge practice reset`: both books fresh. */

import { optionGiven, optionText } from '../../args/operands.ts';
import { readBalance } from '../../args/practice-operands.ts';
import { StoppedError } from '../../errors.ts';
import { viewPracticeState } from '../../output/views/practice.ts';
import { defineCommand } from '../define.ts';
export const practiceReset = defineCommand({
  name: 'practice reset',
  summary: 'starts both books anew: flat, the opening balance, book time at the wall clock',
  description:
    'Asks first: the old books are gone, under a practice serve that is running too. Keys, weather and settings stay.',
  options: [
    { flags: '--balance <usdc>', summary: 'opening balance of each book (100000)' },
    { flags: '-y, --yes', summary: 'does not ask' },
  ],
  examples: [
    { line: 'hedge practice reset', shows: 'a fresh desk' },
    { line: 'hedge practice reset --balance 5000', shows: 'a desk that soon runs out of margin' },
  ],
  read(raw) {
    const balance = optionText(raw, 'balance');
    return {
      options: balance === undefined ? {} : { balance: readBalance(balance).toFixed() },
      yes: optionGiven(raw, 'yes'),
    };
  },
  async run(desk, { options, yes }) {
    const question = {
      message: 'Begin both practice books anew? What stands on them is gone.',
      otherwise: '--yes',
    };
    if (!yes && !(await desk.prompter.confirm(question)))
      throw new StoppedError({ code: 'declined', what: 'Left as it was.' });
    return { value: await desk.practice.reset(options) };
  },
  view: viewPracticeState,
});
