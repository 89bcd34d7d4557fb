/** The HTTPS server on loopback: its books, connections, the order of requests, closing. */
import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { bookTime } from '../book/transaction-context.ts';
import { DEFAULT_BOOK, type PracticeClock, PracticeInputError } from '../domain/practice-types.ts';
import { ApiError, errorResponse, type PracticeResponse } from '../schemas/api-error.ts';
import type { ServerIdentity } from '../store/service-identity.ts';
import {
  failedRequest,
  type HandledRequest,
  handleRequest,
  isExpected,
  type ServiceContext,
} from './handle-request.ts';
import {
  clientApiError,
  LARGE_BODY,
  type RequestHead,
  readBody,
  rejectionOfPages,
  requestHead,
  USUAL_BODY,
  writeRawError,
  writeResponse,
} from './http-messages.ts';
import type { RawRequest } from './parse-request.ts';
import { logEntry, type RequestEnd, type RequestLog, type RequestLogEntry } from './request-log.ts';
import { openapiText } from './routes.ts';

export interface Listening {
  /** `https://127.0.0.1:41234` */
  origin: string;
  controlUrl: string;
  /** Serves one more book. */
  add(book: BookToServe): void;
  /** Requests to it get 404 or 401 from now on. */
  remove(book: string): void;
  close(): Promise<void>;
}

export interface ListenOptions {
  identity: ServerIdentity;
  host: string | undefined;
  port: number | undefined;
  onRequest: ((entry: RequestLogEntry) => void) | undefined;
  log: RequestLog;
  control: ControlHandler;
  /** `GET /`. */
  front: (head: RequestHead) => Promise<PracticeResponse>;
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

interface ServedBook {
  name: string;
  service: ServiceContext;
  basePath: string;
  /** The text of `{base}/openapi.json`. */
  openapi: () => string;
}

const CONTROL_PATH = '/control/v1';

/** Ends in the version (specification §9). */
export const basePathOf = (name: string): string =>
  name === DEFAULT_BOOK ? '/practice/v2' : `/practice/${name}/v2`;

const BOOK_PATH = /^\/practice\/(?:([a-z0-9-]{1,32})\/)?v2\//;

/**
 * Under Node's default of 511, some of a thousand simultaneous connections waited for minutes and were reset. The system
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

/** The first book answers for addresses below no book. */
export async function listen(first: BookToServe, options: ListenOptions): Promise<Listening> {
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
  const books = new Map<string, ServedBook>();
  let origin = '';
  const add = ({ name, service }: BookToServe): ServedBook => {
    let openapi: string | undefined;
    const basePath = basePathOf(name);
    const served = {
      name,
      basePath,
      service: { ...service, closing: closing.signal },
      openapi: () => (openapi ??= openapiText(`${origin}${basePath}`)),
    };
    books.set(name, served);
    return served;
  };
  const served = { first: add(first), at: (name: string) => books.get(name) };
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
    origin,
    controlUrl: `${origin}${CONTROL_PATH}`,
    add: (book) => void add(book),
    remove: (book) => void books.delete(book),
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

interface ServerOptions extends Pick<ListenOptions, 'identity' | 'onRequest' | 'log' | 'control' | 'front'> {
  closing: AbortSignal;
}
type Serving = ServerOptions & { turn: FairQueue; alone: OneAtATime; clock: PracticeClock };

interface ServedBooks {
  first: ServedBook;
  at(name: string): ServedBook | undefined;
}

function makeHttpsServer(books: ServedBooks, options: ServerOptions) {
  const { service } = books.first;
  const inProgress = new Set<Promise<void>>();
  const serving = {
    ...options,
    turn: makeFairQueue(options.closing),
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
    const rejection = rejectionOfPages(request);
    if (rejection !== undefined) {
      sendRejection(books.first, rejection, serving.onRequest, [request, output]);
      return;
    }
    const sent = serveAny(books, serving, request, output);
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
    /** Resolves when every request in progress has its response. */
    async drain(): Promise<void> {
      // A kept-alive connection may send one more request meanwhile.
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}

function serveAny(
  books: ServedBooks,
  serving: Serving,
  request: IncomingMessage,
  output: ServerResponse,
): Promise<void> {
  const { url = '' } = request;
  if (url.startsWith(`${CONTROL_PATH}/`)) return serveControl(books, serving, request, output);
  if (request.method === 'GET' && (url === '/' || url.startsWith('/?')))
    return serveFront(books.first, serving, request, output);
  const [below, name = DEFAULT_BOOK] = BOOK_PATH.exec(url) ?? [];
  const book = below === undefined ? undefined : books.at(name);
  return serve(book ?? books.first, serving, request, output);
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
  const kept = body instanceof ApiError ? Buffer.alloc(0) : body;
  const received = serving.log.add(name, head, { body: kept, at: startedAt });
  const handled = await handleRequest(service, { ...head, body }, received);
  const { response, fault, executed, cause, delivery } = handled;
  // Logged before the response is sent, so that a client that has it finds it in the log.
  received.end = { ...endOf(response), executed, fault };
  if (serving.onRequest !== undefined) {
    const { environment } = received;
    const times = { environment, startedAt, endedAt: service.clock.now(), cause };
    serving.onRequest({ book: name, ...logEntry(head, received.end, times) });
  }
  await writeResponse(output, {
    response,
    date: dateOf(service),
    last: closing.aborted || response.status === 413 || !request.complete,
    delivery,
    pause: () => service.clock.sleep(DRIP_MS, closing),
  });
}

const DRIP_MS = 100;

const endOf = ({ status, code, replayed }: PracticeResponse): RequestEnd => ({ status, code, replayed });

/** The page, or where the APIs are. It is not in the log. */
async function serveFront(
  { service }: ServedBook,
  { front, turn, closing }: Serving,
  request: IncomingMessage,
  output: ServerResponse,
): Promise<void> {
  await turn();
  const response = await front(requestHead(request, '')).catch(
    (error: unknown) => failedRequest(error).response,
  );
  const last = closing.aborted || !request.complete;
  await writeResponse(output, { response, date: dateOf(service), last });
}

async function serveControl(
  books: ServedBooks,
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
    const { book, response, cause } = await control.handle({ ...head, body });
    const { service } = books.at(book) ?? books.first;
    const at = service.clock.now();
    const entry = logEntry(head, endOf(response), { environment: null, startedAt: at, endedAt: at, cause });
    serving.onRequest?.({ book, control: true, ...entry, path: `${CONTROL_PATH}${entry.path}` });
    const last = closing.aborted || response.status === 413 || !request.complete;
    await writeResponse(output, { response, date: dateOf(service), last });
  };
  await (largest > LARGE_BODY ? alone(answer) : answer());
}

/** Before it is read; it is not in the log that a test asks. */
function sendRejection(
  { name, service }: ServedBook,
  response: PracticeResponse,
  onRequest: ListenOptions['onRequest'],
  [request, output]: [IncomingMessage, ServerResponse],
): void {
  const at = service.clock.now();
  const entry = logEntry(requestHead(request, ''), endOf(response), {
    environment: null,
    startedAt: at,
    endedAt: at,
  });
  onRequest?.({ book: name, ...entry });
  void writeResponse(output, { response, date: dateOf(service), last: true });
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
