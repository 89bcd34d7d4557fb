/** `hedge profile` and its commands list, show, use, limit and remove. */

import { optionGiven, readNothing } from '../../args/operands.ts';
import { LIMIT_OPTIONS, readLimitIntent } from '../../args/profile-options.ts';
import { BUILT_IN, isBuiltIn, unknownProfile } from '../../config/profile-names.ts';
import { profileSourceInWords } from '../../config/resolve.ts';
import { changedLimits, limitsIn, limitsInWords, loosens } from '../../domain/profile-limits.ts';
import { type Environment, hasLiveRules } from '../../domain/vocabulary.ts';
import { StoppedError } from '../../errors.ts';
import {
  PROFILE_COLUMNS,
  viewProfile,
  viewProfileChange,
  viewProfiles,
} from '../../output/views/profiles.ts';
import { type CommandGroup, defineCommand } from '../define.ts';
import { profileAdd } from './add.ts';
import { changeBuiltIn, resetBuiltIn } from './built-in.ts';
import { builtInSummary, storedSummary, summaryOf } from './describe.ts';
import { profileSet } from './set.ts';

export const profileLimit = defineCommand({
  name: 'profile limit',
  summary: 'Set the limits of a profile; the value none removes one',
  description:
    'An open or add beyond a limit is blocked on this machine. Reduce and close are still allowed, except with --read-only. Limits apply to the profile, not to HEDGE_API_KEY with HEDGE_BASE_URL. A live profile and practice-live ask before they allow more.',
  operands: [{ name: 'NAME', summary: 'a profile' }],
  options: [
    ...LIMIT_OPTIONS,
    { flags: '--no-read-only', summary: 'allow trading again' },
    { flags: '-y, --yes', summary: 'skip the confirmation' },
  ],
  examples: [
    {
      line: 'hedge profile limit desk --max-notional 50k --max-daily-notional 200k',
      shows: 'at most 50,000 USD per action and 200,000 USD per UTC day',
    },
    { line: 'hedge profile limit desk --max-notional none', shows: 'remove one limit' },
    { line: 'hedge profile limit desk --no-read-only', shows: 'allow trading again' },
  ],
  read: readLimitIntent,
  async run(context, { name, change, yes }) {
    if (isBuiltIn(name)) return changeBuiltIn(context, { name, limits: change, yes });
    const profiles = await context.profiles();
    const profile = profiles.find(name);
    const { environment } =
      profile === undefined ? { environment: undefined } : storedSummary(name, profile, false);
    const before = profile === undefined ? {} : limitsIn(profile);
    const after = changedLimits(before, change);
    const asks = profile !== undefined && environment !== 'sandbox' && loosens(before, after) && !yes;
    const question = {
      message: `${name} is ${environment === undefined ? 'possibly LIVE' : 'LIVE: real money'}. Limits now: ${limitsInWords(before)}. New: ${limitsInWords(after)}. Allow more?`,
      otherwise: '--yes',
    };
    if (asks && !(await context.prompter.confirm(question)))
      throw new StoppedError({ code: 'declined', what: 'Canceled. The limits are unchanged.' });
    const limits = await profiles.limit(name, change);
    return {
      value: { name, environment, limits, done: `Limits of ${name}: ${limitsInWords(limits)}.`, notes: [] },
    };
  },
  view: viewProfileChange,
});

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
  table: (records) => ({ columns: PROFILE_COLUMNS, records }),
  view: viewProfiles,
});

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
    const { profiles, builtIn, defaultName } = store.read();
    const isDefault = defaultName === name;
    if (isBuiltIn(name))
      return { value: { ...builtInSummary(name, builtIn[name] ?? {}, isDefault), why: undefined, path } };
    const profile = profiles.get(name);
    if (profile === undefined) throw unknownProfile(name, [...profiles.keys()]);
    return { value: { ...storedSummary(name, profile, isDefault), why: undefined, path } };
  },
  view: viewProfile,
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
    { flags: '-y, --yes', summary: 'skip the confirmation' },
  ],
  examples: [{ line: 'hedge profile remove desk', shows: 'confirm, then remove it' }],
  read: (raw) => ({
    name: raw.operands[0] ?? '',
    yes: optionGiven(raw, 'yes'),
    leaveKey: optionGiven(raw, 'leaveKey'),
  }),
  async run(context, { name, yes, leaveKey }) {
    if (isBuiltIn(name)) return resetBuiltIn(context, { name, yes });
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

export const profileUse = defineCommand({
  name: 'profile use',
  summary: 'Make a profile the default; ask if it is live',
  operands: [{ name: 'NAME', summary: 'a profile' }],
  options: [{ flags: '-y, --yes', summary: 'skip the confirmation' }],
  examples: [{ line: 'hedge profile use desk', shows: 'use it from now on, in every terminal' }],
  read: (raw) => ({ name: raw.operands[0] ?? '', yes: optionGiven(raw, 'yes') }),
  async run(context, { name, yes }) {
    const profiles = await context.profiles();
    const profile = profiles.find(name);
    if (profile === undefined && !isBuiltIn(name))
      throw unknownProfile(
        name,
        profiles.list().map((each) => each.name),
      );
    const environment = profile === undefined ? 'practice' : storedSummary(name, profile, false).environment;
    const maybeLive = environment === undefined || environment === 'live';
    const asks = maybeLive || hasLiveRules({ environment, profile: name });
    if (asks && !yes && !(await context.prompter.confirm(questionAbout(name, environment))))
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
  message: `${name} ${describeRisk(environment)}. Every terminal of this user will trade with it. Make it the default?`,
  otherwise: '--yes',
});

function describeRisk(environment: Environment | undefined): string {
  if (environment === 'practice') return 'has the rules of live, without money';
  return environment === undefined ? 'is possibly LIVE' : 'is LIVE: real money';
}

const declined = (name: string): StoppedError =>
  new StoppedError({
    code: 'declined',
    what: 'Canceled. The default is unchanged.',
    hint: `For one command: --profile ${name}`,
  });

export const profile: CommandGroup = {
  name: 'profile',
  summary:
    'Manage API keys, base addresses and limits. A profile is a name for a key and a base address. The key decides the environment: _live_ or _test_. The profiles practice and practice-live are built in.',
  commands: [profileAdd, profileList, profileShow, profileUse, profileSet, profileLimit, profileRemove],
};
