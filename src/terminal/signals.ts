/**
 * Handles INT, TERM and HUP: the first stops the program in order, a second one at once. The process dies by the signal,
 * so that a shell loop stops too.
 */
import { setMaxListeners } from 'node:events';
import { InterruptedError } from '../errors.ts';
import { aborted, nextTurn } from '../platform/clock.ts';

const WATCHED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type DeathSignal = (typeof WATCHED)[number];

export interface SignalSource {
  readonly pid: number;
  on(signal: DeathSignal, listener: () => void): unknown;
  removeAllListeners(signal: DeathSignal): unknown;
  kill(pid: number, signal: DeathSignal): unknown;
  readonly stderr: { isTTY?: boolean; write(text: string): unknown };
}

export interface SignalWatch {
  /** Aborts at the first signal with an InterruptedError. */
  readonly signal: AbortSignal;
  caught(): DeathSignal | undefined;
  /** Resolves at the first signal, for commands that run until stopped. */
  untilStopped(): Promise<void>;
  /**
   * After all output: dies by a received signal, unless the command ran until stopped and succeeded. From then on
   * signals have their default effect.
   */
  conclude(code: number): Promise<void>;
  /** Ends the process by `signal`, with the cursor shown. */
  dieBy(signal: DeathSignal): void;
}

const SHOW_CURSOR = '\u001b[?25h';

export function watchSignals(source: SignalSource): SignalWatch {
  const controller = new AbortController();
  // Many listeners; Node would warn on standard error from the eleventh.
  setMaxListeners(0, controller.signal);
  let first: DeathSignal | undefined;

  const dieBy = (signal: DeathSignal): void => {
    if (source.stderr.isTTY === true) source.stderr.write(SHOW_CURSOR);
    // A remaining listener would keep the signal from ending the process.
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
      // Lets a signal that just arrived be delivered.
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
