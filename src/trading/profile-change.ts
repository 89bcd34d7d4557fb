/**
 * What a change of a profile means for the actions of the journal: which keys of before are confirmed to be of its
 * account, and which actions without a known outcome it would lose sight of. Pure.
 */

import type { ProfileBook, StoredProfile } from '../config/profiles.ts';
import { StoppedError } from '../errors.ts';
import { relationOfLabels, sameIdentity, serviceIdentity } from '../journal/account-identity.ts';
import { actionInWords, stateInWords } from '../journal/describe.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../journal/replay.ts';
import { type KnownKey, keyOf, knownKeys, normalizeUrl } from './account-keys.ts';
import { commandLines } from './command-lines.ts';
/**
 * Fingerprints of every earlier key of the profile: those on record, the one that it had, and those that its actions
 * were sent with at this environment and address.
 */
export function earlierKeys(
  name: string,
  profile: StoredProfile,
  { key, actions }: { key: KnownKey; actions: readonly Action[] },
): readonly string[] {
  // A key that was changed in the file itself is another than the one on record.
  const had = [keyOf(profile), profile.known_key].flatMap((known) => known?.fingerprint ?? []);
  const sentWith = actions.flatMap(({ intent: { identity, profile: sender } }) =>
    sender === name &&
    identity.environment === key.environment &&
    identity.base_url === normalizeUrl(profile.base_url) &&
    relationOfLabels(identity.account, profile.account) !== 'other'
      ? [identity.key_fingerprint]
      : [],
  );
  const all = [...(profile.replaced_keys ?? []), ...had, ...sentWith];
  return [...new Set(all)].filter((each) => each !== key.fingerprint);
}

/** @throws StoppedError `unresolved` naming the actions that could not be looked up any more. */
export function checkNothingIsLost(
  name: string,
  change: { before: StoredProfile; after: StoredProfile },
  { profiles, actions }: { profiles: ProfileBook['profiles']; actions: readonly Action[] },
): void {
  const sees = (profile: StoredProfile, { intent }: Action): boolean => {
    const { environment } = intent.identity;
    const key = keyOf(profile);
    if (environment === 'practice' || (key !== undefined && key.environment !== environment)) return false;
    const baseUrl = normalizeUrl(profile.base_url) ?? '';
    const { account } = profile;
    const own = serviceIdentity(environment, { baseUrl, keyFingerprint: key?.fingerprint ?? '', account });
    return sameIdentity(intent.identity, knownKeys(own, name, profiles).identity);
  };
  const lost = actions
    .filter((action) => isUnresolved(action) || isAwaitingOutcome(action))
    .filter((action) => sees(change.before, action) && !sees(change.after, action));
  if (lost.length === 0) return;
  const named = lost.map((each) => `${actionInWords(each)}, action ${each.shortId} (${stateInWords(each)})`);
  throw new StoppedError({
    code: 'unresolved',
    what: `The change would hide ${lost.length === 1 ? 'an action' : `${lost.length.toString()} actions`} of profile ${name} without a known outcome: ${named.join('; ')}.`,
    book: 'Nothing was changed.',
    hint: commandLines(
      lost.flatMap(({ shortId }) => [
        [`hedge --profile ${name} check ${shortId}`, 'looks; sends nothing'] as const,
        [`hedge --profile ${name} resume ${shortId}`, 'settles it'] as const,
      ]),
    ),
    retry: 'after_check',
    details: { actions: lost.map(({ id }) => id) },
  });
}
