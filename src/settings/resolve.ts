/**
 * Which profile an invocation uses, and why: decided from the option, the environment and the stored
 * profiles, and from nothing else. Nothing ever falls back to practice by itself. Reads no key.
 */
import { quoted } from '../domain/quoted.ts';
import { CredentialError, UsageError } from '../errors.ts';
import type { SettingsEnvironment } from './environment.ts';
import { unknownProfile } from './failures.ts';
import type { StoredProfile } from './profile-file.ts';
import { ENVIRONMENT_PAIR, PRACTICE, readAccountLabel } from './profile-names.ts';
import type { ProfileBook } from './profiles.ts';

export type ProfileSource = 'option' | 'environment_pair' | 'hedge_profile' | 'stored_default';
export type KeySource = 'practice' | 'file' | 'command' | 'keychain' | 'environment';

export type Selection =
  | { kind: 'practice'; name: string; source: ProfileSource; keySource: 'practice' }
  | {
      kind: 'stored';
      name: string;
      source: ProfileSource;
      keySource: 'file' | 'command' | 'keychain';
      /** The account label. */
      account: string | undefined;
      profile: StoredProfile;
    }
  | {
      kind: 'pair';
      name: string;
      source: 'environment_pair';
      keySource: 'environment';
      account: string | undefined;
      baseUrl: string;
      apiKey: () => string;
    };

const PROFILE_SOURCES: Readonly<Record<ProfileSource, string>> = {
  option: 'named by --profile',
  environment_pair: 'HEDGE_API_KEY with HEDGE_BASE_URL',
  hedge_profile: 'named by HEDGE_PROFILE',
  stored_default: 'the default, chosen with hedge profile use',
};
const KEY_SOURCES: Readonly<Record<KeySource, string>> = {
  practice: 'of the practice service',
  file: 'stored with the profile',
  command: 'printed by the api_key_command of the profile',
  keychain: 'kept in the keychain of this machine',
  environment: 'from HEDGE_API_KEY',
};

/** Which source won, in words that follow a name: `desk, named by --profile`. */
export const profileSourceInWords = (source: ProfileSource): string => PROFILE_SOURCES[source];
/** Where the key comes from, in words that follow `key`. */
export const keySourceInWords = (source: KeySource): string => KEY_SOURCES[source];

export interface Choices {
  /** `--profile`, undefined when it was not given. */
  option: string | undefined;
  environment: SettingsEnvironment;
  /** The stored profiles, read only when they can matter: with the pair, a damaged file is no hindrance. */
  book: () => Promise<ProfileBook>;
}

/** @throws CredentialError `credential_conflict`, `no_profile`, `unknown_profile`. */
export async function resolveProfile({ option, environment, book }: Choices): Promise<Selection> {
  if (option !== undefined) {
    if (option === '') throw new UsageError('--profile is empty.', 'Name a profile, or leave --profile out.');
    return option === PRACTICE ? practice('option') : named(option, 'option', await book(), environment);
  }
  const pair = pairOf(environment);
  if (pair !== undefined) return pair;
  if (environment.profile === PRACTICE) return practice('hedge_profile');
  const stored = await book();
  if (environment.profile !== undefined)
    return named(environment.profile, 'hedge_profile', stored, environment);
  if (stored.defaultName !== undefined)
    return named(stored.defaultName, 'stored_default', stored, environment);
  throw new CredentialError({
    code: 'no_profile',
    what: 'No profile was chosen, so there is no key to ask with.',
    book: 'Nothing was changed.',
    hint: 'To try it with no money: hedge --profile practice markets. To deal with your own key: hedge profile add NAME, then --profile NAME or hedge profile use NAME.',
    details: { known: [...stored.profiles.keys()].toSorted() },
  });
}

function pairOf({ apiKey, baseUrl, profile, account }: SettingsEnvironment): Selection | undefined {
  if (apiKey === undefined && baseUrl === undefined) return undefined;
  if (apiKey === undefined) throw conflict(['HEDGE_BASE_URL'], ['HEDGE_API_KEY']);
  if (baseUrl === undefined) throw conflict(['HEDGE_API_KEY'], ['HEDGE_BASE_URL']);
  if (profile !== undefined) throw conflict(['HEDGE_API_KEY', 'HEDGE_BASE_URL', 'HEDGE_PROFILE'], []);
  return {
    kind: 'pair',
    name: ENVIRONMENT_PAIR,
    source: 'environment_pair',
    keySource: 'environment',
    account: labelIn(account),
    baseUrl,
    apiKey,
  };
}

function conflict(present: readonly string[], missing: readonly string[]): CredentialError {
  const half = missing.length > 0;
  return new CredentialError({
    code: 'credential_conflict',
    what: half
      ? `${present.join(' and ')} is set, and ${missing.join(' and ')} is not: the two only count together.`
      : 'HEDGE_API_KEY with HEDGE_BASE_URL and HEDGE_PROFILE are all set: they name two accounts.',
    book: 'Nothing was changed.',
    hint: half
      ? `Set ${missing.join(' and ')} too, or unset ${present.join(' and ')}, or say --profile NAME.`
      : 'Unset HEDGE_PROFILE or the other two, or say --profile NAME, which wins over all three.',
    details: { present, missing },
  });
}

const NAMED_BY: Readonly<Record<ProfileSource, string | undefined>> = {
  option: undefined,
  environment_pair: undefined,
  hedge_profile: 'HEDGE_PROFILE names',
  stored_default: 'The stored default is',
};

const practice = (source: ProfileSource): Selection => ({
  kind: 'practice',
  name: PRACTICE,
  source,
  keySource: 'practice',
});

const labelIn = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : readAccountLabel(text, 'HEDGE_ACCOUNT');

function named(
  name: string,
  source: ProfileSource,
  { profiles }: ProfileBook,
  environment: SettingsEnvironment,
): Selection {
  if (name === PRACTICE) return practice(source);
  const profile = profiles.get(name);
  if (profile === undefined) throw unknownProfile(name, [...profiles.keys()], NAMED_BY[source]);
  const asked = labelIn(environment.account);
  if (asked !== undefined && profile.account !== undefined && asked !== profile.account)
    throw twoLabels(name, asked, profile.account);
  return {
    kind: 'stored',
    name,
    source,
    keySource: keySourceOf(profile),
    account: profile.account ?? asked,
    profile,
  };
}

const twoLabels = (name: string, asked: string, kept: string): CredentialError =>
  new CredentialError({
    code: 'credential_conflict',
    what: `HEDGE_ACCOUNT is ${quoted(asked)}, and the account label of profile ${quoted(name)} is ${quoted(kept)}.`,
    book: 'Nothing was sent.',
    hint: 'Unset HEDGE_ACCOUNT, or choose the profile of that account with --profile.',
    details: { profile: name, account: kept, asked },
  });

function keySourceOf(profile: StoredProfile): 'file' | 'command' | 'keychain' {
  if (profile.api_key !== undefined) return 'file';
  return profile.api_key_keychain === undefined ? 'command' : 'keychain';
}
