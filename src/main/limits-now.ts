/** The limits of the profile that a command trades with: while it works, another one may change them, or the profile. */
import { Big } from 'big.js';
import type { ProfileStore, StoredProfile } from '../config/profiles.ts';
import type { Selection } from '../config/resolve.ts';
import type { ProfileLimits } from '../domain/profile-limits.ts';
import { quotedName } from '../domain/quoted.ts';
import { nothingSent, type StoppedError } from '../errors.ts';
import { NO_LIMITS } from '../trading/guards/guard-plan.ts';
import type { TradingLimits } from '../trading/trading-context.ts';

/** The environment variables have no limits. The function reads the file again only where it has changed. */
export async function limitsNow(
  selection: Selection,
  profiles: () => Promise<Pick<ProfileStore, 'read'>>,
): Promise<() => TradingLimits> {
  if (selection.kind === 'pair') return () => NO_LIMITS;
  const store = await profiles();
  if (selection.kind === 'practice') return () => tradingLimits(store.read().builtIn[selection.name] ?? {});
  const { name, profile } = selection;
  return () => {
    const now = store.read().profiles.get(name);
    if (now === undefined) throw profileChanged(`Profile ${quotedName(name)} was removed`);
    if (OF_ACCOUNT.some((field) => JSON.stringify(now[field]) !== JSON.stringify(profile[field])))
      throw profileChanged(`Profile ${quotedName(name)} got another API key, address or account label`);
    return tradingLimits(now);
  };
}

/** The account that the command was begun for. */
const OF_ACCOUNT = [
  'base_url',
  'api_key',
  'api_key_command',
  'api_key_keychain',
  'known_key',
  'account',
] as const satisfies readonly (keyof StoredProfile)[];

const profileChanged = (what: string): StoppedError =>
  nothingSent({
    code: 'account_unclear',
    what: `${what} while this command was running.`,
    hint: 'To go on with the profile as it is now, run the same command again.',
  });

export const tradingLimits = (kept: ProfileLimits): TradingLimits => ({
  maxNotional: bigOf(kept.max_notional_usd),
  maxDailyNotional: bigOf(kept.max_daily_notional_usd),
  readOnly: kept.read_only === true,
  markets: kept.markets?.map((market) => market.toUpperCase()),
});

const bigOf = (digits: string | undefined): Big | undefined =>
  digits === undefined ? undefined : new Big(digits);
