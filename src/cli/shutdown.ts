/**
 * How one run of a command comes to an end: not long after a signal, and with an error of ours whatever was
 * thrown. Shared by the command that was typed and the lines of a batch.
 */
import { HedgeError, InterruptedError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';

interface Stopping {
  /** Aborts at Ctrl-C, TERM or HUP; its reason is the InterruptedError. */
  signal: AbortSignal;
  clock: Clock;
  /** Whether something may have been sent by now. */
  dealt?: () => boolean;
}

/** How long a command may take to end once it was told to. */
const GRACE_MS = 2_000;

const NOTHING_SENT = 'Nothing was sent that changes the book.';

/** Of what was cut off after an action was shown: the journal knows more than we do. */
const MAY_BE_SENT = {
  book: 'What was sent until then, and what became of it, is in the journal.',
  hint: 'Look there before dealing it again: hedge journal.',
  effect: 'unknown',
  retry: 'after_check',
} as const;

/**
 * What `running` comes to. After a signal it may take a moment to end by itself; what then still hangs is
 * left behind, and the signal's own reason is thrown: not as if nothing had been sent, where something may have.
 */
export function withShutdownDeadline<T>(
  running: Promise<T>,
  { signal, clock, dealt = () => false }: Stopping,
): Promise<T> {
  return new Promise((resolve, leave) => {
    let cancel: (() => void) | undefined;
    const onSignal = (): void => {
      cancel = clock.after(GRACE_MS, () => leave(leftBehind(signal.reason, dealt())));
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

const leftBehind = (reason: unknown, dealt: boolean): unknown =>
  reason instanceof InterruptedError && dealt
    ? new InterruptedError(reason.signal, { what: reason.what, ...MAY_BE_SENT, cause: reason })
    : reason;

/** Whatever was thrown, as an error of ours: what an interruption cut short, or a bug. `dealt`: an action was shown. */
export function errorOf(thrown: unknown, signal: AbortSignal, dealt: boolean): HedgeError {
  if (thrown instanceof HedgeError && thrown.effect !== 'none') return thrown;
  const stopped = thrown instanceof InterruptedError ? thrown : signal.reason;
  if (stopped instanceof InterruptedError && stopped.book === undefined) {
    // A fault of ours may have come at any point, an error of ours only before anything was sent.
    const meant = dealt && !(thrown instanceof HedgeError) ? MAY_BE_SENT : { book: NOTHING_SENT };
    return new InterruptedError(stopped.signal, { what: stopped.what, ...meant, cause: thrown });
  }
  if (thrown instanceof HedgeError) return thrown;
  return new HedgeError({
    code: 'internal',
    what: `A fault in hedge itself: ${thrown instanceof Error ? thrown.message : String(thrown)}.`,
    ...(dealt
      ? { ...MAY_BE_SENT, hint: `${MAY_BE_SENT.hint} And report the fault.` }
      : { book: NOTHING_SENT, hint: 'Run it again with -v for the trace, and report it.' }),
    cause: thrown,
  });
}
