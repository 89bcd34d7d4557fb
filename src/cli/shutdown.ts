/** The end of a command: shortly after a signal, and always with a HedgeError. Shared with the lines of a batch. */
import { say, shell } from '../domain/hint.ts';
import { DamagedFileError, HedgeError, InterruptedError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';

interface ShutdownOptions {
  /** Aborts at Ctrl-C, TERM or HUP; its reason is the InterruptedError. */
  signal: AbortSignal;
  clock: Clock;
  /** Whether a request may have been sent by now. */
  actionPreviewed?: () => boolean;
  /** Asked at the signal: whether it ends later, in its own time. */
  endsLater?: () => boolean;
}

const GRACE_MS = 2_000;

const NOTHING_SENT = 'This command sent no action.';

/** After an action was previewed, only the journal knows what was sent. */
const MAY_BE_SENT = {
  meaning: 'An action may have been sent. The journal has it, with its outcome.',
  hint: say`Check before you send it again: ${shell`hedge journal`}`,
  effect: 'unknown',
  retry: 'after_check',
} as const;

/** Gives `running` a moment to end after a signal, then throws the reason of the signal. */
export function withShutdownDeadline<T>(
  running: Promise<T>,
  { signal, clock, actionPreviewed = () => false, endsLater = () => false }: ShutdownOptions,
): Promise<T> {
  return new Promise((resolve, leave) => {
    let cancel: (() => void) | undefined;
    const onSignal = (): void => {
      if (endsLater()) return;
      cancel = clock.after(GRACE_MS, () => leave(interruptedError(signal.reason, actionPreviewed())));
    };
    if (signal.aborted) onSignal();
    else signal.addEventListener('abort', onSignal, { once: true });
    const ended = (): void => {
      signal.removeEventListener('abort', onSignal);
      cancel?.();
    };
    void running.then(resolve, leave).finally(ended);
  });
}

const interruptedError = (reason: unknown, actionPreviewed: boolean): unknown =>
  reason instanceof InterruptedError && actionPreviewed ? reason.with(MAY_BE_SENT) : reason;

/** The file of a native addon, which the single executable keeps in the config folder. */
const isOfAddon = (thrown: unknown): thrown is Error & { path: string } =>
  thrown instanceof Error &&
  'path' in thrown &&
  typeof thrown.path === 'string' &&
  thrown.path.endsWith('.node');

/** The package that the program needs and that is not installed. */
function missingPackage(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'MODULE_NOT_FOUND')) return undefined;
  return /^Cannot find module '(@?\w[^']*)'/.exec(thrown.message)?.[1];
}

/** Any thrown value as a HedgeError: an interruption or a bug. `actionPreviewed`: an action was previewed. */
export function errorOf(thrown: unknown, signal: AbortSignal, actionPreviewed: boolean): HedgeError {
  if (thrown instanceof HedgeError && thrown.effect !== 'none') return thrown;
  const stopped = thrown instanceof InterruptedError ? thrown : signal.reason;
  if (stopped instanceof InterruptedError && stopped.meaning === undefined) {
    // A bug may come at any point, a HedgeError only before anything was sent.
    const meaning =
      actionPreviewed && !(thrown instanceof HedgeError) ? MAY_BE_SENT : { meaning: NOTHING_SENT };
    return stopped.with({ ...meaning, cause: thrown });
  }
  if (thrown instanceof HedgeError) return thrown;
  if (!actionPreviewed && isOfAddon(thrown))
    return new DamagedFileError(thrown.path, {
      what: `The library of the journal's database cannot be loaded: ${thrown.message}`,
      meaning: NOTHING_SENT,
      hint: 'Fix that, or set HEDGE_HOME to a folder from which programs may be loaded.',
      cause: thrown,
    });
  const missing = actionPreviewed ? undefined : missingPackage(thrown);
  if (missing !== undefined)
    return new HedgeError({
      code: 'internal',
      what: `hedge is not completely installed: its package ${missing} is missing.`,
      meaning: NOTHING_SENT,
      hint: 'Install hedge again with npm, or use the single executable. A copy needs its node_modules too.',
      cause: thrown,
    });
  return new HedgeError({
    code: 'internal',
    what: `Internal error: ${thrown instanceof Error ? thrown.message : String(thrown)}.`,
    ...(actionPreviewed
      ? { ...MAY_BE_SENT, hint: say`${MAY_BE_SENT.hint}. Report the error.` }
      : { meaning: NOTHING_SENT, hint: 'Run it again with -v for a stack trace, and report it.' }),
    cause: thrown,
  });
}
