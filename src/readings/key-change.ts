/** A new or changed API key of a profile: it is tried, earlier ones stay known, and no open action is hidden by the change. */

import type { HedgeApi } from '../client/hedge-api.ts';
import type { ProfileSettings, StoredProfile } from '../config/profiles.ts';
import { andThen, shell, step } from '../domain/hint.ts';
import {
  CredentialError,
  DamagedFileError,
  HedgeError,
  type HintLine,
  nothingChanged,
  RefusedError,
  UnavailableError,
  UnreadableAnswerError,
} from '../errors.ts';
import { relationOfLabels, sameIdentity } from '../journal/account-identity.ts';
import { actionInWords, stateInWords } from '../journal/describe.ts';
import { type Action, isUnfinished } from '../journal/replay.ts';
import { identityOf, type KnownKey, keyOf, knownKeys, normalizeUrl } from './known-keys.ts';

const FAILED_CHECKS = [CredentialError, RefusedError, UnavailableError, UnreadableAnswerError] as const;

/** Tries the key of a new or changed profile. `unchanged`: the meaning of a failure for that profile. */
export async function tryKey(connect: () => Promise<HedgeApi>, unchanged: string): Promise<void> {
  try {
    await (await connect()).account();
  } catch (error) {
    // A CA file that cannot be read.
    if (error instanceof DamagedFileError) throw error.with({ meaning: unchanged });
    if (!(error instanceof HedgeError) || !FAILED_CHECKS.some((each) => error instanceof each)) throw error;
    // The profile with this key or address is not stored, so it cannot be shown.
    const advice = (error.hint ?? []).map(withoutShow);
    throw error.with({ meaning: unchanged, hint: andThen(advice, 'Without the check: --no-check') });
  }
}

/** `Check the key: hedge profile show` becomes `Check the key.` */
function withoutShow(line: HintLine): HintLine {
  if (typeof line === 'string' || !('parts' in line)) return line;
  const [words, shown] = line.parts;
  return typeof words === 'string' && typeof shown === 'object' && shown.join(' ') === 'hedge profile show'
    ? `${words.slice(0, -': '.length)}.`
    : line;
}

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
  { profiles, actions }: { profiles: ProfileSettings['profiles']; actions: readonly Action[] },
): void {
  const sees = (profile: StoredProfile, { intent }: Action): boolean => {
    const { environment } = intent.identity;
    const key = keyOf(profile);
    if (environment === 'practice' || (key !== undefined && key.environment !== environment)) return false;
    const own = identityOf(profile, { environment, fingerprint: key?.fingerprint ?? '' });
    return sameIdentity(intent.identity, knownKeys(own, name, profiles).identity);
  };
  const lost = actions
    .filter(isUnfinished)
    .filter((action) => sees(change.before, action) && !sees(change.after, action));
  if (lost.length === 0) return;
  const named = lost.map((each) => `${actionInWords(each)}, action ${each.shortId} (${stateInWords(each)})`);
  throw nothingChanged({
    code: 'unresolved',
    what: `The change would hide ${lost.length === 1 ? 'an action' : `${lost.length.toString()} actions`} of profile ${name} with no known outcome: ${named.join('; ')}.`,
    hint: lost.flatMap(({ shortId }) => [
      step(shell`hedge --profile ${name} check ${shortId}`, 'look up; send nothing'),
      step(shell`hedge --profile ${name} resume ${shortId}`, 'look up, or send it again'),
    ]),
    retry: 'after_check',
    details: { actions: lost.map(({ id }) => id) },
  });
}
