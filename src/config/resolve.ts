/**
 * Which profile an invocation uses, and why: decided from the option, the environment and the stored
 * profiles, and from nothing else. Nothing ever falls back to practice by itself. Reads no key.
 *
 * The promise `--expect-env`: which environment the operator believes to be in, checked before any network.
 *
 * The variables of the environment that settings come from, read once. The key leaves the environment as it
 * is read, so that neither children nor crash reports inherit it. An empty variable counts as absent.
 */

import { didYouMean } from '../domain/did-you-mean.ts';
import { quoted } from '../domain/quoted.ts';
import { ENVIRONMENT_GLOSS, ENVIRONMENTS, type Environment } from '../domain/vocabulary.ts';
import { CredentialError, StoppedError, UsageError } from '../errors.ts';
import type { StoredProfile } from './profile-file.ts';
import { ENVIRONMENT_PAIR, PRACTICE, readAccountLabel, unknownProfile } from './profile-names.ts';
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

/**
 * What is expected, or undefined when nothing was promised. UsageError for a word that is no environment,
 * and when option and variable differ: one of the two is a mistake, and only the operator knows which.
 */
export function readExpectation(words: {
  option: string | undefined;
  variable: string | undefined;
}): Environment | undefined {
  const option = words.option === undefined ? undefined : environmentOf('--expect-env', words.option);
  const variable =
    words.variable === undefined ? undefined : environmentOf('HEDGE_EXPECT_ENV', words.variable);
  if (option !== undefined && variable !== undefined && option !== variable) {
    throw new UsageError(
      `--expect-env says ${option}, and HEDGE_EXPECT_ENV says ${variable}.`,
      'Make them agree, or unset HEDGE_EXPECT_ENV.',
    );
  }
  return option ?? variable;
}

/** Throws StoppedError `env_mismatch` when a promise was made and does not hold. */
export function checkExpectation(environment: Environment, expected: Environment | undefined): void {
  if (expected === undefined || expected === environment) return;
  throw new StoppedError({
    code: 'env_mismatch',
    what: `This is ${environment} (${ENVIRONMENT_GLOSS[environment]}), and ${expected} (${ENVIRONMENT_GLOSS[expected]}) was expected.`,
    book: 'Nothing was sent.',
    hint: 'Choose the profile that was meant with --profile, or correct the promise (--expect-env, HEDGE_EXPECT_ENV).',
    details: { environment, expected },
  });
}

function environmentOf(from: string, word: string): Environment {
  const environment = ENVIRONMENTS.find((each) => each === word);
  if (environment === undefined) {
    throw new UsageError(
      `${quoted(word)} is not an environment (${from}).`,
      `${didYouMean(word.toLowerCase(), ENVIRONMENTS)}An environment is one of ${ENVIRONMENTS.join(', ')}.`,
    );
  }
  return environment;
}

export interface SettingsEnvironment {
  /** HEDGE_API_KEY, behind a call so that it does not show where this value is printed. */
  apiKey: (() => string) | undefined;
  baseUrl: string | undefined;
  profile: string | undefined;
  /** HEDGE_ACCOUNT: the label of the account. */
  account: string | undefined;
  expectEnv: string | undefined;
  caFile: string | undefined;
  /** NODE_EXTRA_CA_CERTS. */
  extraCaCerts: string | undefined;
  /** None with HEDGE_TLS_SESSIONS=off, nor where Node may trust other authorities than its own at the next start. */
  keepsTlsSessions: boolean;
  /** HTTPS_PROXY and NO_PROXY, in capitals or not; a password may be in the first. */
  proxy: { https: string | undefined; no: string | undefined };
}

/** Node's options, and variables, that make it trust authorities which change without its version. */
const OTHER_AUTHORITIES =
  /--use[-_](?:openssl|system)[-_]ca|--experimental[-_](?:default[-_])?config[-_]file/;
const AUTHORITY_VARIABLES = ['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_USE_SYSTEM_CA'];

/** Deletes HEDGE_API_KEY from `env`. `nodeOptions`: what Node itself was started with. */
export function readEnvironmentVariables(
  env: Record<string, string | undefined>,
  nodeOptions: readonly string[] = [],
): SettingsEnvironment {
  const present = (name: string): string | undefined => {
    const value = env[name];
    return value === '' ? undefined : value;
  };
  const key = present('HEDGE_API_KEY');
  delete env['HEDGE_API_KEY'];
  return {
    apiKey: key === undefined ? undefined : () => key,
    baseUrl: present('HEDGE_BASE_URL'),
    profile: present('HEDGE_PROFILE'),
    account: present('HEDGE_ACCOUNT'),
    expectEnv: present('HEDGE_EXPECT_ENV'),
    caFile: present('HEDGE_CA_FILE'),
    extraCaCerts: present('NODE_EXTRA_CA_CERTS'),
    keepsTlsSessions:
      present('HEDGE_TLS_SESSIONS') !== 'off' &&
      AUTHORITY_VARIABLES.every((name) => present(name) === undefined) &&
      ![env['NODE_OPTIONS'] ?? '', ...nodeOptions].some((each) => OTHER_AUTHORITIES.test(each)),
    proxy: { https: env['HTTPS_PROXY'] ?? env['https_proxy'], no: env['NO_PROXY'] ?? env['no_proxy'] },
  };
}
