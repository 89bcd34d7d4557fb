/**
 * Ctrl-C, TERM and HUP: the first asks the program to come to an end, a second one is immediate, and the
 * process dies by the signal itself, so that a shell loop around it stops too.
 */
import { setMaxListeners } from 'node:events';
import { InterruptedError } from '../errors.ts';
import { aborted, nextTurn } from '../platform/clock.ts';

const WATCHED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type DeathSignal = (typeof WATCHED)[number];

/** What is needed of the process. */
export interface SignalSource {
  readonly pid: number;
  on(signal: DeathSignal, listener: () => void): unknown;
  removeAllListeners(signal: DeathSignal): unknown;
  kill(pid: number, signal: DeathSignal): unknown;
  readonly stderr: { isTTY?: boolean; write(text: string): unknown };
}

export interface SignalWatch {
  /** Aborts at the first signal; its reason is an InterruptedError that names the signal. */
  readonly signal: AbortSignal;
  caught(): DeathSignal | undefined;
  /** Resolves at the first signal, which is then how the command is meant to end. */
  untilStopped(): Promise<void>;
  /**
   * Once everything is written: dies by the signal that came, whatever the exit code, so that a loop around it
   * stops also when the command was done already; not where it waited for it and ends well. From here on a
   * signal does what the system lets it do.
   */
  conclude(code: number): Promise<void>;
  /** Ends the process by `signal`, the cursor shown. All that is to be said must have been written. */
  dieBy(signal: DeathSignal): void;
}

const SHOW_CURSOR = '\u001b[?25h';

export function watchSignals(source: SignalSource): SignalWatch {
  const controller = new AbortController();
  // Everything under way at once listens; Node would warn on standard error from the eleventh on.
  setMaxListeners(0, controller.signal);
  let first: DeathSignal | undefined;

  const dieBy = (signal: DeathSignal): void => {
    if (source.stderr.isTTY === true) source.stderr.write(SHOW_CURSOR);
    // Any listener left, ours or a library's, would keep the system from ending the process.
    source.removeAllListeners(signal);
    source.kill(source.pid, signal);
  };

  for (const signal of WATCHED) {
    source.on(signal, () => {
      if (first !== undefined) {
        dieBy(signal);
        return;
      }
      first = signal;
      controller.abort(new InterruptedError(signal, { what: SAID[signal] }));
    });
  }
  let awaited = false;
  return {
    signal: controller.signal,
    caught: () => first,
    async untilStopped() {
      awaited = true;
      await aborted(controller.signal);
    },
    async conclude(code) {
      // What came in the last moment has not been told yet.
      await nextTurn();
      await nextTurn();
      if (first !== undefined && !(awaited && code === 0)) dieBy(first);
      for (const signal of WATCHED) source.removeAllListeners(signal);
    },
    dieBy,
  };
}

const SAID: Readonly<Record<DeathSignal, string>> = {
  SIGINT: 'Stopped by Ctrl-C.',
  SIGTERM: 'Stopped by the system (TERM).',
  SIGHUP: 'Stopped: the terminal was closed (HUP).',
};
