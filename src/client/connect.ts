/**
 * Assembles the client: the one door that the composition root uses. It owns the order of the handlers and
 * knows no endpoint.
 *
 * A call passes them from top to bottom, its answer from bottom to top:
 *
 *   retry      attempts, waits, the total deadline, what others with this key were told; the end as one error
 *   validate   the data against its schema
 *   envelope   data, error, meta; status codes; the key out of every text of the body
 *   trace      what -v shows, above the key
 *   bearer     the key, on the way down only; out of the headers on the way up
 *   send       one exchange: deadline, caps, TLS, proxy
 */
import { setMaxListeners } from 'node:events';
import type { ApiKey } from '../domain/api-key.ts';
import { keyMaskOf } from '../domain/key-mask.ts';
import { UnavailableError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { parseBaseUrl } from './base-url.ts';
import type { Answer, CallOptions, HedgeApi } from './hedge-api.ts';
import { type Call, makeHttpApi, type Schemas } from './http-api.ts';
import { withBearer } from './transport/bearer.ts';
import { chooseRoad } from './transport/choose-road.ts';
import { withEnvelope } from './transport/envelope.ts';
import type { Failure } from './transport/failure.ts';
import type { ProxySettings } from './transport/proxy.ts';
import { withRetry } from './transport/retry.ts';
import { sendOver } from './transport/send.ts';
import type { SlowDown } from './transport/slow-down.ts';
import type { TlsSessions } from './transport/tls-session.ts';
import { type Trace, withTrace } from './transport/trace.ts';
import { validate } from './transport/validate.ts';
import type { WireRequest } from './transport/wire.ts';

export interface Connecting {
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
  slowDown?: SlowDown | undefined;
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
export function connect(parts: Connecting): Connection {
  const { key, clock, random, trace, slowDown } = parts;
  const base = parseBaseUrl(parts.baseUrl);
  const road = chooseRoad({
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

  const api = makeHttpApi(async <T>(call: Call<T>, options: CallOptions): Promise<Answer<T>> => {
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
        const mayLeave = (): Failure | undefined => {
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
