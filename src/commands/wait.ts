/** `hedge wait`: the end of an action, or of any hedge. */
import { waitFor } from '../flow/settle/wait-for.ts';
import { readWaitIntent, WAIT_OPTIONS } from '../intent/after-intents.ts';
import { actionDocument } from '../present/action-document.ts';
import { viewAction } from '../present/views/action.ts';
import { outcomeOf } from './dealing.ts';
import { defineCommand } from './define.ts';

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
