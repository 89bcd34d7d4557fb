/**
 * A program on a real pseudo-terminal, its screen kept by a real terminal emulator: what a person would
 * see, and what the program's own bytes were.
 */
import { stripVTControlCharacters } from 'node:util';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { textWidth } from '../../src/domain/text-width.ts';
import { expectNeeded } from './tools.ts';

export interface Screen {
  /** Types `text`; `\r` is Enter, `\x03` Ctrl-C, `\x04` Ctrl-D. */
  send(text: string): void;
  /** Resolves with the screen once it shows `wanted`; fails with the screen's text after `timeoutMs`. */
  until(wanted: string | RegExp, timeoutMs?: number): Promise<string>;
  /** The lines now, scrolled-off ones among them, without blanks at their ends. */
  screen(): string[];
  /** Lines that were written wider than the window, whole: it breaks them, or cuts them off. */
  overflowing(): readonly string[];
  /** Texts in a colour of their own, as they stand there. */
  coloured(): readonly string[];
  /** Every byte the program sent, as text. */
  raw(): string;
  cursorHidden(): boolean;
  resize(columns: number, rows: number): void;
  kill(signal: NodeJS.Signals): void;
  readonly pid: number;
  /** How the program ended: its code, or the name of the signal it died by. */
  readonly exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface ScreenOptions {
  columns?: number;
  rows?: number;
  /** Added to an environment of PATH, HOME, LANG and TERM alone; a null takes a variable away. */
  env?: Readonly<Record<string, string | null>>;
  /** The working folder. */
  from?: string;
  /** In this process: it waits as long as it says, for what is watched. */
  inRealTime?: boolean;
  /** Longest that `until` waits; a program that does not end is killed after twice that. */
  timeoutMs?: number;
}

const LIMIT_MS = 300_000;

/** What the program ends a line with, or goes to another place by. */
// oxlint-disable-next-line no-control-regex
const NEW_LINE = /\r\n|[\r\n]|\u001b\[[\d;]*[A-HJK]/;

const SIGNALS: Readonly<Record<number, NodeJS.Signals>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  6: 'SIGABRT',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  15: 'SIGTERM',
};

/** A terminal emulator, and what may be asked of its screen. `write` passes on what a program sent. */
export function emulator({ columns = 80, rows = 24, timeoutMs = LIMIT_MS }: ScreenOptions) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 5000 });
  let raw = '';
  let ended = false;
  let waiters: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiters;
    waiters = [];
    for (const waiter of woken) waiter();
  };

  const screen = (): string[] => {
    const { active } = terminal.buffer;
    const lines: string[] = [];
    for (let row = 0; row < active.length; row += 1)
      lines.push(active.getLine(row)?.translateToString(true, 0, terminal.cols) ?? '');
    while (lines.at(-1) === '') lines.pop();
    return lines;
  };

  const overflowing = (): readonly string[] =>
    raw
      .split(NEW_LINE)
      .map(stripVTControlCharacters)
      .filter((line) => textWidth(line) > terminal.cols);

  const coloured = (): readonly string[] => {
    const { active } = terminal.buffer;
    const runs: string[] = [];
    for (let row = 0; row < active.length; row += 1) {
      let before: number | undefined;
      for (let column = 0; column < terminal.cols; column += 1) {
        const cell = active.getLine(row)?.getCell(column);
        const colour = cell === undefined || cell.isFgDefault() ? undefined : cell.getFgColor();
        if (colour !== undefined && colour !== before) runs.push('');
        if (colour !== undefined) runs.push((runs.pop() ?? '') + (cell?.getChars() ?? ''));
        before = colour;
      }
    }
    return runs.filter((run) => run.trim() !== '');
  };

  const shows = (wanted: string | RegExp): boolean => {
    const text = screen().join('\n');
    return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
  };

  async function until(wanted: string | RegExp, limitMs = timeoutMs): Promise<string> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      wake();
    }, limitMs);
    try {
      while (!shows(wanted)) {
        if (late || ended) {
          const why = ended ? 'the program ended' : `${limitMs} ms passed`;
          throw new Error(`${why} without ${String(wanted)} on the screen:\n${screen().join('\n')}\n---`);
        }
        await new Promise<void>((resolve) => waiters.push(resolve));
      }
      return screen().join('\n');
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    write(text: string) {
      raw += text;
      terminal.write(text, wake);
    },
    /** What a terminal answers to a question about itself belongs to the program's input. */
    onAnswer(then: (answer: string) => void) {
      terminal.onData((answer) => {
        if (!ended) then(answer);
      });
    },
    /** Resolves once all that was written is on the screen, to which nothing comes any more. */
    end(): Promise<void> {
      ended = true;
      return new Promise((resolve) => {
        terminal.write('', () => {
          wake();
          resolve();
        });
      });
    },
    resize: (width: number, height: number) => terminal.resize(width, height),
    asked: {
      until,
      screen,
      overflowing,
      coloured,
      raw: () => raw,
      cursorHidden: () => raw.lastIndexOf('\u001b[?25l') > raw.lastIndexOf('\u001b[?25h'),
    },
  };
}

export function openScreen(command: string, args: readonly string[], options: ScreenOptions = {}): Screen {
  expectNeeded(command);
  const { columns = 80, rows = 24, timeoutMs = LIMIT_MS } = options;
  const env: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
  };
  for (const [name, value] of Object.entries(options.env ?? {})) {
    if (value === null) delete env[name];
    else env[name] = value;
  }
  // The harness's name option is what becomes TERM.
  const name = env['TERM'] ?? 'xterm-256color';
  const child = spawn(command, [...args], {
    name,
    cols: columns,
    rows,
    env,
    cwd: options.from ?? process.cwd(),
  });
  const terminal = emulator(options);
  child.onData((text) => terminal.write(text));
  terminal.onAnswer((answer) => child.write(answer));

  const killer = setTimeout(() => child.kill('SIGKILL'), timeoutMs * 2);
  const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.onExit(({ exitCode, signal }) => {
      clearTimeout(killer);
      const died = signal === undefined || signal === 0 ? null : (SIGNALS[signal] ?? null);
      // The last bytes may still be on their way through the emulator.
      void terminal.end().then(() => resolve({ code: died === null ? exitCode : null, signal: died }));
    });
  });

  return {
    ...terminal.asked,
    send: (text) => child.write(text),
    resize(width, height) {
      child.resize(width, height);
      terminal.resize(width, height);
    },
    kill: (signal) => process.kill(child.pid, signal),
    pid: child.pid,
    exit,
  };
}
