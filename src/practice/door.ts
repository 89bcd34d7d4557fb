/**
 * The door of the practice service: every shape that the rest of the program may know of it.
 * Amounts are exact decimal strings, times ISO 8601 in UTC; it refuses to know how any of it is done.
 */

export interface PracticeClock {
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface PracticeRandom {
  /** In [0, 1). */
  fraction(): number;
  bytes(count: number): Uint8Array;
}

export type Environment = 'live' | 'test';
export type Side = 'buy' | 'sell';
export type HedgeStatus = 'submitted' | 'filled' | 'failed' | 'closed';
export type OrderKind = 'open' | 'add' | 'reduce' | 'close';

/** Which requests the weather falls on: all, those that only read, those that change the book, or one of these. */
export type WeatherReach = 'all' | 'readings' | 'actions' | OrderKind;

/** What befell one request, as the log names it. */
export type WeatherStrike = '429' | '5xx_before' | '5xx_after' | 'lost_before' | 'lost_after' | 'in_flight';

/**
 * Chosen trouble. A calm sky is: zeros, no disabled market, reach `all`, `once` null.
 * Shares are of the requests reached, 0 to 1; the five of answers exclude one another and add up to 1 at most.
 */
export interface Weather {
  /** Wall time that passes before the book looks at a request. */
  latency_ms: number;
  /** Refused with 429 `rate_limited`; the book did not act. */
  share_429: number;
  /** Answered 503 before the book acted. */
  share_5xx_before: number;
  /** Answered 503 after the book acted and kept its answer under the key. */
  share_5xx_after: number;
  /** Connection cut before the book acted. */
  share_lost_before: number;
  /** Connection cut after the book acted and kept its answer under the key. */
  share_lost_after: number;
  /**
   * An action with an idempotency key is taken, but for this long (wall time) that key answers
   * 409 `idempotency_in_flight`, to the first request too; then it gives the kept answer.
   */
  in_flight_seconds: number;
  /** Added to the usual time from submission to fill (book time). */
  slow_fills_seconds: number;
  /** Share of orders that do not land. */
  share_failing_orders: number;
  /** Share of opens that are filled for 60 % of their notional; the rest is released. */
  share_partial_fills: number;
  /** Listed as `disabled`; quotes, opens and adds are refused with 400 `market_disabled`. */
  disabled_markets: string[];
  only: WeatherReach;
  /** True: a request answered with a kept answer (a resend under the same key) is let through untouched. */
  spare_replays: boolean;
  /**
   * How many more requests the weather falls on before it clears by itself; null: it lasts.
   * Counted is each request that `only` reaches and that one of the set troubles can fall on: trouble of
   * answers "after", of keys and of orders only falls on actions that the book accepts (a refused one does
   * not use the counter up), a disabled market on requests that name it, every other on any request.
   */
  once: number | null;
}

export interface RequestLogEntry {
  /** Wall time, ISO 8601. */
  at: string;
  /** Null when no key of this service came with the request. */
  environment: Environment | null;
  method: string;
  /** Below the base address, with its query. */
  path: string;
  /** What the service answered or, when the answer was lost, would have answered; 0 when it never got that far. */
  status: number;
  /** `error.code` of a refusal. */
  code?: string;
  idempotencyKey?: string;
  /** True when a kept answer was given again. */
  replayed?: boolean;
  ms: number;
  weather?: WeatherStrike;
}

export interface PracticeOptions {
  clock: PracticeClock;
  random: PracticeRandom;
  /** Folder of the database, the certificate and `settings.json`; made with 0700 when absent, files 0600. */
  store: string;
  /** Default 127.0.0.1; anything but loopback is refused. */
  host?: string;
  /** Default 0: any free one. */
  port?: number;
  /** Called once for each request, just before its answer is sent or lost. Never sees a bearer key. */
  onRequest?: (entry: RequestLogEntry) => void;
  /** Weather of this service only, laid over the kept weather. */
  weather?: Partial<Weather>;
}

export interface PracticeService {
  /** Base address, e.g. `https://127.0.0.1:41234/practice/v2`. */
  url: string;
  /** PEM of the certificate authority that clients must trust. */
  ca: string;
  /** Where that PEM is kept. */
  caFile: string;
  keys: { live: string; test: string };
  /** Changes with a reset, whoever made it. */
  readonly bookId: string;
  admin: PracticeAdmin;
  close(): Promise<void>;
}

export interface PracticeAdminOptions {
  clock: PracticeClock;
  random: PracticeRandom;
  store: string;
}

export interface PracticeAdmin {
  status(): Promise<PracticeStatus>;
  /** New book id, both books fresh, book time back at wall time. Keys, weather and settings stay. `balance`: USDC. */
  reset(options?: { balance?: string }): Promise<PracticeStatus>;
  /** Moves book time ahead and lets everything due on the way happen at its own instant. */
  advance(ms: number): Promise<AdvanceSummary>;
  weather(): Promise<Weather>;
  setWeather(change: Partial<Weather>): Promise<Weather>;
  clearWeather(): Promise<Weather>;
}

export interface BookStatus {
  balance_usdc: string;
  /** Margin of filled hedges. */
  margin_in_use_usdc: string;
  /** Margin and fees set aside for orders in flight. */
  reserved_usdc: string;
  /** The other side of every posting: minus the sum of the three above. */
  house_usdc: string;
  open_exposure_usd: string;
  available_exposure_usd: string;
  unrealized_pnl_usd: string;
  hedges: Record<HedgeStatus, number>;
  orders_in_flight: number;
}

export interface PracticeStatus {
  book_id: string;
  book_time: string;
  wall_time: string;
  /** How far book time is ahead of wall time. */
  ahead_ms: number;
  store: string;
  books: Record<Environment, BookStatus>;
  weather: Weather;
  settings: PracticeSettings;
}

/** One thing that happened while book time moved. Amounts are decimals; P&L positive = the account gains. */
export interface BookEvent {
  /** Book time. */
  at: string;
  what: 'filled' | 'added' | 'reduced' | 'closed' | 'settled' | 'failed' | 'lapsed';
  order: OrderKind | 'settlement';
  /** The hedge concerned; null when the order failed or lapsed without touching one. */
  hedge_id: string | null;
  client_reference: string | null;
  market: string;
  side: Side;
  /** Notional that was opened, added, cut or settled, or that did not come about. */
  notional_usd: string;
  /** Struck rate of a fill, exit rate of a reduction, close or settlement; null when nothing was dealt. */
  rate: string | null;
  /** Price + carry − fees of the part that was closed; null when nothing was closed. */
  net_pnl_usd: string | null;
  /** What came back to the free balance; null when nothing moved there. */
  credited_usdc: string | null;
}

export interface AdvanceSummary {
  from: string;
  to: string;
  advanced_ms: number;
  environments: Record<Environment, { events: BookEvent[]; balance_usdc: string }>;
}

/** What an operator may set for one market in `settings.json`. */
export interface MarketSettings {
  /** False: the account does not have it. */
  enabled: boolean;
  /** The level the reference rate moves around, quote currency per USDT. */
  base_rate: number;
  /** 1 = the usual swing of about ±3 %; 0 = a flat line. */
  swing: number;
  /** Yearly drift of the level, percent. */
  drift_yearly_pct: number;
  /** Percent of notional a day; positive = the account pays. */
  carry_daily_pct: { buy: number; sell: number };
  /** Most that this book may hold on one side. */
  headroom_usd: number;
}

export interface PracticeSettings {
  /** Decides the course of the reference rates. */
  seed: string;
  markets: Record<string, MarketSettings>;
  opening_balance_usdc: number;
  /** Gross, over all markets and sides, orders in flight included. */
  exposure_cap_usd: number;
  impact_base_bps: number;
  impact_bps_per_10k_usd: number;
  margin_pct: number;
  platform_fee_pct: number;
  close_fee_pct: number;
  fill_seconds: { min: number; max: number };
  rate_limit: { burst: number; per_second: number };
}
