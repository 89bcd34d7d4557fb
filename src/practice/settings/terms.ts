/** The settings as exact figures, ready for sums. Refuses to know files. */
import type { Impact } from '../book/economics.ts';
import type { PracticeSettings, Side } from '../door.ts';
import { PracticeInputError } from '../failures.ts';
import { decimalOf, type Fraction, type Micro, MONEY_PLACES } from '../money/decimals.ts';
import type { Course } from '../rates/reference-rate.ts';

export interface MarketTerms {
  market: string;
  enabled: boolean;
  course: Course;
  /** Per day; positive = the account pays. */
  carryDaily: Record<Side, Fraction>;
  headroom: Micro;
}

export interface Terms {
  markets: ReadonlyMap<string, MarketTerms>;
  openingBalance: Micro;
  cap: Micro;
  impact: Impact;
  margin: Fraction;
  platformFee: Fraction;
  closeFee: Fraction;
  fillMs: { min: number; max: number };
  rateLimit: { burst: number; perSecond: number };
}

export function termsOf(settings: PracticeSettings): Terms {
  const markets = new Map<string, MarketTerms>();
  for (const [market, of] of Object.entries(settings.markets)) {
    const at = `markets.${market}`;
    markets.set(market, {
      market,
      enabled: of.enabled,
      course: {
        seed: settings.seed,
        market,
        baseRate: of.base_rate,
        swing: of.swing,
        driftYearly: of.drift_yearly_pct / 100,
      },
      carryDaily: {
        buy: scaled(`${at}.carry_daily_pct.buy`, of.carry_daily_pct.buy, PERCENT_PLACES),
        sell: scaled(`${at}.carry_daily_pct.sell`, of.carry_daily_pct.sell, PERCENT_PLACES),
      },
      headroom: scaled(`${at}.headroom_usd`, of.headroom_usd, MONEY_PLACES),
    });
    steepest(settings, market, of.headroom_usd);
  }
  return {
    markets,
    openingBalance: scaled('opening_balance_usdc', settings.opening_balance_usdc, MONEY_PLACES),
    cap: scaled('exposure_cap_usd', settings.exposure_cap_usd, MONEY_PLACES),
    impact: {
      base: scaled('impact_base_bps', settings.impact_base_bps, BPS_PLACES),
      per10kUsd: scaled('impact_bps_per_10k_usd', settings.impact_bps_per_10k_usd, BPS_PLACES),
    },
    margin: scaled('margin_pct', settings.margin_pct, PERCENT_PLACES),
    platformFee: scaled('platform_fee_pct', settings.platform_fee_pct, PERCENT_PLACES),
    closeFee: scaled('close_fee_pct', settings.close_fee_pct, PERCENT_PLACES),
    fillMs: {
      min: Math.round(settings.fill_seconds.min * 1000),
      max: Math.round(settings.fill_seconds.max * 1000),
    },
    rateLimit: { burst: settings.rate_limit.burst, perSecond: settings.rate_limit.per_second },
  };
}

/** A percent with 6 places, or basis points with 4, is a whole number of 1e-8. */
const PERCENT_PLACES = 6;
const BPS_PLACES = 4;

function scaled(field: string, value: number, places: number): bigint {
  const exact = decimalOf(String(value), places);
  if (exact === undefined) throw new PracticeInputError(field, `${field}: at most ${places} decimals.`);
  return exact;
}

/** The largest order a market takes must leave a price that is one. */
function steepest(settings: PracticeSettings, market: string, headroomUsd: number): void {
  const bps = settings.impact_base_bps + (settings.impact_bps_per_10k_usd * headroomUsd) / 10_000;
  if (bps < 9_000) return;
  throw new PracticeInputError(
    `markets.${market}.headroom_usd`,
    `markets.${market}.headroom_usd: an order of that size would move the price by ${bps} bps; lower it or the impact.`,
  );
}
