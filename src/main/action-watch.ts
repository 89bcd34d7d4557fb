/**
 * An action's progress as the desk lends it: what stays is dated by the clock, in the profile's zone, in UTC where
 * no person reads; what only counts the seconds is for the spinner. Knows no action.
 */
import { isoSeconds } from '../domain/instants.ts';
import { formatClock } from '../output/format-time.ts';
import type { Clock } from '../platform/clock.ts';
import type { ProgressReporter } from '../readings/read-context.ts';
import { chooseProgress, type Progress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/streams.ts';
/** `10:07:58` in the profile's zone; where no person reads, `09:07:58 UTC`. */
export const timeOfDay =
  ({ stderr }: Terminal, zone: () => string) =>
  (ms: number): string =>
    stderr.isTTY && zone() !== 'UTC' ? formatClock(ms, zone()) : `${formatClock(ms, 'UTC')} UTC`;

/** `drawn`: the one spinner of this terminal; in a pipe each change of state is a line instead. */
export function actionWatch(
  terminal: Terminal,
  { drawn, clock, zone }: { drawn: Progress; clock: Clock; zone: () => string },
): ProgressReporter {
  const now = (): string =>
    terminal.stderr.isTTY ? formatClock(clock.now(), zone()) : isoSeconds(clock.now());
  const dated = (line: string): string => `${now()}  ${line}`;
  const unlessQuiet = (say: (line: string) => void) => (line: string) => {
    if (!terminal.quiet) say(dated(line));
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
