/** `hedge mcp`: tools for an assistant, which read and never act. */
import { oneMeant } from '../args/operands.ts';
import { readOptions } from '../args/option.ts';
import { defineCommand } from './define.ts';

/** Programs whose settings it prints. */
const CLIENTS = ['claude', 'cursor', 'vscode'] as const;
type Client = (typeof CLIENTS)[number];

const OPTIONS = {
  printConfig: {
    flags: '--print-config <client>',
    summary: 'print what to paste into the settings of claude, cursor or vscode',
    completes: { words: CLIENTS },
    read: (text: string) => oneMeant(CLIENTS, text, 'a program whose settings are known (--print-config)'),
  },
};

interface PrintedConfig {
  client: Client;
  profile: string;
}

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Serve tools to an assistant: they read, and none sends an action',
  description:
    'Speaks the Model Context Protocol on standard input and output until the client closes it. The account is fixed at the start; a live one must be named with --profile. No tool sends an action, reads or writes a file, or runs a command line: prepare returns one, with its preview, for a person to run. Every result names environment, profile and account. At most 60 calls a minute, one after the other, and 256 KB a result. More: hedge help assistants.',
  options: Object.values(OPTIONS),
  examples: [
    { line: 'hedge mcp --profile practice', shows: 'as a client starts it' },
    { line: 'hedge mcp --profile practice --print-config claude', shows: 'settings to paste' },
  ],
  read: (raw) => ({ client: readOptions(OPTIONS, raw).printConfig }),
  async run(context, { client }) {
    if (client === undefined) {
      await context.serveTools();
      return undefined;
    }
    const { named } = await context.profileContext();
    return { value: { client, profile: named ?? 'practice' } };
  },
  document: ({ client, profile }: PrintedConfig) => ({ client, config: configOf({ client, profile }) }),
  view: () => [],
  file: (printed) => `${JSON.stringify(configOf(printed), null, 2)}\n`,
});

function configOf({ client, profile }: PrintedConfig): Readonly<Record<string, unknown>> {
  const server = { command: 'hedge', args: ['mcp', '--profile', profile] };
  return client === 'vscode'
    ? { servers: { hedge: { type: 'stdio', ...server } } }
    : { mcpServers: { hedge: server } };
}
