/**
 * The one place besides main.ts that touches the process's streams: what each of them is, and writing to
 * them. It never ends the process, and knows nothing of what is shown.
 *
 * What a stream is and can show, from facts handed in: its size and whether it can spell more than ASCII.
 *
 * A note within the width of a terminal. Knows neither where it is written nor what it says.
 */

import { fstatSync } from 'node:fs';
import { sanitize } from '../domain/sanitize.ts';
import { textWidth, wrapWords } from '../domain/text-width.ts';
import { OutputError } from '../errors.ts';
import {
  type ColorFlag,
  type ColorLevel,
  type ColorVariables,
  decideColor,
  overruledVariables,
} from './color.ts';
import { type DESCRIPTORS, type OutputStream, readAvailableSync, writeWhole } from './sync-write.ts';
export type InputStream = NodeJS.ReadableStream & {
  isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
};

/** What one output stream is. Standard output and standard error decide apart. */
export interface Surface {
  readonly isTTY: boolean;
  readonly colour: ColorLevel;
  /** Columns now: a terminal may be resized while we wait. */
  readonly width: number;
  /** Lines now: a terminal's own, else 24. */
  readonly height: number;
  readonly unicode: boolean;
}

export interface Terminal {
  readonly stdin: { readonly isTTY: boolean };
  readonly stdout: Surface;
  readonly stderr: Surface;
  /** Somebody is there to answer: input and standard error are terminals that can be drawn on. */
  readonly canPrompt: boolean;
  /** A spinner may be drawn on standard error. */
  readonly canDraw: boolean;
  /** The window that standard output is may be painted on. */
  readonly canPaint: boolean;
  readonly quiet: boolean;
  /** For prompts, spinners and screens alone, which draw by themselves. */
  readonly streams: {
    readonly input: InputStream;
    readonly drawing: OutputStream;
    readonly screen: OutputStream;
  };
  /** Nobody reads standard output any more: the other end of the pipe is closed. */
  readonly abandoned: boolean;
  /** The result, whole, on standard output. A closed pipe ends it silently; else OutputError. */
  writeResult(text: string): Promise<void>;
  /** The same of a text shorter than a pipe is long, and the only one: a terminal alone needs a stream for it. */
  writeHelp(text: string): Promise<void>;
  /**
   * One line on standard error, made harmless, and on a terminal broken between its words unless it stays `whole`,
   * to be pasted; or lines that the presentation has `painted`, as they are.
   */
  writeNote(line: string, options?: { painted?: boolean; whole?: boolean }): void;
  /**
   * Sends this process the signal that Ctrl-C would have been: while a question is open the terminal gives
   * it as a key. False where there is no process behind the streams.
   */
  interrupt(): boolean;
  /** Stops this process as Ctrl-Z would have; `then` runs when it is taken up again. */
  suspend(then: () => void): void;
  /** Keeps notes back from a terminal that is painted on, until they are released. */
  holdNotes(): HeldNotes;
  /** Resolves when everything written so far has left the process. */
  drained(): Promise<void>;
}

export interface HeldNotes {
  /** Newest last; the oldest are forgotten when there are many. */
  notes(): readonly string[];
  /** Writes them, and all that follow at once. */
  release(): void;
}

export interface Streams {
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  platform: string;
  readonly pid?: number;
  kill?(pid: number, signal: 'SIGINT' | 'SIGTSTP'): unknown;
  once?(event: 'SIGCONT', then: () => void): unknown;
}

export interface TerminalFlags {
  color?: ColorFlag | undefined;
  quiet?: boolean | undefined;
}

/**
 * `process` is the process or a twin of its streams. Colour variables of `env` that contradict the
 * decision are removed from it, so that no library obeys or complains about them.
 */
