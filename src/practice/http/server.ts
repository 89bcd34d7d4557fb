/** The HTTPS server on loopback: connections, reading requests, writing responses, closing. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { bookTime } from '../book/transaction-context.ts';
import { type PracticeEnvironment, PracticeInputError } from '../domain/practice-types.ts';
import type { InjectedFault } from '../faults.ts';
import { ApiError, errorResponse, type PracticeResponse } from '../schemas/api-error.ts';
import type { ServiceIdentity } from '../store/service-identity.ts';
import { type HandledRequest, handleRequest, type ServiceContext } from './handle-request.ts';
import { openapiText } from './openapi.ts';
import type { RawRequest } from './parse-request.ts';

export interface RequestLogEntry {
  /** `default`, or the NAME of `/practice/NAME/v2`. */
  book: string;
  /** True for a request of the control API. */
  control?: true;
  /** Wall time, ISO 8601. */
  at: string;
  /** Null without a valid API key. */
  environment: PracticeEnvironment | null;
  method: string;
  /** Below the base path, with its query. */
  path: string;
  /** Of a lost response too; 0 if the request was cut before execution. */
  status: number;
  /** `error.code` */
  code?: string;
  idempotencyKey?: string;
  /** True for a stored response sent again. */
  replayed?: boolean;
  ms: number;
  fault?: InjectedFault;
  /** Of an internal error. */
  cause?: string;
}

export interface Listening {
  urlOf(book: string): string;
  controlUrl: string;
  close(): Promise<void>;
}

export interface ListenOptions {
  identity: ServiceIdentity;
  host: string | undefined;
  port: number | undefined;
  onRequest: ((entry: RequestLogEntry) => void) | undefined;
  control: ControlHandler;
}

/** The response of the control API, and the book whose time it is dated with. */
export type ControlHandler = (
  raw: RawRequest,
) => Promise<Pick<HandledRequest, 'response' | 'cause'> & { book: string }>;

/** A book and where it is served. */
interface BookToServe {
  name: string;
  service: Omit<ServiceContext, 'closing'>;
}

interface ServedBook extends BookToServe {
  service: ServiceContext;
  basePath: string;
  /** The text of `{base}/openapi.json`. */
  openapi: () => string;
}

const CONTROL_PATH = '/control/v1';

/** Ends in the version (specification §9). */
const basePathOf = (name: string): string => (name === 'default' ? '/practice/v2' : `/practice/${name}/v2`);

/**
 * With Node's default of 511, some of a thousand simultaneous connections waited for minutes and were reset. The system
 * may limit it further.
 */
const BACKLOG = 4_096;
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

