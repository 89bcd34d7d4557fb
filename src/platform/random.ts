/** Randomness as it is handed to everything that needs it, and its system body. */
import { randomBytes } from 'node:crypto';

export interface Random {
  /** A number in [0, 1): jitter only, never a secret. */
  fraction(): number;
  /** `count` unpredictable bytes: keys and ids. */
  bytes(count: number): Uint8Array;
}

export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (count) => randomBytes(count),
};
