/**
 * How one exchange travels: a request goes out, what comes back is told as it comes. A road makes connections
 * and keeps them; deadlines, caps and what an answer may be are the same on every road (send.ts). Types alone.
 *
 * What travels down and up the chain of handlers: a request as it goes on the wire, an attempt at it, and the
 * answer as it came. Each handler is a `Send` around another one; connect.ts puts them in order.
 */

import type { ClockReadings } from '../../domain/instants.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CaCertificates } from './ca-certificates.ts';
import type { ProxySettings } from './proxy.ts';
import type { RequestFailure } from './request-failure.ts';
import type { Target } from './target.ts';
import type { TlsSessions } from './tls-session.ts';
/** Told in this order; `failed` may come at any time, and nothing is told after it or after `end`. */
export interface ExchangeEvents {
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
export type Exchange = (
  request: WireRequest,
  signal: AbortSignal,
  events: ExchangeEvents,
) => (reason: Error) => void;

export interface Transport {
  exchange: Exchange;
  /** Drops every connection, those still being made included. Nothing can be sent afterwards. */
  close(): Promise<void>;
}

export interface TransportParts {
  /** `https://host[:port]`. */
  origin: string;
  target: Target;
  trust: CaCertificates;
  proxy: ProxySettings;
  /** Many requests at once: connections are kept by undici. */
  pooled: boolean;
  sessions: TlsSessions | undefined;
  clock: Clock;
}

export interface WireRequest {
  method: 'GET' | 'POST';
  /** Below the base address: starts with `/`, its query included. */
  path: string;
  /** Lower-case names. No credentials: the bearer handler adds them last. */
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface Attempt {
  /** 1 for the first. */
  number: number;
  /** Aborts at the call's total deadline, or when its caller no longer wants it. */
  signal: AbortSignal;
  /** Called at the last moment before its bytes leave, if they ever do: what it gives back keeps them here. */
  mayLeave?: (() => RequestFailure | undefined) | undefined;
}

export interface WireAnswer {
  status: number;
  /** Lower-case names; a header that came twice is joined with `, `. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** As its headers came. */
  clocks: ClockReadings;
}

/** Rejects with a Failure, and with nothing else but a bug. */
export type Send = (request: WireRequest, attempt: Attempt) => Promise<WireAnswer>;
