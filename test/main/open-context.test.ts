import { describe, expect, it } from 'vitest';
import type { BuiltInProfile, StoredProfile } from '../../src/config/profiles.ts';
import type { Selection } from '../../src/config/resolve.ts';
import { tradingLimits } from '../../src/main/open-context.ts';
import { big, NO_LIMITS } from '../trading/facts.ts';

const stored = (limits: Partial<StoredProfile> = {}): Selection => ({
  kind: 'stored',
  name: 'desk',
  source: 'option',
  keySource: 'file',
  account: undefined,
  profile: { base_url: 'https://partner.example/v2', api_key: 'k', added_at: 'then', ...limits },
});

const practice = (profile: BuiltInProfile): Selection => ({
  kind: 'practice',
  name: 'practice',
  source: 'option',
  keySource: 'practice',
  profile,
});

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
  ])('of %s are none', (_what, selection) => {
    expect(tradingLimits(selection)).toEqual(NO_LIMITS);
  });

  it('of practice are those that are set for it', () => {
    const limits = practice({ max_notional_usd: '50000.10', read_only: true });
    expect(tradingLimits(limits)).toEqual({ ...NO_LIMITS, maxNotional: big('50000.1'), readOnly: true });
  });

  it('of a stored profile are its own, exact, its markets spelled as the service spells them', () => {
    const limits = {
      max_notional_usd: '50000.10',
      max_daily_notional_usd: '0',
      read_only: true,
      markets: ['usdtngn'],
    };
    expect(tradingLimits(stored(limits))).toEqual({
      maxNotional: big('50000.1'),
      maxDailyNotional: big('0'),
      readOnly: true,
      markets: ['USDTNGN'],
    });
  });
});
