/**
 * A real HTTPS server on loopback that plays a script: each request must meet an exchange that waits for it,
 * and each exchange must be used, or the test fails. It knows the wire and no rule of the service.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server as HttpsServer } from 'node:https';
import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { type Body, failed, succeeded } from '../spec/bodies.ts';
import { type Issued, loopbackTls } from './tls.ts';

export type Answer =
  | { kind: 'body'; status: number; body: string | Uint8Array; headers: Readonly<Record<string, string>> }
  /** Written to the socket as it is, in place of an HTTP answer; then the connection is left so. */
  | { kind: 'bytes'; bytes: string | Uint8Array; after: 'end' | 'reset' | 'hold' }
  /** Given when `until` resolves. */
  | { kind: 'held'; until: Promise<unknown>; answer: Answer };

export interface Exchange {
  /** `GET /hedges?status=filled`, below the base URL; undefined takes any request. */
  on: string | undefined;
  answer: Answer;
}

export interface Recorded {
  /** `POST /quotes`, below the base URL, query included. */
  line: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** The answer's connection, to tell whether two requests shared one. */
  remotePort: number | undefined;
}

export interface ScriptedService {
  /** `https://127.0.0.1:<port>/partner/v2`. */
  url: string;
  port: number;
  ca: string;
  requests: readonly Recorded[];
  /** Resolves when this many requests have arrived. */
  arrived(count: number): Promise<void>;
}

export const BASE_PATH = '/partner/v2';

/** A success in the envelope. */
export const ok = (data: unknown, meta: Body = {}, headers: Readonly<Record<string, string>> = {}): Answer =>
  json(200, succeeded(data, meta), headers);

/** A refusal or failure in the envelope. */
export const no = (
  status: number,
  code: string,
  more: { message?: string; details?: Body; headers?: Readonly<Record<string, string>> } = {},
): Answer => json(status, failed(code, more.message, more.details), more.headers);

export const json = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer => raw(status, JSON.stringify(value), { 'content-type': 'application/json', ...headers });

export const raw = (
  status: number,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({ kind: 'body', status, body, headers });

export const html = (status: number): Answer =>
  raw(status, '<!doctype html><title>Gateway</title>', { 'content-type': 'text/html' });

export const bytes = (content: string | Uint8Array, after: 'end' | 'reset' | 'hold' = 'end'): Answer => ({
  kind: 'bytes',
  bytes: content,
  after,
});
/** The connection is reset after the whole request was read. */
export const reset: Answer = bytes('', 'reset');
/** The connection is closed after the whole request was read. */
export const hangUp: Answer = bytes('', 'end');
/** Nothing comes, and the connection stays. */
export const silence: Answer = bytes('', 'hold');

export const held = (until: Promise<unknown>, answer: Answer): Answer => ({ kind: 'held', until, answer });

/** One exchange: the request line it waits for, and what it answers. */
export const on = (line: string, answer: Answer): Exchange => ({ on: line, answer });

/**
 * Starts a service for the running test; it is closed, and its script checked, when the test ends. Exchanges
 * with the same request line are used in order; requests that run at the same time may come in any order.
 */
export async function scriptedService(
  script: readonly Exchange[],
  options: { certificate?: Issued } = {},
): Promise<ScriptedService> {
  const tls = await loopbackTls();
  const { key, cert } = options.certificate ?? tls;
  const waiting = [...script];
  const requests: Recorded[] = [];
  const unexpected: string[] = [];
  const arrivals: { count: number; resolve: () => void }[] = [];
  const tcp = new Map<number, Socket>();

  const server = createServer({ key, cert, keepAliveTimeout: 0 }, (request, response) => {
    void serve(request, response);
  });
  server.on('connection', (socket: Socket) => {
    if (socket.remotePort !== undefined) tcp.set(socket.remotePort, socket);
  });
  server.on('tlsClientError', () => undefined);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request).catch(() => '');
    const path = (request.url ?? '').replace(BASE_PATH, '');
    const line = `${request.method ?? ''} ${path}`;
    const { remotePort } = request.socket;
    requests.push({ line, headers: request.headers, body, remotePort });
    const index = waiting.findIndex((exchange) => exchange.on === undefined || exchange.on === line);
    const [exchange] = index < 0 ? [] : waiting.splice(index, 1);
    if (exchange === undefined) unexpected.push(line);
    for (const arrival of arrivals) if (requests.length >= arrival.count) arrival.resolve();
    const answer = exchange?.answer ?? no(400, 'unexpected_by_the_script');
    await play(answer, response, tcp.get(remotePort ?? 0));
  }

  const port = await listen(server);
  onTestFinished(async () => {
    await close(server);
    if (unexpected.length > 0) throw new Error(`the script expected no ${unexpected.join(', no ')}`);
    if (waiting.length > 0) {
      const unused = waiting.map((exchange) => exchange.on ?? 'any request');
      throw new Error(`the script still waits for ${unused.join(', ')}`);
    }
  });
  return {
    url: `https://127.0.0.1:${port}${BASE_PATH}`,
    port,
    ca: tls.ca,
    requests,
    arrived: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => {
            arrivals.push({ count, resolve });
          }),
  };
}

async function play(answer: Answer, response: ServerResponse, under: Socket | undefined): Promise<void> {
  const { socket } = response;
  switch (answer.kind) {
    case 'held':
      await answer.until;
      return play(answer.answer, response, under);
    case 'body':
      // The machine's own would be another clock than the test's.
      response.sendDate = false;
      response.writeHead(answer.status, { ...answer.headers });
      response.end(answer.body);
      return;
    case 'bytes':
      if (answer.bytes.length > 0) await new Promise((resolve) => socket?.write(answer.bytes, resolve));
      if (answer.after === 'end') socket?.end();
      if (answer.after === 'reset') under?.resetAndDestroy();
      return;
  }
  answer satisfies never;
}

/** A TCP server for the running test that does as it is told with each connection. */
export async function plainServer(onConnection: (socket: Socket) => void): Promise<{ port: number }> {
  const server = createPlainServer((socket) => {
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  const port = await listen(server);
  onTestFinished(() => close(server));
  return { port };
}

export function listen(server: Server | HttpsServer, host = '127.0.0.1', port = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    const sockets = new Set<Socket>();
    connected.set(server, sockets);
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    server.listen(port, host, () => {
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('no port'));
    });
  });
}

const connected = new WeakMap<Server | HttpsServer, Set<Socket>>();

/** Stops listening and destroys what is still connected. */
export async function close(server: Server | HttpsServer): Promise<void> {
  for (const socket of connected.get(server) ?? []) socket.destroy();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}
