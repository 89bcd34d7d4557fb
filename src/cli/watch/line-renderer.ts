/**
 * The ways in which what is watched leaves the program; which of them it is, is decided once (run-watch.ts).
 *
 * What standard error is told of readings that fail: that they do, once, with the error's own words, and when
 * answers come again. Knows neither what is read nor where the readings go.
 *
 * A watch in a pipe: one line on standard output for each thing that changed, dated in UTC by the service's own
 * clock; on standard error that answers stopped coming, and that they came again.
 */
import type { CommandResult } from '../../commands/command-result.ts';
import { isoSeconds } from '../../domain/instants.ts';
import type { HedgeError } from '../../errors.ts';
import { text } from '../../output/blocks.ts';
import { watchChanges } from '../../output/change-lines.ts';
import { renderHuman } from '../../output/render-human.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Terminal } from '../../terminal/streams.ts';
import { printError } from '../human-output.ts';
import type { RenderContext } from '../render-context.ts';
export interface WatchRenderer {
  /** A reading that came. */
  reading(shown: CommandResult): Promise<void>;
  /** One that failed; it is read on. */
  failure(error: HedgeError): Promise<void>;
  /** Called each second. */
  tick(): void;
  /** The watch is over, and how: on its own terms, or by a signal. Never throws. */
  close(): Promise<void>;
}

export interface RendererPorts {
  terminal: Terminal;
  clock: Clock;
  /** Milliseconds from one reading to the next. */
  everyMs: number;
  /** Aborts at a signal. */
  signal: AbortSignal;
  quiet: boolean;
  context: () => RenderContext;
  /** What else stands on the window goes: a spinner. */
  clear: () => void;
  /** Ends the watch, and well. */
  quit: () => void;
}

export interface Outage {
  /** A reading failed; it is read on. */
  failed(error: HedgeError): void;
  /** One came. */
  answered(): void;
}

export function outageOn({
  terminal,
  quiet,
  context,
}: Pick<RendererPorts, 'terminal' | 'quiet' | 'context'>): Outage {
  let failing = false;
  const note = (said: (at: string) => string): void => {
    if (!quiet) terminal.writeNote(said(isoSeconds(context().now)));
  };
  return {
    failed(error) {
      if (failing) return;
      failing = true;
      printError(terminal, error, context());
      note((at) => `No reading at ${at}; it is read on.`);
    },
    answered() {
      if (failing) note((at) => `Answers again at ${at}.`);
      failing = false;
    },
  };
}

/** A line in a pipe is never broken, however long; one on a terminal that cannot be painted on is. */
const UNBROKEN = 100_000;

export function lineRenderer(ports: RendererPorts): WatchRenderer {
  const { terminal, context, quit, clear } = ports;
  const changes = watchChanges();
  const outage = outageOn(ports);

  const render = (shown: CommandResult): string => {
    const { now } = context();
    const at = text(isoSeconds(shown.servedAt?.getTime() ?? now));
    const { unicode, isTTY, width } = terminal.stdout;
    return renderHuman(
      changes
        .since(shown.changes())
        .map((each) => (each.kind === 'line' ? { ...each, cells: [at, ...each.cells] } : each)),
      { width: isTTY ? width : UNBROKEN, colour: 0, unicode: unicode || !isTTY, zone: 'UTC', now },
    );
  };

  return {
    async reading(shown) {
      clear();
      outage.answered();
      await terminal.writeResult(render(shown));
      if (terminal.abandoned) quit();
    },
    failure: async (error) => outage.failed(error),
    tick: () => undefined,
    close: () => Promise.resolve(),
  };
}
