/**
 * Serves tools to a client over two streams, with the protocol's own library: both of its eras, 2025-11-25 and 2026-07-28.
 * Bundled apart, for no other command pays for the library.
 */
import type { Readable, Writable } from 'node:stream';
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { OfferedTool } from './offered-tools.ts';
import type { ToolResult } from './toolset.ts';

export interface ServedTools {
  name: string;
  version: string;
  instructions: string;
  tools: readonly ShownTool[];
  /** Undefined: there is no such tool. */
  call: (name: string, given: unknown) => Promise<ToolResult> | undefined;
}

type ShownTool = Pick<OfferedTool, 'name' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'>;

export interface ServerPorts {
  input: Readable;
  output: Writable;
  /** JSON of a message on one line: its figures keep their digits. */
  write: (message: unknown) => string;
  /** Out of band: a frame that cannot be read, a stream that fails. */
  onError: (message: string) => void;
}

/** A frame above this ends the connection. */
const LARGEST_FRAME_BYTES = 1_048_576;

export interface ServingTools {
  /** Resolves when the client has closed its end. */
  closed: Promise<void>;
  close(): Promise<void>;
}

export function serveTools(
  served: ServedTools,
  { input, output, write, onError }: ServerPorts,
): ServingTools {
  const transport = new ExactStdio(input, output, write);
  const handle = serveStdio(() => serverOf(served), {
    transport,
    onerror: ({ message }) => onError(message),
  });
  return { closed: transport.closed, close: () => handle.close() };
}

function serverOf({ name, version, instructions, tools, call }: ServedTools): Server {
  const server = new Server(
    { name, version },
    { capabilities: { tools: {} }, instructions, jsonSchemaValidator: NO_VALIDATOR },
  );
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(shownTool) }));
  server.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
    const result = call(params.name, params.arguments);
    if (result === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool of this name.');
    return { ...(await result) };
  });
  return server;
}

const shownTool = ({ name, description, inputSchema, outputSchema, annotations }: ShownTool): Tool => ({
  name,
  description,
  inputSchema: { ...inputSchema, type: 'object' },
  outputSchema: { ...outputSchema, type: 'object' },
  annotations,
});

/** The server asks its client for nothing, so there is nothing to validate. */
const NO_VALIDATOR = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: 'nothing was asked for',
  }),
};

/** Writes each message whole, with every digit of its figures. */
class ExactStdio extends StdioServerTransport {
  readonly #output: Writable;
  readonly #write: (message: unknown) => string;
  #ended: (() => void) | undefined;
  readonly closed = new Promise<void>((resolve) => {
    this.#ended = resolve;
  });

  constructor(input: Readable, output: Writable, write: (message: unknown) => string) {
    super(input, output, { maxBufferSize: LARGEST_FRAME_BYTES });
    this.#output = output;
    this.#write = write;
  }

  override async close(): Promise<void> {
    await super.close();
    this.#ended?.();
  }

  override send(message: Parameters<StdioServerTransport['send']>[0]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write(`${this.#write(message)}\n`, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
    });
  }
}
