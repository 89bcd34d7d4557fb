/** The poll loop: reads until there is a result, a timeout or a stop. The service advises one to two seconds (§6). */
import { type HedgeError, RefusedError, UnavailableError, UnreadableAnswerError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';

const EVERY_MS = 1_500;
/** Never more often: the service advises one second at least (specification §6). */
export const NEXT_READING_MS = 1_000;

/** ASSUMED: readings lag at most 60 s. */
export const READINGS_LAG_MS = 60_000;

/** How long the last reading may take after the limit. */
export const LAST_READING_MS = 900;

export interface Polling<T> {
  clock: Clock;
  signal: AbortSignal;
  /** Milliseconds between two readings; 1,500 by default, never under 1,000. */
  everyMs?: number | undefined;
  /** By the monotonic clock; undefined: without limit. */
  withinMs?: number | undefined;
  /** How long the last reading may take after the limit; `LAST_READING_MS` by default and at least. */
  lastReadingMs?: number | undefined;
  /**
   * A value other than undefined ends the polling. A reading whose signal aborts (with the polling's, or at the limit) is
   * abandoned.
   */
  read: (signal: AbortSignal) => Promise<T | undefined>;
  /** Called for each failed reading; polling continues. A failed reading says nothing about a hedge. */
  onFailure?: ((error: HedgeError) => unknown) | undefined;
  /** The result where the last reading failed or was abandoned, so that it shows nothing; undefined by default. May throw. */
  unread?: ((failure: HedgeError | undefined) => T) | undefined;
}

/**
 * Reads at once, then at a steady pace, never twice at a time, and a last time at the limit; then resolves with
 * undefined.
 * @throws the signal's reason when it aborts; CredentialError when the API key is rejected (401, 403); any other error
 * that is not a temporary one of the service.
 */
export async function poll<T>(polling: Polling<T>): Promise<T | undefined> {
  const { clock, signal, withinMs = Number.POSITIVE_INFINITY } = polling;
  const untilMs = clock.monotonic() + withinMs;
  const everyMs = Math.max(NEXT_READING_MS, polling.everyMs ?? EVERY_MS);
  const lastReadingMs = Math.max(LAST_READING_MS, polling.lastReadingMs ?? 0);
  for (;;) {
    signal.throwIfAborted();
    const startedAt = clock.monotonic();
    const last = await attempt(polling, Math.max(0, untilMs - startedAt) + lastReadingMs);
    if ('found' in last && last.found !== undefined) return last.found;
    if (startedAt >= untilMs || clock.monotonic() >= untilMs)
      return 'found' in last ? undefined : polling.unread?.(last.failure);
    const due = Math.max(startedAt + NEXT_READING_MS, Math.min(startedAt + everyMs, untilMs));
    await clock.sleep(Math.max(0, due - clock.monotonic()), signal);
  }
}

async function attempt<T>(
  { clock, read, signal, onFailure }: Polling<T>,
  withinMs: number,
): Promise<{ found: T | undefined } | { failure: HedgeError | undefined }> {
  const own = new AbortController();
  const stop = (): void => own.abort(signal.reason);
  const outOfTime = (): void => own.abort(new Error('poll timed out'));
  const cancel = Number.isFinite(withinMs) ? clock.after(withinMs, outOfTime) : undefined;
  signal.addEventListener('abort', stop, { once: true });
  try {
    return { found: await unlessAborted(read(own.signal), own.signal) };
  } catch (error) {
    signal.throwIfAborted();
    if (own.signal.aborted) return { failure: undefined };
    if (!isTemporary(error)) throw error;
    await onFailure?.(error);
    return { failure: error };
  } finally {
    signal.removeEventListener('abort', stop);
    cancel?.();
  }
}

const isTemporary = (error: unknown): error is HedgeError =>
  error instanceof UnavailableError ||
  error instanceof UnreadableAnswerError ||
  error instanceof RefusedError;

/** Abandons a reading that ignores the signal. */
async function unlessAborted<T>(
  reading: Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T | undefined> {
  const done = new AbortController();
  const stopped = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: done.signal });
  });
  try {
    const found = await Promise.race([reading, stopped]);
    signal.throwIfAborted();
    return found;
  } finally {
    done.abort();
  }
}

type OneReading = Pick<Polling<unknown>, 'clock' | 'signal'>;
type Answering<T> = (signal: AbortSignal) => Promise<{ data: T }>;

/** @throws what the reading throws */
export const readNow = async <T>({ signal }: OneReading, read: Answering<T>): Promise<T | undefined> =>
  (await read(signal)).data;

/** A reading that can be done without is not waited for longer. */
const SPARE_MS = 3_000;

/** Undefined where it fails or does not come in time. */
export const readIfItComes = <T>({ clock, signal }: OneReading, read: Answering<T>): Promise<T | undefined> =>
  poll({ clock, signal, withinMs: 0, lastReadingMs: SPARE_MS, read: async (own) => (await read(own)).data });

export interface Watching<T> {
  clock: Clock;
  /** Ends it. */
  signal: AbortSignal;
  /** Milliseconds from the start of one reading to the start of the next, or more if one is slow. */
  everyMs: number;
  read: () => Promise<T>;
  onReading: (value: T) => void | Promise<void>;
  /** Reading continues. */
  onFailure: (error: HedgeError) => void | Promise<void>;
}

/**
 * Reads until the signal aborts.
 * @throws the signal's reason; a RefusedError of the first reading, as the request is wrong; and as `poll` does.
 */
export async function watchReadings<T>(watching: Watching<T>): Promise<never> {
  const { clock, signal, everyMs, read, onReading, onFailure } = watching;
  let started = false;
  const refusal = await poll<RefusedError>({
    clock,
    signal,
    everyMs,
    async read() {
      const value = await read().catch((error: unknown) => {
        if (!started && error instanceof RefusedError) return error;
        throw error;
      });
      if (value instanceof RefusedError) return value;
      started = true;
      if (!signal.aborted) await onReading(value);
      return undefined;
    },
    onFailure,
  });
  throw refusal ?? new Error('watch ended without a reason');
}

/** Calls `tick` each second until the signal aborts. Never throws. */
export async function everySecond(
  tick: () => void,
  { clock, signal }: Pick<Watching<unknown>, 'clock' | 'signal'>,
): Promise<void> {
  const read = async (): Promise<undefined> => {
    tick();
    return undefined;
  };
  await poll({ clock, signal, everyMs: 1_000, read }).catch(() => undefined);
}
