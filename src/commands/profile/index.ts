/** `hedge profile` and its commands list, use and remove. */

import { optionGiven, readNothing } from '../../args/option.ts';
import { YES_OPTION } from '../../args/shared-options.ts';
import { BUILT_IN, isBuiltIn } from '../../config/profile-names.ts';
import { type Environment, hasLiveRules } from '../../domain/vocabulary.ts';
import { line } from '../../output/blocks.ts';
import { message } from '../../output/cells.ts';
import { profileRows, viewProfileChange } from '../../output/views/profiles.ts';
import { summarizeJournal } from '../../readings/read-journal.ts';
import { askFirst } from '../ask-first.ts';
import { type CommandGroup, defineCommand } from '../define.ts';
import { profileAdd } from './add.ts';
import { resetBuiltIn } from './built-in.ts';
import { builtInSummary, storedProfile, storedSummary } from './describe.ts';
import { leftBehind } from './left-behind.ts';
import { profileLimit, profileSet } from './set.ts';
import { profileShow } from './show.ts';

export const profileList = defineCommand({
  name: 'profile list',
  summary: 'List profiles, keys masked',
  examples: [{ line: 'hedge profile list', shows: 'every profile, its environment and the default' }],
  read: readNothing,
  async run(context) {
    const profiles = await context.profiles();
    const { defaultName, builtIn } = profiles.read();
    const stored = profiles
      .list()
      .map(({ name, profile }) => storedSummary(name, profile, name === defaultName));
    const own = BUILT_IN.map((name) => builtInSummary(name, builtIn[name] ?? {}, name === defaultName));
    return { value: [...own, ...stored] };
  },
  list: profileRows,
});

export const profileRemove = defineCommand({
  name: 'profile remove',
  summary: 'Remove a profile and its key',
  description:
    'The key stays valid at the service. Revoke it there if it may be known to others. A built-in profile stays: its defaults are put back.',
  operands: [{ name: 'NAME', summary: 'a profile' }],
  options: [
    {
      flags: '--leave-key',
      summary: 'leave the key in the keychain, if the keychain does not work',
    },
    YES_OPTION,
  ],
  examples: [{ line: 'hedge profile remove payouts', shows: 'confirm, then remove it' }],
  read: (raw) => ({
    name: raw.operands[0] ?? '',
    yes: optionGiven(raw, 'yes'),
    leaveKey: optionGiven(raw, 'leaveKey'),
  }),
  async run(context, { name, yes, leaveKey }) {
    if (isBuiltIn(name)) return resetBuiltIn(context, { name, yes });
    const profiles = await context.profiles();
    const { profiles: before } = profiles.read();
    const profile = storedProfile({ profiles: before }, name);
    const { environment, key } = storedSummary(name, profile, false);
    const lost = leftBehind(
      { before, after: new Map([...before].filter(([each]) => each !== name)) },
      summarizeJournal(await context.journal(), { nowMs: context.clock.now() }),
    );
    if (!yes && lost.length > 0) await context.show(lost.map((each) => line(message(each, 'warn'))));
    if (!yes)
      await askFirst(context, `Remove ${name} (${environment ?? 'environment by its key'}, ${key})?`, {
        what: 'Canceled. The profile is unchanged.',
      });
    if (!leaveKey) await context.vault.forget(profile);
    const { wasDefault } = await profiles.remove(name);
    const notes = [...(wasDefault ? ['It was the default. There is no default now.'] : []), ...lost];
    return { value: { name, environment, done: `Removed ${name}.`, notes } };
  },
  view: viewProfileChange,
});

export const profileUse = defineCommand({
  name: 'profile use',
  summary: 'Make a profile the default; ask if it is live',
  operands: [{ name: 'NAME', summary: 'a profile' }],
  options: [YES_OPTION],
  examples: [{ line: 'hedge profile use payouts', shows: 'use it from now on, in every terminal' }],
  read: (raw) => ({ name: raw.operands[0] ?? '', yes: optionGiven(raw, 'yes') }),
  async run(context, { name, yes }) {
    const profiles = await context.profiles();
    const environment = isBuiltIn(name)
      ? 'practice'
      : storedSummary(name, storedProfile(profiles.read(), name), false).environment;
    const maybeLive = environment === undefined || environment === 'live';
    const asks = maybeLive || hasLiveRules({ environment, profile: name });
    if (asks && !yes)
      await askFirst(
        context,
        `${name} ${describeRisk(environment)}. Every terminal of this user will trade with it. Make it the default?`,
        { what: 'Canceled. The default is unchanged.', hint: `For one command: --profile ${name}` },
      );
    await profiles.use(name);
    const notes = maybeLive
      ? ['Every terminal of this user now trades live unless it selects another profile.']
      : [];
    return { value: { name, environment, done: `The default profile is now ${name}.`, notes } };
  },
  view: viewProfileChange,
});

function describeRisk(environment: Environment | undefined): string {
  if (environment === 'practice') return 'has the rules of live, without money';
  return environment === undefined ? 'is possibly LIVE' : 'is LIVE: real money';
}

export const profile: CommandGroup = {
  name: 'profile',
  summary:
    'Manage API keys, base URLs and limits. A profile is a name for a key and a base URL. The key decides the environment: _live_ or _test_. The profiles practice and practice-live are built in.',
  commands: [profileAdd, profileList, profileShow, profileUse, profileSet, profileLimit, profileRemove],
};
