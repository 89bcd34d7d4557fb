/**
 * Which API keys of the stored profiles belong to the selected account, and what stops when that is unclear or when a
 * profile change would hide open actions. Pure.
 */

import { parseBaseUrl } from '../client/base-url.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import { storedKey } from '../config/credentials.ts';
import { ENVIRONMENT_PAIR } from '../config/profile-names.ts';
import type { ProfileSettings, StoredProfile } from '../config/profiles.ts';
import { andThen, shell, step } from '../domain/hint.ts';
import { quoted } from '../domain/quoted.ts';
import {
  CredentialError,
  DamagedFileError,
  HedgeError,
  type HintLine,
  type NextStep,
  nothingSent,
  RefusedError,
  StoppedError,
  UnavailableError,
  UnreadableAnswerError,
  unless,
} from '../errors.ts';
import {
  type AccountIdentity,
  isConfirmed,
  isResetBetween,
  type Relation,
  relationOfLabels,
  sameIdentity,
  serviceIdentity,
} from '../journal/account-identity.ts';
import { actionInWords, stateInWords } from '../journal/describe.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../journal/replay.ts';
import type { ReadContext } from '../readings/read-context.ts';
import type { TradingContext } from './trading-context.ts';

export interface KnownKey {
  environment: 'live' | 'sandbox';
  fingerprint: string;
}

/** The key of a profile as far as it is known without running a command; undefined for an unusable one. */
export function keyOf(profile: StoredProfile): KnownKey | undefined {
  if (profile.api_key === undefined) return profile.known_key;
  const key = storedKey(profile);
  return key && { environment: key.environment, fingerprint: key.fingerprint };
}

export interface KnownKeys {
  /** The selected account, and how other known keys relate to it. */
  identity: AccountIdentity;
  /** Profiles that may or may not be the same account. */
  unclearWith: TradingContext['accountUnclearWith'];
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

/** The current key may belong to another account, so a missing hedge proves nothing. */
export const isOfAnotherKey = ({ intent }: Action, { identity }: Pick<ReadContext, 'identity'>): boolean =>
  !isConfirmed(intent.identity, identity);

/** A clause without a full stop. */
export const otherKeyInWords = ({ intent, sentAt }: Action): string =>
  `it was ${sentAt === undefined ? 'entered' : 'sent'} with another API key (${intent.identity.key_fingerprint ?? 'unknown'}), not confirmed to be of this account`;

/** Commands that confirm the account; empty for an unlabeled key from the environment. */
export function confirmationCommands({ intent }: Action): readonly NextStep[] {
  const { account } = intent.identity;
  if (typeof account === 'string')
    return [
      step(
        shell`hedge profile set NAME --account ${account}`,
        `confirm account ${account} (or HEDGE_ACCOUNT)`,
      ),
    ];
  return intent.profile === ENVIRONMENT_PAIR
    ? []
    : [step(shell`hedge profile set ${intent.profile} --key-stdin`, 'confirm that the account is the same')];
}

/** Stops while the earlier action may belong to another account. */
export const earlierOfAnotherKey = (action: Action): StoppedError =>
  nothingSent({
    code: 'account_unclear',
    what: `${actionInWords(action)}, action ${action.shortId}, had another API key: perhaps another account.`,
    hint:
      confirmationCommands(action).length === 0
        ? 'Label each account (HEDGE_ACCOUNT), or use a new idempotency key or deal ID.'
        : confirmationCommands(action),
    details: { action_id: action.id, state: action.state, why: otherKeyInWords(action) },
  });

/** @throws StoppedError `account_unclear` when another profile may or may not be the same account. */
export function checkAccount({
  accountUnclearWith: others,
  identity,
  profile,
}: Pick<TradingContext, 'accountUnclearWith' | 'identity' | 'profile'>): void {
  if (others.length === 0) return;
  const own = profile === ENVIRONMENT_PAIR ? 'HEDGE_API_KEY' : quoted(profile);
  const names = others.map(({ name }) => quoted(name)).join(', ');
  const unlabeled = others.filter(({ account }) => account === undefined).map(({ name }) => name);
  const [first = profile, ...more] = [
    ...(typeof identity.account === 'string' ? [] : [profile]),
    ...unlabeled,
  ];
  throw nothingSent({
    code: 'account_unclear',
    what: `Are ${own} and ${names} one account? Their keys differ.`,
    hint: [
      step(labelLine(first), more.length > 1 ? 'label each of them' : 'one label per account'),
      ...(more.length === 1 ? more : []).map((name) => step(labelLine(name), 'on every machine')),
    ],
    details: { profiles: others.map(({ name }) => name) },
  });
}

const labelLine = (profile: string) =>
  profile === ENVIRONMENT_PAIR
    ? shell`export HEDGE_ACCOUNT=LABEL`
    : shell`hedge profile set ${profile} --account LABEL`;

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
    .filter((action) => isUnresolved(action) || isAwaitingOutcome(action))
    .filter((action) => sees(change.before, action) && !sees(change.after, action));
  if (lost.length === 0) return;
  const named = lost.map((each) => `${actionInWords(each)}, action ${each.shortId} (${stateInWords(each)})`);
  throw new StoppedError({
    code: 'unresolved',
    what: `The change would hide ${lost.length === 1 ? 'an action' : `${lost.length.toString()} actions`} of profile ${name} with no known outcome: ${named.join('; ')}.`,
    meaning: 'Nothing was changed.',
    hint: lost.flatMap(({ shortId }) => [
      step(shell`hedge --profile ${name} check ${shortId}`, 'look up; send nothing'),
      step(shell`hedge --profile ${name} resume ${shortId}`, 'look up, or send it again'),
    ]),
    retry: 'after_check',
    details: { actions: lost.map(({ id }) => id) },
  });
}
