/** Bare `hedge`: where am I, and what next. Touches no network and reads no key. */
import { readNothing } from '../intent/raw-input.ts';
import { viewHome } from '../present/views/home.ts';
import { defineCommand } from './define.ts';
import { describeSelection } from './profile/describe.ts';

export const home = defineCommand({
  name: 'hedge',
  summary: 'where am I: the profile, and what to do next',
  examples: [],
  read: readNothing,
  async run(desk) {
    return { value: { version: desk.version, selected: await describeSelection(desk) } };
  },
  view: viewHome,
});
