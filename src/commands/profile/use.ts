/** `hedge profile use` */

import { optionGiven } from '../../args/operands.ts';
import { unknownProfile } from '../../config/profile-names.ts';
import type { Environment } from '../../domain/vocabulary.ts';
import { StoppedError } from '../../errors.ts';
import { viewProfileChange } from '../../output/views/profiles.ts';
import { defineCommand } from '../define.ts';
import { PRACTICE_NAME, practiceSummary, storedSummary } from './describe.ts';
export const profileUse = defineCommand({
  name: 'profile use',
  summary: 'Make a profile the default; ask if it is live',
  operands: [{ name: 'NAME', summary: 'a profile, or practice' }],
  options: [{ flags: '-y, --yes', summary: 'skip the confirmation' }],
  examples: [{ line: 'hedge profile use desk', shows: 'use it from now on, in every terminal' }],
  read: (raw) => ({ name: raw.operands[0] ?? '', yes: optionGiven(raw, 'yes') }),
  async run(context, { name, yes }) {
    const profiles = await context.profiles();
    const profile = profiles.find(name);
    if (profile === undefined && name !== PRACTICE_NAME)
      throw unknownProfile(
        name,
        profiles.list().map((each) => each.name),
      );
    const { environment } =
      profile === undefined ? practiceSummary(false) : storedSummary(name, profile, false);
    const maybeLive = environment === undefined || environment === 'live';
    if (maybeLive && !yes && !(await context.prompter.confirm(questionAbout(name, environment))))
      throw declined(name);
    await profiles.use(name);
    const notes = maybeLive
      ? ['Every terminal of this user now trades live unless it selects another profile.']
      : [];
    return { value: { name, environment, done: `The default profile is now ${name}.`, notes } };
  },
  view: viewProfileChange,
});

const questionAbout = (name: string, environment: Environment | undefined) => ({
  message: `${name} is ${environment === undefined ? 'possibly LIVE' : 'LIVE: real money'}. Every terminal of this user will trade with it. Make it the default?`,
  otherwise: '--yes',
});

const declined = (name: string): StoppedError =>
  new StoppedError({
    code: 'declined',
    what: 'Canceled. The default is unchanged.',
    hint: `For one command: --profile ${name}`,
  });
