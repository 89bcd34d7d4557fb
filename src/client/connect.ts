/**
 * Assembles the client: the order of the handlers and the choice of transport. A call passes the handlers downward, its
 * response upward:
 *   retry      attempts, waits, the total deadline, rate limits; maps a failure to one error
 *   validate   the data against its schema
 *   envelope   data, error, meta; status codes; masks the key in the body
 *   trace      the lines of -v, without the key
 *   bearer     adds the key; masks it in the response's headers
 *   send       one exchange: deadline, size limit, TLS, proxy
 */
import { setMaxListeners } from 'node:events';
import { type ApiKey, keyMaskOf } from '../domain/api-key.ts';
import { UnavailableError } from '../errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { parseBaseUrl } from './base-url.ts';
import type { EndpointNames, Schemas } from './endpoints.ts';
import { type ApiCall, type ApiResponse, type HedgeApi, makeHttpApi } from './hedge-api.ts';
import type { Tunnel } from './transport/connector.ts';
import { type ProxySettings, proxyFor } from './transport/proxy.ts';
import { validate, withEnvelope } from './transport/read-response.ts';
import type { RequestFailure } from './transport/request-failure.ts';
import { type RateLimitStore, withRetry } from './transport/retry.ts';
import { sendOver, type Trace, withBearer, withTrace } from './transport/send.ts';
import type { TlsSessions } from './transport/tls.ts';
import type {
  AgentAccess,
  CallOptions,
  ConnectionSource,
  Transport,
  TransportParts,
  WireRequest,
} from './transport/transport.ts';

export interface ConnectionOptions {
  /** `https://host/partner/v2`; see base-url.ts. */
  baseUrl: string;
  key: ApiKey;
  /** PEM certificates to trust, alone unless `roots`. Absent: Node's own list. */
  ca?: readonly string[] | undefined;
  /** Also trust Node's own list. */
  roots?: boolean | undefined;
  /** Many requests follow: undici keeps the connections. */
  pooled?: boolean | undefined;
  /** Stores TLS sessions for the next process; absent: none are stored. */
  sessions?: TlsSessions | undefined;
  /** Connections of this user's agent; absent: none are used. */
  agent?: AgentAccess | undefined;
  /** Rate-limit state shared by all processes that use this key; absent: this process's alone. */
  rateLimit?: RateLimitStore | undefined;
  /** HTTPS_PROXY and NO_PROXY. */
  proxy?: ProxySettings | undefined;
  clock: Clock;
  random: Random;
  /** Stops every call; a call's own signal stops that call only. */
  signal?: AbortSignal | undefined;
  /** Called with each line that `-v` shows. */
  trace?: Trace | undefined;
  /** Called with the data of each response whose endpoint has names, and with its request. */
  onNames?: ((names: EndpointNames, data: unknown, request: unknown) => void) | undefined;
  userAgent?: string | undefined;
}

export interface Connection {
  api: HedgeApi;
  /** Closes every connection. Nothing can be sent afterwards. */
  close(): Promise<void>;
}

