/** Schemas of the response data, for the OpenAPI document and the tests. */
import * as z from 'zod';

const usd = z.number().meta({ description: 'USD, exact to 6 decimals' });
const usdc = z.number().meta({ description: 'USDC, exact to 6 decimals' });
const rate = z.number().positive().meta({ description: 'quote currency per USDT' });
const pct = z.number().meta({ description: 'percent; positive = the account pays' });
const instant = z.iso.datetime().meta({ description: 'UTC, book time' });
const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const hedgeId = z.string().regex(/^hdg_[0-9A-Z]{16}$/);
const side = z.enum(['buy', 'sell']);
const tenorDays = z.literal([1, 3, 7]);
const bySide = (each: z.ZodType) => z.strictObject({ buy: each, sell: each });

export const marketData = z.strictObject({
  market: z.string(),
  status: z.enum(['open', 'disabled']),
  price: rate,
  available_capacity_usd: bySide(usd),
  net_rate_daily_pct: bySide(pct),
});

export const priceData = z.strictObject({ market: z.string(), price: rate });

export const quoteData = z.strictObject({
  market: z.string(),
  side,
  notional_usd: usd,
  tenor_days: tenorDays,
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
});

export const submittedData = z.strictObject({
  status: z.literal('submitted'),
  order_tx_hash: hash,
  market: z.string(),
  side,
  notional_usd: usd.optional(),
});

export const openedData = z.strictObject({
  hedge_id: hedgeId,
  id: hedgeId,
  status: z.literal('submitted'),
  order_tx_hash: hash,
  market: z.string(),
  side,
  notional_usd: usd,
  tenor_days: tenorDays,
  opened_at: instant,
  maturity_at: instant,
  client_reference: z.string().optional(),
});

export const hedgeData = z.strictObject({
  id: hedgeId,
  client_reference: z.string().optional(),
  market: z.string(),
  side,
  notional_usd: usd,
  tenor_days: tenorDays,
  status: z.enum(['submitted', 'filled', 'failed', 'closed']),
  order_tx_hash: hash,
  fill_tx_hash: hash.optional(),
  struck_rate: rate.optional(),
  units: z.number(),
  order_key: hash,
  opened_at: instant,
  filled_at: instant.optional(),
  maturity_at: instant,
});

export const positionData = z.strictObject({
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
});

export const historyData = z.strictObject({
  id: hedgeId,
  client_reference: z.string().optional(),
  market: z.string(),
  side,
  notional_usd: usd,
  tenor_days: tenorDays,
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
  reason: z.enum(['maturity', 'close']),
});

export const accountData = z.strictObject({
  balance_usdc: usdc,
  available_exposure_usd: usd,
  margin_in_use_usdc: usdc,
  reserved_usdc: usdc,
  open_exposure_usd: usd,
  unrealized_pnl_usd: usd,
  open_positions: z.number().int(),
});

export const errorData = z.strictObject({
  code: z.string(),
  message: z.string(),
  details: z.looseObject({}).optional(),
});
