/** Time as it is handed to everything that needs it, and its system body. Nothing else reads a clock. */
import type { ClockReadings } from '../domain/instants.ts';
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that only grow, whoever sets the wall clock; they stand still while the machine sleeps (on Linux). */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `then` after `ms`, unless what it gives back was called before: it must be, once nobody waits any more. */
  after(ms: number, then: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep(ms, signal) {
    return new Promise((resolve) => {
      const over = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      if (signal?.aborted === true) over();
      else signal?.addEventListener('abort', over, { once: true });
    });
  },
  after(ms, then) {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  },
};

/** This machine's clocks at this moment. */
export const readClocks = (clock: Pick<Clock, 'now' | 'monotonic'>): ClockReadings => ({
  wall: clock.now(),
  monotonic: clock.monotonic(),
});

/** Resolves when `signal` aborts, at once when it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Lets whatever waits have its turn: signals, timers, streams. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