export function openTerminal(world: {
  process: Streams;
  env: Record<string, string | undefined>;
  flags?: TerminalFlags | undefined;
  /** Where `process` is this process: the system is asked and written to before a stream is made. */
  descriptors?: typeof DESCRIPTORS | undefined;
}): Terminal {
  const { process, env, flags = {}, descriptors } = world;
  const colours = {
    terminal: decideColor({ flag: flags.color, env, isTTY: true }),
    other: decideColor({ flag: flags.color, env, isTTY: false }),
  };
  const unicode = showsUnicode(env, process.platform);
  for (const name of overruledVariables(env)) delete env[name];

  // A stream of the process is made when it is first asked for, and making one takes a tenth of a start.
  const listened = new Set<OutputStream>();
  const plain = {
    stdout: descriptors !== undefined && isNoTerminal(descriptors.stdout),
    stderr: descriptors !== undefined && isNoTerminal(descriptors.stderr),
  };
  const opened = (which: 'stdout' | 'stderr'): OutputStream => {
    const stream = process[which];
    if (listened.has(stream)) return stream;
    listened.add(stream);
    // Without a listener an EPIPE that comes late would end the program with a stack trace.
    stream.on('error', () => undefined);
    return stream;
  };
  const seen = (which: 'stdout' | 'stderr'): Pick<OutputStream, 'isTTY' | 'columns' | 'rows'> =>
    plain[which] ? { isTTY: false } : opened(which);
  const surfaceOf = (which: 'stdout' | 'stderr'): Surface => ({
    get isTTY() {
      return seen(which).isTTY === true;
    },
    get colour() {
      return this.isTTY ? colours.terminal : colours.other;
    },
    get width() {
      return widthOf({ isTTY: this.isTTY, columns: seen(which).columns }, env);
    },
    get height() {
      return heightOf({ isTTY: this.isTTY, rows: seen(which).rows });
    },
    unicode,
  });
  const stdout = surfaceOf('stdout');
  const stderr = surfaceOf('stderr');
  const drawable = (): boolean => stderr.isTTY && env['TERM'] !== 'dumb';
  const quiet = flags.quiet === true;
  let notes: Promise<unknown> = Promise.resolve();
  let held: string[] | undefined;
  let abandoned = false;
  const writeNote = (shown: string): void => {
    const written = writeWhole(opened('stderr'), `${shown}\n`);
    // Nobody can be told that the place for telling is full.
    notes = Promise.all([notes, written.catch(() => undefined)]);
  };

  const writeResult = async (text: string | Uint8Array): Promise<void> => {
    try {
      abandoned = (await writeWhole(opened('stdout'), text)) === 'nobody reads';
    } catch (error) {
      throw outputFailure(error);
    }
  };

  return {
    stdin: {
      get isTTY() {
        return process.stdin.isTTY === true;
      },
    },
    stdout,
    stderr,
    get canPrompt() {
      return drawable() && process.stdin.isTTY === true;
    },
    get canDraw() {
      return drawable() && !isContinuousIntegration(env['CI']) && !quiet;
    },
    get canPaint() {
      return stdout.isTTY && env['TERM'] !== 'dumb';
    },
    quiet,
    streams: {
      get input() {
        return process.stdin;
      },
      get drawing() {
        return opened('stderr');
      },
      get screen() {
        return opened('stdout');
      },
    },
    get abandoned() {
      return abandoned;
    },
    writeResult,
    async writeHelp(text) {
      const bytes = Buffer.from(text);
      const rest = bytes.subarray(plain.stdout ? readAvailableSync(bytes) : 0);
      if (rest.length > 0) await writeResult(rest);
    },
    writeNote(line, options = {}) {
      const { painted = false, whole = false } = options;
      const shown = painted ? line.replace(/\n$/, '') : sanitize(line);
      if (held === undefined || !stderr.isTTY)
        writeNote(painted || whole || !stderr.isTTY ? shown : fitted(shown, stderr.width));
      else {
        held.push(shown);
        held.splice(0, held.length - MOST_HELD);
      }
    },
    interrupt() {
      if (process.pid === undefined || process.kill === undefined) return false;
      process.kill(process.pid, 'SIGINT');
      return true;
    },
    suspend(then) {
      if (process.pid === undefined || process.kill === undefined) return;
      process.once?.('SIGCONT', then);
      process.kill(process.pid, 'SIGTSTP');
    },
    holdNotes() {
      const mine: string[] = [];
      held = mine;
      return {
        notes: () => mine,
        release() {
          held = undefined;
          mine.splice(0).forEach(writeNote);
        },
      };
    },
    async drained() {
      await notes;
    },
  };
}

const MOST_HELD = 100;

function outputFailure(error: unknown): OutputError {
  const reason = error instanceof Error ? error.message : String(error);
  return new OutputError({
    code: 'output_failed',
    what: `The result could not be written to standard output: ${sanitize(reason)}.`,
    hint: 'Make room, or write to another place, and ask again.',
    cause: error,
  });
}

const WIDTH_WHEN_UNKNOWN = 80;

/** Columns of a stream: a terminal's own, else what COLUMNS says of it, else 80. A pipe is always 80. */
export function widthOf(
  stream: { isTTY: boolean; columns?: number | undefined },
  env: ColorVariables,
): number {
  if (!stream.isTTY) return WIDTH_WHEN_UNKNOWN;
  if (stream.columns !== undefined && stream.columns > 0) return stream.columns;
  const told = env['COLUMNS'] ?? '';
  return /^[1-9]\d{0,3}$/.test(told) ? Number(told) : WIDTH_WHEN_UNKNOWN;
}

const HEIGHT_WHEN_UNKNOWN = 24;

/** Lines of a terminal; 24 of anything else. */
export const heightOf = (stream: { isTTY: boolean; rows?: number | undefined }): number =>
  stream.isTTY && stream.rows !== undefined && stream.rows > 0 ? stream.rows : HEIGHT_WHEN_UNKNOWN;

/** Whether text beyond ASCII can be shown: the locale says UTF-8 and the terminal is not the bare console. */
export function showsUnicode(env: ColorVariables, platform: string): boolean {
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return false;
  if (platform === 'win32') return true;
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (value) => value !== undefined && value !== '',
  );
  return locale !== undefined && /utf-?8/i.test(locale);
}

/** Whether the system says, without a stream, that this is no terminal: a file, a pipe or a socket. */
export function isNoTerminal(descriptor: number): boolean {
  try {
    return !fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/** `value`: that of CI. */
export const isContinuousIntegration = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== 'false' && value !== '0';

/**
 * Broken between its words. What goes on stands further in, so that no text of a service begins a line: under the last
 * column of the first line, where two blanks or more make columns of it: `10:02:58  sending    action 7c1e`.
 */
export function fitted(note: string, width: number): string {
  const [columns = ''] = /^(?:\S+(?: \S+)* {2,})+/.exec(note) ?? [];
  const indent = Math.max(HANGING, Math.min(textWidth(columns), Math.floor(width / 2)));
  return wrapWords(note, width, indent).join('\n');
}

const HANGING = 2;
