/** The partner's API as the rest of the program uses it: twelve methods (specification §4) with the service's names. */

import type { ClockReadings } from '../domain/instants.ts';
import type {
  AcceptedChange,
  AcceptedOpen,
  Account,
  ClosedHedge,
  Hedge,
  Market,
  Position,
  Quote,
} from './schemas.ts';
import type {
  ChangeRequest,
  CloseRequest,
  HedgesQuery,
  OpenRequest,
  PreparedAction,
  QuoteRequest,
} from './serialize-request.ts';
/** A response as sent. */
export interface ApiResponse<T> {
  data: T;
  meta: Readonly<Record<string, unknown>>;
  /** The Date header; undefined when absent or invalid. */
  servedAt: Date | undefined;
  /** The clocks when it arrived. */
  clocks: ClockReadings;
}

/** When the readings were made that an action was decided on, and the time limit for sending it. */
export interface AttemptDecision {
  at: ClockReadings;
  withinMs: number;
}

/** The outcome of one attempt. `unclear`: sent, and it is unknown whether the service acted. */
export interface AttemptRecord {
  number: number;
  became: 'answered' | 'refused' | 'never_sent' | 'unclear';
  /** The HTTP status, if any. */
  status: number | undefined;
  /** The service's `error.code`, if any. */
  code: string | undefined;
}

export interface CallOptions {
  /** Stops the call and its waits; it rejects with the signal's reason unless the outcome is unknown. */
  signal?: AbortSignal | undefined;
  /** Called as each attempt ends. */
  onAttempt?: ((record: AttemptRecord) => void) | undefined;
  /** Called when the call waits that many milliseconds for a rate limit of its key. */
  onHeldBack?: ((ms: number) => void) | undefined;
  /** Of an action: it is not sent after that time, or when the clocks disagree about it. */
  decided?: AttemptDecision | undefined;
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

/**
 * Every method rejects with a HedgeError: RefusedError (4xx), CredentialError (401, 403), UnavailableError
 * (nothing was done), UnreadableAnswerError (readings only), OutcomeUnknownError and StoppedError (actions only).
 *
 * `key` of an action is its Idempotency-Key (§7): 1 to 255 visible ASCII characters, one per intent. Every resend has
 * the same key and the same bytes.
 */
export interface HedgeApi {
  markets(options?: CallOptions): Promise<ApiResponse<readonly Market[]>>;
  /** The response's shape is not specified; `midOf` finds the mid in it. */
  price(market: string, options?: CallOptions): Promise<ApiResponse<unknown>>;
  quote(request: QuoteRequest, options?: CallOptions): Promise<ApiResponse<Quote>>;
  open(request: OpenRequest, key: string, options?: CallOptions): Promise<ApiResponse<AcceptedOpen>>;
  add(request: ChangeRequest, key: string, options?: CallOptions): Promise<ApiResponse<AcceptedChange>>;
  reduce(request: ChangeRequest, key: string, options?: CallOptions): Promise<ApiResponse<AcceptedChange>>;
  close(request: CloseRequest, key: string, options?: CallOptions): Promise<ApiResponse<AcceptedChange>>;
  /** Newest first. */
  hedges(query?: HedgesQuery, options?: CallOptions): Promise<ApiResponse<readonly Hedge[]>>;
  hedge(id: string, options?: CallOptions): Promise<ApiResponse<Hedge>>;
  /** Newest first. */
  history(options?: CallOptions): Promise<ApiResponse<readonly ClosedHedge[]>>;
  /** One line per open side; empty when flat. */
  positions(options?: CallOptions): Promise<ApiResponse<readonly Position[]>>;
  account(options?: CallOptions): Promise<ApiResponse<Account>>;
  /** Any other read; never an action. Its data is not validated. */
  raw(reading: RawReading, options?: CallOptions): Promise<ApiResponse<unknown>>;
  /** Sends a serialized action, as `open`, `add`, `reduce` and `close` do. A resend calls it again with the same key. */
  act(
    action: PreparedAction,
    key: string,
    options?: CallOptions,
  ): Promise<ApiResponse<AcceptedOpen | AcceptedChange>>;
}