export async function listen(books: readonly BookToServe[], options: ListenOptions): Promise<Listening> {
  const { host = '127.0.0.1', port = 0 } = options;
  if (!LOOPBACK.includes(host)) {
    throw new PracticeInputError(
      'host',
      `The practice service listens on this machine only: ${LOOPBACK.join(', ')}.`,
    );
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new PracticeInputError('port', 'A port is a number from 0 to 65535; 0 means any free port.');
  }
  const closing = new AbortController();
  const sockets = new Set<Socket>();
  let origin = '';
  const served = books.map(({ name, service }): ServedBook => {
    let openapi: string | undefined;
    const basePath = basePathOf(name);
    return {
      name,
      basePath,
      service: { ...service, closing: closing.signal },
      openapi: () => (openapi ??= openapiText(`${origin}${basePath}`)),
    };
  });
  const made = makeHttpsServer(served, { ...options, closing: closing.signal });
  const { server } = made;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  origin = `https://${hostInUrl(host)}:${portOf(server.address())}`;
  return {
    urlOf: (book) => `${origin}${basePathOf(book)}`,
    controlUrl: `${origin}${CONTROL_PATH}`,
    async close() {
      closing.abort();
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      await made.drain();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The practice service has no port.');
  return address.port;
}

type ServerOptions = Pick<ListenOptions, 'identity' | 'onRequest' | 'control'> & { closing: AbortSignal };

/** `discarded`: a larger body is still read this far, so that its sender receives the error. */
interface BodyLimit {
  largest: number;
  discarded: number;
}

const KIB = 1_024;
const PARTNER_BODY: BodyLimit = { largest: 64 * KIB, discarded: 2_048 * KIB };
/** A fixture is a whole book. */
const CONTROL_BODY: BodyLimit = { largest: 64 * KIB * KIB, discarded: 64 * KIB * KIB };

interface PracticeServer {
  server: Server;
  /** Resolves when every request in progress has its response. */
  drain(): Promise<void>;
}

/** The first book answers for addresses below no book. */
function makeHttpsServer(books: readonly ServedBook[], serving: ServerOptions): PracticeServer {
  const [first] = books;
  if (first === undefined) throw new Error('The practice service has no book.');
  const service = first.service;
  const inProgress = new Set<Promise<void>>();
  const turn = makeFairQueue(serving.closing);
  const server = createServer({
    cert: serving.identity.certificatePem,
    key: serving.identity.privateKeyPem,
    minVersion: 'TLSv1.2',
    // A missing Host header gets an error in the envelope, not Node's own.
    requireHostHeader: false,
    keepAliveTimeout: 60_000,
  });
  const handle = (request: IncomingMessage, output: ServerResponse): void => {
    if (isMisdirected(request)) {
      const response = misdirected();
      serving.onRequest?.(rejectedEntry(first, request, response));
      void writeResponse(output, { response, date: dateOf(service), last: true });
      return;
    }
    const book = books.find((each) => (request.url ?? '').startsWith(`${each.basePath}/`)) ?? first;
    const sent = (request.url ?? '').startsWith(`${CONTROL_PATH}/`)
      ? serveControl(books, { ...serving, turn }, request, output)
      : serve(book, { ...serving, turn }, request, output);
    const served = sent.finally(() => inProgress.delete(served));
    inProgress.add(served);
  };
  server.on('request', handle);
  server.on('checkExpectation', (_request: IncomingMessage, output: ServerResponse) => {
    const response = errorResponse(
      new ApiError('invalid_request', 'The Expect header is not supported.', { status: 417 }),
    );
    void writeResponse(output, { response, date: dateOf(service), last: true });
  });
  server.on('clientError', (error: Error, socket: Socket) =>
    writeRawError(socket, clientApiError(error), dateOf(service)),
  );
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    writeRawError(
      socket,
      new ApiError('method_not_allowed', 'This service is not a proxy.'),
      dateOf(service),
    );
  });
  return {
    server,
    async drain() {
      // A kept-alive connection may send one more request meanwhile.
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}

async function serve(
  { name, service, basePath, openapi }: ServedBook,
  serving: ServerOptions & { turn: FairQueue },
  request: IncomingMessage,
  output: ServerResponse,
): Promise<void> {
  const startedAt = service.clock.now();
  const raw = await readRequest(request, basePath, { closing: service.closing, limit: PARTNER_BODY });
  await serving.turn();
  if (raw.method === 'GET' && raw.target === '/openapi.json') {
    const response = { status: 200, body: openapi(), headers: {} };
    await writeResponse(output, { response, date: dateOf(service), last: false });
    return;
  }
  const handled = await handleRequest(service, raw);
  // Logged before the response is sent, so that a client that has it finds it in the log.
  const entry = logEntry(raw, handled, { startedAt, endedAt: service.clock.now() });
  serving.onRequest?.({ book: name, ...entry });
  if (handled.lost) request.socket.destroy();
  else {
    const last = service.closing.aborted || handled.response.status === 413;
    await writeResponse(output, { response: handled.response, date: dateOf(service), last });
  }
}

async function serveControl(
  books: readonly ServedBook[],
  serving: ServerOptions & { turn: FairQueue },
  request: IncomingMessage,
  output: ServerResponse,
): Promise<void> {
  const { closing } = serving;
  const raw = await readRequest(request, CONTROL_PATH, { closing, limit: CONTROL_BODY });
  await serving.turn();
  const { book, ...answered } = await serving.control(raw);
  const service = books.find((each) => each.name === book)?.service;
  if (service === undefined) throw new Error(`The practice service has no book ${book}.`);
  const at = service.clock.now();
  const handled: HandledRequest = { ...answered, lost: false, environment: null };
  const { response } = handled;
  const entry = logEntry(raw, handled, { startedAt: at, endedAt: at });
  serving.onRequest?.({ book, control: true, ...entry, path: `${CONTROL_PATH}${entry.path}` });
  const last = closing.aborted || response.status === 413;
  await writeResponse(output, { response, date: dateOf(service), last });
}

async function readRequest(
  request: IncomingMessage,
  basePath: string,
  reading: { closing: AbortSignal; limit: BodyLimit },
): Promise<RawRequest> {
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
        ? new ApiError('invalid_request', 'The Host header is missing.', { details: { field: 'Host' } })
        : await readBody(request, reading),
  };
}

/** Another name may lead here from a web page whose owner controls its DNS. */
function isMisdirected(request: IncomingMessage): boolean {
  return request.headers.host !== undefined && !OWN_HOST.test(request.headers.host);
}

function misdirected(): PracticeResponse {
  return errorResponse(
    new ApiError('invalid_request', 'The Host header names another host.', {
      status: 421,
      details: { field: 'Host' },
    }),
  );
}

/** For a request that was rejected before it was read. */
function rejectedEntry(
  book: ServedBook,
  { method = '', url = '' }: IncomingMessage,
  { status, code }: PracticeResponse,
): RequestLogEntry {
  const at = new Date(book.service.clock.now()).toISOString();
  const entry = { at, book: book.name, environment: null, method, path: url, status, ms: 0 };
  return code === undefined ? entry : { ...entry, code };
}

const OWN_HOST = /^(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?$/i;

function readBody(
  request: IncomingMessage,
  { closing, limit }: { closing: AbortSignal; limit: BodyLimit },
): Promise<Buffer | ApiError> {
  const tooLarge = () =>
    new ApiError('invalid_request', `The body is larger than ${limit.largest / KIB} KiB.`, { status: 413 });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit.largest) chunks.push(chunk);
      else chunks.length = 0;
      if (length > limit.discarded) resolve(tooLarge());
    });
    request.on('end', () => resolve(length > limit.largest ? tooLarge() : Buffer.concat(chunks)));
    const endedEarly = () => resolve(new ApiError('invalid_request', 'The body ended too soon.'));
    request.on('close', endedEarly);
    request.on('error', endedEarly);
    closing.addEventListener('abort', endedEarly, { once: true });
    request.on('close', () => closing.removeEventListener('abort', endedEarly));
  });
}

