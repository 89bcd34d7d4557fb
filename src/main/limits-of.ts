/** The limits of the profile in force, as guards want them. */
import { Big } from 'big.js';
import type { Selection } from '../config/resolve.ts';
import type { ProfileLimits } from '../domain/profile-limits.ts';
import type { TradingLimits } from '../trading/trading-context.ts';
/** Practice and the pair in the environment have none: limits are kept with a stored profile. */
export function limitsOf(selection: Selection): TradingLimits {
  const kept: ProfileLimits = selection.kind === 'stored' ? selection.profile : {};
  return {
    maxNotional: bigOf(kept.max_notional_usd),
    maxDailyNotional: bigOf(kept.max_daily_notional_usd),
    readOnly: kept.read_only === true,
    markets: kept.markets?.map((market) => market.toUpperCase()),
  };
}

const bigOf = (digits: string | undefined): Big | undefined =>
  digits === undefined ? undefined : new Big(digits);
