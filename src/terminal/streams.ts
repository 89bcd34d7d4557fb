/**
 * The one place besides main.ts that touches the process's streams: what each of them is, and writing to
 * them. It never ends the process, and knows nothing of what is shown.
 */
import { clean } from '../domain/clean.ts';
import { OutputError } from '../errors.ts';
import { type ColourFlag, type ColourLevel, decideColour, overruledVariables } from './colour.ts';
import { showsUnicode, widthOf } from './facts.ts';
import { type OutputStream, writeWhole } from './writing.ts';

type InputStream = NodeJS.ReadableStream & { isTTY?: boolean };

/** What one output stream is. Standard output and standard error decide apart. */
export interface Surface {
  readonly isTTY: boolean;
  readonly colour: ColourLevel;
  /** Columns now: a terminal may be resized while we wait. */
  readonly width: number;
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
  readonly quiet: boolean;
  /** For prompts and spinners alone, which draw by themselves. */
  readonly streams: { readonly input: InputStream; readonly drawing: OutputStream };
  /** The result, whole, on standard output. A closed pipe ends it silently; else OutputError. */
  writeResult(text: string): Promise<void>;
  /** One line on standard error, made harmless; or lines that the presentation has `painted`, as they are. */
  writeNote(line: string, options?: { painted?: boolean }): void;
  /**
   * Sends this process the signal that Ctrl-C would have been: while a question is open the terminal gives
   * it as a key. False where there is no process behind the streams.
   */
  interrupt(): boolean;
  /** Resolves when everything written so far has left the process. */
  drained(): Promise<void>;
}

export interface Streams {
  stdin: InputStream;
  stdout: OutputStream;
  stderr: OutputStream;
  platform: string;
  readonly pid?: number;
  kill?(pid: number, signal: 'SIGINT'): unknown;
}

export interface TerminalFlags {
  color?: ColourFlag | undefined;
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
}): Terminal {
  const { process, env, flags = {} } = world;
  const surfaceOf = (stream: OutputStream): Surface => {
    const isTTY = stream.isTTY === true;
    return {
      isTTY,
      colour: decideColour({ flag: flags.color, env, isTTY }),
      get width() {
        return widthOf({ isTTY, columns: stream.columns }, env);
      },
      unicode: showsUnicode(env, process.platform),
    };
  };
  const stdout = surfaceOf(process.stdout);
  const stderr = surfaceOf(process.stderr);
  for (const name of overruledVariables(env)) delete env[name];
  // Without a listener an EPIPE that comes late would end the program with a stack trace.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

  const drawable = stderr.isTTY && env['TERM'] !== 'dumb';
  const quiet = flags.quiet === true;
  let notes: Promise<unknown> = Promise.resolve();

  return {
    stdin: { isTTY: process.stdin.isTTY === true },
    stdout,
    stderr,
    canPrompt: drawable && process.stdin.isTTY === true,
    canDraw: drawable && !isContinuousIntegration(env['CI']) && !quiet,
    quiet,
    streams: { input: process.stdin, drawing: process.stderr },
    async writeResult(text) {
      try {
        await writeWhole(process.stdout, text);
      } catch (error) {
        throw outputFailure(error);
      }
    },
    writeNote(line, options = {}) {
      const shown = options.painted === true ? line.replace(/\n$/, '') : clean(line);
      const written = writeWhole(process.stderr, `${shown}\n`);
      // Nobody can be told that the place for telling is full.
      notes = Promise.all([notes, written.catch(() => undefined)]);
    },
    interrupt() {
      if (process.pid === undefined || process.kill === undefined) return false;
      process.kill(process.pid, 'SIGINT');
      return true;
    },
    async drained() {
      await notes;
    },
  };
}

const isContinuousIntegration = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== 'false' && value !== '0';

function outputFailure(error: unknown): OutputError {
  const reason = error instanceof Error ? error.message : String(error);
  return new OutputError({
    code: 'output_failed',
    what: `The result could not be written to standard output: ${clean(reason)}.`,
    hint: 'Make room, or write to another place, and ask again.',
    cause: error,
  });
}
