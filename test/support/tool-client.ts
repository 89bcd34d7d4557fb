/** A client of `hedge mcp` in this process: what it sends, and every line that comes back. */
import type { Clock } from '../../src/platform/clock.ts';
import { hostOf } from '../../src/platform/host.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { wayTo } from './cli-for.ts';
import type { AnyDocument } from './documents.ts';
import { temporaryFolder } from './own-folder.ts';
import { recordingTerminal } from './recording-terminal.ts';
import { invoked, quickClock, testKeychain } from './test-cli.ts';

export interface ToolAnswer {
  result?: {
    tools?: readonly ListedTool[];
    content?: readonly { type: string; text: string }[];
    structuredContent?: StructuredResult;
    isError?: boolean;
  };
  error?: { code: number; message: string };
}

export interface ListedTool {
  name: string;
  description: string;
  inputSchema: { properties: Record<string, Record<string, unknown>>; required?: readonly string[] };
  outputSchema: Record<string, unknown>;
  annotations: Record<string, unknown>;
}

export interface StructuredResult {
  environment: string;
  profile: string;
  account: string | null;
  exit_code: number;
  command_line?: string | null;
  document: AnyDocument;
}

export interface ToolClient {
  /** A request, and its answer. */
  ask(method: string, params?: unknown): Promise<ToolAnswer>;
  call(name: string, given?: unknown): Promise<ToolAnswer>;
  /** A line as it is. */
  send(line: string): void;
  /** Everything on standard output. */
  out(): string;
  err(): string;
  /** Closes the client's end; resolves with the exit code. */
  end(): Promise<number>;
  exit: Promise<number>;
  /** Time passes. */
  wait(ms: number): Promise<void>;
}

export interface ToolClientOptions {
  words?: readonly string[];
  key?: string;
  env?: Readonly<Record<string, string>>;
  home?: string;
  /** Without the handshake of 2025-11-25. */
  silent?: boolean;
  signal?: AbortSignal;
}

/** Starts it for the running test. */
export async function toolClient(
  service: { url: string; ca: string } | undefined,
  { words = ['mcp'], key, env = {}, home = temporaryFolder(), silent = false }: ToolClientOptions = {},
): Promise<ToolClient> {
  const waiting = new Map<number, (answer: ToolAnswer) => void>();
  let rest = '';
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const frame = parsed(line);
      if (frame?.id !== undefined && frame.id !== null) waiting.get(frame.id)?.(frame);
    }
  };
  const surroundings = {
    HEDGE_HOME: home,
    ...(service === undefined ? {} : wayTo(service, home, key)),
    ...env,
  };
  const recording = recordingTerminal({ env: surroundings, flags: {}, shows: take });
  const clock: Clock = quickClock();
  const exit = invoked({
    argv: [...words],
    env: { ...surroundings },
    home,
    version: '0.0.0',
    terminal: recording.terminal,
    signals: { signal: new AbortController().signal, untilStopped: () => new Promise(() => undefined) },
    machine: { clock, random: systemRandom, host: hostOf(process) },
    keychain: testKeychain().keychain,
  });
  let asked = 0;
  const client: ToolClient = {
    ask(method, params = {}) {
      asked += 1;
      const id = asked;
      const answered = new Promise<ToolAnswer>((resolve) => waiting.set(id, resolve));
      recording.type(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return Promise.race([
        answered,
        exit.then((code) => Promise.reject(new Error(`it ended: ${code.toString()} ${recording.err()}`))),
      ]);
    },
    call: (name, given = {}) => client.ask('tools/call', { name, arguments: given }),
    send: (line) => recording.type(`${line}\n`),
    out: recording.out,
    err: recording.err,
    end() {
      recording.endInput();
      return exit;
    },
    exit,
    wait: (ms) => clock.sleep(ms),
  };
  if (silent) return client;
  await client.ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  });
  client.send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  return client;
}

function parsed(line: string): (ToolAnswer & { id?: number | null }) | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Whether every line is a frame of the protocol. */
export const onlyFrames = (out: string): boolean =>
  out
    .split('\n')
    .slice(0, -1)
    .every((line) => line.startsWith('{') && /"jsonrpc":"2.0"/.test(line) && parsed(line) !== undefined) &&
  (out === '' || out.endsWith('\n'));
