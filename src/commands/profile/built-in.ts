/** `profile set`, `limit` and `remove` of a built-in profile, which can have limits, a time zone and an operator name only. */

import { optionGiven, optionText, type RawInput } from '../../args/option.ts';
import { type ProfileIntent, readProfileChange } from '../../args/profile-options.ts';
import type { BuiltInName } from '../../config/profile-names.ts';
import type { BuiltInProfile } from '../../config/profiles.ts';
import { say, shell } from '../../domain/hint.ts';
import { changedLimits, limitsIn, limitsInWords, loosens } from '../../domain/profile-limits.ts';
import { quoted } from '../../domain/quoted.ts';
import { hasLiveRules } from '../../domain/vocabulary.ts';
import { UsageError } from '../../errors.ts';
import type { ProfileChange } from '../../schema/machine-document.ts';
import { askFirst } from '../ask-first.ts';
import type { CommandContext, CommandOutcome } from '../command-context.ts';
import { usedNotes } from './describe.ts';
import { checkedOperator, withFields } from './fields.ts';

type BuiltInChange = Pick<ProfileIntent, 'timeZone' | 'operator' | 'limits' | 'yes'> & { name: BuiltInName };

const OF_AN_ACCOUNT = ['baseUrl', 'keyStdin', 'keyFile', 'keyCommand', 'store', 'account', 'caFile'];

/** @throws UsageError for an option that a built-in profile does not have, and without a change. */
export function readBuiltInChange(name: BuiltInName, raw: RawInput): BuiltInChange {
  if (OF_AN_ACCOUNT.some((option) => optionGiven(raw, option) || optionText(raw, option) !== undefined))
    throw new UsageError(
      `Profile ${name} is built in: its key and base URL cannot be changed.`,
      say`It has limits, --time-zone and --operator: ${shell`hedge profile set ${name} --time-zone Africa/Lagos`}`,
    );
  const { timeZone, operator, limits, yes } = readProfileChange(raw);
  return { name, timeZone, operator: checkedOperator(operator), limits, yes };
}

export async function changeBuiltIn(
  context: CommandContext,
  { name, timeZone, operator, limits: change, yes }: BuiltInChange,
): Promise<CommandOutcome<ProfileChange>> {
  const profiles = await context.profiles();
  const before = limitsIn(profiles.read().builtIn[name] ?? {});
  const after = changedLimits(before, change);
  if (hasLiveRules({ environment: 'practice', profile: name }) && loosens(before, after) && !yes)
    await askFirst(
      context,
      `${name} has the rules of live. Limits now: ${limitsInWords(before)}. New: ${limitsInWords(after)}. Allow more?`,
      { what: `Canceled. Profile ${name} is unchanged.` },
    );
  await profiles.changeBuiltIn(name, (profile) =>
    withFields(profile, { timeZone, operator, limits: change }),
  );
  const kept = profiles.read().builtIn[name] ?? {};
  const limits = changedLimits(kept, {});
  const isOfLimits = timeZone === undefined && operator === undefined;
  const done = isOfLimits
    ? `Limits of ${name}: ${limitsInWords(limits)}.`
    : `Changed ${name}: ${inWords({
        ...(Object.keys(change).length === 0 ? {} : { limits: kept }),
        ...(timeZone === undefined ? {} : { timeZone: kept.time_zone }),
        ...(operator === undefined ? {} : { operator: kept.operator }),
      })}.`;
  return { value: { name, environment: 'practice', limits, done, notes: usedNotes(name, change) } };
}

/** Nothing of it can be removed but its settings. */
export async function resetBuiltIn(
  context: CommandContext,
  { name, yes }: { name: BuiltInName; yes: boolean },
): Promise<CommandOutcome<ProfileChange>> {
  const profiles = await context.profiles();
  if (!yes)
    await askFirst(
      context,
      `${name} is built in and stays. Put its defaults back (now: ${settingsInWords(profiles.read().builtIn[name] ?? {})})?`,
      { what: 'Canceled. The profile is unchanged.' },
    );
  await profiles.changeBuiltIn(name, () => ({}));
  const done = `${name} has its defaults again: ${settingsInWords({})}.`;
  return { value: { name, environment: 'practice', done, notes: [] } };
}

const settingsInWords = (profile: BuiltInProfile): string =>
  inWords({ limits: profile, timeZone: profile.time_zone, operator: profile.operator });

/** Those that it has a key for. */
const inWords = (settings: {
  limits?: BuiltInProfile;
  timeZone?: string | undefined;
  operator?: string | undefined;
}): string =>
  [
    ...(settings.limits === undefined ? [] : [`limits ${limitsInWords(settings.limits)}`]),
    ...('timeZone' in settings ? [`time zone ${settings.timeZone ?? 'UTC'}`] : []),
    ...('operator' in settings
      ? [`operator ${settings.operator === undefined ? 'none' : quoted(settings.operator)}`]
      : []),
  ].join('; ');
