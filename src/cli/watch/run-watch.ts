/**
 * A command that is watched: its reading repeated until the operator ends it, in the form that was asked for. The
 * command itself knows nothing of it.
 */
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

/**
 * Resolves when the operator has ended it: by a key, by a signal (by which the process then dies), or by closing
 * the pipe. Throws what no reading on mends, the window given back.
 */
export async function runWatch(run: WatchRun): Promise<void> {
  const { clock, everyMs, output } = run;
  const quitting = new AbortController();
  const signal = AbortSignal.any([run.signal, quitting.signal]);
  const body = bodyFor(output, { ...run, quit: () => quitting.abort() });
  void everySecond(() => body.tick(), { clock, signal });
  try {
    await watchReadings({
      clock,
      signal,
      everyMs,
      read: run.read,
      onReading: (shown) => (shown === undefined ? undefined : body.reading(shown)),
      onFailure: (error) => body.failure(error),
    });
  } catch (thrown) {
    const stopped = quitting.signal.aborted || thrown instanceof InterruptedError;
    if (!stopped && !run.signal.aborted) throw thrown;
  } finally {
    quitting.abort();
    await body.close();
  }
}

/** Throws UsageError for a form that a stream of readings cannot take. */
export function checkWatched({ form }: Output): void {
  if (form !== 'csv') return;
  throw new UsageError(
    'CSV is one list under one heading, and a watch is many.',
    'For a stream: --json, a document a line, or --output jsonl, a record a line.',
  );
}

function bodyFor(output: Output, ports: RendererPorts): WatchRenderer {
  const { terminal } = ports;
  const { form, query } = output;
  if (form === 'jsonl' || query !== undefined)
    return dataBody(dataPrinter(terminal, { output, quiet: true }), ports);
  if (form === 'json') return documentBody(linesPrinter(terminal, { quiet: true }), ports);
  return terminal.canPaint ? screenRenderer(ports) : lineRenderer(ports);
}

/** What holds no place for an error: that readings fail is said beside it. */
function dataBody(printer: Printer, ports: RendererPorts): WatchRenderer {
  const outage = outageOn(ports);
  const body = documentBody(printer, ports);
  return {
    ...body,
    reading(shown) {
      outage.answered();
      return body.reading(shown);
    },
    failure: async (error) => outage.failed(error),
  };
}

/** What a script reads: each reading, and each failure, as the printer of its form has it. */
function documentBody(printer: Printer, { terminal, context, quit, clear }: RendererPorts): WatchRenderer {
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
