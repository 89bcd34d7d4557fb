/** Which body of Progress waits with the operator, decided here, once; and the two that draw nothing. */
import { forScreen } from '../domain/service-text.ts';
import type { Clock } from '../platform/clock.ts';
import type { Progress } from './progress.ts';
import { drawingProgress } from './progress-drawing.ts';
import type { Terminal } from './streams.ts';

/**
 * Drawn on a terminal. In a pipe, on a dumb terminal and in CI: one plain line for each change of state
 * where `inPipe` says so (actions), else nothing. `quiet` is silent but for notes of an action.
 */
export function chooseProgress(
  terminal: Terminal,
  options: { clock: Clock; inPipe: 'lines' | 'silent' },
): Progress {
  if (terminal.canDraw) return drawingProgress(terminal, options.clock);
  return options.inPipe === 'lines' && !terminal.quiet ? lineProgress(terminal) : silentProgress(terminal);
}

/** One line for each change of state; the same text twice is one line. */
function lineProgress(terminal: Terminal): Progress {
  let last: string | undefined;
  const say = (text: string): void => {
    const line = forScreen(text);
    if (line === last) return;
    last = line;
    terminal.writeNote(line);
  };
  return {
    start: say,
    update: say,
    note: (line) => terminal.writeNote(line),
    stop() {
      last = undefined;
    },
  };
}

/** Says notes and nothing else. */
function silentProgress(terminal: Pick<Terminal, 'writeNote'>): Progress {
  return { start: nothing, update: nothing, note: (line) => terminal.writeNote(line), stop: nothing };
}

const nothing = (): void => undefined;
