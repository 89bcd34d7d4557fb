/** A watch in a pipe: one line for each change, dated in UTC; outages on standard error. And the interface of all renderers. */
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
  reading(shown: CommandResult): Promise<void>;
  /** A reading failed; the watch goes on. */
  failure(error: HedgeError): Promise<void>;
  /** Called each second. */
  tick(): void;
  /** Never throws. */
  close(): Promise<void>;
}

export interface RendererPorts {
  terminal: Terminal;
  clock: Clock;
  /** Milliseconds between readings. */
  everyMs: number;
  /** Aborts at a signal. */
  signal: AbortSignal;
  quiet: boolean;
  context: () => RenderContext;
  /** Clears a spinner. */
  clear: () => void;
  /** Ends the watch with exit code 0. */
  quit: () => void;
}

export interface Outage {
  failed(error: HedgeError): void;
  answered(): void;
}

export function outageOn({
  terminal,
  quiet,
  context,
}: Pick<RendererPorts, 'terminal' | 'quiet' | 'context'>): Outage {
  let failing = false;
  const note = (textAt: (at: string) => string): void => {
    if (!quiet) terminal.writeNote(textAt(isoSeconds(context().now)));
  };
  return {
    failed(error) {
      if (failing) return;
      failing = true;
      printError(terminal, error, context());
      note((at) => `No response at ${at}, retrying.`);
    },
    answered() {
      if (failing) note((at) => `Responding again at ${at}.`);
      failing = false;
    },
  };
}

/** A line in a pipe is never wrapped. */
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
