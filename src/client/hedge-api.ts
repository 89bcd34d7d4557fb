/** The service's API as the rest of the program uses it, and how each method becomes one call over HTTP. */
import type * as z from 'zod/mini';
import { type ACTION_TABLE, type ActionName, createsHedge, rowOf } from '../domain/action-table.ts';
import { writeExactJson } from '../domain/exact-json.ts';
import type { ClockReadings } from '../domain/instants.ts';
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
import type { AcceptedChange, AcceptedOpen } from './schemas.ts';
import {
  checkIdempotencyKey,
  identifiedBy,
  type PreparedAction,
  type RequestOf,
  serializeAction,
} from './serialize-request.ts';
import type { Echo } from './transport/read-response.ts';
import type { CallOptions } from './transport/transport.ts';

/** The response of the service, as sent. */
export interface ApiResponse<T> {
  data: T;
  meta: Readonly<Record<string, unknown>>;
  /** The Date header; undefined when absent or invalid. */
  servedAt: Date | undefined;
  /** The clocks when it arrived. */
  clocks: ClockReadings;
}

/** A request that changes nothing, with the service's names. */
export interface RawReading {
  method: 'GET' | 'POST';
  /** Below the base URL: `/hedges/history`, without a query. */
  path: string;
  query: readonly (readonly [name: string, value: string])[];
  /** The JSON body of a POST, its numbers as big.js decimals. */
  body?: Readonly<Record<string, unknown>> | undefined;
}

/** One method per reading: `markets(options)`, `hedge(id, options)`. */
export type ReadingMethods = { [Name in keyof typeof READINGS]: ReadingMethod<(typeof READINGS)[Name]> };

type ReadingMethod<Declared> =
  Declared extends Endpoint<infer Request, infer Data>
    ? (...args: [...RequestArguments<Request>, options?: CallOptions]) => Promise<ApiResponse<Received<Data>>>
    : never;

type Received<Data> = Data extends readonly (infer Item)[] ? readonly Item[] : Data;

type RequestArguments<Request> = [Request] extends [void]
  ? []
  : undefined extends Request
    ? [request?: Request]
    : [request: Request];

type Accepted<Name extends ActionName> = (typeof ACTION_TABLE)[Name]['effect']['kind'] extends 'new_hedge'
  ? AcceptedOpen
  : AcceptedChange;

/** One method an action: `open(request, key)`. */
type ActionMethods = {
  [Name in ActionName]: (
    request: RequestOf<Name>,
    key: string,
    options?: CallOptions,
  ) => Promise<ApiResponse<Accepted<Name>>>;
};

/**
 * Every method rejects with a HedgeError: RefusedError (4xx), CredentialError (401, 403), UnavailableError
 * (nothing was done), UnreadableAnswerError (readings only), OutcomeUnknownError and StoppedError (actions only).
 *
 * `key` of an action is its Idempotency-Key (§7): 1 to 255 visible ASCII characters, one per intent. Every resend has
 * the same key and the same bytes.
 */
export interface HedgeApi extends ActionMethods, ReadingMethods {
  /** A request without a method of its own, retried as any reading; never an action. Its data is not validated. */
  raw(reading: RawReading, options?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Sends an action whose bytes are recorded already. To resend it, call this again with the same key. */
  act(
    action: PreparedAction,
    key: string,
    options?: CallOptions,
  ): Promise<ApiResponse<AcceptedOpen | AcceptedChange>>;
}

/** One request, and what its response must be. */
export interface ApiCall<T> extends Pick<Endpoint<never, T>, 'effect' | 'method' | 'path' | 'schema'> {
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Fields that the response must repeat. */
  echo?: Echo;
  /** Fields that it may repeat, and then unchanged. */
  ifPresent?: Echo;
  /** The market or hedge that an error names. */
  about?: string;
  /** The names in its response, and the request that may be one. */
  names?: EndpointNames;
  request?: unknown;
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
        ifPresent: identifiedBy(body),
        names: NAMES_OF_ACTIONS,
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

function methodOf<Request, Data>({ ask, path, ...declared }: Endpoint<Request, Data>, call: CallEndpoint) {
  const send = (parts: RequestParts & { request?: Request }, options: CallOptions = {}) => {
    const { id, query = {}, body, ...rest } = parts;
    const json = body === undefined ? {} : { headers: JSON_TYPE, body };
    const target = pathWithQuery(id === undefined ? path : pathWithId(path, id), Object.entries(query));
    return call({ ...declared, path: target, ...json, ...rest }, options);
  };
  return ask === undefined
    ? (options?: CallOptions) => send({}, options)
    : async (request: Request, options?: CallOptions) => send({ ...ask(request), request }, options);
}
