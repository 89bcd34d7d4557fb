/** `hedge mcp`: which account is served, and how a tool runs a command in this process, with its output caught. */
import { Readable, Writable } from 'node:stream';
import { type OpenCommandContext, runInvocation } from '../cli/pipeline.ts';
import type { CommandContext, UserFileAccess } from '../commands/command-context.ts';
import { ENVIRONMENT_PAIR } from '../config/profile-names.ts';
import type { Selection } from '../config/resolve.ts';
import { writeExactJson } from '../domain/exact-json.ts';
import { quoted } from '../domain/quoted.ts';
import { escapeJson } from '../domain/sanitize.ts';
import { nothingSent, OutputError, UsageError } from '../errors.ts';
import { INSTRUCTIONS } from '../mcp/tools.ts';
import { openToolset, type ServedAccount } from '../mcp/toolset.ts';
import { openTerminal } from '../terminal/streams.ts';
import type { CommandRuntime } from './runtime-context.ts';

interface ToolPorts {
  opened: OpenCommandContext;
  open: (runtime: CommandRuntime) => OpenCommandContext;
  connected: () => Promise<unknown>;
}

/** Until the client closes its end, or a signal. @throws StoppedError for a live account that nobody named. */
export async function serveToClient(
  parts: CommandRuntime,
  { opened, open, connected }: ToolPorts,
): Promise<void> {
  const { context } = opened;
  const served = await servedAccount(parts, { opened, connected });
  const { terminal, machine, version } = parts;
  const toolset = await openToolset({
    served,
    clock: machine.clock,
    run: (words, files) => runCaught(parts, { words, files, open }),
  });
  const { serveTools } = await import('../mcp/tool-server.ts');
  if (terminal.stdin.isTTY)
    context.note('Waits for a client on standard input. For its settings: hedge mcp --print-config');
  const { screen, input } = terminal.streams;
  const serving = serveTools(
    { name: 'hedge', version, instructions: INSTRUCTIONS, tools: toolset.tools, call: toolset.call },
    {
      input: input instanceof Readable ? input : Readable.from(input),
      output: screen,
      write: (message) => escapeJson(writeExactJson(message)),
      onError: (message) => context.note(`client: ${message}`),
    },
  );
  await Promise.race([serving.closed, context.untilStopped()]);
  await serving.close();
}

async function servedAccount(
  { globals }: CommandRuntime,
  { opened, connected }: Pick<ToolPorts, 'opened' | 'connected'>,
): Promise<ServedAccount> {
  const selection = await opened.context.selection();
  // Reads the key, which decides the environment. Nothing is sent.
  await connected();
  const environment = opened.identity()?.environment ?? 'live';
  if (environment === 'live' && globals.profile === undefined)
    throw nothingSent({
      code: 'env_mismatch',
      what: `${selection.name} is a live account, and --profile does not name it.`,
      hint: `For the live account: hedge mcp --profile ${selection.kind === 'pair' ? 'NAME' : selection.name}. For practice: hedge mcp --profile practice`,
    });
  return {
    profile: selection.name,
    environment,
    ...accountOf(selection),
    selects: selection.name === ENVIRONMENT_PAIR ? [] : [`--profile=${selection.name}`],
  };
}

function accountOf(selection: Selection): Pick<ServedAccount, 'account' | 'base_url'> {
  switch (selection.kind) {
    case 'practice':
      return { account: null, base_url: null };
    case 'stored':
      return { account: selection.account ?? null, base_url: selection.profile.base_url };
    case 'pair':
      return { account: selection.account ?? null, base_url: selection.baseUrl };
    default:
      return selection satisfies never;
  }
}

const LARGEST_RESULT_BYTES = 262_144;

/** Sends no action, reads no file of this machine, and writes to no stream of this process. */
async function runCaught(
  parts: CommandRuntime,
  {
    words,
    files,
    open,
  }: { words: readonly string[]; files: ReadonlyMap<string, string> } & Pick<ToolPorts, 'open'>,
): Promise<{ code: number; out: string | undefined }> {
  const caught = new Caught();
  const terminal = openTerminal({
    process: { stdin: Readable.from([]), stdout: caught, stderr: new Nowhere(), platform: 'tool' },
    env: { LANG: 'C.UTF-8' },
    flags: { quiet: true, color: 'never' },
  });
  // A signal of its own: what listens to it goes with the call.
  const signals = { ...parts.signals, signal: AbortSignal.any([parts.signals.signal]) };
  const code = await runInvocation({
    argv: words,
    terminal,
    signals,
    clock: parts.machine.clock,
    async openCommandContext(globals, { pooled }) {
      const opened = open({ ...parts, argv: words, terminal, signals, globals, pooled, sendsNoAction: true });
      return { ...opened, context: withFiles(opened.context, files) };
    },
  });
  await terminal.drained();
  return { code, out: caught.isWhole ? caught.text : undefined };
}

/** The given texts are the only files. */
const withFiles = (context: CommandContext, files: ReadonlyMap<string, string>): CommandContext => ({
  ...context,
  userFile: async (path): Promise<UserFileAccess> => ({
    read: () => files.get(path),
    readGiven(named) {
      const text = files.get(path);
      if (text === undefined) throw new UsageError(`A tool reads no files: ${quoted(path)} (${named}).`);
      return text;
    },
    write: () => new OutputError({ code: 'output_failed', what: 'A tool writes no files.' }),
    remove: () => undefined,
  }),
  readInput: () => Promise.reject(new UsageError('A tool reads no files.')),
});

class Caught extends Writable {
  #chunks: Buffer[] = [];
  #bytes = 0;

  override _write(chunk: Buffer | string, _encoding: string, done: () => void): void {
    const bytes = Buffer.from(chunk);
    this.#bytes += bytes.length;
    if (this.isWhole) this.#chunks.push(bytes);
    else this.#chunks = [];
    done();
  }

  get isWhole(): boolean {
    return this.#bytes <= LARGEST_RESULT_BYTES;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

class Nowhere extends Writable {
  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
  }
}
