/**
 * Whose book an action belongs to: environment, base address and key, or one practice book. Not the profile's
 * name, which may point elsewhere tomorrow. Knows no key, only what tells two of them apart.
 */
import * as z from 'zod/mini';

const text = z.string().check(z.minLength(1));

export const identitySchema = z.discriminatedUnion('environment', [
  z.object({
    environment: z.enum(['live', 'sandbox']),
    /** `https://host[:port]/path`, as settings hold it. */
    base_url: text,
    /** First eight hexadecimal digits of the key's SHA-256. */
    key_fingerprint: z.string().check(z.regex(/^[0-9a-f]{8}$/)),
  }),
  z.object({
    environment: z.literal('practice'),
    /** `practice:<book id>`; a reset of practice makes a new id. */
    base_url: z.string().check(z.regex(/^practice:.+$/)),
    key_fingerprint: z.null(),
  }),
]);

export type Identity = z.infer<typeof identitySchema>;

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
