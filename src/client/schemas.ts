/**
 * Response schemas, one per resource, memoized. Data passes unchanged, unknown fields and nulls included. Every
 * assumption where the specification is silent is tagged `ASSUMED:`.
 */
import { Big } from 'big.js';
import * as z from 'zod/mini';
import { once } from '../domain/once.ts';

/** Numbers of responses are big.js decimals: the digits sent, never a float. They are registered with their JSON Schema, for schema/. */
const number = z
  .custom<Big>((value) => value instanceof Big, 'is not a number')
  .register(z.globalRegistry, { type: 'number' });
const positive = z
  .custom<Big>((value) => value instanceof Big && value.gt(0), 'is not a number above zero')
  .register(z.globalRegistry, { type: 'number', exclusiveMinimum: 0 });
const whole = z
  .custom<Big>(
    (value) => value instanceof Big && value.gt(0) && value.eq(value.round(0)),
    'is not a whole number above zero',
  )
  .register(z.globalRegistry, { type: 'integer', exclusiveMinimum: 0 });
const text = z.string();
export const anySchema = z.unknown();
export const arrayOf = z.array;
/** ISO 8601 with a zone (specification §1 promises UTC). */
const timestamp = z
  .custom<string>(
    (value) =>
      typeof value === 'string' &&
      /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})$/i.test(value) &&
      !Number.isNaN(Date.parse(value)),
    'is not a timestamp',
  )
  .register(z.globalRegistry, { type: 'string', format: 'date-time' });
const side = z.enum(['buy', 'sell']);
/** Specified, but optional: absent and null are the same. */
const sometimes = z.nullish;
/** An assumed name: any value, or absent. `decimalFrom` and `textFrom` read it. */
const assumed = z.optional(z.unknown());

/** §2. Capacity: the most that can be opened on each side. Carry in percent a day: positive is paid. */
export const marketSchema = once(() => {
  const perSide = z.looseObject({ buy: number, sell: number });
  return z.looseObject({
    market: text,
    /** `open` or `disabled`; an unknown status is shown as sent. */
    status: text,
    price: number,
    available_capacity_usd: perSide,
    net_rate_daily_pct: perSide,
  });
});
export type Market = z.infer<ReturnType<typeof marketSchema>>;

/** §2. Prices and notional are above zero, so that figures can be derived. */
export const quoteSchema = once(() =>
  z.looseObject({
    market: text,
    side,
    notional_usd: positive,
    tenor_days: whole,
    maturity: timestamp,
    pricing: z.looseObject({ market_price: positive, execution_price: positive, price_impact_usd: number }),
    carry: z.looseObject({
      daily_usdc: number,
      daily_rate_pct: number,
      total_usdc: number,
      total_rate_pct: number,
    }),
    upfront: z.looseObject({
      required_margin_usdc: number,
      platform_fee_usdc: number,
      total_upfront_usdc: number,
    }),
  }),
);
export type Quote = z.infer<ReturnType<typeof quoteSchema>>;

/**
 * §2, §3. Required: what identifies a hedge, and the dates of one that was filled. Not required: what a fill adds, since
 * a fill may be listed before its rate and one late field must not hide all positions.
 */
export const hedgeSchema = once(() =>
  z
    .looseObject({
      id: text,
      client_reference: sometimes(text),
      market: text,
      side,
      notional_usd: number,
      tenor_days: whole,
      // ASSUMED: a hedge closed early may still have status `filled`: past maturity, or on a side that is absent from
      // positions, it does not count as open. An unknown status is polled on.
      status: text,
      order_tx_hash: sometimes(text),
      fill_tx_hash: sometimes(text),
      struck_rate: sometimes(number),
      units: sometimes(number),
      order_key: sometimes(text),
      opened_at: sometimes(timestamp),
      filled_at: sometimes(timestamp),
      maturity_at: sometimes(timestamp),
    })
    .check(({ value, issues }) => {
      if (value.status !== 'filled' && value.status !== 'closed') return;
      for (const name of ['opened_at', 'maturity_at'] as const) {
        const input = value[name] ?? undefined;
        if (input === undefined) issues.push({ code: 'custom', path: [name], message: 'is missing', input });
      }
    }),
);
export type Hedge = z.infer<ReturnType<typeof hedgeSchema>>;

// ASSUMED: unspecified figures keep the service's sign; only of specified fields it is known who pays.

export const positionSchema = once(() =>
  z.looseObject({
    // Not required: without it a position can still be closed.
    net_margin_usd: sometimes(number),
    // ASSUMED: the other names of a position.
    market: assumed,
    side: assumed,
    notional_usd: assumed,
    entry_price: assumed,
    mark_price: assumed,
    gross_pnl_usd: assumed,
    accrued_carry_usdc: assumed,
    net_pnl_usd: assumed,
    close_fee_usdc: assumed,
  }),
);
export type Position = z.infer<ReturnType<typeof positionSchema>>;

export const accountSchema = once(() =>
  z.looseObject({
    balance_usdc: number,
    available_exposure_usd: number,
    // ASSUMED: the other names of the account summary.
    margin_in_use_usdc: assumed,
    open_exposure_usd: assumed,
    unrealized_pnl_usd: assumed,
    open_positions: assumed,
  }),
);
export type Account = z.infer<ReturnType<typeof accountSchema>>;

export const closedHedgeSchema = once(() =>
  z.looseObject({
    net_pnl_usd: number,
    // ASSUMED: the other names of a closed hedge.
    id: assumed,
    client_reference: assumed,
    market: assumed,
    side: assumed,
    notional_usd: assumed,
    tenor_days: assumed,
    entry_price: assumed,
    exit_price: assumed,
    gross_pnl_usd: assumed,
    carry_usdc: assumed,
    fees_usdc: assumed,
    opened_at: assumed,
    closed_at: assumed,
    /** `maturity` or `close`. */
    reason: assumed,
  }),
);
export type ClosedHedge = z.infer<ReturnType<typeof closedHedgeSchema>>;

/** §4, POST /hedges. The hash is optional: the ID is enough to follow the hedge. */
export const acceptedOpenSchema = once(() =>
  z.looseObject({
    hedge_id: text,
    status: text,
    order_tx_hash: sometimes(text),
  }),
);
export type AcceptedOpen = z.infer<ReturnType<typeof acceptedOpenSchema>>;

/** §4, add, reduce, close: `submitted` and a transaction hash. */
export const acceptedChangeSchema = once(() =>
  z.looseObject({
    status: text,
    // ASSUMED: add and reduce have the hash under the same name as close.
    order_tx_hash: sometimes(text),
  }),
);
export type AcceptedChange = z.infer<ReturnType<typeof acceptedChangeSchema>>;
