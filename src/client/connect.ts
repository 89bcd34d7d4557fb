/**
 * Assembles the client: the one door that the composition root uses. It owns the order of the handlers and
 * knows no endpoint.
 * A call passes them from top to bottom, its answer from bottom to top:
 *   retry      attempts, waits, the total deadline, what others with this key were told; the end as one error
 *   validate   the data against its schema
 *   envelope   data, error, meta; status codes; the key out of every text of the body
 *   trace      what -v shows, above the key
 *   bearer     the key, on the way down only; out of the headers on the way up
 *   send       one exchange: deadline, caps, TLS, proxy
 *
 * The one choice of road, made at the first request: undici where connections are pooled or go through a
 * proxy; else node:http over the same TLS connections, which takes a third of the time and half of the memory
 * for one exchange.
 */
import { setMaxListeners } from 'node:events';
import { type ApiKey, keyMaskOf } from '../domain/api-key.ts';
import { UnavailableError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { parseBaseUrl } from './base-url.ts';
import type { Schemas } from './endpoints.ts';
import type { ApiResponse, CallOptions, HedgeApi } from './hedge-api.ts';
import { type ApiCall, makeHttpApi } from './http-api.ts';
import { withEnvelope } from './transport/envelope.ts';
import { type ProxySettings, proxyFor } from './transport/proxy.ts';
import type { RateLimitStore } from './transport/rate-limit.ts';
import type { RequestFailure } from './transport/request-failure.ts';
import { withRetry } from './transport/retry.ts';
import { sendOver, type Trace, withBearer, withTrace } from './transport/send.ts';
import type { TlsSessions } from './transport/tls-session.ts';
import type { Transport, TransportParts, WireRequest } from './transport/transport.ts';
import { validate } from './transport/validate.ts';
export interface ConnectionOptions {
  /** `https://host/partner/v2`; see base-url.ts. */
  baseUrl: string;
  key: ApiKey;
  /** PEM certificates that are trusted, and no other unless `roots`. Absent: Node's own list. */
  ca?: readonly string[] | undefined;
  /** Node's own list is trusted besides. */
  roots?: boolean | undefined;
  /** Many requests at once are to be expected. */
  pooled?: boolean | undefined;
  /** Where TLS sessions are kept from one process to the next; absent: nowhere. */
  sessions?: TlsSessions | undefined;
  /** Where the service's word to slow down is kept for all who use this key; absent: nobody else's counts. */
  slowDown?: RateLimitStore | undefined;
  /** HTTPS_PROXY and NO_PROXY as the environment has them. */
  proxy?: ProxySettings | undefined;
  clock: Clock;
  random: Random;
  /** Stops every call. A call's own signal stops that call. */
  signal?: AbortSignal | undefined;
  /** Called with each line of what `-v` shows. */
  trace?: Trace | undefined;
  userAgent?: string | undefined;
}

export interface Connection {
  api: HedgeApi;
  /** Drops every connection. Nothing can be sent afterwards. */
  close(): Promise<void>;
}

/** Opens no connection yet. @throws CredentialError on an unusable base address or proxy. */
export function connect(parts: ConnectionOptions): Connection {
  const { key, clock, random, trace, slowDown } = parts;
  const base = parseBaseUrl(parts.baseUrl);
  const road = createTransport({
    origin: base.origin,
    target: { host: base.host, port: base.port },
    trust: { ca: parts.ca ?? [], roots: parts.ca === undefined || parts.roots === true },
    proxy: parts.proxy ?? {},
    pooled: parts.pooled === true,
    sessions: parts.sessions,
    clock,
  });
  const wire = sendOver({ road: () => road.ready(), pathPrefix: base.path, clock });
  const mask = keyMaskOf(key);
  const known = withBearer(key, mask, wire);
  const traced = trace === undefined ? known : withTrace({ trace, clock, masked: key.masked }, known);
  const opened = withEnvelope(traced, mask, () => clock.now());
  const host = `${base.host.includes(':') ? `[${base.host}]` : base.host}:${base.port}`;
  const closing = new AbortController();
  // Every call that is under way listens; Node would warn on standard error from the eleventh on.
  setMaxListeners(0, closing.signal);
  const everyRequest = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': parts.userAgent ?? 'hedge-cli',
  };

  // They take as long to load as a service beside us to answer: that is when they are, once a request has left.
  let shapes: Promise<Schemas> | undefined;
  const loaded = (): Promise<Schemas> =>
    (shapes ??= new Promise((resolve) => setImmediate(resolve)).then(() => import('./schemas.ts')));

  const api = makeHttpApi(async <T>(call: ApiCall<T>, options: CallOptions): Promise<ApiResponse<T>> => {
    const request: WireRequest = {
      method: call.method,
      path: call.path,
      headers: { ...everyRequest, ...call.headers },
      ...(call.body === undefined ? {} : { body: call.body }),
    };
    const called = { line: `${call.method} ${pathOf(call.path)}`, host, about: call.about };
    const stops = [options.signal, parts.signal, closing.signal].filter((signal) => signal !== undefined);
    const { effect } = call;
    const onHeldBack = (ms: number): void => {
      trace?.(`. held back ${ms} ms: others with this key were told to slow down`);
      options.onHeldBack?.(ms);
    };
    // No file of ours may be missing once an action has been sent.
    if (effect === 'action') await loaded();
    return withRetry(
      { clock, random, slowDown },
      { effect, called, stops, onAttempt: options.onAttempt, onHeldBack, decided: options.decided },
      async (attempt) => {
        const mayLeave = (): RequestFailure | undefined => {
          void loaded().catch(() => undefined);
          return attempt.mayLeave?.();
        };
        const answer = await opened(request, { ...attempt, mayLeave });
        const data = validate(call.schema(await loaded()), answer, call);
        return { data, meta: answer.meta, servedAt: answer.servedAt, clocks: answer.clocks };
      },
    );
  });
  return {
    api,
    close() {
      // What is still under way has nobody left to answer to.
      closing.abort(closedHere(host));
      return road.close();
    },
  };
}

const closedHere = (host: string): UnavailableError =>
  new UnavailableError({
    code: 'unavailable',
    what: `The connection to ${host} was closed here.`,
    book: 'Nothing was changed.',
  });

/** Without the query: a deal id has no place in a message. */
const pathOf = (path: string): string => path.replace(/\?.*$/, '');

/** @throws CredentialError at once on an unusable HTTPS_PROXY. */
export function createTransport(parts: TransportParts): {
  ready(): Promise<Transport>;
  close(): Promise<void>;
} {
  const proxy = proxyFor(parts.target, parts.proxy);
  let opened: Promise<Transport> | undefined;
  const open = async (): Promise<Transport> => {
    if (parts.pooled || proxy !== undefined) {
      const { undiciTransport } = await import('./transport/undici-transport.ts');
      return undiciTransport({ ...parts, proxy });
    }
    const { nodeTransport } = await import('./transport/node-transport.ts');
    return nodeTransport(parts);
  };
  return {
    ready: () => (opened ??= open()),
    async close() {
      await (await opened)?.close();
    },
  };
}
