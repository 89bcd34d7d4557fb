/**
 * Types of the transports (node:http and undici) and of the handler chain around them: request, attempt, response, call
 * options; and deadlines as abort signals. Each handler is a `Send` around another `Send`; connect.ts sets their order.
 */

import type { Socket } from 'node:net';
import type { ClockReadings } from '../../domain/instants.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Host } from '../../platform/host.ts';
import type { ProxySettings } from './proxy.ts';
import type { RequestFailure } from './request-failure.ts';
import type { CaCertificates, Target, TlsSessions } from './tls.ts';

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

/** Enough for a quote of every tenor and the account at once, or for all that an open reads. */
export const MOST_CONNECTIONS = 8;

export interface Transport {
  exchange: Exchange;
  /** Closes every connection, also those still being made. Nothing can be sent afterwards. */
  close(): Promise<void>;
}

/** Makes or leases connections to the service. */
export interface ConnectionSource {
  /** Verified and ready for a request. `outer` aborts it. @throws RequestFailure of phase `never_sent`. */
  connect(target: Target, outer?: AbortSignal): Promise<Socket>;
  /** Waiting for another request there costs more than a further connection. */
  isDistant(target: Target): boolean;
  close(): void | Promise<void>;
}

/** How the agent of this user is found. */
export interface AgentAccess {
  /** It has the sockets. */
  folder: string;
  /** Version and commit of hedge, and the version of Node. */
  build: string;
  host: Pick<Host, 'uid'>;
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
  /** Undefined: no agent is used. */
  agent: AgentAccess | undefined;
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

/** When the readings were made that an action was decided on, and the time limit for sending it. */
export interface AttemptDecision {
  at: ClockReadings;
  withinMs: number;
}

/** The outcome of one attempt. `unclear`: sent, and it is unknown whether the service acted. */
export interface AttemptRecord {
  number: number;
  outcome: 'answered' | 'refused' | 'never_sent' | 'unclear';
  /** The HTTP status of a failure, if any. */
  status?: number | undefined;
  /** The service's `error.code`, if any. */
  code?: string | undefined;
  /** A failed attempt had a response, or the beginning of one. */
  responded?: boolean;
  /** Another attempt is due. */
  retries?: boolean;
}

export interface CallOptions {
  /** Stops the call and its waits; it rejects with the signal's reason unless the outcome is unknown. */
  signal?: AbortSignal | undefined;
  /** Called as each attempt ends. */
  onAttempt?: ((record: AttemptRecord) => void) | undefined;
  /** Called when the call waits that many milliseconds for a rate limit of its key. */
  onHeldBack?: ((ms: number) => void) | undefined;
  /** Set for an action, which is not sent after that time, or when the clocks disagree about it. */
  decided?: AttemptDecision | undefined;
}

/** The abort reason when the time is up. */
export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

export interface Deadline {
  /** Aborts with DeadlineExceeded, or with the reason of the outer signal that aborted. */
  signal: AbortSignal;
  /** Removes its timer and listeners: must always be called. */
  release(): void;
}

/** Not AbortSignal.any: Node 20 keeps its result for as long as the longest-lived source. */
export function withDeadline(clock: Clock, ms: number, ...outer: readonly AbortSignal[]): Deadline {
  const controller = new AbortController();
  const cancel = clock.after(ms, () => controller.abort(new DeadlineExceeded()));
  // A call and its client often share a signal.
  const sources = [...new Set(outer)].map((signal) => ({
    signal,
    abort: () => controller.abort(signal.reason),
  }));
  for (const { signal, abort } of sources) {
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }
  return {
    signal: controller.signal,
    release() {
      cancel();
      for (const { signal, abort } of sources) signal.removeEventListener('abort', abort);
    },
  };
}
