/**
 * The fixed lists of the specification, by hand: statuses and their moves (§3), endpoints (§4), error codes
 * with their HTTP status (§7), limits (§8). It imports nothing of src.
 */

export const HEDGE_STATUSES = ['submitting', 'submitted', 'filled', 'failed', 'closed'] as const;
export type HedgeStatus = (typeof HEDGE_STATUSES)[number];

export interface Endpoint {
  method: 'GET' | 'POST';
  path: string;
  /** Whether `Idempotency-Key` is supported: the four that change the book. */
  idempotent: boolean;
  /** What `data` is: one resource, a list of it, or a shape the document does not show. */
  data: { of: string; list: boolean } | 'not shown';
  /** Body or query fields the document shows, in its order. */
  required: readonly string[];
  optional: readonly string[];
}

const OF = (of: string): Endpoint['data'] => ({ of, list: false });
const LIST = (of: string): Endpoint['data'] => ({ of, list: true });

export const ENDPOINTS = [
  { method: 'GET', path: '/markets', idempotent: false, data: LIST('market'), required: [], optional: [] },
  {
    method: 'GET',
    path: '/prices',
    idempotent: false,
    data: 'not shown',
    required: ['symbols'],
    optional: [],
  },
  {
    method: 'POST',
    path: '/quotes',
    idempotent: false,
    data: OF('quote'),
    required: ['market', 'side', 'notional_usd', 'tenor_days'],
    optional: [],
  },
  {
    method: 'POST',
    path: '/hedges',
    idempotent: true,
    data: OF('accepted open'),
    required: ['market', 'side', 'notional_usd', 'tenor_days'],
    optional: ['client_reference'],
  },
  // Body names of add and reduce, and what their answer calls the transaction hash, are not shown.
  { method: 'POST', path: '/hedges/add', idempotent: true, data: 'not shown', required: [], optional: [] },
  { method: 'POST', path: '/hedges/reduce', idempotent: true, data: 'not shown', required: [], optional: [] },
  {
    method: 'POST',
    path: '/hedges/close',
    idempotent: true,
    data: OF('accepted close'),
    required: ['market', 'side'],
    optional: [],
  },
  // The name of the page-size parameter is not shown.
  {
    method: 'GET',
    path: '/hedges',
    idempotent: false,
    data: LIST('hedge'),
    required: [],
    optional: ['status', 'client_reference'],
  },
  { method: 'GET', path: '/hedges/{id}', idempotent: false, data: OF('hedge'), required: [], optional: [] },
  {
    method: 'GET',
    path: '/hedges/history',
    idempotent: false,
    data: LIST('closed hedge'),
    required: [],
    optional: [],
  },
  {
    method: 'GET',
    path: '/positions',
    idempotent: false,
    data: LIST('position'),
    required: [],
    optional: [],
  },
  { method: 'GET', path: '/account', idempotent: false, data: OF('account'), required: [], optional: [] },
] as const satisfies readonly Endpoint[];

/** §7. `again`: whether the same request may be sent again, and how. */
export const ERROR_CODES = [
  { status: 400, code: 'exposure_exceeded', again: 'never' },
  { status: 404, code: 'no_open_hedge', again: 'never' },
  { status: 404, code: 'hedge_not_found', again: 'never' },
  { status: 409, code: 'idempotency_key_reuse', again: 'never' },
  { status: 409, code: 'idempotency_in_flight', again: 'same key and body' },
  { status: 429, code: 'rate_limited', again: 'after a wait' },
] as const;

/** §8. */
export const LIMITS = {
  tenorsInDays: [1, 3, 7],
  largestPageOfHedges: 500,
  shortestPollMs: 1000,
  advisedPollMs: 2000,
} as const;

/** §1: the one market supported today; the markets endpoint is what counts. */
export const MARKETS_TODAY = ['USDTNGN'] as const;
