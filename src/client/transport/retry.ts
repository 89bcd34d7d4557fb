/**
 * The outermost handler, and the one retry loop of the program: makes attempts until one succeeds or the policy
 * says stop, keeps the call's total deadline, and turns the end into one error.
 */
import type { Clock } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import type { CallOptions } from '../hedge-api.ts';
import { Failure, type FailureParts, isUnclear } from './failure.ts';
import { type Called, finalError, heldBack, withheld } from './final-error.ts';
import { limitBy } from './limit.ts';
import { type Effectful, retryDelay, shouldRetry, TOTAL_MS, type Tried } from './retry-policy.ts';
import { sendWindow } from './send-window.ts';
import { heed, type SlowDown, standStill } from './slow-down.ts';
import type { Attempt } from './wire.ts';

export interface Retrying {
  clock: Clock;
  random: Random;
  /** Absent: nobody else's word counts here. */
  slowDown?: SlowDown | undefined;
}

/** Rejects with a HedgeError, or with the reason of one of `stops` when that aborted and nothing is in doubt. */
export async function withRetry<T>(
  { clock, random, slowDown }: Retrying,
  call: {
    effect: Effectful;
    called: Called;
    /** Any of these stops the call. */
    stops: readonly AbortSignal[];
    onAttempt: CallOptions['onAttempt'];
    onHeldBack: CallOptions['onHeldBack'];
    decided?: CallOptions['decided'];
  },
  once: (attempt: Attempt) => Promise<T>,
): Promise<T> {
  const { effect, called, stops, onAttempt, onHeldBack, decided } = call;
  const startedAt = clock.monotonic();
  const leftMs = (): number => TOTAL_MS - (clock.monotonic() - startedAt);
  const limit = limitBy(clock, TOTAL_MS, ...stops);
  const waiting = { leftMs, signal: limit.signal, onWait: onHeldBack };
  // A reading may be made at any time: it changes nothing.
  const sending = effect === 'action' ? sendWindow(clock, decided) : undefined;
  let unclear = 0;
  let tried: Tried | undefined;
  try {
    const standing = await standStill(slowDown, { clock, random }, waiting);
    if (standing !== undefined) throw heldBack(called, effect, standing);
    stopOf(stops)?.throwIfAborted();
    for (let number = 1; ; number++) {
      let last: FailureParts;
      try {
        const value = await once({ number, signal: limit.signal, mayLeave: sending?.mayLeave });
        onAttempt?.({ number, became: 'answered', status: undefined, code: undefined });
        return value;
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        last = error.parts;
      }
      if (last.kind === 'withheld')
        throw tried === undefined
          ? withheld(called, last.says)
          : endOf(called, { ...tried, withheld: last.says }, stops);
      sending?.failed(last);
      heed(slowDown, last, clock.now());
      if (isUnclear(last)) unclear++;
      onAttempt?.({ number, became: becameOf(last), status: last.status, code: last.code });
      tried = { effect, last, attempts: number, unclear };
      const delay = retryDelay(tried, random.fraction());
      const inTime = delay < leftMs();
      if (!limit.signal.aborted && shouldRetry(tried) && inTime) await clock.sleep(delay, limit.signal);
      else throw endOf(called, tried, stops);
      const stands = await standStill(slowDown, { clock, random }, waiting);
      if (limit.signal.aborted || stands !== undefined) throw endOf(called, tried, stops);
    }
  } finally {
    limit.release();
  }
}

function endOf(called: Called, tried: Tried, stops: readonly AbortSignal[]): unknown {
  const inDoubt = tried.effect === 'action' && tried.unclear > 0;
  const stopped = stopOf(stops);
  return stopped === undefined || inDoubt ? finalError(called, tried) : stopped.reason;
}

const stopOf = (stops: readonly AbortSignal[]): AbortSignal | undefined =>
  stops.find((signal) => signal.aborted);

function becameOf(last: FailureParts): 'refused' | 'never_sent' | 'unclear' {
  if (isUnclear(last)) return 'unclear';
  return last.phase === 'never_sent' ? 'never_sent' : 'refused';
}
