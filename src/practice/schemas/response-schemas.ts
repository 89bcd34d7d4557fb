/** Schemas of the response data, and hedges, positions and history as the API writes them. */

import * as z from 'zod';
import type { BookPosition } from '../book/accounts.ts';
import { pricePnl } from '../book/economics.ts';
import { EXIT_SCALE } from '../book/execute-order.ts';
import type { StoredHedge } from '../book/stored-records.ts';
import { isoTime } from '../book/transaction-context.ts';
import {
  CLOSE_REASONS,
  definedFields,
  PRACTICE_HEDGE_STATUSES,
  PRACTICE_SIDES,
  PRACTICE_TENORS,
} from '../domain/practice-types.ts';
import { divideHalfEven, type Micro, ONE_RATE, type Rate } from '../domain/scaled-decimals.ts';
import { type Json, moneyNumber, rateNumber } from './api-error.ts';

const usd = z.number().meta({ description: 'USD, exact to 6 decimals' });
const usdc = z.number().meta({ description: 'USDC, exact to 6 decimals' });
const rate = z.number().positive().meta({ description: 'quote currency per USDT' });
const pct = z.number().meta({ description: 'percent; positive = the account pays' });
const instant = z.iso.datetime().meta({ description: 'UTC, book time' });
const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const hedgeId = z.string().regex(/^hdg_[0-9A-Z]{16}$/);
const side = z.enum(PRACTICE_SIDES);
const tenorDays = z.literal(PRACTICE_TENORS);
const terms = { market: z.string(), side, notional_usd: usd, tenor_days: tenorDays };
const bySide = (each: z.ZodType) => z.strictObject({ buy: each, sell: each });

export const marketData = z
  .strictObject({
    market: z.string(),
    status: z.enum(['open', 'disabled']),
    price: rate,
    available_capacity_usd: bySide(usd).meta({
      description: 'what headroom and exposure cap let the account open on the side now; the balance apart',
    }),
    net_rate_daily_pct: bySide(pct),
  })
  .meta({ id: 'Market' });

export const priceData = z.strictObject({ market: z.string(), price: rate }).meta({ id: 'Price' });

export const quoteData = z
  .strictObject({
    ...terms,
    maturity: instant,
    pricing: z.strictObject({ market_price: rate, execution_price: rate, price_impact_usd: usd }),
    carry: z.strictObject({
      daily_usdc: usdc,
      daily_rate_pct: pct,
      total_usdc: usdc,
      total_rate_pct: pct,
    }),
    upfront: z.strictObject({
      required_margin_usdc: usdc,
      platform_fee_usdc: usdc,
      total_upfront_usdc: usdc,
    }),
  })
  .meta({ id: 'Quote' });

export const submittedData = z
  .strictObject({
    status: z.literal('submitted'),
    order_tx_hash: hash,
    market: z.string(),
    side,
    notional_usd: usd.optional(),
  })
  .meta({ id: 'SubmittedOrder' });

export const openedData = z
  .strictObject({
    hedge_id: hedgeId,
    id: hedgeId,
    status: z.literal('submitted'),
    order_tx_hash: hash,
    ...terms,
    opened_at: instant,
    maturity_at: instant,
    client_reference: z.string().optional(),
  })
  .meta({ id: 'OpenedHedge' });

export const hedgeData = z
  .strictObject({
    id: hedgeId,
    client_reference: z.string().optional(),
    ...terms,
    status: z.enum(PRACTICE_HEDGE_STATUSES),
    order_tx_hash: hash,
    fill_tx_hash: hash.optional(),
    struck_rate: rate.optional(),
    units: z.number(),
    order_key: hash,
    opened_at: instant,
    filled_at: instant.optional(),
    maturity_at: instant,
  })
  .meta({ id: 'Hedge' });

export const positionData = z
  .strictObject({
    market: z.string(),
    side,
    notional_usd: usd,
    entry_price: rate,
    mark_price: rate,
    gross_pnl_usd: usd,
    accrued_carry_usdc: usdc,
    net_pnl_usd: usd,
    close_fee_usdc: usdc,
    margin_usdc: usdc,
    net_margin_usd: usd,
  })
  .meta({ id: 'Position' });

export const historyData = z
  .strictObject({
    id: hedgeId,
    client_reference: z.string().optional(),
    ...terms,
    entry_price: rate,
    exit_price: rate,
    gross_pnl_usd: usd,
    carry_usdc: usdc,
    fees_usdc: usdc,
    net_pnl_usd: usd,
    opened_at: instant,
    filled_at: instant,
    maturity_at: instant,
    closed_at: instant,
    reason: z.enum(CLOSE_REASONS),
  })
  .meta({ id: 'ClosedHedge' });

