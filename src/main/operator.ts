/** Input of the operator, keys from a file, a command or standard input, and output: progress. */

import type { CommandContext } from '../commands/command-context.ts';
import {
  type KeyPorts,
  keyFromCommand,
  keyFromFile,
  keyFromText,
  keyOfProfile,
} from '../config/credentials.ts';
import { isoSeconds } from '../domain/instants.ts';
import { formatClock, inZone } from '../domain/zone-times.ts';
import type { Clock } from '../platform/clock.ts';
import type { ProgressReporter } from '../readings/read-context.ts';
import type { Progress } from '../terminal/progress.ts';
import { readStandardInput, type Terminal } from '../terminal/streams.ts';

const MAX_KEY_BYTES = 65_536;

export const keySources = (terminal: Terminal, ports: KeyPorts): CommandContext['keyFrom'] => ({
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

/** `drawn`: the terminal's spinner; a pipe gets one line per change of state. */
export function progressReporter(
  terminal: Terminal,
  { drawn, clock, zone }: { drawn: Progress; clock: Clock; zone: () => string },
): ProgressReporter {
  const now = (): string =>
    terminal.stderr.isTTY ? formatClock(clock.now(), zone()) : isoSeconds(clock.now());
  const dated = (line: string): string =>
    `${now()}  ${inZone(line, { zone: zone(), now: clock.now(), iso: !terminal.stderr.isTTY })}`;
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
  const write = (line: string): void => terminal.writeNote(line);
  const note = unlessQuiet(write);
  let last: string | undefined;
  return {
    start(text) {
      if (text !== last) note(inColumns(text));
      last = text;
    },
    update: () => undefined,
    note,
    news: (line) => write(dated(line)),
    stop() {
      last = undefined;
    },
  };
}

/** The first word in a column, as in notes: `waiting    for the fill`. */
const inColumns = (text: string): string =>
  text.replace(/^(\w+) (?=\S)/, (_, word: string) => `${word.toLowerCase().padEnd(10)} `);
