/** `hedge wait`: the end of an action, or of any hedge. */

import { readWaitIntent, WAIT_OPTIONS } from '../args/follow-up-options.ts';
import { viewAction } from '../output/views/action.ts';
import { actionDocument } from '../output/views/action-document.ts';
import { waitFor } from '../trading/recover/wait-for.ts';
import { defineCommand } from './define.ts';
import { outcomeOf } from './trade-action.ts';
export const wait = defineCommand({
  name: 'wait',
  summary: 'waits for the end of an action or a hedge',
  description:
    'What has ended already is told at once. What had no answer is waited for until none of its attempts can still arrive. The waiting sends nothing, and stopping it stops nothing else.',
  operands: [{ name: 'ACTION', summary: 'an action id or its beginning, a hedge id or a deal id' }],
  options: WAIT_OPTIONS,
  examples: [
    { line: 'hedge wait 7c1e', shows: 'how it ended, once it has' },
    { line: 'hedge wait PAY-8841 --timeout 600', shows: 'the same by the deal id, for ten minutes at most' },
  ],
  read: readWaitIntent,
  run: async (desk, { word, timeoutMs }) =>
    outcomeOf(await waitFor(word, { timeoutMs }, await desk.looking())),
  document: actionDocument,
  view: viewAction,
});
