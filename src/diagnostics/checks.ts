/** The result of one check, without secrets, and running checks that can neither hang nor throw. */
import { HedgeError, type Hint, UnavailableError } from '../errors.ts';
import { aborted, type Clock } from '../platform/clock.ts';

export type Verdict = 'pass' | 'warn' | 'fail';

export type CheckName =
  | 'node'
  | 'files'
  | 'profile'
  | 'operator'
  | 'journal'
  | 'desk'
  | 'rolls'
  | 'halt'
  | 'completion'
  | 'proxy'
  | 'agent'
  | 'dns'
  | 'tls'
  | 'reading'
  | 'clock'
  | 'answers';

export interface Check {
  check: CheckName;
  verdict: Verdict;
  /** The finding, in sentences. */
  message: string;
  /** The advice; undefined if there is nothing to do. */
  todo?: Hint | undefined;
  /** Figures for programs. */
  facts?: Readonly<Record<string, unknown>> | undefined;
}

/** Makes the results of one check, which share its figures. */
export const checkOf =
  (check: CheckName, facts?: Check['facts']) =>
  (verdict: Verdict, message: string, todo?: Hint): Check => ({ check, verdict, message, todo, facts });

export interface DiagnosticReport {
  /** The worst. */
  verdict: Verdict;
  checks: readonly Check[];
  /** When the service answered, by its own clock. */
  servedAt: Date | undefined;
}

export const diagnosticReport = (checks: readonly Check[]): DiagnosticReport => ({
  verdict:
    (['fail', 'warn'] as const).find((verdict) => checks.some((it) => it.verdict === verdict)) ?? 'pass',
  checks,
  servedAt: servedAtOf(checks),
});

function servedAtOf(checks: readonly Check[]): Date | undefined {
  const at = checks.find(({ check }) => check === 'clock')?.facts?.['served_at'];
  return typeof at === 'string' ? new Date(at) : undefined;
}

/** A check that threw: the error's message. */
export function failedCheck(check: CheckName, error: unknown): Check {
  if (error instanceof HedgeError)
    return checkOf(check, { code: error.code })('fail', error.what, error.hint);
  const message = `Internal error: ${error instanceof Error ? error.message : String(error)}.`;
  return checkOf(check)('fail', message, 'Report it with this whole list.');
}

/** A check that needs another one that failed. */
export const notChecked = (check: CheckName, why: string): Check =>
  checkOf(check)('warn', `Not checked: ${why}.`);

export type Answered<T> = { value: T } | { error: unknown };

export async function answered<T>(ask: () => Promise<T>): Promise<Answered<T>> {
  try {
    return { value: await ask() };
  } catch (error) {
    return { error };
  }
}

export async function attemptWithin(check: CheckName, run: () => Check | Promise<Check>): Promise<Check> {
  try {
    return await run();
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
      what: `No response within ${(ms / 1_000).toString()} s.`,
      hint: "Check this machine's network, VPN and firewall, then try again.",
      retry: 'later',
    });
  };
  try {
    return await Promise.race([late(), task(time.signal)]);
  } finally {
    cancel();
  }
}
