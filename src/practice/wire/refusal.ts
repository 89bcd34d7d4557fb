/** A request that is refused: status, code and details of the envelope's error. Every code of the service is here. */
import type { Json } from './json.ts';

/** Code → HTTP status (specification §7, and the further codes of this service). */
export const REFUSALS = {
  invalid_request: 400,
  exposure_exceeded: 400,
  capacity_exceeded: 400,
  insufficient_balance: 400,
  market_disabled: 400,
  unauthorized: 401,
  not_found: 404,
  market_not_found: 404,
  hedge_not_found: 404,
  no_open_hedge: 404,
  method_not_allowed: 405,
  idempotency_key_reuse: 409,
  idempotency_in_flight: 409,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const;

export type RefusalCode = keyof typeof REFUSALS;

export interface RefusalExtras {
  details?: { readonly [name: string]: Json };
  headers?: Readonly<Record<string, string>>;
  /** A closer status than the code's usual one: 408, 413, 415, 417 and 431 of `invalid_request`. */
  status?: number;
}

/** Thrown before the first write of what it refuses. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly status: number;
  readonly details: { readonly [name: string]: Json } | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: RefusalCode, message: string, extras: RefusalExtras = {}) {
    super(message);
    this.code = code;
    this.status = extras.status ?? REFUSALS[code];
    this.details = extras.details;
    this.headers = extras.headers ?? {};
  }
}
