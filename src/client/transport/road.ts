/**
 * How one exchange travels: a request goes out, what comes back is told as it comes. A road makes connections
 * and keeps them; deadlines, caps and what an answer may be are the same on every road (send.ts).
 */
import type { Clock } from '../../platform/clock.ts';
import { type ProxySettings, proxyFor } from './proxy.ts';
import type { TlsSessions } from './tls-session.ts';
import type { Trust } from './trust-list.ts';
import type { WireRequest } from './wire.ts';

/** Told in this order; `failed` may come at any time, and nothing is told after it or after `end`. */
export interface Events {
  /** Bytes of the request may leave from now on. */
  started: () => void;
  /** The final status and its headers, names in lower case. */
  head: (status: number, headers: Readonly<Record<string, string | string[] | undefined>>) => void;
  data: (chunk: Uint8Array) => void;
  /** The answer is complete. */
  end: () => void;
  /** A Failure, or an error of the socket, TLS or HTTP. */
  failed: (error: unknown) => void;
}

/**
 * Starts one request and gives back what ends it at once. Under an aborted `signal` a request that has not
 * started must never start.
 */
export type Exchange = (request: WireRequest, signal: AbortSignal, events: Events) => (reason: Error) => void;

export interface Road {
  exchange: Exchange;
  /** Drops every connection, those still being made included. Nothing can be sent afterwards. */
  close(): Promise<void>;
}

export interface RoadParts {
  /** `https://host[:port]`. */
  origin: string;
  target: { host: string; port: number };
  trust: Trust;
  proxy: ProxySettings;
  /** Many requests at once: connections are kept by undici. */
  pooled: boolean;
  sessions: TlsSessions | undefined;
  clock: Clock;
}

/**
 * The one choice of road, made at the first request: undici where connections are pooled or go through a
 * proxy; else node:http over the same TLS connections, which takes a third of the time and half of the memory
 * for one exchange. @throws CredentialError at once on an unusable HTTPS_PROXY.
 */
export function chooseRoad(parts: RoadParts): { ready(): Promise<Road>; close(): Promise<void> } {
  const proxy = proxyFor(parts.target, parts.proxy);
  let opened: Promise<Road> | undefined;
  const open = async (): Promise<Road> => {
    if (parts.pooled || proxy !== undefined) {
      const { pooledRoad } = await import('./road-pooled.ts');
      return pooledRoad({ ...parts, proxy });
    }
    const { directRoad } = await import('./road-direct.ts');
    return directRoad(parts);
  };
  return {
    ready: () => (opened ??= open()),
    async close() {
      await (await opened)?.close();
    },
  };
}
