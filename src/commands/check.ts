/** `hedge check`: looks up pending actions. Sends no action. */

import { readCheckIntent } from '../args/action-options.ts';
import { checkDocument, checkMeta, viewCheck } from '../output/views/check.ts';
import { troubleMeta } from '../readings/journal-trouble.ts';
import { checkActions } from '../trading/recover/check-action.ts';
import { defineCommand } from './define.ts';

export const check = defineCommand({
  name: 'check',
  summary: 'Look up unknown outcomes and actions in flight; send nothing',
  description:
    'Without an argument: every pending action of this account on this machine. An open is found by its deal ID. An add, reduce or close is compared with the position before it. A request without a response may still arrive for five minutes, and an add, reduce or close may take one more to show; after that an open that does not exist was not executed. Exit code 0: all executed; 7: an outcome is unknown, or an open was filled in part; 8: in flight; 9: failed or not executed; 3: rejected; 78: the journal is corrupt. More: hedge help recovery.',
  operands: [{ name: 'ACTION', summary: 'action ID or its beginning, hedge ID or deal ID', optional: true }],
  examples: [
    { line: 'hedge check', shows: 'every action without a known outcome' },
    { line: 'hedge check 7c1e', shows: 'one action' },
  ],
  inBatch: 'step',
  read: readCheckIntent,
  async run(context, { word }) {
    const checked = await checkActions(word, await context.readContext());
    return {
      value: checked,
      meta: { ...checkMeta(checked), ...troubleMeta(checked.trouble) },
      finding: checked.finding,
      servedAt: checked.servedAt,
    };
  },
  document: checkDocument,
  view: viewCheck,
});
