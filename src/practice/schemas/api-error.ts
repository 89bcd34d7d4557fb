/**
 * The errors of the API, the envelope of every response (specification §1, §7), and JSON with exact decimals: a number is
 * written with the digits it has, never as a binary fraction.
 */

import { decimalText, MONEY_DECIMALS, RATE_DECIMALS } from '../domain/scaled-decimals.ts';

const digits = Symbol('digits');

/** A JSON number with exactly these digits. */
export interface Exact {
  readonly [digits]: string;
}

export type Json =
  | string
  | number
  | boolean
  | null
  | Exact
  | readonly Json[]
  | { readonly [name: string]: Json };

function exactNumber(value: bigint, places: number): Exact {
  return { [digits]: decimalText(value, places) };
}

/** USD or USDC, from millionths. */
export function moneyNumber(value: bigint): Exact {
  return exactNumber(value, MONEY_DECIMALS);
}

/** Quote currency per USDT, from units of 1e-8. */
export function rateNumber(value: bigint): Exact {
  return exactNumber(value, RATE_DECIMALS);
}

/** A fraction in units of 1e-8, as percent. */
export function percentNumber(value: bigint): Exact {
  return exactNumber(value, RATE_DECIMALS - 2);
}

export function encodeJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(encodeJson).join(',')}]`;
  if (isExact(value)) return value[digits];
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${encodeJson(field)}`);
  return `{${fields.join(',')}}`;
}

function isList(
  value: Exact | readonly Json[] | { readonly [name: string]: Json },
): value is readonly Json[] {
  return Array.isArray(value);
}

function isExact(value: Exact | { readonly [name: string]: Json }): value is Exact {
  return digits in value;
}

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
  override readonly name = 'ApiError';
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
  data: Json;
  meta?: { readonly [name: string]: Json };
}

/** A response ready to be sent or stored. */
export interface PracticeResponse {
  status: number;
  body: string;
  headers: Readonly<Record<string, string>>;
  /** Set for an error. */
  code?: string;
  replayed?: boolean;
}

export function successResponse(status: number, { data, meta = {} }: EndpointReply): PracticeResponse {
  return { status, body: encodeJson({ data, error: null, meta }), headers: {} };
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
