/** The clock port and the system clock. Nothing else reads a clock. */
import type { ClockReadings } from '../domain/instants.ts';

export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that only grow, also when the wall clock is set; on Linux they stop while the machine sleeps. */
  monotonic(): number;
  /** Resolves after `ms` or when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `then` after `ms`. Returns its cancel, which must be called. */
  after(ms: number, then: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // performance.now() loads node:perf_hooks, 1 ms of every start.
  monotonic: () => millisecondsOf(globalThis.process.hrtime()),
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

const millisecondsOf = ([seconds, nanoseconds]: readonly [number, number]): number =>
  seconds * 1e3 + nanoseconds / 1e6;

/** This machine's clocks at this moment. */
export const readClocks = (clock: Pick<Clock, 'now' | 'monotonic'>): ClockReadings => ({
  wall: clock.now(),
  monotonic: clock.monotonic(),
});

/** Resolves when `signal` is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Lets pending signals, timers and streams run. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** This machine's clocks, the wall clock moved to another's time: all who follow one database go by its time. */
export interface ShiftedClock extends Clock {
  /** Milliseconds that are added to this machine's wall clock. */
  shiftMs: number;
}

export function shiftedClock(clock: Clock): ShiftedClock {
  const shifted: ShiftedClock = {
    shiftMs: 0,
    now: () => clock.now() + shifted.shiftMs,
    monotonic: () => clock.monotonic(),
    sleep: (...wait) => clock.sleep(...wait),
    after: (...wait) => clock.after(...wait),
  };
  return shifted;
}
