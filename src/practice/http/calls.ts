/** From a raw request to a call that has been understood: endpoint, key, work. Touches no store. */
import { Refusal } from '../wire/refusal.ts';
import { type Endpoint, endpoints, type Work } from './endpoints.ts';
import { checkKey, fingerprintOf } from './idempotency.ts';

/** One HTTP request as the server read it; `body` is a refusal when it could not be read. */
export interface Incoming {
  method: string;
  /** Below the base address, with its query; undefined when the address is not below it. */
  target: string | undefined;
  authorization: string | undefined;
  idempotencyKey: string | undefined;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  body: Buffer | Refusal;
}

export interface Call {
  endpoint: Endpoint;
  work: Work;
  /** Of an action that came with a key. */
  keyed?: { key: string; fingerprint: string };
}

/** Throws the refusal of a request that no endpoint takes. */
export function understand(incoming: Incoming): Call {
  const { path, query } = split(incoming.target);
  const { endpoint, id } = route(incoming.method, path);
  if (incoming.body instanceof Refusal) throw incoming.body;
  const body = endpoint.body === undefined ? undefined : jsonBody(incoming, incoming.body);
  const key =
    endpoint.action === undefined || incoming.idempotencyKey === undefined
      ? undefined
      : checkKey(incoming.idempotencyKey);
  const work = endpoint.prepare({ id, query: parameters(query), body });
  if (key === undefined) return { endpoint, work };
  return {
    endpoint,
    work,
    keyed: { key, fingerprint: fingerprintOf(endpoint.method, endpoint.path, work.body) },
  };
}

function split(target: string | undefined): { path: string; query: string } {
  if (target === undefined) throw notFound();
  const mark = target.indexOf('?');
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

function route(method: string, path: string): { endpoint: Endpoint; id: string } {
  const exact = endpoints.filter((endpoint) => endpoint.path === path && !endpoint.path.includes('{'));
  const found =
    exact.length > 0 ? exact : endpoints.filter((endpoint) => idIn(endpoint.path, path) !== undefined);
  if (found.length === 0) throw notFound();
  const endpoint = found.find((each) => each.method === method);
  if (endpoint !== undefined) return { endpoint, id: idIn(endpoint.path, path) ?? '' };
  const allowed = found.map((each) => each.method).join(', ');
  throw new Refusal('method_not_allowed', `This address takes ${allowed}.`, { headers: { Allow: allowed } });
}

/** The `{id}` of a path that matches the pattern. */
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
    throw new Refusal('invalid_request', 'The address holds an escape that is none.');
  }
}

function parameters(query: string): Record<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (found.has(name)) {
      throw new Refusal('invalid_request', `${name.slice(0, 64)}: is given twice.`, {
        details: { field: name.slice(0, 64), problem: 'is given twice' },
      });
    }
    found.set(name, value);
  }
  return Object.fromEntries(found);
}

function jsonBody(incoming: Incoming, bytes: Buffer): unknown {
  const [type = '', ...rest] = (incoming.contentType ?? '').toLowerCase().split(';');
  const charset = rest.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  const plain = charset === undefined || charset.replaceAll('"', '') === 'charset=utf-8';
  if (type.trim() !== 'application/json' || !plain) {
    throw new Refusal('invalid_request', 'The body must be JSON in UTF-8, sent as application/json.', {
      status: 415,
      details: { field: 'Content-Type' },
    });
  }
  if (incoming.contentEncoding !== undefined && incoming.contentEncoding.toLowerCase() !== 'identity') {
    throw new Refusal('invalid_request', 'The body must not be compressed.', {
      status: 415,
      details: { field: 'Content-Encoding' },
    });
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new Refusal('invalid_request', 'The body is not JSON.', { details: { field: '' } });
  }
}

function notFound(): Refusal {
  return new Refusal('not_found', 'There is nothing at this address.');
}
