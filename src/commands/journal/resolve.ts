/** `hedge journal resolve`: records the outcome of an action that the service cannot tell. Sends nothing. */

import { readResolveIntent } from '../../args/journal-filter.ts';
import { StoppedError } from '../../errors.ts';
import { questionToResolve, viewResolved, viewUnresolvedAction } from '../../output/views/journal-action.ts';
import { journalDocument } from '../../output/views/journal-document.ts';
import { findResolvable, resolveAction } from '../../trading/recover/resolve-action.ts';
import { defineCommand } from '../define.ts';
export const journalResolve = defineCommand({
  name: 'journal resolve',
  summary: 'Record the outcome of an action manually',
  description:
    'Only for an unknown outcome, or an accepted action that never showed in the positions. Run hedge check first. Sends nothing. Limits, deal IDs and pre-trade checks then follow your record.',
  operands: [
    { name: 'ACTION', summary: 'action ID, as hedge journal shows it', completes: { names: ['unresolved'] } },
  ],
  options: [
    {
      flags: '--as <outcome>',
      summary: 'executed or not-executed',
      completes: { words: ['executed', 'not-executed'] },
    },
    { flags: '--reason <text>', summary: 'reason, kept in the journal' },
    { flags: '-y, --yes', summary: 'skip the confirmation' },
  ],
  examples: [
    {
      line: 'hedge journal resolve 7c1e --as not-executed --reason "the venue says it never arrived"',
      shows: 'confirm, then 7c1e no longer blocks the side',
    },
  ],
  read: readResolveIntent,
  async run(context, { word, as, reason, yes }) {
    const { selected, zone } = await context.vantage();
    const asked = { word, as, nowMs: context.clock.now() };
    const journal = await context.journal();
    const action = findResolvable(journal, asked);
    await context.show(viewUnresolvedAction(action));
    if (
      !yes &&
      !(await context.prompter.confirm({ message: questionToResolve(action, as), otherwise: '--yes' }))
    )
      throw new StoppedError({ code: 'declined', what: 'Canceled. The journal is unchanged.' });
    const resolved = await resolveAction(journal, {
      id: action.id,
      outcome: { as, because: reason },
      nowMs: context.clock.now(),
    });
    return { value: { action: resolved, selected }, zone };
  },
  document: ({ action, selected }) => journalDocument(action, selected),
  view: ({ action }) => viewResolved(action),
});
