/**
 * Repeats the reading of a command until it is stopped: repainted on a terminal, in a pipe one line for each change, dated
 * in UTC.
 */

import type { CommandResult } from '../commands/command-context.ts';
import { isoSeconds } from '../domain/instants.ts';
import { type HedgeError, InterruptedError, UnavailableError, UsageError } from '../errors.ts';
import { type Block, line, type View } from '../output/blocks.ts';
import { type ChangeLine, message, partsIn, text } from '../output/cells.ts';
import { renderHuman } from '../output/render-human.ts';
import type { Clock } from '../platform/clock.ts';
import { everySecond, watchReadings } from '../readings/poll.ts';
import { openScreen, type Screen } from '../terminal/screen.ts';
import type { Terminal } from '../terminal/streams.ts';
import { dataPrinter } from './data-printer.ts';
import type { Output } from './global-options.ts';
import { printError, resultBlocks, viewOf } from './human-output.ts';
import { linesPrinter, type Printer } from './printer.ts';
import type { RenderContext } from './render-context.ts';

export interface WatchRenderer {
  reading(result: CommandResult): Promise<void>;
  /** A reading failed; the watch goes on. */
  failure(error: HedgeError): Promise<void>;
  /** Called each second. */
  tick?(): void;
  /** Never throws. */
  close?(): Promise<void>;
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
  /** Read at every repaint, and shown above the view. */
  urgent: () => View;
  /** Clears a spinner. */
  clear: () => void;
  /** Ends the watch with exit code 0. */
  quit: () => void;
}

export function outageOn({
  terminal,
  quiet,
  context,
}: Pick<RendererPorts, 'terminal' | 'quiet' | 'context'>) {
  let failing = false;
  const note = (textAt: (at: string) => string): void => {
    if (!quiet) terminal.writeNote(textAt(isoSeconds(context().now)));
  };
  return {
    failed(error: HedgeError): void {
      if (failing) return;
      failing = true;
      printError(terminal, error, context());
      note((at) => `No response at ${at}, retrying.`);
    },
    answered(): void {
      if (failing) note((at) => `Responding again at ${at}.`);
      failing = false;
    },
  };
}

/** `since`: new or different lines since the last call, then those that are gone. */
export function watchChanges() {
  let before = new Map<string, { text: string; ending: string }>();
  return {
    since(lines: readonly ChangeLine[]): readonly Block[] {
      const now = new Map(
        lines.map(({ key, cells, ending = 'gone' }) => [key, { text: JSON.stringify(cells), ending }]),
      );
      const changed = lines.filter(({ key }) => before.get(key)?.text !== now.get(key)?.text);
      const over = [...before].filter(([key]) => !now.has(key));
      before = now;
      return [
        ...changed.map(({ key, cells }) => line(key, cells)),
        ...over.map(([key, { ending }]) => line(key, ending)),
      ];
    },
  };
}

/** A line in a pipe is never wrapped. */
const UNBROKEN = 100_000;

export function lineRenderer(ports: RendererPorts): WatchRenderer {
  const { terminal, context, quit, clear } = ports;
  const changes = watchChanges();
  const outage = outageOn(ports);

  const render = (result: CommandResult): string => {
    const { now } = context();
    const at = text(isoSeconds(result.servedAt?.getTime() ?? now));
    const { unicode, isTTY, width } = terminal.stdout;
    return renderHuman(
      changes
        .since(result.changes())
        .map((each) => (each.kind === 'line' ? { ...each, cells: [at, ...each.cells] } : each)),
      { width: isTTY ? width : UNBROKEN, colour: 0, unicode: unicode || !isTTY, zone: 'UTC', iso: true, now },
    );
  };

  return {
    async reading(result) {
      clear();
      outage.answered();
      await terminal.writeResult(render(result));
      if (terminal.abandoned) quit();
    },
    failure: async (error) => outage.failed(error),
  };
}

interface Reading {
  result: CommandResult;
  /** By the clock of this machine. */
  atMs: number;
}

