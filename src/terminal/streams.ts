/** The process's streams: their size, color and Unicode support; writing results, help and notes; reading standard input. */

import { fstatSync } from 'node:fs';
import { sanitize } from '../domain/sanitize.ts';
import { textWidth, wrapWords } from '../domain/text-width.ts';
import { OutputError, UsageError } from '../errors.ts';
import {
  type ColorFlag,
  type ColorLevel,
  type ColorVariables,
  decideColor,
  overruledVariables,
} from './color.ts';
import {
  type DESCRIPTORS,
  type OutputStream,
  type Written,
  writePartSync,
  writeWhole,
} from './sync-write.ts';

export type InputStream = NodeJS.ReadableStream & {
  isTTY?: boolean;
  setRawMode?(mode: boolean): unknown;
};

/** The properties of one output stream. */
export interface Surface {
  readonly isTTY: boolean;
  readonly colour: ColorLevel;
  /** Current columns: a terminal may be resized. */
  readonly width: number;
  /** Current lines: a terminal's own, else 24. */
  readonly height: number;
  readonly unicode: boolean;
}

export interface Terminal {
  readonly stdin: { readonly isTTY: boolean };
  readonly stdout: Surface;
  readonly stderr: Surface;
  /** Input and standard error are terminals that can show prompts. */
  readonly canPrompt: boolean;
  /** A terminal that shows no questions, for its TERM alone. */
  readonly isDumb: boolean;
  /** Standard error can show a spinner. */
  readonly canDraw: boolean;
  /** Standard output can show the dashboard. */
  readonly canPaint: boolean;
  readonly quiet: boolean;
  /** For prompts, spinners and the dashboard, which draw by themselves. */
  readonly streams: {
    readonly input: InputStream;
    readonly drawing: OutputStream;
    readonly screen: OutputStream;
  };
  /** The reader of standard output closed the pipe. */
  readonly abandoned: boolean;
  /** Writes the whole result to standard output. A closed pipe is no error. @throws OutputError */
  writeResult(text: string): Promise<void>;
  /**
   * One sanitized line on standard error, wrapped on a terminal unless `whole` (to be pasted); or `painted` lines as they
   * are.
   */
  writeNote(line: string, options?: { painted?: boolean; whole?: boolean }): void;
  /**
   * Sends this process SIGINT, as an open question gets Ctrl-C as a key. False in tests without a process.
   */
  interrupt(): boolean;
  /** Suspends this process as Ctrl-Z does; `then` runs when it resumes. */
  suspend(then: () => void): void;
  /** Holds notes back while the dashboard is shown. */
  holdNotes(): DeferredNotes;
  /** Resolves when everything written so far has left the process. */
  drained(): Promise<void>;
}

