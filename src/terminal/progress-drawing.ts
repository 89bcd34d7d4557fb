/** The drawn body of Progress: ora on standard error, loaded only once a wait has lasted long enough to show. */
import type { Ora } from 'ora';
import { forScreen } from '../domain/service-text.ts';
import { cutToWidth } from '../domain/text-width.ts';
import type { Clock } from '../platform/clock.ts';
import { paint } from './paint.ts';
import type { Progress } from './progress.ts';
import type { Terminal } from './streams.ts';

/** Answers that come sooner show no spinner at all: it would only flicker. */
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
      // With stdin discarded Ctrl-C does nothing while the spinner turns.
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
      // A spinner that cannot be shown must not fail what is being waited for.
      showLater(waiting).catch(() => undefined);
    },
    update(text) {
      wanted = text;
      if (spinner !== undefined) spinner.text = shown();
    },
    // ora lifts the spinner out of the way of other writing by itself.
    note: (line) => terminal.writeNote(line),
    stop() {
      waiting?.abort();
      waiting = undefined;
      spinner?.stop();
      spinner = undefined;
    },
  };
}
