/** Randomness and time that are the same in every run: a seeded source, and a clock that is the book's own time. */
import { createHash } from 'node:crypto';
import { bookTime } from '../book/transaction-context.ts';
import type { PracticeClock, PracticeRandom } from '../domain/practice-types.ts';
import type { Database } from '../store/database.ts';

/** sfc32. `restart` begins a sequence that depends on seed and label alone. */
export function seededRandom(seed: string): PracticeRandom {
  let state = stateOf(seed);
  const next = (): number => {
    let [a, b, c] = state;
    const [, , , counter] = state;
    const drawn = (a + b + counter) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + drawn;
    state = [a, b, c | 0, (counter + 1) | 0];
    return drawn >>> 0;
  };
  return {
    fraction: () => next() / 4_294_967_296,
    bytes: (count) => Uint8Array.from({ length: count }, () => next() >>> 24),
    restart(label) {
      state = stateOf(`${seed}\n${label}`);
    },
  };
}

type State = [number, number, number, number];

function stateOf(text: string): State {
  const hash = createHash('sha256').update(text).digest();
  return [hash.readInt32LE(0), hash.readInt32LE(4), hash.readInt32LE(8), hash.readInt32LE(12)];
}

/**
 * Keys, rate limits and leases follow book time too, until another process ends the manual clock. Latency is still waited
 * for on the clock of the machine.
 */
export function clockOfBook(db: Database, machine: PracticeClock): PracticeClock {
  let last = 0;
  return {
    now() {
      try {
        const { now, manual } = bookTime(db, 0);
        last = manual ? now : machine.now();
      } catch {
        // The book cannot be read; the error is in the response.
      }
      return last;
    },
    sleep: (ms, signal) => machine.sleep(ms, signal),
  };
}
