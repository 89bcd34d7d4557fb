/** HedgeApi over HTTP, made from the declarations of the endpoints; and the same with each response shown to an observer. */
import type * as z from 'zod/mini';
import { createsHedge, isActionName, rowOf } from '../domain/action-table.ts';
import { writeExactJson } from '../domain/exact-json.ts';
import { ownField } from '../domain/fields.ts';
import {
  type Endpoint,
  type EndpointNames,
  NAMES_OF_ACTIONS,
  pathWithId,
  pathWithQuery,
  READINGS,
  type RequestParts,
  type Schemas,
} from './endpoints.ts';
import type { ApiResponse, HedgeApi, ReadingMethods } from './hedge-api.ts';
import {
  checkIdempotencyKey,
  identifiedBy,
  type PreparedAction,
  serializeAction,
} from './serialize-request.ts';
import type { Echo } from './transport/read-response.ts';
import type { CallOptions } from './transport/transport.ts';

/** One request, and what its response must be. */
export interface ApiCall<T> extends Pick<Endpoint<never, T>, 'effect' | 'method' | 'path' | 'schema'> {
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** What the response must repeat. */
  echo?: Echo;
  /** What it may repeat, and then unchanged. */
  ifTold?: Echo;
  /** The market or hedge that an error names. */
  about?: string;
}

export type CallEndpoint = <T>(call: ApiCall<T>, options: CallOptions) => Promise<ApiResponse<T>>;

const JSON_TYPE = { 'content-type': 'application/json' };

export function makeHttpApi(call: CallEndpoint): HedgeApi {
  const act = async <T>(
    { action, body }: PreparedAction,
    schema: (of: Schemas) => z.ZodMiniType<T>,
    key: string,
    options: CallOptions = {},
  ): Promise<ApiResponse<T>> => {
    checkIdempotencyKey(key);
    return call(
      {
        effect: 'action',
        method: 'POST',
        path: rowOf(action).path,
        headers: { ...JSON_TYPE, 'idempotency-key': key },
        body,
        schema,
        ifTold: identifiedBy(body),
      },
      options,
    );
  };

  return {
    ...readingMethods(call),
    open: async (request, key, options) =>
      act(serializeAction('open', request), (of) => of.acceptedOpenSchema(), key, options),
    add: async (request, key, options) =>
      act(serializeAction('add', request), (of) => of.acceptedChangeSchema(), key, options),
    reduce: async (request, key, options) =>
      act(serializeAction('reduce', request), (of) => of.acceptedChangeSchema(), key, options),
    close: async (request, key, options) =>
      act(serializeAction('close', request), (of) => of.acceptedChangeSchema(), key, options),
    act: async (action, key, options) =>
      createsHedge(action)
        ? act(action, (of) => of.acceptedOpenSchema(), key, options)
        : act(action, (of) => of.acceptedChangeSchema(), key, options),
    raw: async ({ method, path, query, body }, options = {}) =>
      call(
        {
          effect: 'reading',
          method,
          path: pathWithQuery(path, query),
          ...(body === undefined ? {} : { headers: JSON_TYPE, body: writeExactJson(body) }),
          schema: (of) => of.anySchema,
        },
        options,
      ),
  };
}

// Overloaded, since no mapping over the table keeps the type of each entry.
function readingMethods(call: CallEndpoint): ReadingMethods;
function readingMethods(call: CallEndpoint): object {
  return Object.fromEntries(
    Object.entries<Endpoint<never, unknown>>(READINGS).map(([name, endpoint]) => [
      name,
      methodOf(endpoint, call),
    ]),
  );
}

function methodOf<Request, Data>(
  { ask, effect, method, path, schema }: Endpoint<Request, Data>,
  call: CallEndpoint,
) {
  const send = ({ id, query = {}, body, ...parts }: RequestParts, options: CallOptions = {}) => {
    const json = body === undefined ? {} : { headers: JSON_TYPE, body };
    const target = pathWithQuery(id === undefined ? path : pathWithId(path, id), Object.entries(query));
    return call({ effect, method, path: target, schema, ...json, ...parts }, options);
  };
  return ask === undefined
    ? (options?: CallOptions) => send({}, options)
    : async (request: Request, options?: CallOptions) => send(ask(request), options);
}

/** `observe` gets every response of an endpoint that has names, before the caller does. */
export function observeNames(
  api: HedgeApi,
  observe: (names: EndpointNames, data: unknown, request: unknown) => void,
): HedgeApi;
export function observeNames(
  api: HedgeApi,
  observe: (names: EndpointNames, data: unknown, request: unknown) => void,
): object {
  const methods: Readonly<Record<string, (...args: never[]) => Promise<ApiResponse<unknown>>>> = { ...api };
  const wrapped = Object.entries(methods).map(([name, method]) => {
    const names = isActionName(name) || name === 'act' ? NAMES_OF_ACTIONS : ownField(READINGS, name)?.names;
    if (names === undefined) return [name, method];
    const observed = async (...args: never[]): Promise<ApiResponse<unknown>> => {
      const response = await method(...args);
      observe(names, response.data, args[0]);
      return response;
    };
    return [name, observed];
  });
  return Object.fromEntries(wrapped);
}
