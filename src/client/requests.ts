/** What is asked of the service, in its own names (specification §4). */
import type { Big } from 'big.js';

/** A size in USD: a big.js decimal or plain digits such as `10000.50`; it goes out digit for digit. */
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
// ASSUMED: add and reduce take exactly this body.
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
// ASSUMED: the name of the page-size parameter. History has none: it is asked for whole.
export const PAGE_SIZE_PARAMETER = 'limit';
export const LARGEST_PAGE = 500;
