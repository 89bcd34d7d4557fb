import { describe, expect, it } from 'vitest';
import type { BuiltInProfile, ProfileSettings, StoredProfile } from '../../src/config/profiles.ts';
import type { Selection } from '../../src/config/resolve.ts';
import { limitsNow } from '../../src/main/limits-now.ts';
import type { TradingLimits } from '../../src/trading/trading-context.ts';
import { big, NO_LIMITS } from '../trading/facts.ts';

const aProfile = (parts: Partial<StoredProfile> = {}): StoredProfile => ({
  base_url: 'https://partner.example/v2',
  api_key: 'k',
  added_at: 'then',
  ...parts,
});
const stored = (parts: Partial<StoredProfile> = {}): Selection => ({
  kind: 'stored',
  name: 'desk',
  source: 'option',
  keySource: 'file',
  account: undefined,
  profile: aProfile(parts),
});

const practice = (profile: BuiltInProfile): Selection => ({
  kind: 'practice',
  name: 'practice',
  source: 'option',
  keySource: 'practice',
  profile,
});

/** By default the file has what was selected. */
async function limitsOf(
  selection: Selection,
  file: Partial<ProfileSettings> = selection.kind === 'stored'
    ? { profiles: new Map([['desk', selection.profile]]) }
    : { builtIn: selection.kind === 'practice' ? { practice: selection.profile } : {} },
): Promise<TradingLimits> {
  const settings = { defaultName: undefined, profiles: new Map(), builtIn: {}, ...file };
  const limits = await limitsNow(selection, () => Promise.resolve({ read: () => settings }));
  return limits();
}

describe('the limits in force', () => {
  it.each<[string, Selection]>([
    ['a profile without any', stored()],
    ['practice', practice({})],
    [
      'the pair in the environment',
      {
        kind: 'pair',
        name: 'env',
        source: 'environment_pair',
        keySource: 'environment',
        account: undefined,
        baseUrl: 'https://partner.example/v2',
        apiKey: () => 'k',
      },
    ],
  ])('of %s are none', async (_what, selection) => {
    expect(await limitsOf(selection)).toEqual(NO_LIMITS);
  });

  it('of practice are those that are set for it', async () => {
    const limits = practice({ max_notional_usd: '50000.10', read_only: true });
    expect(await limitsOf(limits)).toEqual({ ...NO_LIMITS, maxNotional: big('50000.1'), readOnly: true });
  });

  it('of a stored profile are its own, exact, its markets spelled as the service spells them', async () => {
    const limits = {
      max_notional_usd: '50000.10',
      max_daily_notional_usd: '0',
      read_only: true,
      markets: ['usdtngn'],
    };
    expect(await limitsOf(stored(limits))).toEqual({
      maxNotional: big('50000.1'),
      maxDailyNotional: big('0'),
      readOnly: true,
      markets: ['USDTNGN'],
    });
  });

  it('are those of the file as it is now', async () => {
    const now = { profiles: new Map([['desk', aProfile({ read_only: true })]]) };
    expect(await limitsOf(stored(), now)).toEqual({ ...NO_LIMITS, readOnly: true });
  });

  it.each<[string, Partial<StoredProfile>]>([
    ['API key', { api_key: 'other' }],
    ['source of its key', { api_key: undefined, api_key_keychain: 'entry' }],
    ['address', { base_url: 'https://other.example/v2' }],
    ['account label', { account: 'payouts' }],
  ])('stop everything once the profile has another %s', async (_what, parts) => {
    const changed = limitsOf(stored(), { profiles: new Map([['desk', aProfile(parts)]]) });
    await expect(changed).rejects.toMatchObject({ code: 'account_unclear', effect: 'none' });
  });

  it('stop everything once the profile was removed', async () => {
    await expect(limitsOf(stored(), {})).rejects.toMatchObject({ code: 'account_unclear', effect: 'none' });
  });
});
