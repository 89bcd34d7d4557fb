/**
 * How one exchange travels: a request goes out, what comes back is told as it comes. A road makes connections
 * and keeps them; deadlines, caps and what an answer may be are the same on every road (send.ts). Types alone.
 */
import type { Clock } from '../../platform/clock.ts';
import type { ProxySettings } from './proxy.ts';
import type { Target } from './target.ts';
import type { TlsSessions } from './tls-session.ts';
import type { Trust } from './trust-list.ts';
import type { WireRequest } from './wire.ts';

/** Told in this order; `failed` may come at any time, and nothing is told after it or after `end`. */
export interface Events {
  /** Bytes of the request leave from now on, unless a reason comes back: then none may. */
  started: () => Error | undefined;
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
  target: Target;
  trust: Trust;
  proxy: ProxySettings;
  /** Many requests at once: connections are kept by undici. */
  pooled: boolean;
  sessions: TlsSessions | undefined;
  clock: Clock;
}
