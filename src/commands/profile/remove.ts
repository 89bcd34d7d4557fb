/** `hedge profile remove`. */

import { optionGiven } from '../../args/operands.ts';
import { unknownProfile } from '../../config/profile-names.ts';
import { StoppedError } from '../../errors.ts';
import { viewProfileChange } from '../../output/views/profiles.ts';
import { defineCommand } from '../define.ts';
import { storedSummary } from './describe.ts';
export const profileRemove = defineCommand({
  name: 'profile remove',
  summary: 'Remove a profile and its key',
  description: 'The key stays valid at the service. Revoke it there if it may be known to others.',
  operands: [{ name: 'NAME', summary: 'a profile' }],
  options: [
    {
      flags: '--leave-key',
      summary: 'keep the key in the keychain, for a keychain that does not work',
    },
    { flags: '-y, --yes', summary: 'skip the confirmation' },
  ],
  examples: [{ line: 'hedge profile remove desk', shows: 'confirm, then remove it' }],
  read: (raw) => ({
    name: raw.operands[0] ?? '',
    yes: optionGiven(raw, 'yes'),
    leaveKey: optionGiven(raw, 'leaveKey'),
  }),
  async run(context, { name, yes, leaveKey }) {
    const profiles = await context.profiles();
    const profile = profiles.find(name);
    if (profile === undefined)
      throw unknownProfile(
        name,
        profiles.list().map((each) => each.name),
      );
    const { environment, key } = storedSummary(name, profile, false);
    const question = {
      message: `Remove ${name} (${environment ?? 'environment by its key'}, ${key})?`,
      otherwise: '--yes',
    };
    if (!yes && !(await context.prompter.confirm(question)))
      throw new StoppedError({ code: 'declined', what: 'Canceled. The profile is unchanged.' });
    if (!leaveKey) await context.vault.forget(profile);
    const { wasDefault } = await profiles.remove(name);
    const notes = wasDefault ? ['It was the default. There is no default now.'] : [];
    return { value: { name, environment, done: `Removed ${name}.`, notes } };
  },
  view: viewProfileChange,
});
