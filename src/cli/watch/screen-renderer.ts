/** A watch on a terminal: the last reading, repainted, with its age and the keys below it. */
import type { CommandResult } from '../../commands/command-result.ts';
import { type HedgeError, UnavailableError } from '../../errors.ts';
import { type Block, line, message, text } from '../../output/blocks.ts';
import { renderHuman } from '../../output/render-human.ts';
import { openScreen, type Screen } from '../../terminal/screen.ts';
import { printError, resultBlocks, viewOf } from '../human-output.ts';
import type { RenderContext } from '../render-context.ts';
import type { RendererPorts, WatchRenderer } from './line-renderer.ts';

interface Reading {
  shown: CommandResult;
  /** By the clock of this machine. */
  atMs: number;
}

export function screenRenderer(ports: RendererPorts): WatchRenderer {
  const { terminal, clock, everyMs, signal, quit, clear } = ports;
  let screen: Screen | undefined;
  let last: Reading | undefined;
  let failure: HedgeError | undefined;

  /** The clock of the service runs on between readings. */
  const context = (): RenderContext => {
    const now = clock.now();
    const served = last?.shown.servedAt?.getTime();
    const ahead = last === undefined || served === undefined ? 0 : served - last.atMs;
    return { ...ports.context(), headed: false, now: now + ahead };
  };

  const textOf = (blocks: readonly Block[]): string[] => {
    const lines = renderHuman(blocks, viewOf(terminal.stdout, context())).split('\n');
    return lines.slice(0, -1);
  };

  const paint = (): void => {
    if (screen === undefined) return;
    const view = last === undefined ? [] : textOf(resultBlocks(last.shown, context()));
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
    async reading(shown) {
      last = { shown, atMs: clock.now() };
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
      const lines = textOf([...resultBlocks(last.shown, context()), ...stale]);
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
