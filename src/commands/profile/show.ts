/** `hedge profile show` */

import { unknownProfile } from '../../config/profile-names.ts';
import { profileSourceInWords } from '../../config/resolve.ts';
import { viewProfile } from '../../output/views/profiles.ts';
import { defineCommand } from '../define.ts';
import { PRACTICE_NAME, practiceSummary, storedSummary, summaryOf } from './describe.ts';
export const profileShow = defineCommand({
  name: 'profile show',
  summary: 'Show the profile in use and its source, or one by name',
  operands: [{ name: 'NAME', summary: 'profile; default: the one in use', optional: true }],
  examples: [
    { line: 'hedge profile show', shows: 'the profile of this terminal, and why' },
    { line: 'hedge profile show desk', shows: 'one profile, key masked' },
  ],
  read: ({ operands }) => ({ name: operands[0] }),
  async run(context, { name }) {
    const store = await context.profiles();
    const { path } = store;
    if (name === undefined) {
      const selection = await context.selection();
      // With key and address in the environment, a corrupt file does not matter.
      const isDefault = selection.kind !== 'pair' && store.defaultName() === selection.name;
      const why = profileSourceInWords(selection.source);
      return { value: { ...summaryOf(selection, isDefault), why, path } };
    }
    const { profiles, defaultName } = store.read();
    const isDefault = defaultName === name;
    if (name === PRACTICE_NAME) return { value: { ...practiceSummary(isDefault), why: undefined, path } };
    const profile = profiles.get(name);
    if (profile === undefined) throw unknownProfile(name, [...profiles.keys()]);
    return { value: { ...storedSummary(name, profile, isDefault), why: undefined, path } };
  },
  view: viewProfile,
});
