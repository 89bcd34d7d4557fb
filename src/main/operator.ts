/** What the operator gives: keys and text from command line, file, command or standard input. And sees: progress. */

import type { TextSource } from '../args/api-request.ts';
import type { CommandContext, UserFileAccess } from '../commands/command-context.ts';
import {
  type KeyPorts,
  keyFromCommand,
  keyFromFile,
  keyFromText,
  keyOfProfile,
} from '../config/credentials.ts';
import { isoSeconds } from '../domain/instants.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import { formatClock } from '../output/format.ts';
import { readUserFile, writeUserFile } from '../platform/atomic-file.ts';
import type { Clock } from '../platform/clock.ts';
import type { Host, Machine } from '../platform/host.ts';
import type { ProgressReporter } from '../readings/read-context.ts';
import { chooseProgress, type Progress } from '../terminal/progress.ts';
import { readStandardInput, type Terminal } from '../terminal/streams.ts';

const MAX_KEY_BYTES = 65_536;
const MAX_TEXT_BYTES = 1_048_576;

export const keySources = (
  terminal: Terminal,
  ports: KeyPorts & { host: Pick<Host, 'uid'> },
): CommandContext['keyFrom'] => ({
  async standardInput() {
    const { input } = terminal.streams;
    return keyFromText(await readStandardInput(input, MAX_KEY_BYTES, ports.signal), 'Standard input');
  },
  file: (path) =>
    keyFromFile(path, {
      host: ports.host,
      warn(text) {
        if (!terminal.quiet) terminal.writeNote(text);
      },
    }),
  command: (argv) => keyFromCommand(argv, ports),
  profile: (name, profile) => keyOfProfile(name, profile, ports),
  text: (text) => keyFromText(text, 'What was typed'),
});

/** @throws UsageError for a file that cannot be read. */
export async function readInput(
  source: TextSource,
  { input, signal }: { input: NodeJS.ReadableStream; signal: AbortSignal },
): Promise<string> {
  switch (source.from) {
    case 'line':
      return source.text;
    case 'standard input':
      return readStandardInput(input, MAX_TEXT_BYTES, signal);
    case 'file': {
      const read = readUserFile(source.path, { maxBytes: MAX_TEXT_BYTES });
      if ('bytes' in read) return read.bytes.toString('utf8');
      throw new UsageError(
        `${quoted(source.path)} cannot be read: ${read.why}.`,
        'Give a file name after @, or - for standard input.',
      );
    }
    default:
      return source satisfies never;
  }
}

export const userFile = (path: string, { random }: Pick<Machine, 'random'>): UserFileAccess => ({
  read() {
    const read = readUserFile(path, { maxBytes: MAX_TEXT_BYTES });
    if ('bytes' in read) return read.bytes.toString('utf8');
    if (read.absent === true) return undefined;
    throw new UsageError(
      `${quoted(path)} cannot be read: ${read.why}.`,
      'Nothing was sent. Use another file.',
    );
  },
  write: (text) => writeUserFile(path, text, random),
});

/** `10:07:58` in the profile's zone; `09:07:58 UTC` in a pipe. */
export const timeOfDay =
  ({ stderr }: Terminal, zone: () => string) =>
  (ms: number): string =>
    stderr.isTTY && zone() !== 'UTC' ? formatClock(ms, zone()) : `${formatClock(ms, 'UTC')} UTC`;

/** `drawn`: the terminal's spinner; a pipe gets one line per change of state. */
export function progressReporter(
  terminal: Terminal,
  { drawn, clock, zone }: { drawn: Progress; clock: Clock; zone: () => string },
): ProgressReporter {
  const now = (): string =>
    terminal.stderr.isTTY ? formatClock(clock.now(), zone()) : isoSeconds(clock.now());
  const dated = (line: string): string => `${now()}  ${line}`;
  const unlessQuiet = (write: (line: string) => void) => (line: string) => {
    if (!terminal.quiet) write(dated(line));
  };
  if (terminal.canDraw) {
    return {
      start: (text) => drawn.start(text),
      update: (text) => drawn.start(text),
      note: unlessQuiet((line) => drawn.note(line)),
      news: (line) => drawn.note(dated(line)),
      stop: () => drawn.stop(),
    };
  }
  const lines = chooseProgress(terminal, { clock, inPipe: 'lines' });
  return {
    start: (text) => lines.start(dated(text)),
    update: () => undefined,
    note: unlessQuiet((line) => lines.note(line)),
    news: (line) => lines.note(dated(line)),
    stop: () => lines.stop(),
  };
}
