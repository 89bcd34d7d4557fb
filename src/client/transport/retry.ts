/**
 * The outermost handler, and the one retry loop of the program: makes attempts until one succeeds or the policy
 * says stop, keeps the call's total deadline, and turns the end into one error.
 *
 * How long an action may be sent, and sent again, judged at the very moment at which its bytes would leave: by then the
 * machine may have slept, or a clock been set, in any wait before. What leaves too late is done a second time by a
 * service that has forgotten its key, or is done on a book that nobody looked at.
 */

import {
  type ClockReadings,
  disagrees,
  durationInWords,
  type Elapsed,
  elapsedOver,
} from '../../domain/instants.ts';
import { type Clock, readClocks } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import type { AttemptDecision, CallOptions } from '../hedge-api.ts';
import { withDeadline } from './deadline.ts';
import { type CallContext, mapError, notSentInTime, rateLimitedError } from './map-error.ts';
import { type RateLimitStore, recordRateLimit, waitForRateLimit } from './rate-limit.ts';
import { type FailureParts, isUnclear, RequestFailure } from './request-failure.ts';
import { type Effectful, retryDelay, shouldRetry, TOTAL_MS, type Tried } from './retry-policy.ts';
import type { Attempt } from './transport.ts';
export interface Retrying {
  clock: Clock;
  random: Random;
  /** Absent: nobody else's word counts here. */
  slowDown?: RateLimitStore | undefined;
}

/** Rejects with a HedgeError, or with the reason of one of `stops` when that aborted and nothing is in doubt. */
export async function withRetry<T>(
  { clock, random, slowDown }: Retrying,
  call: {
    effect: Effectful;
    called: CallContext;
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
  const limit = withDeadline(clock, TOTAL_MS, ...stops);
  const waiting = { leftMs, signal: limit.signal, onWait: onHeldBack };
  // A reading may be made at any time: it changes nothing.
  const sending = effect === 'action' ? sendWindow(clock, decided) : undefined;
  let unclear = 0;
  let tried: Tried | undefined;
  try {
    const standing = await waitForRateLimit(slowDown, { clock, random }, waiting);
    if (standing !== undefined) throw rateLimitedError(called, effect, standing);
    stopOf(stops)?.throwIfAborted();
    for (let number = 1; ; number++) {
      let last: FailureParts;
      try {
        const value = await once({ number, signal: limit.signal, mayLeave: sending?.mayLeave });
        onAttempt?.({ number, became: 'answered', status: undefined, code: undefined });
        return value;
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        last = error.parts;
      }
      if (last.kind === 'withheld')
        throw tried === undefined
          ? notSentInTime(called, last.reason)
          : endOf(called, { ...tried, withheld: last.reason }, stops);
      sending?.failed(last);
      recordRateLimit(slowDown, last, clock.now());
      if (isUnclear(last)) unclear++;
      onAttempt?.({ number, became: becameOf(last), status: last.status, code: last.code });
      tried = { effect, last, attempts: number, unclear };
      const delay = retryDelay(tried, random.fraction());
      const inTime = delay < leftMs();
      if (!limit.signal.aborted && shouldRetry(tried) && inTime) await clock.sleep(delay, limit.signal);
      else throw endOf(called, tried, stops);
      const stands = await waitForRateLimit(slowDown, { clock, random }, waiting);
      if (limit.signal.aborted || stands !== undefined) throw endOf(called, tried, stops);
    }
  } finally {
    limit.release();
  }
}

function endOf(called: CallContext, tried: Tried, stops: readonly AbortSignal[]): unknown {
  const inDoubt = tried.effect === 'action' && tried.unclear > 0;
  const stopped = stopOf(stops);
  return stopped === undefined || inDoubt ? mapError(called, tried) : stopped.reason;
}

const stopOf = (stops: readonly AbortSignal[]): AbortSignal | undefined =>
  stops.find((signal) => signal.aborted);

function becameOf(last: FailureParts): 'refused' | 'never_sent' | 'unclear' {
  if (isUnclear(last)) return 'unclear';
  return last.phase === 'never_sent' ? 'never_sent' : 'refused';
}

export interface SendWindow {
  /** Why it may not leave now; undefined when it leaves. */
  mayLeave: () => RequestFailure | undefined;
  /** An attempt has failed: its answer may have had a Date. */
  failed: (parts: FailureParts) => void;
}

/** From the readings that it was decided on to each send, and from its first send here to each other one. */
export function sendWindow(clock: Clock, decided: AttemptDecision | undefined): SendWindow {
  const answers: ClockReadings[] = [];
  let first: ClockReadings | undefined;
  return {
    mayLeave() {
      const now = readClocks(clock);
      const reason =
        (decided &&
          whyNot(elapsedOver([decided.at, ...answers, now]), decided.withinMs, 'the position was read')) ??
        (first && whyNot(elapsedOver([first, ...answers, now]), TOTAL_MS, 'the first attempt'));
      first ??= now;
      return reason;
    },
    failed({ clocks }) {
      if (clocks !== undefined) answers.push(clocks);
    },
  };
}

function whyNot(elapsed: Elapsed, withinMs: number, since: string): RequestFailure | undefined {
  if (disagrees(elapsed)) {
    const apart = durationInWords(elapsed.apartMs);
    return notSentFailure(
      `the clocks differ by ${apart} on the time since ${since} (the machine slept, or a clock was set)`,
    );
  }
  return elapsed.ms < withinMs
    ? undefined
    : notSentFailure(`${durationInWords(elapsed.ms)} passed since ${since}`);
}

const notSentFailure = (says: string): RequestFailure =>
  new RequestFailure({ phase: 'never_sent', kind: 'withheld', reason: says });
