/**
 * The idempotency keys of actions, and the references that follow from them: one key an intent, the same on
 * every send, so that the service acts once (specification §7). Pure but for the randomness handed in.
 */
import { createHash } from 'node:crypto';
import { REFERENCE_DIGITS, REFERENCE_MARK } from '../../domain/derived-reference.ts';
import type { Identity } from '../../journal/identity.ts';
import type { Random } from '../../platform/random.ts';

const KEY_BYTES = 16;
const DERIVED_DIGITS = 32;

export const mintKey = (random: Random): string =>
  `hedge-${Buffer.from(random.bytes(KEY_BYTES)).toString('hex')}`;

/**
 * The same on every machine of the desk, whatever API key and host name it uses: scripts that deal the same deal ID
 * collide at the service on purpose. `attempt` counts from 1 and grows only after a definite no.
 */
export const dealKey = (identity: Identity, deal: { id: string; attempt: number }): string => {
  const { environment, account, base_url: book } = identity;
  const whose = environment === 'practice' ? [environment, book] : [environment, account ?? ''];
  return `hedge-deal-${digits([...whose, deal.id, deal.attempt.toString()], DERIVED_DIGITS)}`;
};

/** `client_reference` of an open without a deal id: follows from the key, so that the body never changes. */
export const referenceOf = (key: string): string => `${REFERENCE_MARK}${digits([key], REFERENCE_DIGITS)}`;

const digits = (parts: readonly string[], count: number): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, count);
