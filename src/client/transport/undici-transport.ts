/**
 * The transport of long conversations and of proxies: an undici pool over our TLS connections or proxy tunnels.
 * It uses `dispatch`, since `request` and `fetch` do not tell whether a failed request had started.
 */
import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Pool } from 'undici';
import { type Tunnel, tunnelThrough } from './connector.ts';
import type { Proxy } from './proxy.ts';
import { connectionFailure } from './request-failure.ts';
import { caOption } from './tls.ts';
import { type ConnectionSource, MOST_CONNECTIONS, type Transport, type TransportParts } from './transport.ts';

const FIRST_FINAL_STATUS = 200;

/** `connects` makes the connector over the tunnel of the proxy, where there is one. */
export function undiciTransport({
  origin,
  target,
  trust,
  proxy,
  connects,
}: Pick<TransportParts, 'origin' | 'target' | 'trust'> & {
  proxy: Proxy | undefined;
  connects: (tunnel: Tunnel | undefined) => ConnectionSource;
}): Transport {
  const proxyPool = proxy && new Pool(proxy.origin, { connect: toProxy(trust) });
  const tunnel = proxy && proxyPool && tunnelThrough(proxy, proxyPool);
  const connector = connects(tunnel);
  const pool = new Pool(origin, {
    connections: MOST_CONNECTIONS,
    connect: (_, callback) => void handOver(connector.connect(target), callback),
  });

  return {
    exchange(request, signal, events) {
      let controller: Dispatcher.DispatchController | undefined;
      pool.dispatch(
        {
          origin,
          path: request.path,
          method: request.method,
          headers: request.headers,
          body: request.body ?? null,
          // deadline.ts sets the limits.
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        {
          onRequestStart(started) {
            // Aborted while it waited for a connection: it must not be sent now.
            if (signal.aborted) return started.abort(toError(signal.reason));
            controller = started;
            const reason = events.started();
            if (reason !== undefined) started.abort(reason);
          },
          onResponseStart(_, status, headers) {
            if (status >= FIRST_FINAL_STATUS) events.head(status, lowerCase(headers));
          },
          onResponseData: (_, chunk) => events.data(chunk),
          // undici frees the connection a turn later; the next request must find it free.
          onResponseEnd: () => void setImmediate(() => setImmediate(events.end)),
          onResponseError: (_, error) => events.failed(error),
        },
      );
      return (reason) => controller?.abort(reason);
    },
    async close() {
      await connector.close();
      await Promise.all([pool.destroy(), proxyPool?.destroy()]);
    },
  };
}

/** Without `servername`: undici would expect the certificate of the host behind the proxy. */
function toProxy(trust: TransportParts['trust']): buildConnector.connector {
  const reach = buildConnector({ rejectUnauthorized: true, ...caOption(trust) });
  return ({ servername: _target, ...options }, callback) => reach(options, callback);
}

const toError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error('stopped'));

const lowerCase = <T>(headers: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** undici takes connections through a callback. */
async function handOver(connecting: Promise<Socket>, callback: buildConnector.Callback): Promise<void> {
  let socket: Socket;
  try {
    socket = await connecting;
  } catch (error) {
    callback(connectionFailure(error), null);
    return;
  }
  callback(null, socket);
}
