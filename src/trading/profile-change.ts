/** What a profile change means for the journal: confirmed earlier keys, and open actions that it would hide. Pure. */

import type { ProfileBook, StoredProfile } from '../config/profiles.ts';
import { StoppedError } from '../errors.ts';
import { relationOfLabels, sameIdentity, serviceIdentity } from '../journal/account-identity.ts';
import { actionInWords, stateInWords } from '../journal/describe.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../journal/replay.ts';
import { type KnownKey, keyOf, knownKeys, normalizeUrl } from './account-keys.ts';
import { commandLines } from './command-lines.ts';
/** Fingerprints of every earlier key of the profile: recorded, replaced, or used by its actions at this address. */
export function earlierKeys(
  name: string,
  profile: StoredProfile,
  { key, actions }: { key: KnownKey; actions: readonly Action[] },
): readonly string[] {
  // A key edited in the file differs from the recorded one.
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

/** @throws StoppedError `unresolved` naming the actions that could no longer be looked up. */
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
    what: `The change would hide ${lost.length === 1 ? 'an action' : `${lost.length.toString()} actions`} of profile ${name} with no known outcome: ${named.join('; ')}.`,
    book: 'Nothing was changed.',
    hint: commandLines(
      lost.flatMap(({ shortId }) => [
        [`hedge --profile ${name} check ${shortId}`, 'look up; send nothing'] as const,
        [`hedge --profile ${name} resume ${shortId}`, 'look up, or send it again'] as const,
      ]),
    ),
    retry: 'after_check',
    details: { actions: lost.map(({ id }) => id) },
  });
}
