/**
 * A reading repeated until it is stopped, on the one poll loop: each is handed on, and so is each failure. Knows
 * neither what is read nor how it is shown.
 */
import { type HedgeError, RefusedError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import { poll } from './poll.ts';

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