export function screenRenderer(ports: RendererPorts): WatchRenderer {
  const { terminal, clock, everyMs, signal, quit, clear, urgent } = ports;
  let screen: Screen | undefined;
  let last: Reading | undefined;
  let failure: HedgeError | undefined;

  /** The clock of the service runs on between readings. */
  const context = (): RenderContext => {
    const now = clock.now();
    const served = last?.result.servedAt?.getTime();
    const ahead = last === undefined || served === undefined ? 0 : served - last.atMs;
    return { ...ports.context(), headed: false, now: now + ahead };
  };

  const textOf = (blocks: View): string[] => {
    const lines = renderHuman(blocks, viewOf(terminal.stdout, context())).split('\n');
    return lines.slice(0, -1);
  };

  const viewOfLast = (): string[] => {
    const above = textOf(partsIn(urgent()).filter(({ kind }) => kind !== 'gap'));
    return [...above, ...(last === undefined ? [] : textOf(resultBlocks(last.result, context())))];
  };

  const paint = (): void => {
    if (screen === undefined) return;
    const view = viewOfLast();
    const newest = screen.notes().at(-1);
    const status = textOf([
      ...(newest === undefined ? [] : [line(message(newest, 'warn'))]),
      statusOf({ last, failure, now: clock.now(), everyMs }),
    ]);
    screen.paint(fitToHeight(view, status, terminal.stdout.height, terminal.stdout.unicode));
  };

  const open = (): void => {
    clear();
    screen ??= openScreen(terminal, { onResize: paint, onQuit: quit, signal });
    paint();
  };

  return {
    async reading(result) {
      last = { result, atMs: clock.now() };
      failure = undefined;
      open();
    },
    async failure(error) {
      failure = error;
      open();
    },
    tick: paint,
    async close() {
      screen?.close();
      if (screen === undefined) return;
      if (last === undefined) {
        if (failure !== undefined) printError(terminal, failure, ports.context());
        return;
      }
      // The last reading stays on the terminal.
      const stale = failure === undefined ? [] : [statusOf({ last, failure, now: clock.now(), everyMs })];
      const lines = [...viewOfLast(), ...textOf(stale)];
      await terminal.writeResult(`${lines.join('\n')}\n`).catch(() => undefined);
    },
  };
}

interface Status {
  last: Reading | undefined;
  failure: HedgeError | undefined;
  now: number;
  everyMs: number;
}

/** The age of the figures once a reading has failed or is late. */
function statusOf({ last, failure, now, everyMs }: Status): Block {
  const age = last === undefined ? undefined : Math.max(0, Math.floor((now - last.atMs) / 1_000));
  const keys = text('q quits', 'dim');
  if (failure !== undefined)
    return line(
      text(`${age === undefined ? 'NO DATA' : `STALE ${inWords(age)}`}:`, 'bad'),
      ...(failure instanceof UnavailableError
        ? [text(`${outageOf(failure)}, retrying;`, 'warn')]
        : [text('retrying;', 'warn'), message(failure.what)]),
      keys,
    );
  if (age === undefined) return line(text('Loading;', 'dim'), keys);
  const late = age * 1_000 > everyMs * 2 + 1_000;
  return late
    ? line(text(`STALE ${inWords(age)}: waiting for a response;`, 'warn'), keys)
    : line(text(`Every ${(everyMs / 1_000).toString()} s;`, 'dim'), keys);
}

const outageOf = ({ httpStatus }: HedgeError): string =>
  httpStatus === undefined ? 'no response' : `HTTP ${httpStatus.toString()}`;

const inWords = (seconds: number): string =>
  seconds < 120 ? `${seconds.toString()} s` : `${Math.floor(seconds / 60).toString()} min`;

/** The view, and the status in the last lines. In a small window empty lines go first, then the end of the view. */
export function fitToHeight(
  view: readonly string[],
  status: readonly string[],
  height: number,
  unicode: boolean,
): readonly string[] {
  const foot = status.slice(0, Math.max(1, height - 1));
  const room = Math.max(0, height - foot.length);
  if (view.length < room) return [...view, '', ...foot];
  const dense = view.filter((each) => each !== '');
  if (dense.length <= room) return [...withGaps(view, room), ...foot];
  if (room === 0) return foot;
  const missing = dense.length - room + 1;
  const more = `${unicode ? '…' : '...'} ${missing.toString()} more ${missing === 1 ? 'line' : 'lines'}`;
  return [...dense.slice(0, room - 1), more, ...foot];
}

/** Keeps as many empty lines as fit, the upper ones first. */
function withGaps(view: readonly string[], room: number): readonly string[] {
  let spare = room - view.filter((each) => each !== '').length;
  return view.filter((each) => {
    if (each !== '') return true;
    spare -= 1;
    return spare >= 0;
  });
}

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
  void everySecond(() => renderer.tick?.(), { clock, signal });
  try {
    await watchReadings({
      clock,
      signal,
      everyMs,
      read: run.read,
      onReading: (result) => (result === undefined ? undefined : renderer.reading(result)),
      onFailure: (error) => renderer.failure(error),
    });
  } catch (thrown) {
    const stopped = quitting.signal.aborted || thrown instanceof InterruptedError;
    if (!stopped && !run.signal.aborted) throw thrown;
  } finally {
    quitting.abort();
    await renderer.close?.();
  }
}

/** @throws UsageError for a format that a stream of readings cannot have. */
export function checkWatched(
  { form, query, columns }: Output,
  { canPaint }: Pick<Terminal, 'canPaint'>,
): void {
  if (columns !== undefined && form === 'table' && query === undefined && !canPaint)
    throw new UsageError(
      'In a pipe a watch prints what changed, so --columns has no effect.',
      'Add --output jsonl: one record per line, with only these columns.',
    );
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
    reading(result) {
      outage.answered();
      return renderer.reading(result);
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
    reading(result) {
      clear();
      return unlessAbandoned(printer.result(result, context()));
    },
    failure: (error) => unlessAbandoned(printer.failure(error, context())),
  };
}
