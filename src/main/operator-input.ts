/** Reads API keys and text from the operator's source: the command line, a file, a command or standard input. */

import type { TextSource } from '../args/api-request.ts';
import type { CommandContext } from '../commands/command-context.ts';
import {
  type KeyPorts,
  keyFromCommand,
  keyFromFile,
  keyFromText,
  keyOfProfile,
} from '../config/credentials.ts';
import { quoted } from '../domain/quoted.ts';
import { UsageError } from '../errors.ts';
import type { Host } from '../platform/host.ts';
import { readUserFile } from '../platform/user-file.ts';
import { readStandardInput } from '../terminal/standard-input.ts';
import type { Terminal } from '../terminal/streams.ts';

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
