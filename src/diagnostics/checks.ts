/**
 * One thing that was looked at, and the verdict on it, in words that can be handed to a stranger: no secret is in them.
 *
 * Looks that cannot hang and cannot throw: one that fails is a line like the others.
 */
import { HedgeError, UnavailableError } from '../errors.ts';
import { aborted, type Clock } from '../platform/clock.ts';
export type Verdict = 'pass' | 'warn' | 'fail';

export type CheckName =
  | 'node'
  | 'files'
  | 'profile'
  | 'journal'
  | 'halt'
  | 'completion'
  | 'proxy'
  | 'dns'
  | 'tls'
  | 'reading'
  | 'clock'
  | 'answers';

export interface Check {
  check: CheckName;
  verdict: Verdict;
  /** What was found: whole sentences, or words that stand for one. */
  says: string;
  /** What to do about it, a step a line; undefined where nothing is to be done. */
  todo?: string | undefined;
  /** Figures for programs. */
  facts?: Readonly<Record<string, unknown>> | undefined;
}

export interface Checkup {
  /** The worst of them. */
  verdict: Verdict;
  checks: readonly Check[];
  /** When the service answered, by its own clock. */
  servedAt: Date | undefined;
}

export const checkupOf = (checks: readonly Check[]): Checkup => ({
  verdict:
    (['fail', 'warn'] as const).find((verdict) => checks.some((it) => it.verdict === verdict)) ?? 'pass',
  checks,
  servedAt: servedAtOf(checks),
});

function servedAtOf(checks: readonly Check[]): Date | undefined {
  const at = checks.find(({ check }) => check === 'clock')?.facts?.['served_at'];
  return typeof at === 'string' ? new Date(at) : undefined;
}

/** What could not be looked at, and why: the error's own words. */
export function failedCheck(check: CheckName, error: unknown): Check {
  if (!(error instanceof HedgeError))
    return {
      check,
      verdict: 'fail',
      says: `A fault in hedge itself: ${error instanceof Error ? error.message : String(error)}.`,
      todo: 'Report it with this whole list.',
    };
  return { check, verdict: 'fail', says: error.what, todo: error.hint, facts: { code: error.code } };
}

/** What was not looked at for want of something else that has its own line. */
export const notChecked = (check: CheckName, why: string): Check => ({
  check,
  verdict: 'warn',
  says: `Not looked at: ${why}.`,
});

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toString()} ${count === 1 ? one : many}`;

export type Settled<T> = { value: T } | { error: unknown };

export async function settled<T>(ask: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await ask() };
  } catch (error) {
    return { error };
  }
}

export async function attemptWithin(check: CheckName, look: () => Check | Promise<Check>): Promise<Check> {
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
