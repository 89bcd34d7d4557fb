/** Reports an action's progress: a spinner, and dated lines in the profile's time zone, or in UTC in a pipe. */
import { isoSeconds } from '../domain/instants.ts';
import { formatClock } from '../output/format-time.ts';
import type { Clock } from '../platform/clock.ts';
import type { ProgressReporter } from '../readings/read-context.ts';
import { chooseProgress, type Progress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/streams.ts';

/** `10:07:58` in the profile's zone; `09:07:58 UTC` in a pipe. */
export const timeOfDay =
  ({ stderr }: Terminal, zone: () => string) =>
  (ms: number): string =>
    stderr.isTTY && zone() !== 'UTC' ? formatClock(ms, zone()) : `${formatClock(ms, 'UTC')} UTC`;

/** `drawn`: the terminal's spinner; a pipe gets one line per change of state. */
export function progressReporter(
  terminal: Terminal,
  { drawn, clock, zone }: { drawn: Progress; clock: Clock; zone: () => string },
): ProgressReporter {
  const now = (): string =>
    terminal.stderr.isTTY ? formatClock(clock.now(), zone()) : isoSeconds(clock.now());
  const dated = (line: string): string => `${now()}  ${line}`;
  const unlessQuiet = (write: (line: string) => void) => (line: string) => {
    if (!terminal.quiet) write(dated(line));
  };
  if (terminal.canDraw) {
    return {
      start: (text) => drawn.start(text),
      update: (text) => drawn.start(text),
      note: unlessQuiet((line) => drawn.note(line)),
      news: (line) => drawn.note(dated(line)),
      stop: () => drawn.stop(),
    };
  }
  const lines = chooseProgress(terminal, { clock, inPipe: 'lines' });
  return {
    start: (text) => lines.start(dated(text)),
    update: () => undefined,
    note: unlessQuiet((line) => lines.note(line)),
    news: (line) => lines.note(dated(line)),
    stop: () => lines.stop(),
  };
}
