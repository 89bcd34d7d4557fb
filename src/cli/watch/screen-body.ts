/**
 * A watch at a terminal: the view of the last reading, painted over the one before, and under it how old its
 * figures are and how to end it. It keeps one reading and no more.
 */
import type { Shown } from '../../commands/shown.ts';
import type { HedgeError } from '../../errors.ts';
import { type Block, line, message, text } from '../../present/blocks.ts';
import { fitToHeight } from '../../present/fit-to-height.ts';
import { renderHuman } from '../../present/render-human.ts';
import { openScreen, type Screen } from '../../terminal/screen.ts';
import type { Context } from '../context.ts';
import { lens, resultBlocks, sayError } from '../saying.ts';
import type { BodyPorts, WatchBody } from './watch-body.ts';

interface Reading {
  shown: Shown;
  /** When it was read, by this machine's clock. */
  atMs: number;
}

export function screenBody(ports: BodyPorts): WatchBody {
  const { terminal, clock, everyMs, signal, quit, clear } = ports;
  let screen: Screen | undefined;
  let last: Reading | undefined;
  let failure: HedgeError | undefined;

  /** Between two readings the service's clock goes on as ours does. */
  const context = (): Context => {
    const now = clock.now();
    const served = last?.shown.servedAt?.getTime();
    const ahead = last === undefined || served === undefined ? 0 : served - last.atMs;
    return { ...ports.context(), headed: false, now: now + ahead };
  };

  const textOf = (blocks: readonly Block[]): string[] => {
    const lines = renderHuman(blocks, lens(terminal.stdout, context())).split('\n');
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
        if (failure !== undefined) sayError(terminal, failure, ports.context());
        return;
      }
      // The window is as it was; what was seen last stays under what was typed.
      const stale = failure === undefined ? [] : [statusOf({ last, failure, now: clock.now(), everyMs })];
      const lines = textOf([...resultBlocks(last.shown, context()), ...stale]);
      await terminal.writeResult(`${lines.join('\n')}\n`).catch(() => undefined);
    },
  };
}

interface Standing {
  last: Reading | undefined;
  failure: HedgeError | undefined;
  now: number;
  everyMs: number;
}

/** How old the figures are is said in words as soon as a reading has failed, or is late. */
function statusOf({ last, failure, now, everyMs }: Standing): Block {
  const age = last === undefined ? undefined : Math.max(0, Math.floor((now - last.atMs) / 1_000));
  const keys = text('q quits', 'dim');
  if (failure !== undefined)
    return line(
      text('NO ANSWER.', 'bad'),
      text(age === undefined ? 'No figures yet.' : `These figures are ${inWords(age)} old.`, 'warn'),
      message(`Reading on. ${failure.what}`),
      keys,
    );
  if (age === undefined) return line(text('Reading', 'dim'), keys);
  const late = age * 1_000 > everyMs * 2 + 1_000;
  return late
    ? line(
        text('WAITING for an answer.', 'warn'),
        text(`These figures are ${inWords(age)} old.`, 'warn'),
        keys,
      )
    : line(text(`Read every ${(everyMs / 1_000).toString()} s,`, 'dim'), keys);
}

const inWords = (seconds: number): string =>
  seconds < 120 ? `${seconds.toString()} s` : `${Math.floor(seconds / 60).toString()} min`;
