/** `hedge profile list`. */
import { readNothing } from '../../args/operands.ts';
import { PROFILE_COLUMNS, viewProfiles } from '../../output/views/profiles.ts';
import { defineCommand } from '../define.ts';
import { PRACTICE_NAME, practiceSummary, storedSummary } from './describe.ts';
export const profileList = defineCommand({
  name: 'profile list',
  summary: 'List profiles, keys masked',
  examples: [{ line: 'hedge profile list', shows: 'every profile, its environment and the default' }],
  read: readNothing,
  async run(context) {
    const profiles = await context.profiles();
    const defaultName = profiles.defaultName();
    const stored = profiles
      .list()
      .map(({ name, profile }) => storedSummary(name, profile, name === defaultName));
    return { value: [practiceSummary(defaultName === PRACTICE_NAME), ...stored] };
  },
  table: (records) => ({ columns: PROFILE_COLUMNS, records }),
  view: viewProfiles,
});
