/** Progress on standard error while the program waits: a spinner (ora, loaded late), or nothing. */

import type { Ora } from 'ora';
import { forScreen } from '../domain/sanitize.ts';
import { cutToWidth } from '../domain/text-width.ts';
import type { Clock } from '../platform/clock.ts';
import { paint } from './color.ts';
import type { Terminal } from './streams.ts';

export interface Progress {
  /** Starts waiting. A second start replaces the text. */
  start(text: string): void;
  update(text: string): void;
  /** A line that stays. */
  note(line: string): void;
  /** Stops waiting and clears the spinner. May be called without a start. */
  stop(): void;
}

/** A spinner on a terminal. In a pipe, on a dumb terminal and in CI notes alone. */
export const chooseProgress = (terminal: Terminal, clock: Clock): Progress =>
  terminal.canDraw ? drawingProgress(terminal, clock) : silentProgress(terminal);

/** Writes notes only. */
function silentProgress(terminal: Pick<Terminal, 'writeNote'>): Progress {
  return { start: nothing, update: nothing, note: (line) => terminal.writeNote(line), stop: nothing };
}

const nothing = (): void => undefined;

/** A shorter wait shows no spinner. */
export const SHOWN_AFTER_MS = 150;

const FRAMES = {
  unicode: { frames: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'], interval: 80 },
  ascii: { frames: ['-', '\\', '|', '/'], interval: 130 },
};
/** The frame, the blank after it, and the last column, where some terminals wrap at once. */
const BESIDE_TEXT = 3;

export function drawingProgress(terminal: Terminal, clock: Clock): Progress {
  let wanted = '';
  let spinner: Ora | undefined;
  let waiting: AbortController | undefined;

  const shown = (): string => {
    const { unicode, width } = terminal.stderr;
    return cutToWidth(forScreen(wanted), width - BESIDE_TEXT, unicode ? '…' : '...');
  };

  async function showLater(abort: AbortController): Promise<void> {
    await clock.sleep(SHOWN_AFTER_MS, abort.signal);
    if (abort.signal.aborted) return;
    const { default: ora } = await import('ora');
    if (abort.signal.aborted) return;
    const { unicode, colour } = terminal.stderr;
    const style = unicode ? FRAMES.unicode : FRAMES.ascii;
    spinner = ora({
      text: shown(),
      // ora would ask chalk, which knows neither NO_COLOR nor our flags.
      color: false,
      spinner: { ...style, frames: style.frames.map((frame) => paint(colour, 'cyan', frame)) },
      stream: terminal.streams.drawing,
      isEnabled: true,
      // Ctrl-C does nothing while the spinner turns if stdin is discarded.
      discardStdin: false,
    }).start();
  }

  return {
    start(text) {
      wanted = text;
      if (waiting !== undefined) {
        if (spinner !== undefined) spinner.text = shown();
        return;
      }
      waiting = new AbortController();
      // A failed spinner must not fail the command.
      showLater(waiting).catch(() => undefined);
    },
    update(text) {
      wanted = text;
      if (spinner !== undefined) spinner.text = shown();
    },
    // ora moves the spinner below other output by itself.
    note: (line) => terminal.writeNote(line),
    stop() {
      waiting?.abort();
      waiting = undefined;
      spinner?.stop();
      spinner = undefined;
    },
  };
}

const CELLS = 20;

/** `[##########----------] 15/30, 1 failed`, for work on many lines or rows. `total` is above 0. */
export function progressBar({
  done,
  failed,
  total,
}: Readonly<Record<'done' | 'failed' | 'total', number>>): string {
  const full = Math.floor((CELLS * done) / total);
  const bad = failed === 0 ? '' : `, ${failed.toString()} failed`;
  return `[${'#'.repeat(full)}${'-'.repeat(CELLS - full)}] ${done.toString()}/${total.toString()}${bad}`;
}
