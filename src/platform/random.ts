/** The port of random numbers and its system implementation. */

export interface Random {
  /** In [0, 1): for jitter, never for secrets. */
  fraction(): number;
  /** Cryptographically random: for keys and IDs. */
  bytes(count: number): Uint8Array;
}

export const systemRandom: Random = {
  fraction: () => Math.random(),
  bytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
};
