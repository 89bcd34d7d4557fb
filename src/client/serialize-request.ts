/** Requests under the service's names (specification §4), and an action's exact bytes: a resend must be identical (§7). */

import { Big } from 'big.js';
import { writeExactJson } from '../domain/exact-json.ts';
import { UsageError } from '../errors.ts';
import { readJson } from './json.ts';

export const ACTIONS = ['open', 'add', 'reduce', 'close'] as const;
export type ActionName = (typeof ACTIONS)[number];

export const ACTION_PATHS = {
  open: '/hedges',
  add: '/hedges/add',
  reduce: '/hedges/reduce',
  close: '/hedges/close',
} as const satisfies Readonly<Record<ActionName, string>>;

export interface PreparedAction {
  action: ActionName;
  /** The JSON text of every send. */
  body: string;
}

export const prepareOpen = (request: OpenRequest): PreparedAction => ({
  action: 'open',
  body: writeExactJson({
    market: request.market,
    side: request.side,
    notional_usd: exactNotional(request.notional_usd),
    tenor_days: request.tenor_days,
    ...(request.client_reference === undefined ? {} : { client_reference: request.client_reference }),
  }),
});

export const prepareAdd = (request: ChangeRequest): PreparedAction => prepareChange('add', request);
export const prepareReduce = (request: ChangeRequest): PreparedAction => prepareChange('reduce', request);

export const prepareClose = (request: CloseRequest): PreparedAction => ({
  action: 'close',
  body: writeExactJson({ market: request.market, side: request.side }),
});

const prepareChange = (action: 'add' | 'reduce', request: ChangeRequest): PreparedAction => ({
  action,
  body: writeExactJson({
    market: request.market,
    side: request.side,
    notional_usd: exactNotional(request.notional_usd),
  }),
});

/** The body's fields that a response must repeat if it has them. Not the notional: it may be that of the whole hedge. */
export function identifiedBy(body: string): Readonly<Record<string, string>> {
  const sent = readJson(body);
  const named = typeof sent === 'object' && sent !== null ? Object.entries(sent) : [];
  return Object.fromEntries(
    named.filter(
      (each): each is [string, string] => IDENTIFYING.includes(each[0]) && typeof each[1] === 'string',
    ),
  );
}

const IDENTIFYING: readonly string[] = ['market', 'side', 'client_reference'];

/** @throws UsageError when it is not plain digits above zero. */
export function exactNotional(notional: Notional): Big {
  const digits = typeof notional === 'string' ? notional : notional.toFixed();
  if (!/^\d{1,15}(\.\d{1,12})?$/.test(digits) || /^[0.]+$/.test(digits)) {
    throw new UsageError(
      `"${digits}" is not a valid notional.`,
      'Use an amount in USD above zero, such as 10000.',
    );
  }
  return new Big(digits);
}

/** Specification §4: any unique string; limited to what a header carries unchanged. */
export function checkIdempotencyKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new UsageError(
    'The idempotency key is not valid.',
    'Use 1 to 255 visible ASCII characters without spaces.',
  );
}

/** USD: a big.js decimal or plain digits such as `10000.50`, sent digit for digit. */
export type Notional = Big | string;

/** §4, POST /quotes. */
export interface QuoteRequest {
  market: string;
  side: 'buy' | 'sell';
  notional_usd: Notional;
  tenor_days: number;
}
/** §4, POST /hedges. */
export interface OpenRequest extends QuoteRequest {
  client_reference?: string | undefined;
}
// ASSUMED: add and reduce have exactly this body.
export interface ChangeRequest {
  market: string;
  side: 'buy' | 'sell';
  notional_usd: Notional;
}
/** §4, POST /hedges/close. */
export interface CloseRequest {
  market: string;
  side: 'buy' | 'sell';
}

/** §4, GET /hedges; `limit` at most 500. */
export interface HedgesQuery {
  status?: string | undefined;
  client_reference?: string | undefined;
  limit?: number | undefined;
}
// ASSUMED: the name of the page-size parameter. History has none.
export const PAGE_SIZE_PARAMETER = 'limit';
export const LARGEST_PAGE = 500;
