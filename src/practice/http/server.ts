/**
 * The HTTPS server: reads requests, has them handled, writes answers in the envelope, whatever came in. Every
 * answer carries `Date` in book time. Refuses to know what a request means.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { bookTime } from '../book/time.ts';
import type { RequestLogEntry } from '../door.ts';
import type { Identity } from '../store/identity.ts';
import { type Answer, refused } from '../wire/envelope.ts';
import { Refusal } from '../wire/refusal.ts';
import type { Incoming } from './calls.ts';
import { type Handled, handle, type Service } from './service.ts';
import { makeTurns, type Turn } from './turns.ts';

export interface Serving {
  identity: Identity;
  basePath: string;
  /** The text of `{base}/openapi.json`, made when it is first asked for. */
  openapi: () => string;
  onRequest?: ((entry: RequestLogEntry) => void) | undefined;
}

const LARGEST_BODY = 65_536;
/** A body over the limit is still read this far, so that its sender gets to see the answer. */
const LARGEST_DISCARD = 2_097_152;

export interface MadeServer {
  server: Server;
  /** Resolves when every request that was being handled has its answer. */
  quiet(): Promise<void>;
}

export function makeServer(service: Service, serving: Serving): MadeServer {
  const underWay = new Set<Promise<void>>();
  const turn = makeTurns(service.closing);
  const server = createServer({
    cert: serving.identity.certificatePem,
    key: serving.identity.privateKeyPem,
    minVersion: 'TLSv1.2',
    // A missing Host is ours to refuse, in the envelope.
    requireHostHeader: false,
    keepAliveTimeout: 60_000,
  });
  const answerTo = (request: IncomingMessage, response: ServerResponse): void => {
    const served = serve(service, { ...serving, turn }, request, response).finally(() =>
      underWay.delete(served),
    );
    underWay.add(served);
  };
  server.on('request', answerTo);
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const answer = refused(
      new Refusal('invalid_request', 'That expectation cannot be met.', { status: 417 }),
    );
    void write(response, { answer, date: dateOf(service), last: true });
  });
  server.on('clientError', (error: Error, socket: Socket) =>
    refuseRaw(socket, unreadable(error), dateOf(service)),
  );
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    refuseRaw(socket, new Refusal('method_not_allowed', 'This service is no proxy.'), dateOf(service));
  });
  return {
    server,
    async quiet() {
      // A connection that is kept open may bring one more meanwhile: its answer is the last there.
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}

async function serve(
  service: Service,
  serving: Serving & { turn: Turn },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const began = service.clock.now();
  const incoming = await read(request, serving.basePath, service.closing);
  await serving.turn();
  if (incoming.method === 'GET' && incoming.target === '/openapi.json') {
    const answer = { status: 200, body: serving.openapi(), headers: {} };
    await write(response, { answer, date: dateOf(service), last: false });
    return;
  }
  const handled = await handle(service, incoming);
  // Before the answer, so that whoever has it finds it in the log.
  serving.onRequest?.(entryOf(incoming, handled, { began, ended: service.clock.now() }));
  if (handled.lost) request.socket.destroy();
  else {
    const last = service.closing.aborted || handled.answer.status === 413;
    await write(response, { answer: handled.answer, date: dateOf(service), last });
  }
}

async function read(request: IncomingMessage, basePath: string, closing: AbortSignal): Promise<Incoming> {
  const url = request.url ?? '/';
  return {
    method: request.method ?? '',
    target: url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : undefined,
    authorization: request.headers.authorization,
    idempotencyKey: single(request.headers['idempotency-key']),
    contentType: request.headers['content-type'],
    contentEncoding: request.headers['content-encoding'],
    body:
      request.httpVersion === '1.1' && request.headers.host === undefined
        ? new Refusal('invalid_request', 'A Host header is needed.', { details: { field: 'Host' } })
        : await bodyOf(request, closing),
  };
}

function bodyOf(request: IncomingMessage, closing: AbortSignal): Promise<Buffer | Refusal> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= LARGEST_BODY) chunks.push(chunk);
      else chunks.length = 0;
      if (length > LARGEST_DISCARD) resolve(tooLarge());
    });
    request.on('end', () => resolve(length > LARGEST_BODY ? tooLarge() : Buffer.concat(chunks)));
    const tooSoon = () => resolve(new Refusal('invalid_request', 'The body ended too soon.'));
    request.on('close', tooSoon);
    request.on('error', tooSoon);
    closing.addEventListener('abort', tooSoon, { once: true });
    request.on('close', () => closing.removeEventListener('abort', tooSoon));
  });
}

function tooLarge(): Refusal {
  return new Refusal('invalid_request', 'The body is larger than 64 KiB.', { status: 413 });
}

/** Resolves when the answer is out, or its reader gone. */
function write(
  response: ServerResponse,
  out: { answer: Answer; date: string; last: boolean },
): Promise<void> {
  const { answer } = out;
  // Its connection may have been answered for already, as unreadable, or be gone.
  if (response.socket?.writable !== true) return Promise.resolve();
  response.sendDate = false;
  response.writeHead(answer.status, {
    ...headersOf(answer, out.date),
    ...(out.last ? { Connection: 'close' } : {}),
  });
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.end(answer.body, () => resolve());
  });
}

function headersOf(answer: Answer, date: string): Record<string, string> {
  return {
    Date: date,
    // It can be advanced, and so tells nobody how long anything took.
    'X-Practice-Clock': 'book',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(answer.body)),
    'Cache-Control': 'no-store',
    ...(answer.replayed === true ? { 'Idempotency-Replayed': 'true' } : {}),
    ...answer.headers,
  };
}

/** What is not even HTTP gets an answer too, as far as the connection still takes one. */
function refuseRaw(socket: Socket, refusal: Refusal, date: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const answer = refused(refusal);
  const lines = Object.entries({ ...headersOf(answer, date), Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${answer.status} ${refusal.code}\r\n${lines.join('\r\n')}\r\n\r\n${answer.body}`);
}

function unreadable(error: Error): Refusal {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new Refusal('invalid_request', 'The headers are too large.', { status: 431 });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Refusal('invalid_request', 'The request took too long to arrive.', { status: 408 });
  }
  return new Refusal('invalid_request', 'This is not a readable HTTP request.');
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

function dateOf(service: Service): string {
  try {
    return new Date(bookTime(service.db, service.clock.now()).now).toUTCString();
  } catch {
    // The book cannot be read, which is being answered for: its time is not known either.
    return new Date(service.clock.now()).toUTCString();
  }
}

function entryOf(
  incoming: Incoming,
  handled: Handled,
  times: { began: number; ended: number },
): RequestLogEntry {
  const { answer, environment, strike } = handled;
  return {
    at: new Date(times.began).toISOString(),
    environment,
    method: incoming.method,
    path: incoming.target ?? '(not below the base address)',
    status: answer.status,
    ...(answer.code === undefined ? {} : { code: answer.code }),
    ...(incoming.idempotencyKey === undefined ? {} : { idempotencyKey: incoming.idempotencyKey }),
    ...(answer.replayed === true ? { replayed: true } : {}),
    ms: times.ended - times.began,
    ...(strike === undefined ? {} : { weather: strike }),
  };
}
