/** The options that set the limits of a profile, and what was asked of them. Nothing is looked up. */
import type { LimitsChange } from '../domain/profile-limits.ts';
import { UsageError } from '../errors.ts';
import { readMarket, readNotional } from './operands.ts';
import { optionGiven, optionText, type RawInput } from './raw-input.ts';

export const LIMIT_OPTIONS = [
  { flags: '--max-notional <usd>', summary: 'the most of one open or add, in USD: 50k' },
  { flags: '--max-daily-notional <usd>', summary: 'the most that a UTC day may open and add, in USD: 200k' },
  { flags: '--read-only', summary: 'deals nothing at all' },
  { flags: '--markets <names>', summary: 'opens and adds in these alone: USDTNGN, or a list by commas' },
] as const;

const LIFTED = 'none';

/** Limits that are `none` are lifted; what was not said stays. */
export function readLimits(raw: RawInput): LimitsChange {
  const most = optionText(raw, 'maxNotional');
  const mostDaily = optionText(raw, 'maxDailyNotional');
  const markets = optionText(raw, 'markets');
  const readOnly = raw.options['readOnly'];
  return {
    ...(most === undefined ? {} : { max_notional_usd: readAmount('--max-notional', most) }),
    ...(mostDaily === undefined
      ? {}
      : { max_daily_notional_usd: readAmount('--max-daily-notional', mostDaily) }),
    ...(typeof readOnly === 'boolean' ? { read_only: readOnly } : {}),
    ...(markets === undefined ? {} : { markets: readMarkets(markets) }),
  };
}

export interface LimitIntent {
  name: string;
  change: LimitsChange;
  yes: boolean;
}

/** What `hedge profile limit` was asked. @throws UsageError when nothing is to change. */
export function readLimitIntent(raw: RawInput): LimitIntent {
  const [name = ''] = raw.operands;
  const change = readLimits(raw);
  if (Object.keys(change).length === 0)
    throw new UsageError(
      'No limit was named.',
      `Say which: hedge profile limit ${name} --max-notional 50k, or --max-notional ${LIFTED} to lift it. To see them: hedge profile show ${name}`,
    );
  return { name, change, yes: optionGiven(raw, 'yes') };
}

function readAmount(option: string, text: string): string | null {
  if (text.toLowerCase() === LIFTED) return null;
  try {
    return readNotional(text).toFixed();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${error.what} (${option})`, `${error.hint ?? ''} Or ${LIFTED}, to lift it.`);
  }
}

/** In capitals, as the service spells them, none twice. */
const readMarkets = (text: string): readonly string[] | null =>
  text.toLowerCase() === LIFTED ? null : [...new Set(text.split(',').map(readMarket))];
