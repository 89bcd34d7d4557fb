/**
 * What the stored profiles say of the API keys of one service: which are of the selected account, which of another,
 * and which profiles say neither. Reads no key command and no keychain. Pure.
 */
import { parseBaseUrl } from '../client/base-url.ts';
import { ApiKey } from '../domain/api-key.ts';
import { type Identity, type Relation, relationOfLabels } from '../journal/identity.ts';
import type { ProfileBook, StoredProfile } from '../settings/profiles.ts';
import type { Dealing } from './dealing.ts';

export interface KnownKey {
  environment: 'live' | 'sandbox';
  fingerprint: string;
}

/** The key of a profile as far as it can be told without asking for it; undefined for one that cannot be used. */
export function keyOf({ api_key: text, known_key: known }: StoredProfile): KnownKey | undefined {
  if (text === undefined) return known;
  try {
    const { environment, fingerprint } = ApiKey.of(text);
    return { environment, fingerprint };
  } catch {
    return undefined;
  }
}

export interface KnownKeys {
  /** The selected account, with what is known of other keys. */
  identity: Identity;
  /** Profiles of which nothing says whether they are the same account. */
  unclearWith: Dealing['accountUnclearWith'];
}

/** `name`: of the selected profile, or of none that is stored. */
export function knownKeys(identity: Identity, name: string, profiles: ProfileBook['profiles']): KnownKeys {
  const own = profiles.get(name)?.replaced_keys ?? [];
  const keys = new Map<string, Relation>(own.map((key) => [key, 'same']));
  const unclearWith = [...profiles].flatMap(([other, profile]) => {
    const key = keyOf(profile);
    if (other === name || key === undefined || !isAtOneService(identity, profile, key)) return [];
    const relation = relationTo(identity, own, profile, key);
    // Two profiles that do not agree on a key say nothing of it.
    for (const each of [key.fingerprint, ...(profile.replaced_keys ?? [])])
      keys.set(each, (keys.get(each) ?? relation) === relation ? relation : 'unclear');
    return relation === 'unclear' ? [{ name: other, account: profile.account }] : [];
  });
  return { identity: { ...identity, keys }, unclearWith };
}

const isAtOneService = (
  { environment, base_url: address }: Identity,
  { base_url: other }: StoredProfile,
  key: KnownKey,
): boolean => environment === key.environment && address === hrefOf(other);

/** However it is written, one address is one service; one that cannot be read is none of another profile. */
export function hrefOf(address: string): string | undefined {
  try {
    return parseBaseUrl(address).href;
  } catch {
    return undefined;
  }
}

/** One key, or one that was replaced by the other, is one account, whatever the labels. */
function relationTo(
  { key_fingerprint: own, account }: Identity,
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
