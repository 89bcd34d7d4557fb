/** HTTP messages of the service: reads requests, writes responses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PracticeClock } from '../domain/practice-types.ts';
import { ApiError, errorResponse, type PracticeResponse } from '../schemas/api-error.ts';
import type { Delivery } from './faulty-response.ts';
import type { RawRequest } from './parse-request.ts';

const KIB = 1_024;
/** For a request whose key, method and path are accepted. */
export const USUAL_BODY = 64 * KIB;
/** Larger bodies than these are read one at a time. */
export const LARGE_BODY = 1_024 * KIB;
/** A fixture is a whole book. */
export const FIXTURE_BODY = 64 * KIB * KIB;
/** A body that is not wanted is read this far and not kept, so that its sender receives the error. */
const DISCARDED = 2_048 * KIB;

/** A request without its body. */
export type RequestHead = Omit<RawRequest, 'body'>;

export function requestHead(request: IncomingMessage, basePath: string): RequestHead {
  const { method = '', url = '/', headers } = request;
  return {
    method,
    url,
    target: url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : undefined,
    headers,
    idempotencyKey: single(headers['idempotency-key']),
  };
}

const endsEarly = () => new ApiError('invalid_request', 'The body ended too soon.');

/** How long a closing service still waits for the rest of a body. */
const LAST_BODY_MS = 500;

/** Keeps at most `largest` bytes. */
export function readBody(
  request: IncomingMessage,
  { closing, clock, largest }: { closing: AbortSignal; clock: PracticeClock; largest: number },
): Promise<Buffer | ApiError> {
  const { headers } = request;
  if (request.httpVersion === '1.1' && headers.host === undefined) {
    const missing = new ApiError('invalid_request', 'The Host header is missing.', {
      details: { field: 'Host' },
    });
    return Promise.resolve(missing);
  }
  const tooLarge = () =>
    new ApiError('invalid_request', `The body is larger than ${largest / KIB} KiB.`, { status: 413 });
  const discarded = Math.max(largest, DISCARDED);
  if (Number(headers['content-length'] ?? 0) > discarded) return Promise.resolve(tooLarge());
  if (request.destroyed) return Promise.resolve(endsEarly());
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= largest) chunks.push(chunk);
      else chunks.length = 0;
      if (length > discarded) resolve(tooLarge());
    });
    request.on('end', () => resolve(length > largest ? tooLarge() : Buffer.concat(chunks)));
    const endedEarly = () => resolve(endsEarly());
    request.on('close', endedEarly);
    request.on('error', endedEarly);
    const ended = new AbortController();
    const waitForTheRest = () => void clock.sleep(LAST_BODY_MS, ended.signal).then(endedEarly);
    if (closing.aborted) waitForTheRest();
    else closing.addEventListener('abort', waitForTheRest, { once: true });
    for (const event of ['end', 'close'])
      request.on(event, () => {
        ended.abort();
        closing.removeEventListener('abort', waitForTheRest);
      });
  });
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(', ') : header;
}

const OWN_HOST = /^(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?$/i;

const rejected = (status: number, field: string, message: string): PracticeResponse =>
  errorResponse(new ApiError('invalid_request', message, { status, details: { field } }));

/** Undefined, unless a web page of another site sent the request, or a name that leads here although it is not ours. */
export function rejectionOfPages({ headers, url = '' }: IncomingMessage): PracticeResponse | undefined {
  const { host, origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers;
  // Its owner controls its DNS.
  if (host !== undefined && !OWN_HOST.test(host))
    return rejected(421, 'Host', 'The Host header names another host.');
  const isElsewhere = site === 'cross-site' || site === 'same-site';
  const isLink = mode === 'navigate' && (url === '/' || url.startsWith('/?'));
  if ((isElsewhere && !isLink) || (origin !== undefined && origin !== `https://${host ?? ''}`))
    return rejected(403, 'Origin', 'A page of another site sent this request.');
  return undefined;
}

/** How a response leaves: as a whole unless a fault says otherwise. */
export interface Sending {
  response: PracticeResponse;
  date: string;
  /** The connection is closed after it. */
  last: boolean;
  delivery?: Delivery;
  /** Waits between the bytes of a drip. */
  pause?: () => Promise<void>;
}

/** Resolves when the response is sent or the client is gone. */
export async function writeResponse(output: ServerResponse, out: Sending): Promise<void> {
  const { response, delivery = 'whole' } = out;
  // The connection may be closed, or already have a response from the clientError handler.
  if (output.socket?.writable !== true) return;
  if (delivery !== 'lost') {
    output.sendDate = false;
    output.writeHead(response.status, {
      ...headersOf(response, out.date),
      ...(out.last ? { Connection: 'close' } : {}),
    });
  }
  if (delivery !== 'whole') await deliverPart(output, out);
  if (delivery === 'whole' || delivery === 'drip')
    await new Promise<void>((resolve) => {
      output.once('close', resolve);
      output.end(delivery === 'drip' ? undefined : response.body, () => resolve());
    });
  else output.req.socket.destroy();
}

/** The bytes that leave before the end of the response or of the connection. */
async function deliverPart(output: ServerResponse, { response, delivery, pause }: Sending): Promise<void> {
  const bytes = Buffer.from(response.body);
  if (delivery === 'half')
    await new Promise<void>((resolve) => {
      output.once('close', resolve);
      output.write(bytes.subarray(0, bytes.length >> 1), () => resolve());
    });
  if (delivery !== 'drip') return;
  for (const at of bytes.keys()) {
    if (output.socket?.writable !== true) return;
    output.write(bytes.subarray(at, at + 1));
    await pause?.();
  }
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
export function writeRawError(socket: Socket, error: ApiError, date: string): void {
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

export function clientApiError(error: Error): ApiError {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ApiError('invalid_request', 'The headers are too large.', { status: 431 });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ApiError('invalid_request', 'The request took too long to arrive.', { status: 408 });
  }
  return new ApiError('invalid_request', 'This is not a valid HTTP request.');
}
