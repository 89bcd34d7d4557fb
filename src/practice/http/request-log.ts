/** The newest requests that the partner API received, from their arrival on. */
import type { IncomingHttpHeaders } from 'node:http';
import type { PracticeEnvironment } from '../domain/practice-types.ts';
import { matchesRequest, type RequestFacts, type RequestMatch } from '../domain/request-match.ts';
import type { ResponseFault } from '../faults/response-faults.ts';
import type { RequestHead } from './http-messages.ts';
import { splitUrl } from './parse-request.ts';

/** A request in the printed log. Never has an API key. */
export interface RequestLogEntry {
  /** `default`, or the NAME of `/practice/NAME/v2`. */
  book: string;
  /** True for a request of the control API. */
  control?: true;
  /** ISO 8601, of the book's clock. */
  at: string;
  /** Null without a valid API key. */
  environment: PracticeEnvironment | null;
  method: string;
  /** Below the base path, with its query. */
  path: string;
  /** Set for a lost response too; 0 if the request was cut before execution. */
  status: number;
  /** `error.code` */
  code?: string;
  idempotencyKey?: string;
  /** True for a stored response sent again. */
  replayed?: boolean;
  ms: number;
  fault?: RequestFault;
  /** Set for an internal error. */
  cause?: string;
}

/** `in_flight`: executed, and its key answers `idempotency_in_flight`. */
export type RequestFault = ResponseFault | 'in_flight';

/** How a request ended. */
export interface RequestEnd {
  status: number;
  code?: string | undefined;
  replayed?: boolean | undefined;
  /** Whether this request changed the book. */
  executed?: boolean | undefined;
  fault?: RequestFault | undefined;
}

export interface ReceivedRequest extends RequestFacts {
  /** 1 for the first request of the book since the service started. */
  number: number;
  /** Time of the book's clock, in ms. */
  at: number;
  headers: IncomingHttpHeaders;
  /** Undefined while it is in progress. */
  end: RequestEnd | undefined;
}

export interface RequestFilter extends RequestMatch {
  status?: number | undefined;
  fault?: string | undefined;
  replayed?: boolean | undefined;
  executed?: boolean | undefined;
  /** Time of the book's clock, in ms. */
  since?: number | undefined;
  /** A number: only later requests. */
  after?: number | undefined;
}

export type RequestLog = ReturnType<typeof makeRequestLog>;

const MOST_REQUESTS = 5_000;
/** Limit for paths, headers and bodies; the headers of a request count as `HEADERS` bytes. */
const MOST_BYTES = 8 * 1_048_576;
const HEADERS = 512;

interface BookLog {
  count: number;
  kept: ReceivedRequest[];
  bytes: number;
  complete: boolean;
}

const sizeOf = ({ path, search, body }: ReceivedRequest): number =>
  path.length + search.length + body.length + HEADERS;

export function makeRequestLog() {
  const books = new Map<string, BookLog>();
  const of = (book: string): BookLog => {
    const found = books.get(book) ?? { count: 0, kept: [], bytes: 0, complete: true };
    books.set(book, found);
    return found;
  };
  return {
    add(book: string, head: RequestHead, { body, at }: { body: Buffer; at: number }): ReceivedRequest {
      const log = of(book);
      log.count += 1;
      const { path, search } = splitUrl(head.target ?? head.url);
      const received: ReceivedRequest = {
        number: log.count,
        at,
        method: head.method,
        path,
        search,
        headers: head.headers,
        body,
        key: head.idempotencyKey,
        environment: null,
        action: undefined,
        end: undefined,
      };
      log.kept.push(received);
      log.bytes += sizeOf(received);
      while (log.kept.length > MOST_REQUESTS || log.bytes > MOST_BYTES) {
        const dropped = log.kept.shift();
        if (dropped === undefined) break;
        log.bytes -= sizeOf(dropped);
        log.complete = false;
      }
      return received;
    },
    /** Oldest first. */
    find: (book: string, filter: RequestFilter) =>
      of(book).kept.filter((received) => passes(filter, received)),
    /** Whether no request was dropped since the log was empty. */
    isComplete: (book: string) => of(book).complete,
    /** Returns how many it had. The numbers go on. */
    clear(book: string): number {
      const log = of(book);
      log.bytes = 0;
      log.complete = true;
      return log.kept.splice(0).length;
    },
    /** The book has ended. */
    forget: (book: string) => void books.delete(book),
  };
}

function passes(filter: RequestFilter, received: ReceivedRequest): boolean {
  const { status, fault, replayed, executed, since, after, ...match } = filter;
  const { end, at, number } = received;
  return (
    (status === undefined || end?.status === status) &&
    (fault === undefined || end?.fault === fault) &&
    (replayed === undefined || (end?.replayed === true) === replayed) &&
    (executed === undefined || (end?.executed === true) === executed) &&
    (since === undefined || at >= since) &&
    (after === undefined || number > after) &&
    matchesRequest(match, received)
  );
}

/** A line of the printed log. */
export function logEntry(
  { method, target, url, idempotencyKey }: RequestHead,
  { status, code, replayed, fault }: RequestEnd,
  at: {
    environment: PracticeEnvironment | null;
    startedAt: number;
    endedAt: number;
    cause?: string | undefined;
  },
): Omit<RequestLogEntry, 'book'> {
  return {
    at: new Date(at.startedAt).toISOString(),
    environment: at.environment,
    method,
    path: target ?? url,
    status,
    ...(code === undefined ? {} : { code }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(replayed === true ? { replayed } : {}),
    ms: at.endedAt - at.startedAt,
    ...(fault === undefined ? {} : { fault }),
    ...(at.cause === undefined ? {} : { cause: at.cause }),
  };
}
