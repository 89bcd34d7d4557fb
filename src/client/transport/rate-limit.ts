/**
 * A word to slow down that was given to one and counts for all: before a request leaves, whoever shares the key
 * waits for its end. Knows neither where the word is kept nor who else shares it.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { type FailureParts, isRateLimit } from './request-failure.ts';
/** Where the word is kept between processes. It may lose whatever it was given, and believes no wild one. */
export interface RateLimitStore {
  /** Until when nothing is to be sent, in milliseconds since the epoch; undefined: it may be. */
  until(): number | undefined;
  /** The service said so, to a request of ours. */
  tell(until: number): void;
}

/** How long a 429 that names no time is heeded. */
const UNNAMED_MS = 1_000;
/** Those who waited go on one after the other within this time, and stop again if the first is told so again. */
export const SPREAD_MS = 1_000;

/** Tells everybody, when that is what the service said. */
export function recordRateLimit(
  slowDown: RateLimitStore | undefined,
  failure: FailureParts,
  now: number,
): void {
  if (failure.phase === 'answered' && isRateLimit(failure))
    slowDown?.tell(now + (failure.retryAfterMs ?? UNNAMED_MS));
}

/**
 * Waits as long as the word stands, and a little more, drawn evenly, so that not all go on in one instant; waits again
 * where it was given anew meanwhile. Gives the word's end where that cannot be waited for in what is left, and
 * undefined where nothing stands, or `signal` aborted.
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