/** Connects with the first request. @throws CredentialError on an unusable base URL or proxy. */
export function connect(parts: ConnectionOptions): Connection {
  const { key, clock, random, trace, rateLimit } = parts;
  const base = parseBaseUrl(parts.baseUrl);
  const transport = createTransport({
    origin: base.origin,
    target: { host: base.host, port: base.port },
    trust: { ca: parts.ca ?? [], roots: parts.ca === undefined || parts.roots === true },
    proxy: parts.proxy ?? {},
    pooled: parts.pooled === true,
    sessions: parts.sessions,
    agent: parts.agent,
    clock,
  });
  const wire = sendOver({ transport: () => transport.ready(), pathPrefix: base.path, clock });
  const mask = keyMaskOf(key);
  const known = withBearer(key, mask, wire);
  const host = `${base.host.includes(':') ? `[${base.host}]` : base.host}:${base.port}`;
  const traced = trace === undefined ? known : withTrace({ trace, clock, masked: key.masked, host }, known);
  const opened = withEnvelope(traced, mask, () => clock.now());
  const closing = new AbortController();
  // One listener per call; Node would warn on standard error from the eleventh.
  setMaxListeners(0, closing.signal);
  const everyRequest = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': parts.userAgent ?? 'hedge-cli',
  };

  // Loads the schemas while the first request is in flight.
  let schemas: Promise<Schemas> | undefined;
  const loaded = (): Promise<Schemas> =>
    (schemas ??= new Promise((resolve) => setImmediate(resolve)).then(() => import('./schemas.ts')));

  const api = makeHttpApi(async <T>(call: ApiCall<T>, options: CallOptions): Promise<ApiResponse<T>> => {
    const request: WireRequest = {
      method: call.method,
      path: call.path,
      headers: { ...everyRequest, ...call.headers },
      ...(call.body === undefined ? {} : { body: call.body }),
    };
    const called = { line: `${call.method} ${pathOf(call.path)}`, about: call.about };
    const stops = [options.signal, parts.signal, closing.signal].filter((signal) => signal !== undefined);
    const { effect } = call;
    const onHeldBack = (ms: number): void => {
      trace?.(`. waiting ${ms} ms: rate limit of this key`);
      options.onHeldBack?.(ms);
    };
    // A program file that cannot be loaded must fail before an action is sent.
    if (effect === 'action') await loaded();
    const received = await withRetry(
      { clock, random, rateLimit },
      { effect, called, stops, onAttempt: options.onAttempt, onHeldBack, decided: options.decided },
      async (attempt) => {
        const mayLeave = (): RequestFailure | undefined => {
          void loaded().catch(() => undefined);
          return attempt.mayLeave?.();
        };
        const response = await opened(request, { ...attempt, mayLeave });
        const data = validate(call.schema(await loaded()), response, call);
        return { data, meta: response.meta, servedAt: response.servedAt, clocks: response.clocks };
      },
    );
    if (call.names !== undefined) parts.onNames?.(call.names, received.data, call.request);
    return received;
  });
  return {
    api,
    close() {
      closing.abort(closedHere());
      return transport.close();
    },
  };
}

const closedHere = (): UnavailableError =>
  new UnavailableError({
    code: 'unavailable',
    what: 'hedge closed the connection.',
    meaning: 'Nothing was changed.',
  });

/** Without the query, so that no deal ID gets into a message. */
const pathOf = (path: string): string => path.replace(/\?.*$/, '');

/**
 * undici for long conversations and proxies; else node:http, which takes a third of the time and half of the memory for
 * a single command. @throws CredentialError on an unusable HTTPS_PROXY.
 */
export function createTransport(parts: TransportParts): {
  ready(): Promise<Transport>;
  close(): Promise<void>;
} {
  const { clock, trust, sessions } = parts;
  const proxy = proxyFor(parts.target, parts.proxy);
  let opened: Promise<Transport> | undefined;
  /** Not loaded while an agent has connections: node:tls takes a fifth of a short command. */
  const direct = async (): Promise<ConnectionSource> => {
    const { makeConnector } = await import('./transport/connector.ts');
    return makeConnector({ clock, trust, tunnel: undefined, sessions });
  };
  const open = async (): Promise<Transport> => {
    const connector =
      proxy === undefined ? ((await agentConnections(parts, direct)) ?? (await direct())) : undefined;
    if (connector !== undefined && !parts.pooled) {
      const { nodeTransport } = await import('./transport/node-transport.ts');
      return nodeTransport({ ...parts, connector });
    }
    const { undiciTransport } = await import('./transport/undici-transport.ts');
    const { makeConnector } = await import('./transport/connector.ts');
    const connects = (tunnel: Tunnel | undefined): ConnectionSource =>
      connector ?? makeConnector({ clock, trust, tunnel, sessions: undefined });
    return undiciTransport({ ...parts, proxy, connects });
  };
  return {
    ready: () => (opened ??= open()),
    async close() {
      await (await opened)?.close();
    },
  };
}

/** Those of the agent; undefined without one. */
async function agentConnections(
  { agent, origin, trust, clock }: TransportParts,
  direct: () => Promise<ConnectionSource>,
): Promise<ConnectionSource | undefined> {
  if (agent === undefined) return undefined;
  const { agentConnector, ownAgent } = await import('./transport/agent-connector.ts');
  const own = ownAgent(agent, { origin, trust });
  return own && agentConnector(own, direct, clock);
}