/** Resolves when the response is sent or the client is gone. */
function writeResponse(
  output: ServerResponse,
  out: { response: PracticeResponse; date: string; last: boolean },
): Promise<void> {
  const { response } = out;
  // The connection may be closed, or already have a response from the clientError handler.
  if (output.socket?.writable !== true) return Promise.resolve();
  output.sendDate = false;
  output.writeHead(response.status, {
    ...headersOf(response, out.date),
    ...(out.last ? { Connection: 'close' } : {}),
  });
  return new Promise((resolve) => {
    output.once('close', resolve);
    output.end(response.body, () => resolve());
  });
}

function headersOf(response: PracticeResponse, date: string): Record<string, string> {
  return {
    Date: date,
    // Date is book time, which can be advanced: clients must not measure with it.
    'X-Practice-Clock': 'book',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(response.body)),
    'Cache-Control': 'no-store',
    ...(response.replayed === true ? { 'Idempotency-Replayed': 'true' } : {}),
    ...response.headers,
  };
}

/** For input that is not HTTP. */
function writeRawError(socket: Socket, error: ApiError, date: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const response = errorResponse(error);
  const lines = Object.entries({ ...headersOf(response, date), Connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${response.status} ${error.code}\r\n${lines.join('\r\n')}\r\n\r\n${response.body}`);
}

function clientApiError(error: Error): ApiError {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ApiError('invalid_request', 'The headers are too large.', { status: 431 });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('invalid_request', 'The request took too long to arrive.', { status: 408 });
  }
  return new ApiError('invalid_request', 'This is not a valid HTTP request.');
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

function dateOf(service: ServiceContext): string {
  try {
    return new Date(bookTime(service.db, service.clock.now()).now).toUTCString();
  } catch {
    // The book cannot be read; the error is in the response.
    return new Date(service.clock.now()).toUTCString();
  }
}

function logEntry(
  raw: RawRequest,
  handled: HandledRequest,
  times: { startedAt: number; endedAt: number },
): Omit<RequestLogEntry, 'book'> {
  const { response, environment, fault, cause } = handled;
  return {
    at: new Date(times.startedAt).toISOString(),
    environment,
    method: raw.method,
    path: raw.target ?? '(not below the base path)',
    status: response.status,
    ...(response.code === undefined ? {} : { code: response.code }),
    ...(raw.idempotencyKey === undefined ? {} : { idempotencyKey: raw.idempotencyKey }),
    ...(response.replayed === true ? { replayed: true } : {}),
    ms: times.endedAt - times.startedAt,
    ...(fault === undefined ? {} : { fault }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** Resolves when it is the caller's turn. */
type FairQueue = () => Promise<void>;

/**
 * Admits one request per turn of the event loop, so that new connections are accepted between requests: otherwise hundreds
 * of busy clients keep a new one waiting for minutes. After `closing` all waiting requests are admitted at once.
 */
function makeFairQueue(closing: AbortSignal): FairQueue {
  const waiting: (() => void)[] = [];
  let running = false;
  const next = (): void => {
    for (const admit of waiting.splice(0, closing.aborted ? waiting.length : 1)) admit();
    running = waiting.length > 0;
    if (running) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (running) return;
      running = true;
      setImmediate(next);
    });
}
