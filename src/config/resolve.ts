/**
 * Selects the profile from the option, the environment variables and the stored profiles, never practice by default;
 * and checks --expect-env before any network access. Does not read the API key of a profile.
 */

import { delimiter } from 'node:path';
import { didYouMean } from '../domain/did-you-mean.ts';
import { say, shell } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import { ENVIRONMENT_GLOSS, ENVIRONMENTS, type Environment } from '../domain/vocabulary.ts';
import { CredentialError, nothingSent, UsageError } from '../errors.ts';
import type { StoredProfile } from './profile-file.ts';
import {
  type BuiltInName,
  ENVIRONMENT_PAIR,
  isBuiltIn,
  readAccountLabel,
  unknownProfile,
} from './profile-names.ts';
import type { BuiltInProfile, ProfileSettings } from './profiles.ts';

export type ProfileSource = 'option' | 'environment_pair' | 'hedge_profile' | 'stored_default';
export type KeySource = 'practice' | 'file' | 'command' | 'keychain' | 'environment';

export type Selection =
  | {
      kind: 'practice';
      name: BuiltInName;
      source: ProfileSource;
      keySource: 'practice';
      profile: BuiltInProfile;
    }
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

/** In words that follow a name: `desk, named by --profile`. */
export const profileSourceInWords = (source: ProfileSource): string => PROFILE_SOURCES[source];
/** In words that follow `key`. */
export const keySourceInWords = (source: KeySource): string => KEY_SOURCES[source];

export interface Choices {
  /** `--profile`. */
  option: string | undefined;
  environment: SettingsEnvironment;
  /** Reads the stored profiles, only when needed: a damaged file must not block the environment variables. */
  profiles: () => Promise<ProfileSettings>;
}

/** @throws CredentialError `credential_conflict`, `no_profile`, `unknown_profile`. */
export async function resolveProfile({ option, environment, profiles }: Choices): Promise<Selection> {
  if (option !== undefined) {
    if (option === '')
      throw new UsageError('--profile is empty.', 'Give a profile name, or remove --profile.');
    return named(option, 'option', await profiles(), environment);
  }
  const pair = pairOf(environment);
  if (pair !== undefined) return pair;
  const stored = await profiles();
  if (environment.profile !== undefined)
    return named(environment.profile, 'hedge_profile', stored, environment);
  if (stored.defaultName !== undefined)
    return named(stored.defaultName, 'stored_default', stored, environment);
  const known = [...stored.profiles.keys()].toSorted();
  throw new CredentialError({
    code: 'no_profile',
    what: 'No profile selected.',
    meaning: 'Nothing was changed.',
    hint: [
      say`To try it without money: --profile practice, or: ${shell`export HEDGE_PROFILE=practice`}`,
      known.length === 0
        ? say`To trade with your own key: ${shell`hedge profile add NAME`}, then ${shell`hedge profile use NAME`}`
        : say`To use a profile (${known.join(', ')}): ${shell`hedge profile use NAME`}`,
    ],
    details: { known },
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
      ? `${present.join(' and ')} is set and ${missing.join(' and ')} is not. Both are required.`
      : 'HEDGE_API_KEY with HEDGE_BASE_URL and HEDGE_PROFILE are all set: they select two accounts.',
    meaning: 'Nothing was changed.',
    hint: half
      ? `Set ${missing.join(' and ')}, unset ${present.join(' and ')}, or use --profile NAME.`
      : 'Unset HEDGE_PROFILE or the other two, or use --profile NAME, which overrides all three.',
    details: { present, missing },
  });
}

const NAMED_BY: Readonly<Record<ProfileSource, string | undefined>> = {
  option: undefined,
  environment_pair: undefined,
  hedge_profile: 'HEDGE_PROFILE is',
  stored_default: 'The default profile is',
};

const labelIn = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : readAccountLabel(text, 'HEDGE_ACCOUNT');

function named(
  name: string,
  source: ProfileSource,
  { profiles, builtIn }: ProfileSettings,
  environment: SettingsEnvironment,
): Selection {
  if (isBuiltIn(name))
    return { kind: 'practice', name, source, keySource: 'practice', profile: builtIn[name] ?? {} };
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
    what: `HEDGE_ACCOUNT is ${quoted(asked)}, but the account label of profile ${quoted(name)} is ${quoted(kept)}.`,
    meaning: 'Nothing was sent.',
    hint: 'Unset HEDGE_ACCOUNT, or select the profile of that account with --profile.',
    details: { profile: name, account: kept, asked },
  });

function keySourceOf(profile: StoredProfile): 'file' | 'command' | 'keychain' {
  if (profile.api_key !== undefined) return 'file';
  return profile.api_key_keychain === undefined ? 'command' : 'keychain';
}

/** Undefined without an expectation. @throws UsageError for an unknown environment, and when option and variable differ. */
export function readExpectation(words: {
  option: string | undefined;
  variable: string | undefined;
}): Environment | undefined {
  const option = words.option === undefined ? undefined : environmentOf('--expect-env', words.option);
  const variable =
    words.variable === undefined ? undefined : environmentOf('HEDGE_EXPECT_ENV', words.variable);
  if (option !== undefined && variable !== undefined && option !== variable) {
    throw new UsageError(
      `--expect-env is ${option}, but HEDGE_EXPECT_ENV is ${variable}.`,
      'Make them equal, or unset HEDGE_EXPECT_ENV.',
    );
  }
  return option ?? variable;
}

