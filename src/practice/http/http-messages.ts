/** HTTP messages of the service: reads requests, writes responses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { PracticeClock } from '../domain/practice-types.ts';
import { ApiError, errorResponse, type PracticeResponse } from '../schemas/api-error.ts';
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
  const url = request.url ?? '/';
  return {
    method: request.method ?? '',
    target: url.startsWith(`${basePath}/`) ? url.slice(basePath.length) : undefined,
    authorization: request.headers.authorization,
    idempotencyKey: single(request.headers['idempotency-key']),
    contentType: request.headers['content-type'],
    contentEncoding: request.headers['content-encoding'],
  };
}

const endsEarly = () => new ApiError('invalid_request', 'The body ended too soon.');

/** What a closing service still waits for the rest of a body. */
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

/** Another name may lead here from a web page whose owner controls its DNS. */
export function isMisdirected(request: IncomingMessage): boolean {
  return request.headers.host !== undefined && !OWN_HOST.test(request.headers.host);
}

export function misdirected(): PracticeResponse {
  return errorResponse(
    new ApiError('invalid_request', 'The Host header names another host.', {
      status: 421,
      details: { field: 'Host' },
    }),
  );
}

/** Resolves when the response is sent or the client is gone. */
export function writeResponse(
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
