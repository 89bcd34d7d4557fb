/**
 * The undici dispatcher of one base address: its connections, and the proxy on the way if there is one. undici
 * itself is loaded when the first request is sent.
 */
import type { TLSSocket } from 'node:tls';
import type { buildConnector, Dispatcher, Pool } from 'undici';
import type { Clock } from '../../platform/clock.ts';
import { type Connector, makeConnector } from './connector.ts';
import { type ProxySettings, proxyFor } from './proxy.ts';
import { connectFailure } from './read-failure.ts';
import { tunnelThrough } from './tunnel.ts';

/** Connections kept to the service at once: every tenor's quote and the account, with room. */
const CONNECTIONS = 8;

export interface LazyDispatcher {
  dispatcher(): Promise<Dispatcher>;
  /** Drops every connection, those still being made included. */
  close(): Promise<void>;
}

export function makeDispatcher(parts: {
  origin: string;
  target: { host: string; port: number };
  ca: readonly string[] | undefined;
  proxy: ProxySettings;
  clock: Clock;
}): LazyDispatcher {
  const { origin, target, ca, clock } = parts;
  const proxy = proxyFor(target, parts.proxy);
  let made: Promise<{ pool: Pool; proxyPool: Pool | undefined; connector: Connector }> | undefined;

  const make = async (): Promise<{ pool: Pool; proxyPool: Pool | undefined; connector: Connector }> => {
    const undici = await import('undici');
    const trusted = ca === undefined ? {} : { ca: [...ca] };
    const proxyPool =
      proxy && new undici.Pool(proxy.origin, { connect: { rejectUnauthorized: true, ...trusted } });
    const tunnel = proxy && proxyPool && tunnelThrough(proxy, proxyPool);
    const connector = makeConnector({ clock, ca, tunnel });
    const pool = new undici.Pool(origin, {
      connections: CONNECTIONS,
      connect: (_, callback) => void handOver(connector.connect(target), callback),
    });
    return { pool, proxyPool, connector };
  };

  return {
    async dispatcher() {
      made ??= make();
      return (await made).pool;
    },
    async close() {
      if (made === undefined) return;
      const { pool, proxyPool, connector } = await made;
      connector.stop();
      await Promise.all([pool.destroy(), proxyPool?.destroy()]);
    },
  };
}

/** undici takes connections through a callback. */
async function handOver(connecting: Promise<TLSSocket>, callback: buildConnector.Callback): Promise<void> {
  let socket: TLSSocket;
  try {
    socket = await connecting;
  } catch (error) {
    callback(connectFailure(error), null);
    return;
  }
  callback(null, socket);
}