/** Not of a practice profile, whose service is made when it is used. */
export const serviceOf = (
  selected: Exclude<Selection, { kind: 'practice' }>,
): { baseUrl: string; caFile: string | undefined } =>
  selected.kind === 'pair'
    ? { baseUrl: selected.baseUrl, caFile: undefined }
    : { baseUrl: selected.profile.base_url, caFile: selected.profile.ca_file };

/** @throws StoppedError `env_mismatch` */
export function checkExpectation(environment: Environment, expected: Environment | undefined): void {
  if (expected === undefined || expected === environment) return;
  throw nothingSent({
    code: 'env_mismatch',
    what: `The environment is ${environment} (${ENVIRONMENT_GLOSS[environment]}); --expect-env requires ${expected} (${ENVIRONMENT_GLOSS[expected]}).`,
    hint: 'Select another profile with --profile, or correct --expect-env or HEDGE_EXPECT_ENV.',
    details: { environment, expected },
  });
}

function environmentOf(from: string, word: string): Environment {
  const environment = ENVIRONMENTS.find((each) => each === word);
  if (environment === undefined) {
    throw new UsageError(
      `${quoted(word)} is not an environment (${from}).`,
      `${didYouMean(word.toLowerCase(), ENVIRONMENTS)}Use one of ${ENVIRONMENTS.join(', ')}.`,
    );
  }
  return environment;
}

export interface SettingsEnvironment {
  /** HEDGE_API_KEY, in a function so that it is not printed with this object. */
  apiKey: (() => string) | undefined;
  baseUrl: string | undefined;
  profile: string | undefined;
  /** HEDGE_ACCOUNT: the label of the account. */
  account: string | undefined;
  /** HEDGE_OPERATOR: the name of the person, for the journal. */
  operator: string | undefined;
  expectEnv: string | undefined;
  caFile: string | undefined;
  /** NODE_EXTRA_CA_CERTS. */
  extraCaCerts: string | undefined;
  /** SSL_CERT_FILE and SSL_CERT_DIR, where Node uses them. */
  systemCa: readonly string[];
  /** False with HEDGE_TLS_SESSIONS=off, and where Node may trust other CA certificates at its next start. */
  keepsTlsSessions: boolean;
  /** False with HEDGE_AGENT=off, and where an agent may trust other CA certificates. */
  usesAgent: boolean;
  /** HEDGE_DESK_TIMEOUT: how long to wait for the log of a desk. */
  deskTimeoutMs: number | undefined;
  /** HTTPS_PROXY and NO_PROXY in either case; the first may contain a password. */
  proxy: { https: string | undefined; no: string | undefined };
}

/** Node's options and variables for CA certificates that change independently of its version. */
const OTHER_AUTHORITIES =
  /--use[-_](?:openssl|system)[-_]ca|--experimental[-_](?:default[-_])?config[-_]file/;
const SYSTEM_FILES = ['SSL_CERT_FILE', 'SSL_CERT_DIR'];
const USE_SYSTEM = 'NODE_USE_SYSTEM_CA';

/** Deletes HEDGE_API_KEY from `env`, so that no child process inherits it. An empty variable counts as absent. */
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
  const isOtherList =
    present(USE_SYSTEM) !== undefined ||
    [env['NODE_OPTIONS'] ?? '', ...nodeOptions].some((each) => OTHER_AUTHORITIES.test(each));
  const systemCa = SYSTEM_FILES.flatMap((name) => present(name)?.split(delimiter) ?? []);
  const isOwnList = !isOtherList && systemCa.length === 0;
  return {
    apiKey: key === undefined ? undefined : () => key,
    baseUrl: present('HEDGE_BASE_URL'),
    profile: present('HEDGE_PROFILE'),
    account: present('HEDGE_ACCOUNT'),
    operator: present('HEDGE_OPERATOR'),
    expectEnv: present('HEDGE_EXPECT_ENV'),
    caFile: present('HEDGE_CA_FILE'),
    extraCaCerts: present('NODE_EXTRA_CA_CERTS'),
    systemCa: isOtherList ? systemCa : [],
    keepsTlsSessions: present('HEDGE_TLS_SESSIONS') !== 'off' && isOwnList,
    usesAgent: present('HEDGE_AGENT') !== 'off' && isOwnList,
    deskTimeoutMs: secondsIn(present('HEDGE_DESK_TIMEOUT')),
    proxy: { https: env['HTTPS_PROXY'] ?? env['https_proxy'], no: env['NO_PROXY'] ?? env['no_proxy'] },
  };
}

/** A value that is none counts as absent: no desk may be gone past by a slip of it. */
function secondsIn(text: string | undefined): number | undefined {
  const seconds = text !== undefined && /^\d{1,3}(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  return seconds > 0 ? seconds * 1_000 : undefined;
}
