/** The places that a key is taken from: standard input, a file, a command, what was typed. Keeps none. */
import type { CommandContext } from '../commands/command-context.ts';
import {
  type KeyPorts,
  keyFromCommand,
  keyFromFile,
  keyFromText,
  keyOfProfile,
} from '../config/credentials.ts';
import type { Host } from '../platform/host.ts';
import { readStandardInput } from '../terminal/standard-input.ts';
import type { Terminal } from '../terminal/streams.ts';

const LARGEST_KEY_BYTES = 65_536;

export const keysFrom = (
  terminal: Terminal,
  ports: KeyPorts & { host: Pick<Host, 'uid'> },
): CommandContext['keyFrom'] => ({
  async standardInput() {
    const { input } = terminal.streams;
    return keyFromText(await readStandardInput(input, LARGEST_KEY_BYTES, ports.signal), 'Standard input');
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
