/** A terminal whose streams are buffers: the program's own code over it, each answer about it settable. */
import { clearLine, cursorTo, moveCursor } from 'node:readline';
import { PassThrough, Writable } from 'node:stream';
import { openTerminal, type Streams, type Terminal, type TerminalFlags } from '../../src/terminal/streams.ts';

export interface RecordingOptions {
  /** Which streams are terminals; none when left out. */
  isTTY?: boolean | { stdin?: boolean; stdout?: boolean; stderr?: boolean };
  width?: number;
  rows?: number;
  env?: Record<string, string | undefined>;
  flags?: TerminalFlags;
  /** What either stream writes, as it does. */
  shows?: (text: string) => void;
  /** What reads single keys, and gets signals; otherwise lines are typed, and Ctrl-C is not known. */
  process?: Pick<Streams, 'pid' | 'kill' | 'once'> & { setRawMode(mode: boolean): void };
}

export interface Recording {
  terminal: Terminal;
  /** Everything written to standard output so far. */
  out: () => string;
  /** Everything written to standard error so far. */
  err: () => string;
  /** What the operator types, or a pipe sends. */
  type: (text: string) => void;
  endInput: () => void;
  resize: (columns: number, rows: number) => void;
}

const UTF8 = { LANG: 'en_NG.UTF-8', TERM: 'xterm-256color' };

export function recordingTerminal(options: RecordingOptions = {}): Recording {
  const all = typeof options.isTTY === 'boolean' ? options.isTTY : undefined;
  const each = typeof options.isTTY === 'object' ? options.isTTY : {};
  const { setRawMode, ...source } = options.process ?? {};
  const stdin = Object.assign(new PassThrough(), {
    isTTY: all ?? each.stdin ?? false,
    ...(setRawMode === undefined ? {} : { setRawMode }),
  });
  const stdout = new RecordingStream(all ?? each.stdout ?? false, options);
  const stderr = new RecordingStream(all ?? each.stderr ?? false, options);
  const terminal = openTerminal({
    process: { stdin, stdout, stderr, platform: 'linux', ...source },
    env: { ...UTF8, ...options.env },
    flags: options.flags ?? {},
  });
  return {
    terminal,
    out: () => stdout.text,
    err: () => stderr.text,
    type: (text) => void stdin.write(text),
    endInput: () => void stdin.end(),
    resize(width, height) {
      for (const stream of [stdout, stderr]) stream.resize(width, height);
    },
  };
}

/** Every change of colour or weight in `text`. */
export const coloursIn = (text: string): string[] => text.match(/\p{Cc}\[[\d;]*m/gu) ?? [];

class RecordingStream extends Writable {
  readonly isTTY: boolean;
  columns: number;
  rows: number;
  text = '';
  readonly #shows: RecordingOptions['shows'];

  constructor(isTTY: boolean, { width = 80, rows = 24, shows }: RecordingOptions) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
    this.columns = width;
    this.rows = rows;
    this.#shows = shows;
  }

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    const text = Buffer.isBuffer(chunk) ? chunk.toString('utf8') : String(chunk);
    this.text += text;
    this.#shows?.(text);
    done();
  }

  /** A pipe does not end the streams of a process, and so a second question can be asked. */
  override end(): this {
    return this;
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.emit('resize');
  }

  cursorTo = (column: number): boolean => cursorTo(this, column);
  moveCursor = (columns: number, rows: number): boolean => moveCursor(this, columns, rows);
  clearLine = (direction: -1 | 0 | 1): boolean => clearLine(this, direction);
}
