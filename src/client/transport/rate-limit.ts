/** Waits for a rate limit that any process with the same API key was given (cache/rate-limit-state.ts stores it). */

import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { type FailureParts, isRateLimit } from './request-failure.ts';

/** Rate-limit state shared by all processes that use a key. It may lose data. */
export interface RateLimitStore {
  /** Milliseconds since the epoch; undefined when requests may be sent. */
  until(): number | undefined;
  /** The service set a limit. */
  tell(until: number): void;
}

/** For a 429 without a Retry-After. */
const UNNAMED_MS = 1_000;
/** Processes that waited resume at random within this time, so that not all send at once. */
export const SPREAD_MS = 1_000;

export function recordRateLimit(
  slowDown: RateLimitStore | undefined,
  failure: FailureParts,
  now: number,
): void {
  if (failure.phase === 'answered' && isRateLimit(failure))
    slowDown?.tell(now + (failure.retryAfterMs ?? UNNAMED_MS));
}

/**
 * Waits until the rate limit ends, plus jitter, and again if it was renewed meanwhile. Returns its end when the call's
 * remaining time is too short; undefined when there is no limit or `signal` aborted.
 */
export async function waitForRateLimit(
  slowDown: RateLimitStore | undefined,
  { clock, random }: { clock: Clock; random: Random },
  {
    leftMs,
    signal,
    onWait,
  }: { leftMs: () => number; signal: AbortSignal; onWait?: ((ms: number) => void) | undefined },
): Promise<number | undefined> {
  for (;;) {
    const until = slowDown?.until();
    if (until === undefined || signal.aborted) return undefined;
    const ms = Math.round(Math.max(0, until - clock.now()) + random.fraction() * SPREAD_MS);
    if (ms >= leftMs()) return until;
    onWait?.(ms);
    await clock.sleep(ms, signal);
  }
}
