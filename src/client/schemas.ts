/**
 * The shapes of the wire: one schema a resource, and every assumption where the specification is silent, each
 * tagged `ASSUMED:` once. Schemas judge and never change: data stays as it was sent, unknown fields and null
 * included. Each is put together when there is an answer to judge by it. They know neither HTTP nor what anybody
 * does with a shape.
 */
import { Big } from 'big.js';
import * as z from 'zod/mini';
import { once } from '../domain/once.ts';

/** Numbers of answers are big.js decimals everywhere: the digits that were sent, never a float. */
const number = z.custom<Big>((value) => value instanceof Big, 'is not a number');
const positive = z.custom<Big>((value) => value instanceof Big && value.gt(0), 'is not a number above zero');
const whole = z.custom<Big>(
  (value) => value instanceof Big && value.gt(0) && value.eq(value.round(0)),
  'is not a whole number above zero',
);
const text = z.string();
/** What is not judged at all. */
export const anySchema = z.unknown();
export const listOf = z.array;
/** ISO 8601 with a zone (specification §1 promises UTC). */
const timestamp = z.custom<string>(
  (value) =>
    typeof value === 'string' &&
    /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})$/i.test(value) &&
    !Number.isNaN(Date.parse(value)),
  'is not a timestamp',
);
const side = z.enum(['buy', 'sell']);
/** Specified, but not always there: absent and null are the same, anything else must have the type. */
const sometimes = z.nullish;
/** A name we guessed: whatever came, or nothing. `numberIn` and `textIn` read it. */
const guessed = z.optional(z.unknown());

/** §2. Capacity: the most that can be opened on each side. Carry in percent a day: positive pays. */
export const marketSchema = once(() => {
  const perSide = z.looseObject({ buy: number, sell: number });
  return z.looseObject({
    market: text,
    /** `open` or `disabled`; a new word is shown as it comes. */
    status: text,
    price: number,
    available_capacity_usd: perSide,
    net_rate_daily_pct: perSide,
  });
});
export type Market = z.infer<ReturnType<typeof marketSchema>>;

/** §2. Prices and notional above zero, or no figure could be derived from the quote. */
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
 * §2, §3. What tells a hedge from another is required, and the life span of one that holds a position. What a
 * fill brings is not, even where `filled` promises it: a fill seen before its rate is still a fill, and one
 * late field must not hide a whole book.
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
      // ASSUMED: a hedge closed early may still say `filled` (its status then is not shown): past maturity, or on
      // a side that is absent from positions, it does not count as open. A status we do not know is polled on.
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

// ASSUMED: figures that the specification does not name are signed as the service sends them; who pays is said
// of specified fields only.

export const positionSchema = once(() =>
  z.looseObject({
    net_margin_usd: number,
    // ASSUMED: the names of a position line but the one above.
    market: guessed,
    side: guessed,
    notional_usd: guessed,
    entry_price: guessed,
    mark_price: guessed,
    gross_pnl_usd: guessed,
    accrued_carry_usdc: guessed,
    net_pnl_usd: guessed,
    close_fee_usdc: guessed,
  }),
);
export type Position = z.infer<ReturnType<typeof positionSchema>>;

export const accountSchema = once(() =>
  z.looseObject({
    balance_usdc: number,
    available_exposure_usd: number,
    // ASSUMED: the names of the account summary but the two above.
    margin_in_use_usdc: guessed,
    open_exposure_usd: guessed,
    unrealized_pnl_usd: guessed,
    open_positions: guessed,
  }),
);
export type Account = z.infer<ReturnType<typeof accountSchema>>;

export const closedHedgeSchema = once(() =>
  z.looseObject({
    net_pnl_usd: number,
    // ASSUMED: the names of a closed hedge's record but the one above.
    id: guessed,
    client_reference: guessed,
    market: guessed,
    side: guessed,
    notional_usd: guessed,
    tenor_days: guessed,
    entry_price: guessed,
    exit_price: guessed,
    gross_pnl_usd: guessed,
    carry_usdc: guessed,
    fees_usdc: guessed,
    opened_at: guessed,
    closed_at: guessed,
    /** `maturity` or `close`. */
    reason: guessed,
  }),
);
export type ClosedHedge = z.infer<ReturnType<typeof closedHedgeSchema>>;

/** §4, POST /hedges. Without the hash the hedge can still be followed; without the id it cannot. */
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
    // ASSUMED: add and reduce name the hash as close does.
    order_tx_hash: sometimes(text),
  }),
);
export type AcceptedChange = z.infer<ReturnType<typeof acceptedChangeSchema>>;
