/** `hedge journal`: what was sent from this machine, and the outcome. Reads no key and sends no request. */

import { readJournalIntent } from '../../args/journal-filter.ts';
import { ACTION_NAMES } from '../../domain/action-table.ts';
import { viewJournalPage } from '../../output/views/journal.ts';
import { viewJournalAction } from '../../output/views/journal-action.ts';
import { JOURNAL_COLUMNS, journalDocument } from '../../output/views/journal-document.ts';
import { damageError, damageInWords, journalCoverage, readJournal } from '../../readings/read-journal.ts';
import { defineCommand } from '../define.ts';
export const journalList = defineCommand({
  name: 'journal',
  summary: 'Show what was sent from this machine, and the outcome',
  description:
    'Newest first, for every profile; --profile NAME shows only that one. With an argument: one action in full, with every step. Reads only this machine; hedge check asks the service.',
  operands: [{ name: 'ACTION', summary: 'action ID or its beginning, hedge ID or deal ID', optional: true }],
  options: [
    { flags: '--unresolved', summary: 'only unknown outcomes' },
    { flags: '--in-flight', summary: 'only in flight: accepted or being sent' },
    {
      flags: '--action <action>',
      summary: 'only open, add, reduce or close',
      completes: { words: ACTION_NAMES },
    },
    { flags: '--market <market>', summary: 'only this market' },
    { flags: '--side <side>', summary: 'only buy or sell' },
    { flags: '--deal-id <id>', summary: 'only with this deal ID' },
    { flags: '--environment <environment>', summary: 'only live, sandbox or practice' },
    {
      flags: '--day <day>',
      summary: 'only this UTC day: 2026-11-20 or today',
      completes: { words: ['today'] },
    },
    { flags: '--limit <count>', summary: 'number of actions, or all (default 20)' },
  ],
  examples: [
    { line: 'hedge journal --day today', shows: 'actions of today' },
    { line: 'hedge journal 7c1e', shows: 'one action in full: request, key, every step, next commands' },
    {
      line: 'hedge journal --unresolved --limit all --json | jq -r ".data[].action_id"',
      shows: 'action IDs with an unknown outcome',
    },
  ],
  inBatch: 'reading',
  read: readJournalIntent,
  async run(context, { word, filter }) {
    const { named, selected, zone } = await context.vantage();
    const query = { word, filter, profile: named, nowMs: context.clock.now() };
    const { damage, steps, ...page } = readJournal(await context.journal(), query);
    if (damage !== undefined) damageInWords(damage).forEach((each) => context.note(each));
    const asksWhatIsOpen = filter.unresolved || filter.inFlight;
    return {
      value: { ...page, steps, selected },
      finding: damage !== undefined && asksWhatIsOpen ? damageError(damage) : undefined,
      zone,
      meta: {
        ...(word === undefined ? { covers: journalCoverage(page) } : {}),
        ...(damage === undefined ? {} : { damage }),
      },
    };
  },
  document({ actions, steps, selected }) {
    const [only] = actions;
    if (steps !== undefined && only !== undefined) return journalDocument(only, selected, steps);
    return actions.map((action) => journalDocument(action, selected));
  },
  table: ({ actions, steps, selected }) => ({
    columns: JOURNAL_COLUMNS,
    records: actions.map((action) => journalDocument(action, selected, steps)),
  }),
  view({ steps, selected, ...page }) {
    const [only] = page.actions;
    return steps !== undefined && only !== undefined
      ? viewJournalAction({ action: only, steps, selected })
      : viewJournalPage({ ...page, selected });
  },
});
