/** `hedge wait`: waits for an action, or for any hedge. */

import { readWaitIntent, WAIT_OPTIONS } from '../args/action-options.ts';
import { viewAction } from '../output/views/action.ts';
import { actionDocument } from '../output/views/action-document.ts';
import { waitFor } from '../trading/recover/named-action.ts';
import { defineCommand } from './define.ts';
import { outcomeOf } from './trade-action.ts';

export const wait = defineCommand({
  name: 'wait',
  summary: 'Wait for an action to finish',
  description:
    'Reports a finished action at once. Waits for an unknown outcome until its change shows or none of its attempts can still arrive. Sends nothing; stopping the wait does not stop the action.',
  operands: [{ name: 'ACTION', summary: 'action ID or its beginning, hedge ID or deal ID' }],
  options: WAIT_OPTIONS,
  examples: [
    { line: 'hedge wait 7c1e', shows: 'the outcome, once there is one' },
    { line: 'hedge wait PAY-8841 --timeout 600', shows: 'by deal ID, for ten minutes at most' },
  ],
  inBatch: 'step',
  polls: true,
  read: readWaitIntent,
  run: async (context, { word, timeoutMs }) =>
    outcomeOf(await waitFor(word, { timeoutMs }, await context.readContext())),
  document: actionDocument,
  view: viewAction,
});
