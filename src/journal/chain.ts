/**
 * The chain of the journal's records: each has the SHA-256 of the one before it and of its own text, so that one that was
 * changed, removed, inserted or moved shows.
 */
import { hash } from 'node:crypto';

/** The hash before the first record. Hashes are 64 lower-case hexadecimal digits. */
export const NO_RECORD = '0'.repeat(64);

export const isHash = (given: unknown): given is string =>
  typeof given === 'string' && /^[0-9a-f]{64}$/.test(given);

export interface ChainedText {
  id: string;
  /** The exact text. */
  record: string;
  stamp: string;
}

/** Used again for each record: a journal has many. */
let scratch = Buffer.allocUnsafe(16_384);

/** SHA-256 of the hash before and of `id`, `record` and `stamp`, each as UTF-8 behind its length (four bytes, big endian). */
export function recordHash(prev: string, { id, record, stamp }: ChainedText): string {
  const most = prev.length + 3 * (LENGTH_BYTES + id.length + record.length + stamp.length);
  if (scratch.length < most) scratch = Buffer.allocUnsafe(most);
  let at = scratch.write(prev, 'hex');
  for (const text of [id, record, stamp]) {
    const length = scratch.write(text, at + LENGTH_BYTES, 'utf8');
    scratch.writeUInt32BE(length, at);
    at += LENGTH_BYTES + length;
  }
  return hash('sha256', scratch.subarray(0, at), 'hex');
}

const LENGTH_BYTES = 4;
