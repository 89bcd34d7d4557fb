/** A deadline as an abort signal that also follows outer signals. */

import type { Clock } from '../../platform/clock.ts';
/** The abort reason when the time is up. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

export interface Deadline {
  /** Aborts with DeadlineExceeded, or with the reason of the outer signal that aborted. */
  signal: AbortSignal;
  /** Removes its timer and listeners: must always be called. */
  release(): void;
}

/** Not AbortSignal.any: Node 20 keeps its result for as long as the longest-lived source. */
export function withDeadline(clock: Clock, ms: number, ...outer: readonly AbortSignal[]): Deadline {
  const controller = new AbortController();
  const cancel = clock.after(ms, () => controller.abort(new DeadlineExceeded()));
  // A call and its client often share a signal.
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
