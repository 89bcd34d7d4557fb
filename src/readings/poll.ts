/**
 * The one poll loop of the program: reads until the reading says something, or time is up. Knows neither what
 * is read nor what it means. The service pushes nothing, and advises one to two seconds (specification §6).
 *
 * A reading repeated until it is stopped, on the one poll loop: each is handed on, and so is each failure. Knows
 * neither what is read nor how it is shown.
 */
import { type HedgeError, RefusedError, UnavailableError, UnreadableAnswerError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';

/** From the start of one reading to the start of the next. */
const EVERY_MS = 1_500;
/** The service is never asked more often, whatever was wanted. */
const SHORTEST_MS = 1_000;

/** How long after the limit the last reading may still be answered. */
export const LAST_READING_MS = 900;

export interface Polling<T> {
  clock: Clock;
  signal: AbortSignal;
  /** Milliseconds between two readings; 1,500 unless said, and never under 1,000. */
  everyMs?: number | undefined;
  /** How long to go on, whoever sets the wall clock meanwhile; undefined: for ever. */
  withinMs?: number | undefined;
  /**
   * Something other than undefined ends the polling. It is given up on, and not waited for, when its own signal
   * aborts: with the polling's, or when time is up.
   */
  read: (signal: AbortSignal) => Promise<T | undefined>;
  /** Told of each reading that failed; it is polled on. A failed reading says nothing about a hedge. */
  onFailure?: ((error: HedgeError) => unknown) | undefined;
}

/**
 * Reads at once, then at a steady pace, never twice at a time, and for the last time when time is up: then it
 * resolves with undefined. A reading that has begun is left behind soon after the limit, answered or not.
 * @throws the signal's reason as soon as it aborts; CredentialError when the key is turned down (401, 403),
 * which no waiting mends; whatever else the reading throws that is not trouble with the service.
 */
export async function poll<T>(polling: Polling<T>): Promise<T | undefined> {
  const { clock, signal, withinMs = Number.POSITIVE_INFINITY } = polling;
  const untilMs = clock.monotonic() + withinMs;
  const everyMs = Math.max(SHORTEST_MS, polling.everyMs ?? EVERY_MS);
  for (;;) {
    signal.throwIfAborted();
    const startedAt = clock.monotonic();
    const found = await attempt(polling, Math.max(0, untilMs - startedAt) + LAST_READING_MS);
    if (found !== undefined) return found;
    if (startedAt >= untilMs || clock.monotonic() >= untilMs) return undefined;
    const due = Math.max(startedAt + SHORTEST_MS, Math.min(startedAt + everyMs, untilMs));
    await clock.sleep(Math.max(0, due - clock.monotonic()), signal);
  }
}

async function attempt<T>(
  { clock, read, signal, onFailure }: Polling<T>,
  withinMs: number,
): Promise<T | undefined> {
  const own = new AbortController();
  const stop = (): void => own.abort(signal.reason);
  const outOfTime = (): void => own.abort(new Error('the time of the polling is up'));
  const cancel = Number.isFinite(withinMs) ? clock.after(withinMs, outOfTime) : undefined;
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await unlessAborted(read(own.signal), own.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (own.signal.aborted) return undefined;
    if (!passes(error)) throw error;
    await onFailure?.(error);
    return undefined;
  } finally {
    signal.removeEventListener('abort', stop);
    cancel?.();
  }
}

const passes = (error: unknown): error is HedgeError =>
  error instanceof UnavailableError ||
  error instanceof UnreadableAnswerError ||
  error instanceof RefusedError;

/** A reading that does not heed the signal is left behind. */
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

export interface Watching<T> {
  clock: Clock;
  /** Ends it. */
  signal: AbortSignal;
  /** Milliseconds from the start of one reading to the start of the next; a slow one is waited for. */
  everyMs: number;
  read: () => Promise<T>;
  onReading: (value: T) => void | Promise<void>;
  /** It is read on. */
  onFailure: (error: HedgeError) => void | Promise<void>;
}

/**
 * Never resolves by itself.
 * @throws the signal's reason; what the service turned down at the very first reading (RefusedError): what was
 * asked is wrong, and no repeating mends it; and whatever `poll` throws.
 */
export async function watchReadings<T>(watching: Watching<T>): Promise<never> {
  const { clock, signal, everyMs, read, onReading, onFailure } = watching;
  let begun = false;
  const refusal = await poll<RefusedError>({
    clock,
    signal,
    everyMs,
    async read() {
      const value = await read().catch((error: unknown) => {
        if (!begun && error instanceof RefusedError) return error;
        throw error;
      });
      if (value instanceof RefusedError) return value;
      begun = true;
      if (!signal.aborted) await onReading(value);
      return undefined;
    },
    onFailure,
  });
  throw refusal ?? new Error('a watch ended by itself');
}

/** Calls `tick` each second until the signal aborts: for what is shown between readings. Never throws. */
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
