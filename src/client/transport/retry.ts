/**
 * The outermost handler: the one retry loop, the wait for a rate limit given to any process with the same API key, the
 * call's total deadline, and the time limit on sending an action. That limit is checked right before the bytes are sent:
 * the service may have forgotten the key of a late resend.
 */

import {
  type ClockReadings,
  clocksDisagree,
  durationInWords,
  type Elapsed,
  elapsedOver,
} from '../../domain/instants.ts';
import { type Clock, readClocks } from '../../platform/clock.ts';
import type { Random } from '../../platform/random.ts';
import { type CallContext, mapError, notSentInTime, rateLimitedError } from './map-error.ts';
import {
  type FailureParts,
  hasResponse,
  isOutcomeUnknown,
  isRateLimit,
  RequestFailure,
} from './request-failure.ts';
import { type CallEffect, type RetryState, retryDelay, shouldRetry, TOTAL_MS } from './retry-policy.ts';
import { type Attempt, type AttemptDecision, type CallOptions, withDeadline } from './transport.ts';

/** Rate-limit state shared by all processes that use a key. It may lose data. */
export interface RateLimitStore {
  /** Milliseconds since the epoch; undefined when requests may be sent. */
  until(): number | undefined;
  /** The service set a limit. */
  record(until: number): void;
}

/** For a 429 without a Retry-After. */
const UNNAMED_MS = 1_000;
/** Processes that waited resume at random within this time, so that not all send at once. */
export const SPREAD_MS = 1_000;

export function recordRateLimit(store: RateLimitStore | undefined, failure: FailureParts, now: number): void {
  if (failure.phase === 'answered' && isRateLimit(failure))
    store?.record(now + (failure.retryAfterMs ?? UNNAMED_MS));
}

/**
 * Waits until the rate limit ends, plus jitter, and again if it was renewed meanwhile. Returns its end when the call's
 * remaining time is too short; undefined when there is no limit or `signal` aborted.
 */
export async function waitForRateLimit(
  store: RateLimitStore | undefined,
  { clock, random }: { clock: Clock; random: Random },
  {
    leftMs,
    signal,
    onWait,
  }: { leftMs: () => number; signal: AbortSignal; onWait?: ((ms: number) => void) | undefined },
): Promise<number | undefined> {
  for (;;) {
    const until = store?.until();
    if (until === undefined || signal.aborted) return undefined;
    const ms = Math.round(Math.max(0, until - clock.now()) + random.fraction() * SPREAD_MS);
    if (ms >= leftMs()) return until;
    onWait?.(ms);
    await clock.sleep(ms, signal);
  }
}

export interface Retrying {
  clock: Clock;
  random: Random;
  /** Absent: rate limits of other processes are not known. */
  rateLimit?: RateLimitStore | undefined;
}

/** Rejects with a HedgeError, or with the reason of the stop that aborted when no outcome is unknown. */
export async function withRetry<T>(
  { clock, random, rateLimit }: Retrying,
  call: {
    effect: CallEffect;
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
  // A read changes nothing, so it may be sent at any time.
  const sending = effect === 'action' ? sendWindow(clock, decided) : undefined;
  let unclear = 0;
  let tried: RetryState | undefined;
  try {
    const limitedUntil = await waitForRateLimit(rateLimit, { clock, random }, waiting);
    if (limitedUntil !== undefined) throw rateLimitedError(effect, limitedUntil);
    stopOf(stops)?.throwIfAborted();
    for (let number = 1; ; number++) {
      let last: FailureParts;
      try {
        const value = await once({ number, signal: limit.signal, mayLeave: sending?.mayLeave });
        onAttempt?.({ number, outcome: 'answered' });
        return value;
      } catch (error) {
        if (!(error instanceof RequestFailure)) throw error;
        last = error.parts;
      }
      if (last.kind === 'withheld')
        throw tried === undefined
          ? notSentInTime(last)
          : endOf(called, { ...tried, withheld: last.reason }, stops);
      sending?.failed(last);
      recordRateLimit(rateLimit, last, clock.now());
      if (isOutcomeUnknown(last)) unclear++;
      tried = { effect, last, attempts: number, unclear };
      const delay = retryDelay(tried, random.fraction());
      const retries = !limit.signal.aborted && shouldRetry(tried) && delay < leftMs();
      const { status, code } = last;
      onAttempt?.({ number, outcome: outcomeOf(last), status, code, responded: hasResponse(last), retries });
      if (!retries) throw endOf(called, tried, stops);
      await clock.sleep(delay, limit.signal);
      const until = await waitForRateLimit(rateLimit, { clock, random }, waiting);
      if (limit.signal.aborted || until !== undefined) throw endOf(called, tried, stops);
    }
  } finally {
    limit.release();
  }
}

function endOf(called: CallContext, tried: RetryState, stops: readonly AbortSignal[]): unknown {
  const inDoubt = tried.effect === 'action' && tried.unclear > 0;
  const stopped = stopOf(stops);
  return stopped === undefined || inDoubt ? mapError(called, tried) : stopped.reason;
}

const stopOf = (stops: readonly AbortSignal[]): AbortSignal | undefined =>
  stops.find((signal) => signal.aborted);

function outcomeOf(last: FailureParts): 'refused' | 'never_sent' | 'unclear' {
  if (isOutcomeUnknown(last)) return 'unclear';
  return last.phase === 'never_sent' ? 'never_sent' : 'refused';
}

export interface SendWindow {
  /** Why it may not be sent now; undefined when it may. */
  mayLeave: () => RequestFailure | undefined;
  /** Records the clocks of a failed attempt's response. */
  failed: (parts: FailureParts) => void;
}

/** Limits the time from the readings it was decided on to each send, and from its first send to each resend. */
export function sendWindow(clock: Clock, decided: AttemptDecision | undefined): SendWindow {
  const responses: ClockReadings[] = [];
  let first: ClockReadings | undefined;
  return {
    mayLeave() {
      const now = readClocks(clock);
      const reason =
        (decided &&
          whyNot(elapsedOver([decided.at, ...responses, now]), decided.withinMs, 'the position was read')) ??
        (first && whyNot(elapsedOver([first, ...responses, now]), TOTAL_MS, 'the first attempt'));
      first ??= now;
      return reason;
    },
    failed({ clocks }) {
      if (clocks !== undefined) responses.push(clocks);
    },
  };
}

function whyNot(elapsed: Elapsed, withinMs: number, since: string): RequestFailure | undefined {
  if (clocksDisagree(elapsed)) {
    const apart = durationInWords(elapsed.apartMs);
    return notSentFailure(`the clocks differ by ${apart} since ${since}`, CLOCKS_DIFFER);
  }
  return elapsed.ms < withinMs
    ? undefined
    : notSentFailure(`${durationInWords(elapsed.ms)} passed since ${since}`);
}

const CLOCKS_DIFFER =
  'The machine slept or was too busy, or a clock was set. If you still want it, send it again.';

const notSentFailure = (reason: string, hint?: string): RequestFailure =>
  new RequestFailure({ phase: 'never_sent', kind: 'withheld', reason, hint });
