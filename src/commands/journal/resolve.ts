/** `hedge journal settle`: a person's word for an action whose end the service will not tell. Sends nothing. */

import { readResolveIntent } from '../../args/journal-filter.ts';
import { StoppedError } from '../../errors.ts';
import { questionToResolve, viewResolved, viewUnresolvedAction } from '../../output/views/journal-action.ts';
import { journalDocument } from '../../output/views/journal-document.ts';
import { findResolvable, resolveAction } from '../../trading/recover/resolve-action.ts';
import { defineCommand } from '../define.ts';
export const journalResolve = defineCommand({
  name: 'journal settle',
  summary: 'Record the outcome of an action manually',
  description:
    'Only for what is unresolved, or accepted and never seen on the book. Look first: hedge check. Nothing is sent; from then on limits, deal ids and guards go by your word.',
  operands: [
    { name: 'ACTION', summary: 'action ID, as hedge journal shows it', completes: { names: ['unresolved'] } },
  ],
  options: [
    {
      flags: '--as <word>',
      summary: 'done (executed) or nothing (not executed)',
      completes: { words: ['done', 'nothing'] },
    },
    { flags: '--because <text>', summary: 'reason, kept in the journal' },
    { flags: '-y, --yes', summary: 'skip the confirmation' },
  ],
  examples: [
    {
      line: 'hedge journal settle 7c1e --as nothing --because "the venue says it never arrived"',
      shows: 'confirm, then 7c1e no longer blocks the side',
    },
  ],
  read: readResolveIntent,
  async run(desk, { word, as, because, yes }) {
    const { selected, zone } = await desk.vantage();
    const asked = { word, as, nowMs: desk.clock.now() };
    const journal = await desk.journal();
    const action = findResolvable(journal, asked);
    await desk.show(viewUnresolvedAction(action));
    if (
      !yes &&
      !(await desk.prompter.confirm({ message: questionToResolve(action, as), otherwise: '--yes' }))
    )
      throw new StoppedError({ code: 'declined', what: 'Left as it was.' });
    const settled = await resolveAction(journal, {
      id: action.id,
      word: { as, because },
      nowMs: desk.clock.now(),
    });
    return { value: { action: settled, selected }, zone };
  },
  document: ({ action, selected }) => journalDocument(action, selected),
  view: ({ action }) => viewResolved(action),
});
