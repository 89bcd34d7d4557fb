/**
 * Types of the transports (node:http and undici) and of the handler chain around them: request, attempt, response.
 * Each handler is a `Send` around another `Send`; connect.ts sets their order.
 */

import type { ClockReadings } from '../../domain/instants.ts';
import type { Clock } from '../../platform/clock.ts';
import type { CaCertificates } from './ca-certificates.ts';
import type { ProxySettings } from './proxy.ts';
import type { RequestFailure } from './request-failure.ts';
import type { Target, TlsSessions } from './tls-session.ts';

/** Called in this order. `failed` may come at any time; nothing is called after `failed` or `end`. */
export interface ExchangeEvents {
  /** Called right before the first byte is sent; a returned error stops the request unsent. */
  started: () => Error | undefined;
  /** The final status and its headers, names in lower case. */
  head: (status: number, headers: Readonly<Record<string, string | string[] | undefined>>) => void;
  data: (chunk: Uint8Array) => void;
  /** The response is complete. */
  end: () => void;
  /** A RequestFailure, or an error of the socket, TLS or HTTP. */
  failed: (error: unknown) => void;
}

/** Starts one request and returns its abort. A request that has not started when `signal` aborts never starts. */
export type Exchange = (
  request: WireRequest,
  signal: AbortSignal,
  events: ExchangeEvents,
) => (reason: Error) => void;

export interface Transport {
  exchange: Exchange;
  /** Closes every connection, also those still being made. Nothing can be sent afterwards. */
  close(): Promise<void>;
}

export interface TransportParts {
  /** `https://host[:port]`. */
  origin: string;
  target: Target;
  trust: CaCertificates;
  proxy: ProxySettings;
  /** A long conversation: undici keeps the connections. */
  pooled: boolean;
  sessions: TlsSessions | undefined;
  clock: Clock;
}

export interface WireRequest {
  method: 'GET' | 'POST';
  /** Below the base URL: starts with `/`, query included. */
  path: string;
  /** Lower-case names, without the API key: the bearer handler adds it last. */
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface Attempt {
  /** 1 for the first. */
  number: number;
  /** Aborts at the call's total deadline, or when its caller stops it. */
  signal: AbortSignal;
  /** Called right before its bytes are sent; a returned failure keeps them unsent. */
  mayLeave?: (() => RequestFailure | undefined) | undefined;
}

export interface WireResponse {
  status: number;
  /** Lower-case names; a repeated header is joined with `, `. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** When its headers arrived. */
  clocks: ClockReadings;
}

/** Rejects with a RequestFailure only; anything else is a bug. */
export type Send = (request: WireRequest, attempt: Attempt) => Promise<WireResponse>;
