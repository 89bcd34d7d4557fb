/**
 * What the stored profiles say of the API keys of one service: which are of the selected account, which of another,
 * and which profiles say neither. Reads no key command and no keychain. Pure.
 *
 * Where nothing says whether two API keys of one service are of one account: what is said of an action that was sent
 * with another key than the present one, and what stops before two profiles that cannot be told apart. Pure.
 */
import { parseBaseUrl } from '../client/base-url.ts';
import { ENVIRONMENT_PAIR } from '../config/profile-names.ts';
import type { ProfileBook, StoredProfile } from '../config/profiles.ts';
import { ApiKey } from '../domain/api-key.ts';
import { quoted, shellWord } from '../domain/quoted.ts';
import { StoppedError } from '../errors.ts';
import {
  type AccountIdentity,
  isConfirmed,
  type Relation,
  relationOfLabels,
} from '../journal/account-identity.ts';
import { actionInWords, stateInWords } from '../journal/describe.ts';
import type { Action } from '../journal/replay.ts';
import type { ReadContext } from '../readings/read-context.ts';
import { commandLines } from './command-lines.ts';
import type { TradingContext } from './trading-context.ts';
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
  identity: AccountIdentity;
  /** Profiles of which nothing says whether they are the same account. */
  unclearWith: TradingContext['accountUnclearWith'];
}

/** `name`: of the selected profile, or of none that is stored. */
export function knownKeys(
  identity: AccountIdentity,
  name: string,
  profiles: ProfileBook['profiles'],
): KnownKeys {
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
  { environment, base_url: address }: AccountIdentity,
  { base_url: other }: StoredProfile,
  key: KnownKey,
): boolean => environment === key.environment && address === normalizeUrl(other);

/** However it is written, one address is one service; one that cannot be read is none of another profile. */
export function normalizeUrl(address: string): string | undefined {
  try {
    return parseBaseUrl(address).href;
  } catch {
    return undefined;
  }
}

/** One key, or one that was replaced by the other, is one account, whatever the labels. */
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

/** A line to type, and what it does. */
export type IndentedCommand = readonly [line: string, does: string];

/** Its outcome cannot be read with the present key: an absence may be that of another account. */
export const isOfAnotherKey = ({ intent }: Action, { identity }: Pick<ReadContext, 'identity'>): boolean =>
  !isConfirmed(intent.identity, identity);

/** As half a sentence. */
export const otherKeyInWords = ({ intent, sentAt }: Action): string =>
  `it was ${sentAt === undefined ? 'entered' : 'sent'} with another API key (${intent.identity.key_fingerprint ?? 'unknown'}), not confirmed to be of this account`;

/** None where only a person's word about the action is left: a key of the environment, and no label. */
export function confirmationCommands({ intent }: Action): readonly IndentedCommand[] {
  const { account } = intent.identity;
  if (typeof account === 'string')
    return [
      [
        `hedge profile set NAME --account ${shellWord(account)}`,
        `if it is the account ${account} (or HEDGE_ACCOUNT)`,
      ],
    ];
  return intent.profile === ENVIRONMENT_PAIR
    ? []
    : [
        [
          `hedge profile set ${shellWord(intent.profile)} --key-stdin`,
          'if its key was replaced (or --key-command): confirms the account',
        ],
      ];
}

/** An earlier action is not taken for this one while the account is not known to be the same. */
export const earlierOfAnotherKey = (action: Action): StoppedError =>
  new StoppedError({
    code: 'account_unclear',
    what: `${actionInWords(action)}, action ${action.shortId} (${stateInWords(action)}): ${otherKeyInWords(action)}.`,
    book: 'Nothing was sent.',
    hint:
      confirmationCommands(action).length === 0
        ? 'If it is another account, give each a label (HEDGE_ACCOUNT); otherwise use a new idempotency key or deal ID.'
        : commandLines(confirmationCommands(action)),
    details: { action_id: action.id },
  });

/** @throws StoppedError `account_unclear` where another profile may be the same account, or another one. */
export function checkAccount({
  accountUnclearWith: others,
  identity,
  profile,
}: Pick<TradingContext, 'accountUnclearWith' | 'identity' | 'profile'>): void {
  if (others.length === 0) return;
  const own = profile === ENVIRONMENT_PAIR ? 'HEDGE_API_KEY' : `profile ${quoted(profile)}`;
  const names = others.map(({ name }) => quoted(name)).join(', ');
  const unlabeled = others.filter(({ account }) => account === undefined).map(({ name }) => name);
  const [first = '', ...more] = [
    ...(typeof identity.account === 'string' ? [] : [profile]),
    ...unlabeled,
  ].map(labelLine);
  throw new StoppedError({
    code: 'account_unclear',
    what: `The API keys of ${own} and of ${others.length === 1 ? 'profile' : 'profiles'} ${names} differ, for one environment and base address. Nothing says whether they are of one account.`,
    book: 'Nothing was sent.',
    hint: commandLines([
      [first, 'the same label for one account, different labels for two'],
      ...more.map((line) => [line, 'use the same labels on every machine'] as const),
    ]),
    details: { profiles: others.map(({ name }) => name) },
  });
}

const labelLine = (profile: string): string =>
  profile === ENVIRONMENT_PAIR
    ? 'export HEDGE_ACCOUNT=LABEL'
    : `hedge profile set ${shellWord(profile)} --account LABEL`;
