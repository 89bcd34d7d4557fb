/** A time limit as an abort signal, on top of the clock port and under outer signals. */
import type { Clock } from '../../platform/clock.ts';
/** The reason of a signal whose time is up, as opposed to one that its caller aborted. */
export class DeadlineExceeded extends Error {
  override readonly name = 'TimeIsUp';
}

export interface Deadline {
  /** Aborts with TimeIsUp, or with the reason of the outer signal that aborted. */
  signal: AbortSignal;
  /** Must be called when the limit is no longer wanted, or its timer and listeners stay. */
  release(): void;
}

/** Not AbortSignal.any: in Node 20 what it makes is kept for as long as its longest-lived source. */
export function withDeadline(clock: Clock, ms: number, ...outer: readonly AbortSignal[]): Deadline {
  const controller = new AbortController();
  const cancel = clock.after(ms, () => controller.abort(new DeadlineExceeded()));
  // A call and its client are often stopped by one and the same signal.
  const sources = [...new Set(outer)].map((signal) => ({
    signal,
    abort: () => controller.abort(signal.reason),
  }));
  for (const { signal, abort } of sources) {
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: controller.signal,
    release() {
      cancel();
      for (const { signal, abort } of sources) signal.removeEventListener('abort', abort);
    },
  };
}
