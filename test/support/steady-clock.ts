/** Time that moves only when told, and randomness that repeats itself. */
import type { Clock } from '../../src/platform/clock.ts';
import type { Random } from '../../src/platform/random.ts';

export interface SteadyClock extends Clock {
  /** Every wait that was asked for, in milliseconds, in order. */
  readonly sleeps: readonly number[];
  /** Deadlines that neither fired nor were cancelled, by their length in milliseconds. */
  running(): readonly number[];
  /** Moves time; fires no deadline. */
  advance(ms: number): void;
  /** Moves the wall clock alone, as when the machine slept or somebody set it. */
  jump(ms: number): void;
  /** Fires every running deadline of exactly this length, and moves time by it. */
  fire(ms: number): void;
}

/** A sleep is recorded, moves time and resolves at once; a deadline fires only when told. */
export function steadyClock(startsAt = '2026-11-20T09:02:11Z'): SteadyClock {
  let now = Date.parse(startsAt);
  let ahead = 0;
  const sleeps: number[] = [];
  const deadlines = new Set<{ ms: number; fire: () => void }>();
  return {
    sleeps,
    running: () => [...deadlines].map(({ ms }) => ms),
    now: () => now + ahead,
    monotonic: () => now,
    async sleep(ms) {
      sleeps.push(ms);
      now += ms;
    },
    after(ms, fire) {
      const entry = { ms, fire };
      deadlines.add(entry);
      return () => deadlines.delete(entry);
    },
    advance(ms) {
      now += ms;
    },
    jump(ms) {
      ahead += ms;
    },
    fire(ms) {
      now += ms;
      // Not those that begin meanwhile.
      const due = [...deadlines].filter((entry) => entry.ms === ms);
      for (const entry of due) if (deadlines.delete(entry)) entry.fire();
    },
  };
}

/** Mulberry32: the same sequence for the same seed. */
export function seededRandom(seed = 1): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    fraction,
    bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(fraction() * 256)),
  };
}

/** Always the same fraction, so that a delay can be worked out by hand. */
export const steadyRandom = (fraction: number): Random => ({ ...seededRandom(), fraction: () => fraction });
