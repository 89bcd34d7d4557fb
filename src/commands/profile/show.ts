/** `hedge profile show`: a profile, and how much of its limits is used today. */
import { unknownProfile } from '../../config/profile-names.ts';
import type { StoredProfile } from '../../config/profiles.ts';
import { profileSourceInWords } from '../../config/resolve.ts';
import { viewProfile } from '../../output/views/profiles.ts';
import { keysOfProfile } from '../../trading/account-keys.ts';
import { type LimitUse, limitUse } from '../../trading/guards/limit-use.ts';
import type { CommandContext } from '../command-context.ts';
import { defineCommand } from '../define.ts';
import { PRACTICE_NAME, practiceSummary, storedSummary, summaryOf } from './describe.ts';

export const profileShow = defineCommand({
  name: 'profile show',
  summary: 'Show the profile in use and its source, or one by name',
  description:
    'Below the limits: the amount used today, the amount that remains, and the largest open that they allow now. A day is a UTC day. Opens and adds from this machine count, with an unknown outcome in full. Reduces, closes, rejected or failed actions and trades from elsewhere do not count.',
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
      const used =
        selection.kind === 'stored'
          ? await usedToday(context, selection.name, { ...selection.profile, account: selection.account })
          : undefined;
      return { value: { ...summaryOf(selection, isDefault), used_today: used, why, path } };
    }
    const { profiles, defaultName } = store.read();
    const isDefault = defaultName === name;
    if (name === PRACTICE_NAME) return { value: { ...practiceSummary(isDefault), why: undefined, path } };
    const profile = profiles.get(name);
    if (profile === undefined) throw unknownProfile(name, [...profiles.keys()]);
    const used = await usedToday(context, name, profile);
    return {
      value: { ...storedSummary(name, profile, isDefault), used_today: used, why: undefined, path },
    };
  },
  view: viewProfile,
});

async function usedToday(
  context: CommandContext,
  name: string,
  profile: StoredProfile,
): Promise<LimitUse | undefined> {
  const { profiles } = (await context.profiles()).read();
  const identity = keysOfProfile(name, profile, profiles)?.identity;
  return limitUse(profile, identity, { journal: await context.journal(), nowMs: context.clock.now() });
}
