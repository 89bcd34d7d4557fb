/** The twelve endpoints over HTTP: path, query and body of each, and the schema of its response. */

import type * as z from 'zod/mini';
import { writeExactJson } from '../domain/exact-json.ts';
import { UsageError } from '../errors.ts';
import type { ApiResponse, CallOptions, HedgeApi } from './hedge-api.ts';
import type * as schemas from './schemas.ts';
import {
  ACTION_PATHS,
  checkIdempotencyKey,
  exactNotional,
  type HedgesQuery,
  identifiedBy,
  LARGEST_PAGE,
  PAGE_SIZE_PARAMETER,
  type PreparedAction,
  prepareAdd,
  prepareClose,
  prepareOpen,
  prepareReduce,
} from './serialize-request.ts';
import type { Effectful } from './transport/retry-policy.ts';
import type { Echo } from './transport/validate.ts';
/** The response schemas, loaded with the first request. */
export type Schemas = typeof schemas;
type Schema<T> = (of: Schemas) => z.ZodMiniType<T>;

export interface ApiCall<T> {
  effect: Effectful;
  method: 'GET' | 'POST';
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  schema: Schema<T>;
  /** What the response must repeat. */
  echo?: Echo;
  /** What it may repeat, and then unchanged. */
  ifTold?: Echo;
  /** The market or hedge, for messages about a read. */
  about?: string;
}

export type Caller = <T>(call: ApiCall<T>, options: CallOptions) => Promise<ApiResponse<T>>;

const JSON_TYPE = { 'content-type': 'application/json' };

export function makeHttpApi(call: Caller): HedgeApi {
  const read = <T>(
    path: string,
    schema: Schema<T>,
    options: CallOptions = {},
    parts: Pick<ApiCall<T>, 'echo' | 'about'> = {},
  ): Promise<ApiResponse<T>> => call({ effect: 'reading', method: 'GET', path, schema, ...parts }, options);

  const act = async <T>(
    { action, body }: PreparedAction,
    schema: Schema<T>,
    key: string,
    options: CallOptions = {},
  ): Promise<ApiResponse<T>> => {
    checkIdempotencyKey(key);
    const headers = { ...JSON_TYPE, 'idempotency-key': key };
    return call(
      {
        effect: 'action',
        method: 'POST',
        path: ACTION_PATHS[action],
        headers,
        body,
        schema,
        ifTold: identifiedBy(body),
      },
      options,
    );
  };

  return {
    markets: (options) => read('/markets', (of) => of.listOf(of.marketSchema()), options),
    price: (market, options) =>
      read(`/prices${queryOf({ symbols: market })}`, (of) => of.anySchema, options, { about: market }),
    async quote(request, options = {}) {
      const notional = exactNotional(request.notional_usd);
      const body = writeExactJson({
        market: request.market,
        side: request.side,
        notional_usd: notional,
        tenor_days: request.tenor_days,
      });
      // A quote for other terms must not be traded on.
      const echo = {
        market: request.market,
        side: request.side,
        notional_usd: notional.toFixed(),
        tenor_days: String(request.tenor_days),
      };
      return call(
        {
          effect: 'reading',
          method: 'POST',
          path: '/quotes',
          headers: JSON_TYPE,
          body,
          schema: (of) => of.quoteSchema(),
          echo,
          about: request.market,
        },
        options,
      );
    },
    open: async (request, key, options) =>
      act(prepareOpen(request), (of) => of.acceptedOpenSchema(), key, options),
    add: async (request, key, options) =>
      act(prepareAdd(request), (of) => of.acceptedChangeSchema(), key, options),
    reduce: async (request, key, options) =>
      act(prepareReduce(request), (of) => of.acceptedChangeSchema(), key, options),
    close: async (request, key, options) =>
      act(prepareClose(request), (of) => of.acceptedChangeSchema(), key, options),
    hedges: async (query = {}, options) =>
      read(`/hedges${queryOf(hedgesParameters(query))}`, (of) => of.listOf(of.hedgeSchema()), options),
    hedge: async (id, options) =>
      read(`/hedges/${hedgeIdInPath(id)}`, (of) => of.hedgeSchema(), options, { echo: { id }, about: id }),
    history: (options) => read('/hedges/history', (of) => of.listOf(of.closedHedgeSchema()), options),
    positions: (options) => read('/positions', (of) => of.listOf(of.positionSchema()), options),
    account: (options) => read('/account', (of) => of.accountSchema(), options),
    raw: async ({ method, path, query, body }, options = {}) => {
      const given = query.map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`);
      return call(
        {
          effect: 'reading',
          method,
          path: given.length === 0 ? path : `${path}?${given.join('&')}`,
          ...(body === undefined ? {} : { headers: JSON_TYPE, body: writeExactJson(body) }),
          schema: (of) => of.anySchema,
        },
        options,
      );
    },
    act: async (action, key, options) =>
      action.action === 'open'
        ? act(action, (of) => of.acceptedOpenSchema(), key, options)
        : act(action, (of) => of.acceptedChangeSchema(), key, options),
  };
}

function hedgesParameters({
  status,
  client_reference,
  limit,
}: HedgesQuery): Record<string, string | undefined> {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_PAGE)) {
    throw new UsageError(`A page of ${limit} hedges is not possible.`, `Use 1 to ${LARGEST_PAGE}.`);
  }
  return { status, client_reference, [PAGE_SIZE_PARAMETER]: limit?.toString() };
}

function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${percentEncoded(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

/** Ids that would make another path than that of a hedge. */
const OTHER_PATHS: readonly string[] = ['', '.', '..', 'history', 'add', 'reduce', 'close'];

function hedgeIdInPath(id: string): string {
  if (OTHER_PATHS.includes(id)) {
    throw new UsageError(
      `"${id}" is not a hedge ID.`,
      'Hedge IDs start with hdg_. To list them: hedge hedges',
    );
  }
  return percentEncoded(id);
}

function percentEncoded(text: string): string {
  // encodeURIComponent throws on a lone surrogate.
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}
