/**
 * `hedge journal` lists what was sent from this machine, without a key or a request; `hedge journal resolve` records the
 * outcome of an action that the service cannot tell, and sends nothing.
 */

import {
  HALTS_OPTIONS,
  JOURNAL_OPTIONS,
  readHaltsFilter,
  readJournalIntent,
  readResolveIntent,
} from '../args/journal-filter.ts';
import { NOTE_OPTION, YES_OPTION } from '../args/shared-options.ts';
import { checkExpectation } from '../config/resolve.ts';
import { quoted } from '../domain/quoted.ts';
import { haltRecordList } from '../output/views/halt.ts';
import { actionList, journalDocument } from '../output/views/journal.ts';
import {
  questionToResolve,
  viewJournalAction,
  viewResolved,
  viewUnresolvedAction,
} from '../output/views/journal-action.ts';
import { spanOf } from '../readings/filter-records.ts';
import { incompleteFinding, noteTrouble, troubleMeta } from '../readings/journal-trouble.ts';
import { journalCoverage, readHalts, readJournal } from '../readings/read-journal.ts';
import { mayShowUntil } from '../trading/idempotency-window.ts';
import {
  checkNotThere,
  findResolvable,
  readSideOf,
  resolveAction,
} from '../trading/recover/resolve-action.ts';
import { askFirst } from './ask-first.ts';
import { type CommandGroup, defineCommand } from './define.ts';
import { JOURNAL_STORE_COMMANDS } from './journal-store.ts';

export const journalResolve = defineCommand({
  name: 'journal resolve',
  summary: 'Record the outcome of an action manually',
  description:
    'Only for an unknown outcome, or an accepted action that never showed in the positions. Ask the partner and run hedge check first. Until the request can no longer arrive, or an accepted change can no longer show, five minutes after sending, not-executed stops with exit code 10. Sends nothing. Limits, deal IDs and pre-trade checks then follow your record.',
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
    {
      flags: '--allow-late-arrival',
      summary: 'with --as not-executed: record it although the request may still arrive',
    },
    NOTE_OPTION,
    YES_OPTION,
  ],
  examples: [
    {
      line: 'hedge journal resolve 7c1e --as executed --reason "the venue says that it has filled"',
      shows: 'confirm, then 7c1e no longer blocks the side',
    },
  ],
  read: readResolveIntent,
  async run(context, { word, as, reason, yes, allowLateArrival, note }) {
    const { selected, zone, expected } = await context.profileContext();
    const asked = { word, as, allowLateArrival, nowMs: context.clock.now() };
    const journal = await context.journal();
    const action = findResolvable(journal, asked);
    checkExpectation(action.intent.identity.environment, expected);
    if (as === 'nothing' && selected === action.intent.profile)
      await checkNotThere(action, () => context.readContext(), asked.nowMs);
    const side =
      yes || !context.prompter.attended || selected !== action.intent.profile
        ? undefined
        : await readSideOf(action, () => context.readContext());
    await context.show(
      viewUnresolvedAction(action, { side, arrivesUntil: mayShowUntil(action, asked.nowMs) }),
    );
    if (!yes)
      await askFirst(context, questionToResolve(action, as), {
        what: 'Canceled. The journal is unchanged.',
      });
    const resolved = await resolveAction(journal, {
      id: action.id,
      outcome: { as, because: reason, note },
      allowLateArrival,
      nowMs: context.clock.now(),
    });
    return { value: { action: resolved, selected }, zone };
  },
  document: journalDocument,
  view: ({ action }) => viewResolved(action),
});

export const journalList = defineCommand({
  name: 'journal',
  summary: 'Show what was sent, by whom, and the outcome',
  description:
    "Newest first, for every profile; --profile NAME shows only that one. With an argument: one action; -v adds the request, its key, the quote and every step. Days and times are by this machine's clock, in the profile's time zone (default UTC), in a pipe in UTC. Reads only this machine; hedge check asks the service. Exit code 78: the journal may lack records of what was asked for by ID, --deal-id, --operator, --unresolved or --in-flight; what can be read is shown.",
  operands: [{ name: 'ACTION', summary: 'action ID or its beginning, hedge ID or deal ID', optional: true }],
  options: Object.values(JOURNAL_OPTIONS),
  examples: [
    { line: 'hedge journal --day today', shows: 'actions of today' },
    { line: 'hedge journal 7c1e', shows: 'one action: quote, steps, result, next commands' },
    { line: 'hedge journal --since 7d --limit all', shows: 'the last seven days' },
    {
      line: 'hedge journal --unresolved --limit all --json | jq -r ".data[].action_id"',
      shows: 'action IDs with an unknown outcome',
    },
  ],
  inBatch: 'reading',
  read: readJournalIntent,
  async run(context, { word, filter }) {
    const { named, selected, implied, zone } = await context.profileContext();
    const nowMs = context.clock.now();
    const span = await spanOf(filter, { zone, nowMs });
    const hasSpan = filter.since !== undefined || filter.until !== undefined;
    const journal = await context.journal();
    // A profile of the desk has other names on other machines.
    const profile = journal.read().desk === undefined ? named : undefined;
    const { trouble, steps, ...page } = readJournal(journal, { word, filter, profile, span });
    noteTrouble(trouble, (line) => context.note(line));
    // Its actions stay after a profile was removed: no error.
    if (page.actions.length === 0 && named !== undefined && selected === undefined)
      context.note(
        `No action was sent under ${quoted(named)}, and no profile has this name: hedge profile list`,
      );
    const asksForAll =
      filter.unresolved || filter.inFlight || filter.dealId !== undefined || filter.operator !== undefined;
    return {
      value: { ...page, steps, selected: implied, askedMs: hasSpan ? nowMs : undefined },
      finding: asksForAll ? incompleteFinding(trouble) : undefined,
      zone,
      meta: {
        ...(word === undefined ? { covers: journalCoverage(page) } : {}),
        ...troubleMeta(trouble),
      },
    };
  },
  list: actionList,
  tableWithError: true,
  view(page) {
    const { actions, steps, selected } = page;
    const [only] = actions;
    return steps !== undefined && only !== undefined
      ? viewJournalAction({ action: only, steps, selected })
      : actionList.view(page);
  },
});

export const journalHalts = defineCommand({
  name: 'journal halts',
  summary: 'Show who halted and allowed trading on this machine, when and why',
  description: 'Newest first. Each halt holds until a later hedge unhalt has lifted it.',
  options: Object.values(HALTS_OPTIONS),
  examples: [
    { line: 'hedge journal halts', shows: 'the last twenty halts and their ends' },
    { line: 'hedge journal halts --since 30d --csv', shows: 'those of thirty days, as CSV' },
  ],
  read: readHaltsFilter,
  async run(context, { limit, ...filter }) {
    const { zone } = await context.profileContext();
    const span = await spanOf(filter, { zone, nowMs: context.clock.now() });
    const { halts, trouble } = readHalts(await context.journal(), { span, limit });
    noteTrouble(trouble, (line) => context.note(line));
    const others = await context.tradingHalt.ofOtherProfiles();
    return { value: { halts, others }, zone, meta: troubleMeta(trouble) };
  },
  list: haltRecordList,
});

export const journal: CommandGroup = {
  name: 'journal',
  summary: 'Show what was sent, by whom, and the outcome',
  main: journalList,
  commands: [journalResolve, journalHalts, ...JOURNAL_STORE_COMMANDS],
};
