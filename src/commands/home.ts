/** Bare `hedge`: profile, pending actions, next commands. Reads no key and sends no request. */

import { readNothing } from '../args/operands.ts';
import { homeDocument, viewHome } from '../output/views/home.ts';
import { summarizeJournal } from '../readings/read-journal.ts';
import { type Command, defineCommand } from './define.ts';
import { describeSelection } from './profile/describe.ts';

export const home: Command = defineCommand({
  name: 'hedge',
  summary: 'Show the profile, unknown outcomes and what to do next',
  examples: [{ line: 'hedge status', shows: 'the profile, unknown outcomes and what to do next' }],
  read: readNothing,
  async run(context) {
    const selected = await describeSelection(context);
    const journal = summarizeJournal(await context.journal());
    const halt = context.tradingHalt.read();
    return {
      value: { version: context.program.version, selected, halt, journal },
      zone: (await context.profileContext()).zone,
    };
  },
  document: homeDocument,
  view: viewHome,
});

/** The same under a word: people type it. */
export const status: Command = { ...home, name: 'status' };
