/**
 * Sample bodies written by hand from the specification, as builders that take overrides. Unspecified fields
 * are left out here: `unspecified` holds one guess at them, for tests that want them there.
 */
import type { HedgeStatus } from './rules.ts';

/** Any JSON object, with field names as on the wire. */
export type Body = Record<string, unknown>;

export const aMarket = (changes: Body = {}): Body => ({
  market: 'USDTNGN',
  status: 'open',
  price: 1531.5,
  available_capacity_usd: { buy: 500000, sell: 480000.5 },
  net_rate_daily_pct: { buy: 0.05, sell: -0.02 },
  ...changes,
});

/**
 * Buy 10,000 USD for 3 days around a reference of 1,530: impact 6 bps, carry 0.05 % a day, fee 0.10 %,
 * margin 10 %. By hand: 1530 × 1.0006 = 1530.918; 10,000 × 0.0005 = 5 a day, 15 in all; fee 10.
 */
export const aQuote = (changes: Body = {}): Body => ({
  market: 'USDTNGN',
  side: 'buy',
  notional_usd: 10000,
  tenor_days: 3,
  maturity: '2026-11-23T09:02:11Z',
  pricing: { market_price: 1530, execution_price: 1530.918, price_impact_usd: -6 },
  carry: { daily_usdc: 5, daily_rate_pct: 0.05, total_usdc: 15, total_rate_pct: 0.15 },
  upfront: { required_margin_usdc: 1000, platform_fee_usdc: 10, total_upfront_usdc: 1010 },
  ...changes,
});

/** The other side: 1530 × 0.9994 = 1529.082; −0.02 % a day earns 2 a day, 6 in all. */
export const aSellQuote = (changes: Body = {}): Body =>
  aQuote({
    side: 'sell',
    pricing: { market_price: 1530, execution_price: 1529.082, price_impact_usd: -6 },
    carry: { daily_usdc: -2, daily_rate_pct: -0.02, total_usdc: -6, total_rate_pct: -0.06 },
    ...changes,
  });

/** A hedge with every field its status promises, and no more (§2, §3). */
export function aHedge(changes: Body & { status?: HedgeStatus | (string & {}) } = {}): Body {
  const status = changes.status ?? 'filled';
  const wasFilled = status === 'filled' || status === 'closed';
  return {
    id: 'hdg_01JD8K',
    client_reference: 'PAY-8841',
    market: 'USDTNGN',
    side: 'buy',
    notional_usd: 10000,
    tenor_days: 3,
    status,
    ...(status === 'submitting' ? {} : { order_tx_hash: '0x9f31c2' }),
    ...(wasFilled
      ? { fill_tx_hash: '0x77aa01', struck_rate: 1532.71, filled_at: '2026-11-20T09:03:03Z' }
      : {}),
    units: 10000,
    order_key: '0xabc123',
    opened_at: '2026-11-20T09:02:59Z',
    maturity_at: '2026-11-23T09:02:59Z',
    ...changes,
  };
}

export const aPosition = (changes: Body = {}): Body => ({ net_margin_usd: 1012.5, ...changes });
export const anAccount = (changes: Body = {}): Body => ({
  balance_usdc: 41320,
  available_exposure_usd: 425000,
  ...changes,
});
export const aClosedHedge = (changes: Body = {}): Body => ({ net_pnl_usd: -12.25, ...changes });

export const anAcceptedOpen = (changes: Body = {}): Body => ({
  hedge_id: 'hdg_01JD8K',
  status: 'submitted',
  order_tx_hash: '0x9f31c2',
  ...changes,
});
export const anAcceptedClose = (changes: Body = {}): Body => ({
  status: 'submitted',
  order_tx_hash: '0x9f31c3',
  ...changes,
});
/** §4 says "returns `submitted` with a transaction hash"; the names are taken from the close. */
export const anAcceptedChange = (changes: Body = {}): Body => anAcceptedClose(changes);

/** One guess at the fields whose names the document does not show (design: what the client assumes). */
export const unspecified = {
  position: {
    market: 'USDTNGN',
    side: 'buy',
    notional_usd: 10000,
    entry_price: 1532.71,
    mark_price: 1533.02,
    gross_pnl_usd: 2.02,
    accrued_carry_usdc: -1.2,
    net_pnl_usd: 0.82,
    close_fee_usdc: 5,
  },
  account: {
    margin_in_use_usdc: 1000,
    open_exposure_usd: 75000,
    unrealized_pnl_usd: 0.82,
    open_positions: 1,
  },
  'closed hedge': {
    id: 'hdg_01JD8K',
    client_reference: 'PAY-8841',
    market: 'USDTNGN',
    side: 'buy',
    notional_usd: 10000,
    tenor_days: 3,
    entry_price: 1532.71,
    exit_price: 1534.1,
    gross_pnl_usd: 12.75,
    carry_usdc: -15,
    fees_usdc: 10,
    opened_at: '2026-11-20T09:02:59Z',
    closed_at: '2026-11-23T09:02:59Z',
    reason: 'maturity',
  },
} as const satisfies Readonly<Record<string, Body>>;

/** The envelope of a success (§1). */
export const succeeded = (data: unknown, meta: Body = {}): Body => ({ data, error: null, meta });

/** The envelope of a failure (§1, §7). */
export const failed = (code: string, message = `refused: ${code}`, details?: Body): Body => ({
  data: null,
  error: details === undefined ? { code, message } : { code, message, details },
  meta: {},
});

export const MARKETS_META: Body = { source: 'onchain', allowed_markets: ['USDTNGN'] };
export const QUOTE_META: Body = { source: 'onchain' };
