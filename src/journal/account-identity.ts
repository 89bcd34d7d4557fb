/**
 * The account an action belongs to: environment, service and the operator's account label, or one practice book.
 * Neither the profile's name nor the API key: a key that was replaced still sees what is unresolved.
 */
import type { RecordedIdentity } from './records.ts';
/**
 * Whether a record is of the account that commands act on. `unclear`: of the same service, and sent with another
 * API key of which nothing says whose it is.
 */
export type Relation = 'same' | 'unclear' | 'other';

/** With what is known of other API keys at the same service, by fingerprint. */
export type AccountIdentity = RecordedIdentity & { keys?: ReadonlyMap<string, Relation> };

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

export const practiceIdentity = (bookId: string): AccountIdentity => ({
  environment: 'practice',
  base_url: `practice:${bookId}`,
  key_fingerprint: null,
});

/** As a record keeps it. */
export function recordedIdentity({ keys: _keys, ...recorded }: AccountIdentity): RecordedIdentity {
  return recorded;
}

/** One API key is one account, whatever its label; of two keys the profiles know, and else the labels say. */
export function relationOf(recorded: AccountIdentity, account: AccountIdentity): Relation {
  if (recorded.environment !== account.environment || recorded.base_url !== account.base_url) return 'other';
  const { key_fingerprint: key } = recorded;
  if (key === null || key === account.key_fingerprint) return 'same';
  return account.keys?.get(key) ?? relationOfLabels(recorded.account, account.account);
}

/** Without both labels nothing is said. */
export function relationOfLabels(one: string | null | undefined, other: string | null | undefined): Relation {
  if (typeof one !== 'string' || typeof other !== 'string') return 'unclear';
  return one === other ? 'same' : 'other';
}

/** Of the same account, or perhaps: what is seen, counted and stopped by. */
export const sameIdentity = (recorded: AccountIdentity, account: AccountIdentity): boolean =>
  relationOf(recorded, account) !== 'other';

/** Known to be of the same account: only then does a reading of it say anything of the action. */
export const isConfirmed = (recorded: AccountIdentity, account: AccountIdentity): boolean =>
  relationOf(recorded, account) === 'same';

/** An API key at a service, in one line without blanks but between its parts. */
export const keyText = ({ environment, base_url: baseUrl, key_fingerprint: key }: AccountIdentity): string =>
  environment === 'practice' ? baseUrl : `${environment} ${baseUrl} key ${key}`;

/** The same with the label, for messages. */
export const identityText = (identity: AccountIdentity): string =>
  typeof identity.account === 'string'
    ? `${keyText(identity)}, account ${identity.account}`
    : keyText(identity);
