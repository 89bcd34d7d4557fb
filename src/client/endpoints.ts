/** The endpoints of the service (specification §4), one declaration each. The client, completion and the name cache use them. */
import type * as z from 'zod/mini';
import { ACTION_NAMES, rowOf } from '../domain/action-table.ts';
import { writeExactJson } from '../domain/exact-json.ts';
import { say, shell } from '../domain/hint.ts';
import { LARGEST_PAGE } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type * as schemas from './schemas.ts';
import {
  exactNotional,
  type HedgesQuery,
  PAGE_SIZE_PARAMETER,
  type QuoteRequest,
} from './serialize-request.ts';
import type { Echo } from './transport/read-response.ts';
import type { CallEffect } from './transport/retry-policy.ts';

/** Loaded with the first response. */
export type Schemas = typeof schemas;

export interface Endpoint<Request, Data> {
  method: 'GET' | 'POST';
  /** Below the base URL; `{id}` is filled in. */
  path: string;
  effect: CallEffect;
  schema: (of: Schemas) => z.ZodMiniType<Data>;
  names: EndpointNames;
  /** Undefined: it takes no request. */
  ask: ((request: Request) => RequestParts) | undefined;
}

/** For completion: the field of each record that has a name of this kind. */
export interface EndpointNames {
  markets?: string;
  hedges?: string;
  deals?: string;
  /** The list is complete: names that it lacks are forgotten. */
  complete?: true;
  /** The request is a name of this kind. */
  request?: 'markets' | 'hedges' | 'deals';
}

type Query = Readonly<Record<string, string | undefined>>;

export interface RequestParts {
  id?: string;
  query?: Query;
  body?: string;
  /** Fields that the response must repeat. */
  echo?: Echo;
  /** The market or hedge that an error names. */
  about?: string;
}

type ReadingDeclaration<Request, Data> = Pick<Endpoint<Request, Data>, 'path' | 'schema'> &
  Partial<Pick<Endpoint<Request, Data>, 'method' | 'names' | 'ask'>>;

const reading = <Data, Request = void>({
  method = 'GET',
  names = {},
  ask,
  ...declared
}: ReadingDeclaration<Request, Data>): Endpoint<Request, Data> => ({
  ...declared,
  method,
  effect: 'reading',
  names,
  ask,
});

const HEDGE_NAMES: EndpointNames = { hedges: 'id', markets: 'market', deals: 'client_reference' };

/** Each is a method of HedgeApi. */
export const READINGS = {
  markets: reading({
    path: '/markets',
    schema: (of) => of.arrayOf(of.marketSchema()),
    names: { markets: 'market', complete: true },
  }),
  /** `midOf` finds the mid: the specification does not show the response. */
  price: reading({
    path: '/prices',
    schema: (of) => of.anySchema,
    names: { request: 'markets' },
    ask: (market: string) => ({ query: { symbols: market }, about: market }),
  }),
  quote: reading({
    method: 'POST',
    path: '/quotes',
    schema: (of) => of.quoteSchema(),
    names: { markets: 'market' },
    ask: ({ market, side, notional_usd, tenor_days }: QuoteRequest) => {
      const notional = exactNotional(notional_usd);
      return {
        body: writeExactJson({ market, side, notional_usd: notional, tenor_days }),
        // No trade may rest on the quote of another request.
        echo: { market, side, notional_usd: notional.toFixed(), tenor_days: String(tenor_days) },
        about: market,
      };
    },
  }),
  /** Newest first. */
  hedges: reading({
    path: '/hedges',
    schema: (of) => of.arrayOf(of.hedgeSchema()),
    names: HEDGE_NAMES,
    ask: (query: HedgesQuery | undefined) => ({ query: hedgesParameters(query ?? {}) }),
  }),
  /** Newest first. */
  history: reading({
    path: '/hedges/history',
    schema: (of) => of.arrayOf(of.closedHedgeSchema()),
    names: { hedges: 'id', deals: 'client_reference' },
  }),
  hedge: reading({
    path: '/hedges/{id}',
    schema: (of) => of.hedgeSchema(),
    names: HEDGE_NAMES,
    ask: (id: string) => ({ id, echo: { id }, about: id }),
  }),
  /** One record per open side; empty when flat. */
  positions: reading({
    path: '/positions',
    schema: (of) => of.arrayOf(of.positionSchema()),
    names: { markets: 'market' },
  }),
  account: reading({ path: '/account', schema: (of) => of.accountSchema() }),
};

/** The names in the response of every action. */
export const NAMES_OF_ACTIONS: EndpointNames = { hedges: 'hedge_id' };

const DECLARED = Object.values(READINGS).map(({ method, path }) => ({ method, path }));

/** For completion: paths without an ID. */
export const GET_PATHS: readonly string[] = DECLARED.filter(
  ({ method, path }) => method === 'GET' && !path.includes('{'),
).map(({ path }) => path);

/** They open nothing and store nothing. */
export const READING_POSTS: readonly string[] = DECLARED.filter(({ method }) => method === 'POST').map(
  ({ path }) => path,
);

export const POST_PATHS: readonly string[] = [
  ...READING_POSTS,
  ...ACTION_NAMES.map((action) => rowOf(action).path),
];

/** @throws UsageError for an ID that would lead to another endpoint. */
export function pathWithId(path: string, id: string): string {
  const others = [...GET_PATHS, ...POST_PATHS];
  if (['', '.', '..'].includes(id) || others.includes(path.replace('{id}', () => id)))
    throw new UsageError(
      `"${id}" is not the id of a hedge.`,
      say`Ids start with hdg_; see ${shell`hedge hedges`}.`,
    );
  return path.replace('{id}', () => percentEncoded(id));
}

export function pathWithQuery(
  path: string,
  query: readonly (readonly [name: string, value: string | undefined])[],
): string {
  const given = query.flatMap(([name, value]) =>
    value === undefined ? [] : [`${percentEncoded(name)}=${percentEncoded(value)}`],
  );
  return given.length === 0 ? path : `${path}?${given.join('&')}`;
}

function percentEncoded(text: string): string {
  // A lone surrogate has no encoding, and encodeURIComponent would throw.
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
}

function hedgesParameters({ status, client_reference, limit }: HedgesQuery): Query {
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= LARGEST_PAGE))
    throw new UsageError(
      `A list of ${limit} hedges cannot be asked for.`,
      `The service sends 1 to ${LARGEST_PAGE} at a time.`,
    );
  return { status, client_reference, [PAGE_SIZE_PARAMETER]: limit?.toString() };
}
