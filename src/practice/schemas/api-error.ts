/** The errors of the API and the envelope of every response (specification §1, §7). */
import { encodeJson, type Json } from './practice-json.ts';

/** HTTP status of each code (specification §7, and codes of this service). */
export const API_ERROR_STATUS = {
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

export type ApiErrorCode = keyof typeof API_ERROR_STATUS;

interface ApiErrorOptions {
  details?: { readonly [name: string]: Json };
  headers?: Readonly<Record<string, string>>;
  /** Overrides the status of the code, e.g. 413 for `invalid_request`. */
  status?: number;
}

/** Thrown before the first write of the request it rejects. */
export class ApiError extends Error {
  override readonly name = 'Refusal';
  readonly code: ApiErrorCode;
  readonly status: number;
  readonly details: { readonly [name: string]: Json } | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ApiErrorCode, message: string, extras: ApiErrorOptions = {}) {
    super(message);
    this.code = code;
    this.status = extras.status ?? API_ERROR_STATUS[code];
    this.details = extras.details;
    this.headers = extras.headers ?? {};
  }
}

/** The result of an endpoint. */
export interface EndpointReply {
  status: number;
  data: Json;
  meta?: { readonly [name: string]: Json };
}

/** A response ready to be sent or stored. */
export interface PracticeResponse {
  status: number;
  body: string;
  headers: Readonly<Record<string, string>>;
  /** Of an error. */
  code?: string;
  replayed?: boolean;
}

export function successResponse(reply: EndpointReply): PracticeResponse {
  return {
    status: reply.status,
    body: encodeJson({ data: reply.data, error: null, meta: reply.meta ?? {} }),
    headers: {},
  };
}

export function errorResponse(error: ApiError): PracticeResponse {
  const body = {
    code: error.code,
    message: error.message,
    ...(error.details === undefined ? {} : { details: error.details }),
  };
  return {
    status: error.status,
    body: encodeJson({ data: null, error: body, meta: {} }),
    headers: error.headers,
    code: error.code,
  };
}
