/** The endpoints of the specification. */
import * as z from 'zod';
import type { TransactionContext } from '../book/transaction-context.ts';
import type { OrderKind } from '../domain/practice-types.ts';
import type { ApiErrorCode, EndpointReply, Json } from '../schemas/api-error.ts';
import {
  closeBody,
  hedgesQuery,
  historyQuery,
  noQuery,
  openBody,
  openOrderOf,
  orderSizeOf,
  parseInput,
  pricesQuery,
  quoteBody,
  sizedBody,
  tenorOrderOf,
} from '../schemas/request-schemas.ts';
import {
  accountData,
  hedgeData,
  historyData,
  marketData,
  openedData,
  positionData,
  priceData,
  quoteData,
  submittedData,
} from '../schemas/response-schemas.ts';
import { type DescribedEndpoint, describeApi } from './openapi.ts';
import {
  getAccount,
  getHedge,
  getHedges,
  getHistory,
  getMarkets,
  getPositions,
  getPrices,
  getQuote,
} from './read-handlers.ts';
import { addToHedge, closeHedges, openHedge, reduceHedges } from './trade-handlers.ts';

/** A checked request: what to run, and its body for the fingerprint. */
export interface PreparedCall {
  run(context: TransactionContext): EndpointReply;
  body: { readonly [name: string]: Json };
}

export interface EndpointInput {
  /** `{id}` of the path. */
  id: string;
  query: Record<string, string>;
  body: unknown;
}

export interface PracticeRoute extends DescribedEndpoint {
  /** Undefined for an endpoint that reads. */
  action?: OrderKind;
  prepare(asked: EndpointInput): PreparedCall;
}

type Described = Pick<PracticeRoute, 'path' | 'operation' | 'summary' | 'data'> &
  Partial<Pick<PracticeRoute, 'errorCodes'>>;

function getEndpoint<Q>(
  endpoint: Described & {
    query: z.ZodType<Q>;
    run: (context: TransactionContext, query: Q, id: string) => EndpointReply;
  },
): PracticeRoute {
  return {
    errorCodes: [],
    ...endpoint,
    method: 'GET',
    status: 200,
    prepare({ id, query }) {
      const asked = parseInput(endpoint.query, query, 'parameter');
      return { run: (context) => endpoint.run(context, asked, id), body: {} };
    },
  };
}

function postEndpoint<B extends { [name: string]: Json | undefined }>(
  endpoint: Described & {
    action?: OrderKind;
    status: 200 | 201;
    body: z.ZodType<B>;
    run: (context: TransactionContext, body: B) => EndpointReply;
  },
): PracticeRoute {
  const { action, errorCodes = [] } = endpoint;
  return {
    ...endpoint,
    ...(action === undefined ? {} : OF_ACTIONS),
    errorCodes: action === undefined ? errorCodes : [...ACTION_CODES, ...errorCodes],
    method: 'POST',
    query: noQuery,
    prepare({ query, body }) {
      parseInput(noQuery, query, 'parameter');
      const asked = parseInput(endpoint.body, body);
      return { run: (context) => endpoint.run(context, asked), body: withoutUndefined(asked) };
    },
  };
}

function withoutUndefined(body: { [name: string]: Json | undefined }): { [name: string]: Json } {
  const fields = Object.entries(body).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return Object.fromEntries(fields);
}

const ACTION_CODES: readonly ApiErrorCode[] = ['idempotency_key_reuse', 'idempotency_in_flight'];
const OF_ACTIONS = {
  headers: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'The same request under the same key executes once. The response of an accepted action is kept for 24 hours and given again, with Idempotency-Replayed; an error leaves the key free. Keys of the two accounts are apart.',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
    },
  ],
  responseHeaders: ['Idempotency-Replayed'],
} as const;

const NEW_NOTIONAL_ERRORS: readonly ApiErrorCode[] = [
  'exposure_exceeded',
  'capacity_exceeded',
  'insufficient_balance',
  'market_disabled',
  'market_not_found',
];

