/** The HTTPS server on loopback: its books, connections, the order of requests, closing. */
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { bookTime } from '../book/transaction-context.ts';
import { type PracticeClock, PracticeInputError } from '../domain/practice-types.ts';
import { ApiError, errorResponse, type PracticeResponse } from '../schemas/api-error.ts';
import type { ServiceIdentity } from '../store/service-identity.ts';
import { type HandledRequest, handleRequest, isExpected, type ServiceContext } from './handle-request.ts';
import {
  clientApiError,
  isMisdirected,
  LARGE_BODY,
  misdirected,
  type RequestHead,
  readBody,
  requestHead,
  USUAL_BODY,
  writeRawError,
  writeResponse,
} from './http-messages.ts';
import { openapiText } from './openapi.ts';
import type { RawRequest } from './parse-request.ts';
import { logEntry, type RequestLogEntry } from './request-log.ts';

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

export interface ControlHandler {
  /** The largest body of this request; 0 when its key, method or path is refused. */
  largestBody(head: RequestHead): Promise<number>;
  /** The response, and the book whose time it is dated with. */
  handle(raw: RawRequest): Promise<Pick<HandledRequest, 'response' | 'cause'> & { book: string }>;
}

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
/** More than any load that was tried; each holds up to 64 KiB of a body. */
const MOST_CONNECTIONS = 2_048;
const HANDSHAKE_MS = 20_000;
const HEADERS_MS = 20_000;
const REQUEST_MS = 60_000;
const CHECKED_EVERY_MS = 5_000;
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
  // Each request that waits listens to it.
  setMaxListeners(0, closing.signal);
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
type Serving = ServerOptions & { turn: FairQueue; alone: OneAtATime; clock: PracticeClock };

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
  const shared = {
    ...serving,
    turn: makeFairQueue(serving.closing),
    alone: makeOneAtATime(),
    clock: service.clock,
  };
  const server = createServer({
    cert: serving.identity.certificatePem,
    key: serving.identity.privateKeyPem,
    minVersion: 'TLSv1.2',
    // A missing Host header gets an error in the envelope, not Node's own.
    requireHostHeader: false,
    keepAliveTimeout: 60_000,
    handshakeTimeout: HANDSHAKE_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    connectionsCheckingInterval: CHECKED_EVERY_MS,
  });
  server.maxConnections = MOST_CONNECTIONS;
  const handle = (request: IncomingMessage, output: ServerResponse): void => {
    if (isMisdirected(request)) {
      const response = misdirected();
      serving.onRequest?.(rejectedEntry(first, request, response));
      void writeResponse(output, { response, date: dateOf(service), last: true });
      return;
    }
    const book = books.find((each) => (request.url ?? '').startsWith(`${each.basePath}/`)) ?? first;
    const sent = (request.url ?? '').startsWith(`${CONTROL_PATH}/`)
      ? serveControl(books, shared, request, output)
      : serve(book, shared, request, output);
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
  serving: Serving,
  request: IncomingMessage,
  output: ServerResponse,
): Promise<void> {
  const startedAt = service.clock.now();
  const { closing } = service;
  const head = requestHead(request, basePath);
  const largest = isExpected(service, head) ? USUAL_BODY : 0;
  const body = await readBody(request, { closing, clock: service.clock, largest });
  await serving.turn();
  if (head.method === 'GET' && head.target === '/openapi.json') {
    const response = { status: 200, body: openapi(), headers: {} };
    await writeResponse(output, { response, date: dateOf(service), last: !request.complete });
    return;
  }
  const handled = await handleRequest(service, { ...head, body });
  // Logged before the response is sent, so that a client that has it finds it in the log.
  const entry = logEntry(head, handled, { startedAt, endedAt: service.clock.now() });
  serving.onRequest?.({ book: name, ...entry });
  if (handled.lost) request.socket.destroy();
  else {
    const last = closing.aborted || handled.response.status === 413 || !request.complete;
    await writeResponse(output, { response: handled.response, date: dateOf(service), last });
  }
}

async function serveControl(
  books: readonly ServedBook[],
  serving: Serving,
  request: IncomingMessage,
  output: ServerResponse,
): Promise<void> {
  const { closing, clock, control, alone, turn } = serving;
  const head = requestHead(request, CONTROL_PATH);
  const largest = await control.largestBody(head);
  const answer = async (): Promise<void> => {
    const body = await readBody(request, { closing, clock, largest });
    await turn();
    const { book, ...answered } = await control.handle({ ...head, body });
    const service = books.find((each) => each.name === book)?.service;
    if (service === undefined) throw new Error(`The practice service has no book ${book}.`);
    const at = service.clock.now();
    const handled: HandledRequest = { ...answered, lost: false, environment: null };
    const { response } = handled;
    const entry = logEntry(head, handled, { startedAt: at, endedAt: at });
    serving.onRequest?.({ book, control: true, ...entry, path: `${CONTROL_PATH}${entry.path}` });
    const last = closing.aborted || response.status === 413 || !request.complete;
    await writeResponse(output, { response, date: dateOf(service), last });
  };
  await (largest > LARGE_BODY ? alone(answer) : answer());
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

function dateOf(service: ServiceContext): string {
  try {
    return new Date(bookTime(service.db, service.clock.now()).now).toUTCString();
  } catch {
    // The book cannot be read; the error is in the response.
    return new Date(service.clock.now()).toUTCString();
  }
}

/** Starts the work when all earlier work has ended. */
type OneAtATime = (work: () => Promise<void>) => Promise<void>;

function makeOneAtATime(): OneAtATime {
  let last: Promise<void> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
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
