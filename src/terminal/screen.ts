/** The terminal's alternate screen for the live dashboard: one write per frame, no wrapping, and keys to quit or suspend. */
import { ownField } from '../domain/fields.ts';
import type { InputStream, Terminal } from './streams.ts';

export interface Screen {
  /** The lines from the top; those beyond the window are cut. An unchanged frame is not written. */
  paint(lines: readonly string[]): void;
  /** Notes for standard error meanwhile, newest last. */
  notes(): readonly string[];
  /** Restores the window. May be called twice. */
  close(): void;
}

export interface ScreenEvents {
  /** The window was resized or resumed: paint again. */
  onResize: () => void;
  /** `q` was pressed. */
  onQuit: () => void;
  /** Restores the window when it aborts. */
  signal: AbortSignal;
}

const ESC = '\u001b[';
const ENTER = `${ESC}?1049h${ESC}?25l${ESC}?7l${ESC}H${ESC}2J`;
const LEAVE = `${ESC}?7h${ESC}?25h${ESC}?1049l`;
/** Synchronized output; terminals without it ignore it. */
const FRAME = { begin: `${ESC}?2026h${ESC}H`, end: `${ESC}0m${ESC}?2026l` };
/** Before the text: after it, in the last column, it would delete the last letter. */
const EMPTY_LINE = `${ESC}2K`;
/** Clears the lines below the last one. */
const EMPTY_BELOW = `\r\n${ESC}J`;

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_Z = '\u001a';

export function openScreen(terminal: Terminal, events: ScreenEvents): Screen {
  const { screen, input } = terminal.streams;
  const held = terminal.holdNotes();
  let shown: string | undefined;
  let away = true;
  let closed = false;

  const enter = (): void => {
    away = false;
    shown = undefined;
    screen.write(ENTER);
  };
  const leave = (): void => {
    if (!away) screen.write(LEAVE);
    away = true;
  };
  const keys = listen(input, {
    [CTRL_C]: () => void terminal.interrupt(),
    [CTRL_D]: events.onQuit,
    q: events.onQuit,
    Q: events.onQuit,
    [CTRL_Z]: () => {
      leave();
      keys.rest();
      terminal.suspend(() => {
        if (closed) return;
        keys.wake();
        enter();
        events.onResize();
      });
    },
  });
  const repaint = (): void => {
    shown = undefined;
    events.onResize();
  };
  const close = (): void => {
    if (closed) return;
    closed = true;
    screen.removeListener('resize', repaint);
    events.signal.removeEventListener('abort', close);
    leave();
    keys.rest();
    held.release();
  };

  enter();
  screen.on('resize', repaint);
  events.signal.addEventListener('abort', close, { once: true });
  return {
    paint(lines) {
      if (away) return;
      const { height } = terminal.stdout;
      const frame = lines.slice(0, height).map((line) => EMPTY_LINE + line);
      const below = frame.length < height ? EMPTY_BELOW : '';
      const text = FRAME.begin + frame.join('\r\n') + below + FRAME.end;
      if (text === shown) return;
      shown = text;
      screen.write(text);
    },
    notes: () => held.notes(),
    close,
  };
}

/** Single key presses; none when input is not a terminal. */
function listen(input: InputStream, actions: Readonly<Record<string, () => void>>) {
  if (input.isTTY !== true || input.setRawMode === undefined)
    return { rest: () => undefined, wake: () => undefined };
  const onData = (typed: Buffer | string): void => {
    for (const key of typed.toString()) ownField(actions, key)?.();
  };
  const keys = {
    wake(): void {
      input.setRawMode?.(true);
      input.on('data', onData);
      input.resume();
    },
    rest(): void {
      input.removeListener('data', onData);
      input.setRawMode?.(false);
      input.pause();
    },
  };
  keys.wake();
  return keys;
}