export const ENDPOINTS: readonly PracticeRoute[] = [
  getEndpoint({
    path: '/markets',
    operation: 'listMarkets',
    summary: 'Markets available to the account',
    query: noQuery,
    data: z.array(marketData),
    run: getMarkets,
  }),
  getEndpoint({
    path: '/prices',
    operation: 'listPrices',
    summary: 'Indicative mid rates; several symbols with commas, all markets by default',
    query: pricesQuery,
    data: z.array(priceData),
    errorCodes: ['market_not_found'],
    run: (context, query) => getPrices(context, query.symbols),
  }),
  postEndpoint({
    path: '/quotes',
    operation: 'quote',
    summary: 'Indicative quote; opens and stores nothing',
    status: 200,
    body: quoteBody,
    data: quoteData,
    errorCodes: ['market_not_found', 'market_disabled', 'capacity_exceeded'],
    run: (context, body) => getQuote(context, tenorOrderOf(body)),
  }),
  postEndpoint({
    path: '/hedges',
    action: 'open',
    operation: 'openHedge',
    summary: 'Open a hedge; it fills asynchronously',
    status: 201,
    body: openBody,
    data: openedData,
    errorCodes: NEW_NOTIONAL_ERRORS,
    run: (context, body) => openHedge(context, openOrderOf(body)),
  }),
  postEndpoint({
    path: '/hedges/add',
    action: 'add',
    operation: 'addToHedge',
    summary: 'Add notional to the newest open hedge of a side; its maturity stays',
    status: 200,
    body: sizedBody,
    data: submittedData,
    errorCodes: ['no_open_hedge', ...NEW_NOTIONAL_ERRORS],
    run: (context, body) => addToHedge(context, orderSizeOf(body)),
  }),
  postEndpoint({
    path: '/hedges/reduce',
    action: 'reduce',
    operation: 'reduceHedges',
    summary: 'Remove notional from all open hedges of a side in proportion; 99 % or more closes it',
    status: 200,
    body: sizedBody,
    data: submittedData,
    errorCodes: ['no_open_hedge', 'market_not_found'],
    run: (context, body) => reduceHedges(context, orderSizeOf(body)),
  }),
  postEndpoint({
    path: '/hedges/close',
    action: 'close',
    operation: 'closeHedges',
    summary: 'Close all open hedges of a side',
    status: 200,
    body: closeBody,
    data: submittedData,
    errorCodes: ['no_open_hedge', 'market_not_found'],
    run: closeHedges,
  }),
  getEndpoint({
    path: '/hedges',
    operation: 'listHedges',
    summary: 'Hedges, newest first; the newest 100 by default',
    query: hedgesQuery,
    data: z.array(hedgeData),
    errorCodes: ['hedge_not_found'],
    run: getHedges,
  }),
  getEndpoint({
    path: '/hedges/history',
    operation: 'listHistory',
    summary: 'Closed hedges with realized P&L, newest close first; the newest 500 by default',
    query: historyQuery,
    data: z.array(historyData),
    errorCodes: ['hedge_not_found'],
    run: getHistory,
  }),
  getEndpoint({
    path: '/hedges/{id}',
    operation: 'oneHedge',
    summary: 'One hedge',
    query: noQuery,
    data: hedgeData,
    errorCodes: ['hedge_not_found'],
    run: (context, _query, id) => getHedge(context, id),
  }),
  getEndpoint({
    path: '/positions',
    operation: 'listPositions',
    summary: 'Open positions, one line for each market and side',
    query: noQuery,
    data: z.array(positionData),
    run: getPositions,
  }),
  getEndpoint({
    path: '/account',
    operation: 'account',
    summary: 'Account summary',
    query: noQuery,
    data: accountData,
    run: getAccount,
  }),
];

/** The document of the partner API. */
export const openapiText = (url: string): string =>
  describeApi({
    title: 'hedge practice service',
    version: '2',
    description:
      'The partner API on this machine, without money. Amounts are exact decimals, as JSON numbers; times are book time, UTC. Faults that imitate a gateway or a broken response are not in this document.',
    url,
    endpoints: ENDPOINTS,
  });
