/** The service's API as the rest of the program uses it: the readings of endpoints.ts, and the actions. */

import type { ACTION_TABLE, ActionName } from '../domain/action-table.ts';
import type { ClockReadings } from '../domain/instants.ts';
import type { Endpoint, READINGS } from './endpoints.ts';
import type { AcceptedChange, AcceptedOpen } from './schemas.ts';
import type { PreparedAction, RequestOf } from './serialize-request.ts';
import type { CallOptions } from './transport/transport.ts';
/** What the service answered, as sent. */
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

type Accepted<Name extends ActionName> = (typeof ACTION_TABLE)[Name]['createsHedge'] extends true
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
  /** What no method is there for yet. It is sent again as any reading is: never an action. Data is not judged. */
  raw(reading: RawReading, options?: CallOptions): Promise<ApiResponse<unknown>>;
  /**
   * Sends an action whose bytes were prepared before (and written down): what the method of an action
   * does after preparing its own. Resending is calling it again with the same key.
   */
  act(
    action: PreparedAction,
    key: string,
    options?: CallOptions,
  ): Promise<ApiResponse<AcceptedOpen | AcceptedChange>>;
}
