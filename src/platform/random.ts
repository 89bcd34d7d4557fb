/** Randomness as it is handed to everything that needs it, and its system body. */

export interface Random {
  /** A number in [0, 1): jitter only, never a secret. */
  fraction(): number;
  /** `count` unpredictable bytes: keys and ids. */
  bytes(count: number): Uint8Array;
}

export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};