export interface DeferredNotes {
  /** Newest last; the oldest are dropped when there are many. */
  notes(): readonly string[];
  /** Writes them, and later notes directly. */
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
 * Removes color variables from `env` that contradict the decision, so that no library obeys or warns about them.
 */
export function openTerminal(world: {
  process: Streams;
  env: Record<string, string | undefined>;
  flags?: TerminalFlags | undefined;
  /** For the real process: file descriptors to use before a stream is created. */
  descriptors?: typeof DESCRIPTORS | undefined;
}): Terminal {
  const { process, env, flags = {}, descriptors } = world;
  const colours = {
    terminal: decideColor({ flag: flags.color, env, isTTY: true }),
    other: decideColor({ flag: flags.color, env, isTTY: false }),
  };
  const unicode = showsUnicode(env, process.platform);
  for (const name of overruledVariables(env)) delete env[name];

  // Creating a stream takes a tenth of the start-up time, so each is created when first needed.
  const streamed = new Set<'stdout' | 'stderr'>();
  const plain = {
    stdout: descriptors !== undefined && isNoTerminal(descriptors.stdout),
    stderr: descriptors !== undefined && isNoTerminal(descriptors.stderr),
  };
  const opened = (which: 'stdout' | 'stderr'): OutputStream => {
    const stream = process[which];
    if (streamed.has(which)) return stream;
    streamed.add(which);
    // Without a listener a late EPIPE would crash the program.
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
  /** Directly at first; after a part that did not fit, in order through the stream. */
  const write = async (which: 'stdout' | 'stderr', text: string | Uint8Array): Promise<Written> => {
    const bytes = Buffer.from(text);
    const isDirect = descriptors !== undefined && plain[which] && !streamed.has(which);
    const rest = bytes.subarray(isDirect ? writePartSync(descriptors[which], bytes) : 0);
    return rest.length === 0 ? 'whole' : writeWhole(opened(which), rest);
  };
  const writeNote = (shown: string): void => {
    const written = write('stderr', `${shown}\n`);
    // A failed write to standard error cannot be reported.
    notes = Promise.all([notes, written.catch(() => undefined)]);
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
    get isDumb() {
      return stderr.isTTY && process.stdin.isTTY === true && !drawable();
    },
    get canDraw() {
      // ora divides by the columns: where a terminal reports none, it would draw for ever.
      const hasColumns = seen('stderr').columns !== 0;
      return drawable() && hasColumns && !isContinuousIntegration(env['CI']) && !quiet;
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
    async writeResult(text) {
      try {
        abandoned = (await write('stdout', text)) === 'nobody reads';
      } catch (error) {
        throw outputFailure(error);
      }
    },
    writeNote(line, options = {}) {
      const { painted = false, whole = false } = options;
      const shown = painted ? line.replace(/\n$/, '') : sanitize(line);
      if (held === undefined || !stderr.isTTY)
        writeNote(painted || whole || !stderr.isTTY ? shown : fitToWidth(shown, stderr.width));
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
    hint: 'Free disk space or write elsewhere, then try again.',
    cause: error,
  });
}

const WIDTH_WHEN_UNKNOWN = 80;

/** A terminal's own columns, else COLUMNS, else 80. A pipe has 80. */
export function widthOf(
  stream: { isTTY: boolean; columns?: number | undefined },
  env: ColorVariables,
): number {
  if (!stream.isTTY) return WIDTH_WHEN_UNKNOWN;
  if (stream.columns !== undefined && stream.columns > 0) return stream.columns;
  const columns = env['COLUMNS'] ?? '';
  return /^[1-9]\d{0,3}$/.test(columns) ? Number(columns) : WIDTH_WHEN_UNKNOWN;
}

const HEIGHT_WHEN_UNKNOWN = 24;

/** Lines of a terminal; 24 of anything else. */
export const heightOf = (stream: { isTTY: boolean; rows?: number | undefined }): number =>
  stream.isTTY && stream.rows !== undefined && stream.rows > 0 ? stream.rows : HEIGHT_WHEN_UNKNOWN;

/** Needs a UTF-8 locale and more than the Linux console. */
export function showsUnicode(env: ColorVariables, platform: string): boolean {
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return false;
  if (platform === 'win32') return true;
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (value) => value !== undefined && value !== '',
  );
  return locale !== undefined && /utf-?8/i.test(locale);
}

/** Whether the descriptor is a file, a pipe or a socket. Creates no stream. */
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
 * Wraps a note. Later lines are indented, so that no text of the service starts a line: below the last column of a line
 * such as `10:02:58  sending    action 7c1e`.
 */
export function fitToWidth(note: string, width: number): string {
  const [columns = ''] = /^(?:\S+(?: \S+)* {2,})+/.exec(note) ?? [];
  const indent = Math.max(HANGING, Math.min(textWidth(columns), Math.floor(width / 2)));
  return wrapWords(note, width, indent).join('\n');
}

const HANGING = 2;

/**
 * Reads `input` as UTF-8. `signal` stops it with its own reason.
 * @throws UsageError for more than `cap` bytes, or bytes that are not UTF-8.
 */
export async function readStandardInput(
  input: NodeJS.ReadableStream,
  cap: number,
  signal?: AbortSignal,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of input) {
      const part = Buffer.from(chunk);
      bytes += part.length;
      if (bytes > cap) throw new UsageError(`Standard input is larger than ${cap} bytes.`);
      chunks.push(part);
    }
  })();
  await (signal === undefined ? reading : Promise.race([reading, abortOf(signal)]));
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new UsageError('Standard input is not UTF-8 text.');
  }
}

function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}

/** Resolves when the input ends. What comes before is dropped. */
export function inputCloses(input: InputStream): Promise<void> {
  return new Promise((resolve) => {
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve());
    input.resume();
  });
}
