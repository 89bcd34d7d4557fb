/** The operator's limits of a profile: reading, changing and describing them. Pure. */
import { Big } from 'big.js';
import { usdInWords } from './exposure.ts';

/** An absent limit does not limit. */
export interface ProfileLimits {
  /** USD, digits: of one open or add. */
  max_notional_usd?: string | undefined;
  /** USD, digits: of all opens and adds of a UTC day. */
  max_daily_notional_usd?: string | undefined;
  /** No action at all. */
  read_only?: boolean | undefined;
  /** The only markets in which opens and adds are allowed. */
  markets?: readonly string[] | undefined;
}

/** An absent limit stays; null, or `read_only` false, removes it. */
export interface LimitsChange {
  max_notional_usd?: string | null;
  max_daily_notional_usd?: string | null;
  read_only?: boolean;
  markets?: readonly string[] | null;
}

/** The limits after a change. */
export function changedLimits(before: ProfileLimits, change: LimitsChange): ProfileLimits {
  const {
    max_notional_usd: most,
    max_daily_notional_usd: mostDaily,
    read_only: readOnly,
    markets,
  } = { ...limitsIn(before), ...change };
  return {
    ...(most === undefined || most === null ? {} : { max_notional_usd: most }),
    ...(mostDaily === undefined || mostDaily === null ? {} : { max_daily_notional_usd: mostDaily }),
    ...(readOnly === true ? { read_only: true } : {}),
    ...(markets === undefined || markets === null ? {} : { markets }),
  };
}

/** The limits of a profile. */
export const limitsIn = (kept: ProfileLimits): ProfileLimits => ({
  max_notional_usd: kept.max_notional_usd,
  max_daily_notional_usd: kept.max_daily_notional_usd,
  read_only: kept.read_only,
  markets: kept.markets,
});

/** Whether `after` allows anything that `before` did not. */
export const loosens = (before: ProfileLimits, after: ProfileLimits): boolean =>
  rises(before.max_notional_usd, after.max_notional_usd) ||
  rises(before.max_daily_notional_usd, after.max_daily_notional_usd) ||
  (before.read_only === true && after.read_only !== true) ||
  (before.markets !== undefined &&
    (after.markets === undefined ||
      after.markets.some((market) => before.markets?.includes(market) !== true)));

const rises = (before: string | undefined, after: string | undefined): boolean =>
  before !== undefined && (after === undefined || new Big(after).gt(before));

/** `read-only, 50,000.00 USD per trade, 200,000.00 USD per day, USDTNGN alone`; `none`. */
export function limitsInWords(limits: ProfileLimits): string {
  const words = [
    ...(limits.read_only === true ? ['read-only'] : []),
    ...(limits.max_notional_usd === undefined ? [] : [`${usd(limits.max_notional_usd)} per trade`]),
    ...(limits.max_daily_notional_usd === undefined ? [] : [`${usd(limits.max_daily_notional_usd)} per day`]),
    ...(limits.markets === undefined ? [] : [`${limits.markets.join(', ')} alone`]),
  ];
  return words.length === 0 ? 'none' : words.join(', ');
}

const usd = (digits: string): string => usdInWords(new Big(digits));
