/** Turns a raw request into an endpoint with checked input. */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../schemas/api-error.ts';
import { fingerprintRequest, parseIdempotencyKey } from './idempotency.ts';
import { ENDPOINTS, type PracticeRoute, type PreparedCall } from './routes.ts';

/** `body` is an error if it could not be read. */
export interface RawRequest {
  method: string;
  /** Path and query, unchanged. */
  url: string;
  /** Path below the base path, with its query; undefined if it is not below it. */
  target: string | undefined;
  headers: IncomingHttpHeaders;
  idempotencyKey: string | undefined;
  body: Buffer | ApiError;
}

export interface ParsedRequest {
  endpoint: PracticeRoute;
  prepared: PreparedCall;
  /** Set for an action with an idempotency key. */
  keyed?: { key: string; fingerprint: string };
}

/** Throws an ApiError for an unknown path or method. */
export function endpointOf({ method, target }: Pick<RawRequest, 'method' | 'target'>) {
  const { path, search } = splitTarget(target);
  return { search, ...findEndpoint(ENDPOINTS, method, path) };
}

/** Throws ApiError. */
export function parseRequest(raw: RawRequest): ParsedRequest {
  const { search, endpoint, id } = endpointOf(raw);
  if (raw.body instanceof ApiError) throw raw.body;
  const body = endpoint.body === undefined ? undefined : jsonBody(raw, raw.body);
  const key =
    endpoint.action === undefined || raw.idempotencyKey === undefined
      ? undefined
      : parseIdempotencyKey(raw.idempotencyKey);
  const prepared = endpoint.prepare({ id, query: queryFields(search), body });
  if (key === undefined) return { endpoint, prepared };
  return {
    endpoint,
    prepared,
    keyed: { key, fingerprint: fingerprintRequest(endpoint.method, endpoint.path, prepared.body) },
  };
}

export function splitTarget(target: string | undefined): { path: string; search: string } {
  if (target === undefined) throw notFound();
  return splitUrl(target);
}

export function splitUrl(url: string): { path: string; search: string } {
  const mark = url.indexOf('?');
  return mark < 0 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark) };
}

/** Throws an ApiError for an unknown path or method. */
export function findEndpoint<E extends { method: string; path: string }>(
  endpoints: readonly E[],
  method: string,
  path: string,
): { endpoint: E; id: string } {
  const exact = endpoints.filter((endpoint) => endpoint.path === path && !endpoint.path.includes('{'));
  const matching =
    exact.length > 0 ? exact : endpoints.filter((endpoint) => idIn(endpoint.path, path) !== undefined);
  if (matching.length === 0) throw notFound();
  const endpoint = matching.find((each) => each.method === method);
  if (endpoint !== undefined) return { endpoint, id: idIn(endpoint.path, path) ?? '' };
  const allowed = matching.map((each) => each.method).join(', ');
  throw new ApiError('method_not_allowed', `This path allows ${allowed}.`, { headers: { Allow: allowed } });
}

/** Undefined if the path does not match the pattern. */
function idIn(pattern: string, path: string): string | undefined {
  const [start, end] = pattern.split('{id}');
  if (start === undefined || end === undefined || !path.startsWith(start)) return undefined;
  const id = path.slice(start.length);
  return id === '' || id.includes('/') ? undefined : decoded(id);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ApiError('invalid_request', 'The path has an invalid percent-encoding.');
  }
}

/** Throws an ApiError for a name that is given twice. */
export function queryFields(search: string): Record<string, string> {
  const matching = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (matching.has(name)) {
      throw new ApiError('invalid_request', `${name.slice(0, 64)}: is given twice.`, {
        details: { field: name.slice(0, 64), problem: 'is given twice' },
      });
    }
    matching.set(name, value);
  }
  return Object.fromEntries(matching);
}

/** The API key of the Authorization header. */
export const bearerOf = ({ headers }: Pick<RawRequest, 'headers'>): string | undefined =>
  /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];

export function jsonBody({ headers }: Pick<RawRequest, 'headers'>, bytes: Buffer): unknown {
  const [type = '', ...rest] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = rest.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  const plain = charset === undefined || charset.replaceAll('"', '') === 'charset=utf-8';
  if (type.trim() !== 'application/json' || !plain) {
    throw new ApiError('invalid_request', 'The body must be JSON in UTF-8, sent as application/json.', {
      status: 415,
      details: { field: 'Content-Type' },
    });
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new ApiError('invalid_request', 'The body must not be compressed.', {
      status: 415,
      details: { field: 'Content-Encoding' },
    });
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new ApiError('invalid_request', 'The body is not JSON.', { details: { field: '' } });
  }
}

function notFound(): ApiError {
  return new ApiError('not_found', 'No such path.');
}
