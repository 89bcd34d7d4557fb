/** A quote for programs: what the service sent, and what we worked out under `derived`. */
import type { QuotedTenor } from '../flow/read/read-quotes.ts';

/** The columns of `--csv`, in order. */
export const QUOTE_COLUMNS = [
  'market',
  'side',
  'notional_usd',
  'tenor_days',
  'maturity',
  'pricing.market_price',
  'pricing.execution_price',
  'pricing.price_impact_usd',
  'carry.daily_usdc',
  'carry.daily_rate_pct',
  'carry.total_usdc',
  'carry.total_rate_pct',
  'upfront.required_margin_usdc',
  'upfront.platform_fee_usdc',
  'upfront.total_upfront_usdc',
  'derived.all_in_rate',
  'derived.move_to_break_even_pct',
  'derived.impact_cost_usd',
  'derived.cost_usdc',
  'derived.cost_bps',
  'derived.notional_quote',
  'derived.misses',
] as const;

export const quoteDocument = ({ quote: sent, figures, misses }: QuotedTenor): unknown => ({
  ...sent,
  derived: { ...figures, misses: misses.map(({ bound, limit, by }) => ({ bound, limit, by })) },
});
