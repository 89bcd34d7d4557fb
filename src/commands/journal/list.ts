/** `hedge journal`: what was sent from this machine, and what became of it. Touches no network and reads no key. */

import { ACTION_OPTIONS } from '../../args/action-options.ts';
import { readJournalIntent } from '../../args/journal-filter.ts';
import { viewJournalPage } from '../../output/views/journal.ts';
import { viewJournalAction } from '../../output/views/journal-action.ts';
import { JOURNAL_COLUMNS, journalDocument } from '../../output/views/journal-document.ts';
import { damageError, damageInWords, journalCoverage, readJournal } from '../../readings/read-journal.ts';
import { defineCommand } from '../define.ts';
export const journalList = defineCommand({
  name: 'journal',
  summary: 'what was sent from this machine, and what became of it',
  description:
    'Newest first, of every profile; --profile NAME leaves those dealt under that name. With an operand: that action in full, every step of it. Reads only this machine: what the service knows is for hedge check.',
  operands: [
    { name: 'ACTION', summary: 'an action id or its beginning, a hedge id or a deal id', optional: true },
  ],
  options: [
    { flags: '--unresolved', summary: 'sent without a usable answer' },
    { flags: '--in-flight', summary: 'accepted, or being sent, and not seen to end' },
    {
      flags: '--action <action>',
      summary: 'open, add, reduce or close',
      completes: { words: Object.keys(ACTION_OPTIONS) },
    },
    { flags: '--market <market>', summary: 'on this market' },
    { flags: '--side <side>', summary: 'buy or sell' },
    { flags: '--deal-id <id>', summary: 'dealt under this deal id' },
    { flags: '--environment <environment>', summary: 'live, sandbox or practice' },
    {
      flags: '--day <day>',
      summary: 'of this UTC day: 2026-11-20, or today',
      completes: { words: ['today'] },
    },
    { flags: '--limit <count>', summary: 'how many, or all (20)' },
  ],
  examples: [
    { line: 'hedge journal --day today', shows: 'what was dealt today' },
    { line: 'hedge journal 7c1e', shows: 'one action in full: request, key, every step, what goes on' },
    {
      line: 'hedge journal --unresolved --limit all --json | jq -r ".data[].action_id"',
      shows: 'the ids of what nobody knows the end of',
    },
  ],
  read: readJournalIntent,
  async run(desk, { word, filter }) {
    const { named, selected, zone } = await desk.vantage();
    const query = { word, filter, profile: named, nowMs: desk.clock.now() };
    const { damage, steps, ...page } = readJournal(await desk.journal(), query);
    if (damage !== undefined) damageInWords(damage).forEach((each) => desk.note(each));
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
