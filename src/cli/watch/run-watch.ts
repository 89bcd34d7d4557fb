/** Repeats the reading of a command until it is ended, in the requested format. */
import type { CommandResult } from '../../commands/command-result.ts';
import { InterruptedError, UsageError } from '../../errors.ts';
import { everySecond, watchReadings } from '../../readings/poll.ts';
import { dataPrinter } from '../data-printer.ts';
import type { Output } from '../output-options.ts';
import { linesPrinter, type Printer } from '../printer.ts';
import { lineRenderer, outageOn, type RendererPorts, type WatchRenderer } from './line-renderer.ts';
import { screenRenderer } from './screen-renderer.ts';
export interface WatchRun extends Omit<RendererPorts, 'quit'> {
  output: Output;
  read: () => Promise<CommandResult | undefined>;
}

/** Resolves when a key, a signal or a closed pipe ends it. Throws errors that retrying does not fix. */
export async function runWatch(run: WatchRun): Promise<void> {
  const { clock, everyMs, output } = run;
  const quitting = new AbortController();
  const signal = AbortSignal.any([run.signal, quitting.signal]);
  const renderer = rendererFor(output, { ...run, quit: () => quitting.abort() });
  void everySecond(() => renderer.tick(), { clock, signal });
  try {
    await watchReadings({
      clock,
      signal,
      everyMs,
      read: run.read,
      onReading: (shown) => (shown === undefined ? undefined : renderer.reading(shown)),
      onFailure: (error) => renderer.failure(error),
    });
  } catch (thrown) {
    const stopped = quitting.signal.aborted || thrown instanceof InterruptedError;
    if (!stopped && !run.signal.aborted) throw thrown;
  } finally {
    quitting.abort();
    await renderer.close();
  }
}

/** @throws UsageError for a format that a stream of readings cannot have. */
export function checkWatched({ form }: Output): void {
  if (form !== 'csv') return;
  throw new UsageError(
    'CSV does not work with a watch.',
    'Use --json (one document per line) or --output jsonl (one record per line).',
  );
}

function rendererFor(output: Output, ports: RendererPorts): WatchRenderer {
  const { terminal } = ports;
  const { form, query } = output;
  if (form === 'jsonl' || query !== undefined)
    return dataRenderer(dataPrinter(terminal, { output, quiet: true }), ports);
  if (form === 'json') return documentRenderer(linesPrinter(terminal, { quiet: true }), ports);
  return terminal.canPaint ? screenRenderer(ports) : lineRenderer(ports);
}

/** Data has no place for an error: outages go to standard error. */
function dataRenderer(printer: Printer, ports: RendererPorts): WatchRenderer {
  const outage = outageOn(ports);
  const renderer = documentRenderer(printer, ports);
  return {
    ...renderer,
    reading(shown) {
      outage.answered();
      return renderer.reading(shown);
    },
    failure: async (error) => outage.failed(error),
  };
}

function documentRenderer(
  printer: Printer,
  { terminal, context, quit, clear }: RendererPorts,
): WatchRenderer {
  const unlessAbandoned = async (written: Promise<void>): Promise<void> => {
    await written;
    if (terminal.abandoned) quit();
  };
  return {
    reading(shown) {
      clear();
      return unlessAbandoned(printer.result(shown, context()));
    },
    failure: (error) => unlessAbandoned(printer.failure(error, context())),
    tick: () => undefined,
    close: () => Promise.resolve(),
  };
}