export const accountData = z
  .strictObject({
    balance_usdc: usdc,
    available_exposure_usd: usd,
    margin_in_use_usdc: usdc,
    reserved_usdc: usdc,
    open_exposure_usd: usd,
    unrealized_pnl_usd: usd,
    open_positions: z.number().int(),
  })
  .meta({ id: 'Account' });

export const errorData = z
  .strictObject({
    code: z.string(),
    message: z.string(),
    details: z.looseObject({}).optional(),
  })
  .meta({ id: 'Error' });

type Fields = { [name: string]: Json };

/** Specification §2: the fields of a later state are absent before it. */
export function serializeHedge(hedge: StoredHedge): Fields {
  return definedFields({
    ...termsOf(hedge, hedge.notional),
    status: hedge.status,
    order_tx_hash: hedge.order_tx_hash,
    fill_tx_hash: hedge.fill_tx_hash ?? undefined,
    struck_rate: hedge.struck === null ? undefined : rateNumber(hedge.struck),
    units: moneyNumber(hedge.notional),
    order_key: hedge.order_key,
    opened_at: isoTime(hedge.opened_at),
    filled_at: timeIfAny(hedge.filled_at),
    maturity_at: isoTime(hedge.maturity_at),
  });
}

const termsOf = (hedge: StoredHedge, notional: Micro) => ({
  id: hedge.id,
  client_reference: hedge.client_reference ?? undefined,
  market: hedge.market,
  side: hedge.side,
  notional_usd: moneyNumber(notional),
  tenor_days: hedge.tenor_days,
});

const timeIfAny = (at: number | null): string | undefined => (at === null ? undefined : isoTime(at));

/** ASSUMED names, except `net_margin_usd`. Negative carry: the account pays. */
export function serializePosition(position: BookPosition): Fields {
  return {
    market: position.market,
    side: position.side,
    notional_usd: moneyNumber(position.notional),
    entry_price: rateNumber(position.entry),
    mark_price: rateNumber(position.mark),
    gross_pnl_usd: moneyNumber(position.gross),
    accrued_carry_usdc: moneyNumber(position.carry),
    net_pnl_usd: moneyNumber(position.net),
    close_fee_usdc: moneyNumber(position.closeFee),
    margin_usdc: moneyNumber(position.margin),
    net_margin_usd: moneyNumber(position.netMargin),
  };
}

/**
 * A closed hedge over its whole life. ASSUMED names, except `net_pnl_usd` = gross + carry − fees. For a hedge closed in
 * parts, notional is their sum and prices are averages by notional (harmonic for the exit, since P&L divides by it).
 * If an add came between the parts, the averages do not give the gross P&L: then the entry price is the one that does.
 */
export function serializeHistory(hedge: StoredHedge): Fields {
  const fees = hedge.platform_fees + hedge.done_fees;
  const exit = divideHalfEven(hedge.done_notional * ONE_RATE * EXIT_SCALE, hedge.done_exit);
  return definedFields({
    ...termsOf(hedge, hedge.done_notional),
    entry_price: rateNumber(entryPrice(hedge, exit)),
    exit_price: rateNumber(exit),
    gross_pnl_usd: moneyNumber(hedge.done_gross),
    carry_usdc: moneyNumber(-hedge.done_carry),
    fees_usdc: moneyNumber(fees),
    net_pnl_usd: moneyNumber(hedge.done_gross - hedge.done_carry - fees),
    opened_at: isoTime(hedge.opened_at),
    filled_at: timeIfAny(hedge.filled_at),
    maturity_at: isoTime(hedge.maturity_at),
    closed_at: timeIfAny(hedge.closed_at),
    reason: hedge.close_reason ?? undefined,
  });
}

function entryPrice(hedge: StoredHedge, exit: Rate): Rate {
  const average = divideHalfEven(hedge.done_entry, hedge.done_notional);
  const off = pricePnl(hedge.side, hedge.done_notional, average, exit) - hedge.done_gross;
  if (-HALF_CENT < off && off < HALF_CENT) return average;
  const gain = hedge.side === 'buy' ? hedge.done_gross : -hedge.done_gross;
  return divideHalfEven((hedge.done_notional - gain) * ONE_RATE * EXIT_SCALE, hedge.done_exit);
}

const HALF_CENT: Micro = 5_000n;
