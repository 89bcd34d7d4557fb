/**
 * Whose book an action belongs to: environment, base address and key, or one practice book. Not the profile's
 * name, which may point elsewhere tomorrow. Knows no key, only what tells two of them apart.
 */
import type { Identity } from './record.ts';

export type { Identity };

export const serviceIdentity = (
  environment: 'live' | 'sandbox',
  address: { baseUrl: string; keyFingerprint: string },
): Identity => ({ environment, base_url: address.baseUrl, key_fingerprint: address.keyFingerprint });

export const practiceIdentity = (bookId: string): Identity => ({
  environment: 'practice',
  base_url: `practice:${bookId}`,
  key_fingerprint: null,
});

export const sameIdentity = (one: Identity, other: Identity): boolean =>
  one.environment === other.environment &&
  one.base_url === other.base_url &&
  one.key_fingerprint === other.key_fingerprint;

/**
 * One line that is equal exactly when identities are: for messages and for what is derived from an identity.
 * `live https://host/v2 key 1a2b3c4d`; no part of it can hold a blank but the base address, which never does.
 */
export const identityText = (identity: Identity): string =>
  identity.environment === 'practice'
    ? identity.base_url
    : `${identity.environment} ${identity.base_url} key ${identity.key_fingerprint}`;
