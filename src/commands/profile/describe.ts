/** Profiles in words. Runs no key command and opens no keychain. */

import { keyFromText, storedKey } from '../../config/credentials.ts';
import { type BuiltInName, unknownProfile } from '../../config/profile-names.ts';
import type { BuiltInProfile, ProfileSettings, StoredProfile } from '../../config/profiles.ts';
import { keySourceInWords, profileSourceInWords, type Selection } from '../../config/resolve.ts';
import { changedLimits } from '../../domain/profile-limits.ts';
import { redactKeys } from '../../domain/sanitize.ts';
import type { SelectedProfile } from '../../output/views/profiles.ts';
import type { ProfileSummary } from '../../schema/machine-document.ts';
import type { CommandContext } from '../command-context.ts';

/** @throws CredentialError for a name that no profile has. */
export function storedProfile({ profiles }: Pick<ProfileSettings, 'profiles'>, name: string): StoredProfile {
  const found = profiles.get(name);
  if (found === undefined) throw unknownProfile(name, [...profiles.keys()]);
  return found;
}

/** Undefined when no profile is selected. */
export async function describeSelection(context: CommandContext): Promise<SelectedProfile | undefined> {
  const selection = await context.selectionIfAny();
  if (selection === undefined) return undefined;
  return {
    name: selection.name,
    environment: summaryOf(selection, false).environment,
    why: profileSourceInWords(selection.source),
  };
}

export function summaryOf(selection: Selection, isDefault: boolean): ProfileSummary {
  const { name } = selection;
  switch (selection.kind) {
    case 'practice':
      return builtInSummary(selection.name, selection.profile, isDefault);
    case 'stored':
      return storedSummary(name, selection.profile, isDefault);
    case 'pair': {
      const key = keyFromText(selection.apiKey(), 'HEDGE_API_KEY');
      return {
        name,
        environment: key.environment,
        base_url: redactKeys(selection.baseUrl),
        account: selection.account,
        key: `${key.masked} ${keySourceInWords(selection.keySource)}`,
        limits: {},
        is_default: false,
      };
    }
    default:
      return selection satisfies never;
  }
}

export const builtInSummary = (
  name: BuiltInName,
  profile: BuiltInProfile,
  isDefault: boolean,
): ProfileSummary => ({
  name,
  environment: 'practice',
  base_url: null,
  key: 'built in',
  time_zone: profile.time_zone,
  operator: profile.operator,
  limits: changedLimits(profile, {}),
  is_default: isDefault,
});

export function storedSummary(name: string, profile: StoredProfile, isDefault: boolean): ProfileSummary {
  const key = storedKey(profile);
  return {
    name,
    environment: key?.environment,
    base_url: redactKeys(profile.base_url),
    account: profile.account,
    key: key?.masked ?? elsewhere(profile),
    ca_file: profile.ca_file === undefined ? undefined : redactKeys(profile.ca_file),
    time_zone: profile.time_zone,
    operator: profile.operator,
    limits: changedLimits(profile, {}),
    is_default: isDefault,
  };
}

function elsewhere({ api_key: text, api_key_keychain: entry, api_key_command: argv }: StoredProfile): string {
  if (text !== undefined) return 'not usable';
  return entry === undefined
    ? `printed by ${argv?.[0] ?? 'a command'}`
    : `in the keychain of this machine, as hedge ${entry}`;
}

/** A daily limit may be smaller than the use of today already. */
export const usedNotes = (
  name: string,
  { max_daily_notional_usd: daily }: { max_daily_notional_usd?: unknown },
): readonly string[] =>
  daily === undefined || daily === null
    ? []
    : [`What you opened today counts toward the daily limit: hedge profile show ${name}`];
