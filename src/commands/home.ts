/** Bare `hedge`: where am I, what is open, and what next. Touches no network and reads no key. */

import { readNothing } from '../args/operands.ts';
import { homeDocument, viewHome } from '../output/views/home.ts';
import { summarizeJournal } from '../readings/read-journal.ts';
import { defineCommand } from './define.ts';
import { describeSelection } from './profile/describe.ts';
export const home = defineCommand({
  name: 'hedge',
  summary: 'Show the profile, unknown outcomes and what to do next',
  examples: [],
  read: readNothing,
  async run(desk) {
    const selected = await describeSelection(desk);
    const journal = summarizeJournal(await desk.journal());
    const halt = desk.brake.read();
    return {
      value: { version: desk.program.version, selected, halt, journal },
      zone: (await desk.vantage()).zone,
    };
  },
  document: homeDocument,
  view: viewHome,
});
