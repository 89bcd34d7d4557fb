/** How much of the limits of a profile is used today, as the pre-trade checks count it. */
import { Big } from 'big.js';
import { remainingLimit, wholeCents } from '../../domain/exposure.ts';
import { utcDay } from '../../domain/instants.ts';
import type { ProfileLimits } from '../../domain/profile-limits.ts';
import { DamagedFileError, unless } from '../../errors.ts';
import type { AccountIdentity } from '../../journal/account-identity.ts';
import type { Journal } from '../../journal/store/journal.ts';

/** Digits of USD; null where unknown or not limited. */
export interface LimitUse {
  /** The UTC day. */
  date: string;
  /** Opens and adds of the day that executed or may have. */
  notional_usd: string | null;
  /** Of the daily limit. */
  remaining_usd: string | null;
  /** The largest open or add that the limits allow now. */
  fits_notional_usd: string | null;
  /** Why the use is unknown. */
  unknown: 'key_not_recorded' | 'journal_damaged' | null;
}

/** Undefined without a limit in USD. `identity`: undefined where the key of the profile is not known. */
export function limitUse(
  limits: ProfileLimits,
  identity: AccountIdentity | undefined,
  { journal, nowMs }: { journal: Journal; nowMs: number },
): LimitUse | undefined {
  const { max_notional_usd: most, max_daily_notional_usd: mostDaily } = limits;
  if (most === undefined && mostDaily === undefined) return undefined;
  const date = utcDay(nowMs);
  const unknown = { date, notional_usd: null, remaining_usd: null, fits_notional_usd: null };
  if (identity === undefined) return { ...unknown, unknown: 'key_not_recorded' };
  const used = unless(DamagedFileError, () => openedOn(date, identity, journal));
  if (used === undefined) return { ...unknown, unknown: 'journal_damaged' };
  const remaining = mostDaily === undefined ? undefined : remainingLimit(new Big(mostDaily), used);
  const fits = [most, remaining]
    .flatMap((each) => (each === undefined || limits.read_only === true ? [] : [new Big(each)]))
    .reduce<Big | undefined>((least, each) => (least?.lt(each) === true ? least : each), undefined);
  return {
    date,
    notional_usd: used.toFixed(),
    remaining_usd: remaining?.toFixed() ?? null,
    fits_notional_usd: wholeCents(fits ?? new Big(0)).toFixed(),
    unknown: null,
  };
}

/** Undefined for a journal that may lack records, which blocks every open and add. */
function openedOn(date: string, identity: AccountIdentity, journal: Journal): Big | undefined {
  const state = journal.read();
  const opened = state.openedOn(identity, date);
  return state.trouble === undefined ? opened : undefined;
}
