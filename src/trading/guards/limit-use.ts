/** How much of the limits of a profile is used today, as the pre-trade checks count it. */
import { Big } from 'big.js';
import { leastOf, remainingLimit, wholeCents } from '../../domain/exposure.ts';
import { utcDay } from '../../domain/instants.ts';
import type { ProfileLimits } from '../../domain/profile-limits.ts';
import { DamagedFileError, unless } from '../../errors.ts';
import { type AccountIdentity, EVERY_KEY } from '../../journal/account-identity.ts';
import type { JournalState } from '../../journal/state.ts';
import type { Journal } from '../../journal/store/journal.ts';
import type { UsedToday } from '../../schema/machine-document.ts';
import { openedOnDays } from './counted-days.ts';
import { deskOpenedOn } from './desk-limit-guard.ts';
import { leftToday } from './journal-guard.ts';

export interface LimitUse extends UsedToday {
  /** Set with a desk only. */
  desk?: DeskUse;
}

/** Digits of USD; null where not limited. */
export interface DeskUse {
  /** Null: this machine has left it, and its limits stay. */
  name: string | null;
  /** Time of the copy of its log, by the database's clock. ISO 8601 UTC. */
  as_of: string | null;
  max_notional_usd: string | null;
  max_daily_notional_usd: string | null;
  max_open_usd: string | null;
  /** Opens and adds of the day on all machines. */
  notional_usd: string;
}

/** Undefined without a limit in USD and without a desk. `identity`: undefined where the key of the profile is not known. */
export function limitUse(
  limits: ProfileLimits,
  identity: AccountIdentity | undefined,
  { journal, nowMs }: { journal: Journal; nowMs: number },
): LimitUse | undefined {
  const { max_notional_usd: most, max_daily_notional_usd: mostDaily } = limits;
  const date = utcDay(nowMs);
  const unknown = { date, notional_usd: null, remaining_usd: null, fits_notional_usd: null };
  const state = unless(DamagedFileError, () => journal.read());
  if (most === undefined && mostDaily === undefined && !hasDeskLimits(state)) return undefined;
  if (identity === undefined) return { ...unknown, unknown: 'key_not_recorded' };
  if (state === undefined) return { ...unknown, unknown: 'journal_damaged' };
  // On a desk each dealer has a key of their own.
  const account = state.desk === undefined ? identity : { ...identity, keys: EVERY_KEY };
  const used = openedOnDays(state, { identity: account, days: [date], login: state.desk?.login });
  const desk = deskUse(state, account, { date, nowMs });
  const shown = desk === undefined ? {} : { desk };
  // A journal that may lack records blocks every open and add.
  const { trouble } = state;
  if (trouble !== undefined)
    return { ...unknown, ...shown, unknown: trouble.kind === 'desk' ? 'desk_trouble' : 'journal_damaged' };
  const { max_notional_usd: ofDesk, max_open_usd: mostOpen } = state.limits;
  const perTrade = [most, ofDesk, mostOpen].flatMap((each) => (each === undefined ? [] : [new Big(each)]));
  const maxDailyNotional = mostDaily === undefined ? undefined : new Big(mostDaily);
  const remaining = maxDailyNotional && remainingLimit(maxDailyNotional, used);
  const left = leftToday({ identity: account }, state, { nowMs, limits: { maxDailyNotional } });
  // The notional open is not read for this.
  const fits = limits.read_only === true ? new Big(0) : leastOf([...perTrade, left]);
  return {
    date,
    notional_usd: used.toFixed(),
    remaining_usd: remaining?.toFixed() ?? null,
    fits_notional_usd: fits === undefined ? null : wholeCents(fits).toFixed(),
    unknown: null,
    ...shown,
  };
}

const hasDeskLimits = (state: JournalState | undefined): boolean =>
  state !== undefined && (state.desk !== undefined || Object.keys(state.limits).length > 0);

function deskUse(
  state: JournalState,
  identity: AccountIdentity,
  { date, nowMs }: { date: string; nowMs: number },
): DeskUse | undefined {
  const { desk, limits } = state;
  if (!hasDeskLimits(state)) return undefined;
  return {
    name: desk?.name ?? null,
    as_of: desk?.asOf ?? null,
    max_notional_usd: limits.max_notional_usd ?? null,
    max_daily_notional_usd: limits.max_daily_notional_usd ?? null,
    max_open_usd: limits.max_open_usd ?? null,
    notional_usd: deskOpenedOn(state, { identity, days: [date], nowMs }).toFixed(),
  };
}
