/** `hedge check`: what became of what nobody knows the end of. Sends nothing that changes anything. */

import { readCheckIntent } from '../args/follow-up-options.ts';
import { checkDocument, viewCheck } from '../output/views/check.ts';
import { checkAction as checkActions } from '../trading/recover/check-action.ts';
import { defineCommand } from './define.ts';
export const check = defineCommand({
  name: 'check',
  summary: 'looks at what is unresolved or in flight; sends nothing',
  description:
    'Without an operand: every open action of this account on this machine. An open is found by its reference, and what is found settles it; additions, reductions and closes are measured hedge by hedge against the side as it was, and what is seen of an unresolved one is shown and left to a person. A send without an answer may still arrive for five minutes; after that an open that is not there was not executed (9, or 3 when it was rejected), and, a minute later, an addition, reduction or close that was rejected and changed nothing was rejected (3). Exit 0 when all of it ended as asked, 7 while something is unknown or was filled in part, 9 when something failed, 8 while something is on its way, 78 when the journal cannot be read whole.',
  operands: [
    { name: 'ACTION', summary: 'an action id or its beginning, a hedge id or a deal id', optional: true },
  ],
  examples: [
    { line: 'hedge check', shows: 'what the book says of every open action' },
    { line: 'hedge check 7c1e', shows: 'of this one' },
  ],
  read: readCheckIntent,
  async run(desk, { word }) {
    const checked = await checkActions(word, await desk.looking());
    return { value: checked, finding: checked.finding, servedAt: checked.servedAt };
  },
  document: checkDocument,
  view: viewCheck,
});
