/** Streamable HTTP in front of a server on stdio, for clients that speak nothing else: each session has a process of its own. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/client/stdio';
import { type Transport, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';

export interface HttpRelay {
  url: string;
  close(): Promise<void>;
}

/** Listens on a free port of this machine. */
export async function httpRelay(program: StdioServerParameters): Promise<HttpRelay> {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const programs = new Set<StdioClientTransport>();
  let host = '';

  async function newSession(): Promise<WebStandardStreamableHTTPServerTransport> {
    const child = new StdioClientTransport({ ...program, stderr: 'ignore' });
    const front = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, front),
      enableDnsRebindingProtection: true,
      allowedHosts: [host],
    });
    join(front, child);
    join(child, front);
    programs.add(child);
    await child.start();
    await front.start();
    return front;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    const front = known ?? (await newSession());
    const { status, headers, body } = await front.handleRequest(await asWeb(request, host));
    if (front.sessionId === undefined) await front.close();
    response.writeHead(status, Object.fromEntries(headers));
    for await (const chunk of body ?? []) response.write(chunk);
    response.end();
  }

  const http = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    http.listen(0, '127.0.0.1', resolve);
  });
  const address = http.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on no port.');
  host = `127.0.0.1:${address.port.toString()}`;
  return {
    url: `http://${host}/mcp`,
    async close() {
      http.closeAllConnections();
      http.close();
      await Promise.all([...programs].map((child) => child.close()));
    },
  };
}

/** All that comes in at one is sent by the other, and the end of one is the end of both. */
function join(from: Transport, to: Transport): void {
  Object.assign(from, {
    onmessage: (message: Parameters<Transport['send']>[0]) => void to.send(message),
    onclose: () => void to.close(),
  });
}

async function asWeb(request: IncomingMessage, host: string): Promise<Request> {
  const { method = 'GET', url = '/', headersDistinct } = request;
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const body = method === 'POST' ? await buffer(request) : null;
  return new Request(`http://${host}${url}`, { method, headers, body });
}
