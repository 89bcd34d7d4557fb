/** Looks that cannot hang and cannot throw: one that fails is a line like the others. */
import { UnavailableError } from '../../errors.ts';
import { aborted, type Clock } from '../../platform/clock.ts';
import { type Check, type CheckName, failedCheck } from './doctor-check.ts';

export type Settled<T> = { value: T } | { error: unknown };

export async function settled<T>(ask: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await ask() };
  } catch (error) {
    return { error };
  }
}

export async function looked(check: CheckName, look: () => Check | Promise<Check>): Promise<Check> {
  try {
    return await look();
  } catch (error) {
    return failedCheck(check, error);
  }
}

/** @throws UnavailableError when it takes longer than `ms`. */
export async function within<T>(
  clock: Clock,
  ms: number,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const time = new AbortController();
  const cancel = clock.after(ms, () => time.abort());
  const late = async (): Promise<never> => {
    await aborted(time.signal);
    throw new UnavailableError({
      code: 'unavailable',
      what: `No answer within ${(ms / 1_000).toString()} s.`,
      hint: 'Check the network of this machine, its VPN and its firewall; then try again.',
      retry: 'later',
    });
  };
  try {
    return await Promise.race([late(), task(time.signal)]);
  } finally {
    cancel();
  }
}
