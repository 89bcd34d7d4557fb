/**
 * The account of an action: environment, service and the operator's account label, or a practice account. It excludes the
 * profile name and the API key, so that a new key still sees unresolved actions.
 */
import type { RecordedIdentity } from './records.ts';

/** Whether a record is of the selected account. `unclear`: of the same service, with another API key of an unknown account. */
export type Relation = 'same' | 'unclear' | 'other';

/** `keys`: other API keys at the same service, by fingerprint; every key in the log of a desk is of its account. */
export type AccountIdentity = RecordedIdentity & { keys?: Pick<ReadonlyMap<string, Relation>, 'get'> };

export const EVERY_KEY: Pick<ReadonlyMap<string, Relation>, 'get'> = { get: () => 'same' };

export const serviceIdentity = (
  environment: 'live' | 'sandbox',
  {
    baseUrl,
    keyFingerprint,
    account,
  }: { baseUrl: string; keyFingerprint: string; account?: string | undefined },
): AccountIdentity => ({
  environment,
  base_url: baseUrl,
  account: account ?? null,
  key_fingerprint: keyFingerprint,
});

export const practiceIdentity = (
  bookId: string,
  account: 'sandbox' | 'live' = 'sandbox',
): AccountIdentity => ({
  environment: 'practice',
  base_url: `practice:${bookId}${account === 'live' ? OF_LIVE : ''}`,
  key_fingerprint: null,
});

const OF_LIVE = '/live';

/** Whether both are accounts of practice, and practice was reset between them. */
export const isResetBetween = (one: AccountIdentity, other: AccountIdentity): boolean =>
  one.environment === 'practice' && other.environment === 'practice' && bookOf(one) !== bookOf(other);

const bookOf = ({ base_url: address }: AccountIdentity): string =>
  address.endsWith(OF_LIVE) ? address.slice(0, -OF_LIVE.length) : address;

/** The identity in the form of a record. */
export function recordedIdentity({ keys: _keys, ...recorded }: AccountIdentity): RecordedIdentity {
  return recorded;
}

/** The same API key is the same account. Of two keys the profiles decide, else the labels. */
export function relationOf(recorded: AccountIdentity, account: AccountIdentity): Relation {
  if (recorded.environment !== account.environment || recorded.base_url !== account.base_url) return 'other';
  const { key_fingerprint: key } = recorded;
  if (key === null || key === account.key_fingerprint) return 'same';
  return account.keys?.get(key) ?? relationOfLabels(recorded.account, account.account);
}

/** `unclear` unless both have labels. */
export function relationOfLabels(one: string | null | undefined, other: string | null | undefined): Relation {
  if (typeof one !== 'string' || typeof other !== 'string') return 'unclear';
  return one === other ? 'same' : 'other';
}

/** Whether it is, or may be, the same account: it counts for limits and conflicts. */
export const sameIdentity = (recorded: AccountIdentity, account: AccountIdentity): boolean =>
  relationOf(recorded, account) !== 'other';

/** Certainly of the same account: only then do its readings tell about the action. */
export const isConfirmed = (recorded: AccountIdentity, account: AccountIdentity): boolean =>
  relationOf(recorded, account) === 'same';

/** An API key at a service, in one line. */
export const keyText = ({ environment, base_url: baseUrl, key_fingerprint: key }: AccountIdentity): string =>
  environment === 'practice' ? baseUrl : `${environment} ${baseUrl} key ${key}`;

/** The identity with its label, for messages. */
export const identityText = (identity: AccountIdentity): string =>
  typeof identity.account === 'string'
    ? `${keyText(identity)}, account ${identity.account}`
    : keyText(identity);
