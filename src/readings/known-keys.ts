/** Which API keys of the stored profiles belong to an account, and which profile reaches it. Pure. */

import { parseBaseUrl } from '../client/base-url.ts';
import { storedKey } from '../config/credentials.ts';
import type { ProfileSettings, StoredProfile } from '../config/profiles.ts';
import { quoted } from '../domain/quoted.ts';
import { CredentialError, unless } from '../errors.ts';
import {
  type AccountIdentity,
  isResetBetween,
  type Relation,
  relationOfLabels,
  sameIdentity,
  serviceIdentity,
} from '../journal/account-identity.ts';

export type KnownKey = NonNullable<StoredProfile['known_key']>;

/** The key of a profile as far as it is known without running a command; undefined for an unusable one. */
export function keyOf(profile: StoredProfile): KnownKey | undefined {
  if (profile.api_key === undefined) return profile.known_key;
  const key = storedKey(profile);
  return key && { environment: key.environment, fingerprint: key.fingerprint };
}

export interface KnownKeys {
  /** The selected account, and how other known keys relate to it. */
  identity: AccountIdentity;
  /** Other profiles of this environment and base URL that may or may not be the same account. */
  unclearWith: readonly { name: string; account: string | undefined }[];
}

/** `name`: the selected profile, stored or not. */
export function knownKeys(
  identity: AccountIdentity,
  name: string,
  profiles: ProfileSettings['profiles'],
): KnownKeys {
  const own = profiles.get(name)?.replaced_keys ?? [];
  const keys = new Map<string, Relation>(own.map((key) => [key, 'same']));
  const unclearWith = [...profiles].flatMap(([other, profile]) => {
    const key = keyOf(profile);
    if (other === name || key === undefined || !isAtOneService(identity, profile, key)) return [];
    const relation = relationTo(identity, own, profile, key);
    // Two profiles that disagree about a key prove nothing.
    for (const each of [key.fingerprint, ...(profile.replaced_keys ?? [])])
      keys.set(each, (keys.get(each) ?? relation) === relation ? relation : 'unclear');
    return relation === 'unclear' ? [{ name: other, account: profile.account }] : [];
  });
  return { identity: { ...identity, keys }, unclearWith };
}

/** The account of a stored profile; undefined where its key is not known without running a command. */
export function keysOfProfile(
  name: string,
  profile: StoredProfile,
  profiles: ProfileSettings['profiles'],
): KnownKeys | undefined {
  const key = keyOf(profile);
  return key === undefined ? undefined : knownKeys(identityOf(profile, key), name, profiles);
}

/**
 * Notes on what profiles with the same API key do not share: they are one account, and nothing that is kept by
 * profile or by base URL is one.
 */
export function sharedKeyNotes(
  { base_url: address, key_fingerprint: own }: AccountIdentity,
  name: string,
  profiles: ProfileSettings['profiles'],
): readonly string[] {
  const twins = [...profiles].filter(
    ([other, profile]) => other !== name && keyOf(profile)?.fingerprint === own,
  );
  const isHere = ([, profile]: (typeof twins)[number]): boolean => normalizeUrl(profile.base_url) === address;
  const say = (some: typeof twins, what: string): readonly string[] =>
    some.length === 0 ? [] : [`${some.map(([other]) => quoted(other)).join(', ')}: the same API key ${what}`];
  return [
    ...say(
      twins.filter((twin) => !isHere(twin)),
      'at another base URL. If both lead to one service, they are one account, but limits, open actions and deal IDs are not shared. Use one base URL: hedge profile set NAME --base-url URL',
    ),
    ...say(twins.filter(isHere), 'and base URL: one account. Limits are those of the profile that is used.'),
  ];
}

/** `own`: the selected account, where it is known; its profile `selected` is left out. */
export interface ReachOptions {
  profiles: ProfileSettings['profiles'];
  own?: AccountIdentity | undefined;
  selected?: string;
}

/**
 * The profile under which an account can be used: the stored one of this name if that reaches it, else another. One whose
 * key is not known without running a command counts by its name and base URL. Undefined: none, or practice was reset.
 */
export function profileReaching(
  { identity: account, profile: name }: { identity: AccountIdentity; profile: string },
  { profiles, own, selected }: ReachOptions,
): string | undefined {
  if (account.environment === 'practice')
    return own !== undefined && isResetBetween(account, own) ? undefined : name;
  const reaching = [...profiles].flatMap(([each, profile]) => {
    if (each === selected) return [];
    const known = keysOfProfile(each, profile, profiles);
    const reaches =
      known === undefined
        ? each === name && normalizeUrl(profile.base_url) === account.base_url
        : sameIdentity(account, known.identity);
    return reaches ? [each] : [];
  });
  return reaching.find((each) => each === name) ?? reaching[0];
}

export const identityOf = (
  { base_url: address, account }: StoredProfile,
  { environment, fingerprint }: KnownKey,
): AccountIdentity =>
  serviceIdentity(environment, {
    baseUrl: normalizeUrl(address) ?? '',
    keyFingerprint: fingerprint,
    account,
  });

const isAtOneService = (
  { environment, base_url: address }: AccountIdentity,
  { base_url: other }: StoredProfile,
  key: KnownKey,
): boolean => environment === key.environment && address === normalizeUrl(other);

/** The normalized address; undefined when it is invalid. */
export const normalizeUrl = (address: string): string | undefined =>
  unless(CredentialError, () => parseBaseUrl(address).href);

/** The same key, or a replaced one, is the same account, whatever the labels. */
function relationTo(
  { key_fingerprint: own, account }: AccountIdentity,
  replaced: readonly string[],
  profile: StoredProfile,
  { fingerprint }: KnownKey,
): Relation {
  const isOne =
    own === fingerprint ||
    replaced.includes(fingerprint) ||
    (own !== null && profile.replaced_keys?.includes(own) === true);
  return isOne ? 'same' : relationOfLabels(account, profile.account);
}
