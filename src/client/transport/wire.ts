/**
 * What travels down and up the chain of handlers: a request as it goes on the wire, an attempt at it, and the
 * answer as it came. Each handler is a `Send` around another one; connect.ts puts them in order.
 */
import type { ClockReadings } from '../../domain/elapsed.ts';
import type { Failure } from './failure.ts';

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
  mayLeave?: (() => Failure | undefined) | undefined;
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
