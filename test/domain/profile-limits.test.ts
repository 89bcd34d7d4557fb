import { describe, expect, it } from 'vitest';
import {
  changedLimits,
  type LimitsChange,
  limitsInWords,
  loosens,
  type ProfileLimits,
} from '../../src/domain/profile-limits.ts';

const ALL: ProfileLimits = {
  max_notional_usd: '50000',
  max_daily_notional_usd: '200000.50',
  read_only: true,
  markets: ['USDTNGN', 'USDTKES'],
};

describe('the limits of a profile', () => {
  it.each<[string, LimitsChange, ProfileLimits]>([
    ['nothing', {}, ALL],
    ['one of them', { max_notional_usd: '70000.01' }, { ...ALL, max_notional_usd: '70000.01' }],
    [
      'all of them, lifted',
      { max_notional_usd: null, max_daily_notional_usd: null, read_only: false, markets: null },
      {},
    ],
  ])('are changed in what was said and in nothing else: %s', (_what, change, after) => {
    expect(changedLimits(ALL, change)).toEqual(after);
    expect(changedLimits({}, change)).not.toHaveProperty('base_url');
  });

  it.each<[string, ProfileLimits, LimitsChange, boolean]>([
    ['a first limit', {}, { max_notional_usd: '1' }, false],
    ['a lower one', ALL, { max_notional_usd: '49999.99' }, false],
    ['the same', ALL, { max_daily_notional_usd: '200000.5' }, false],
    ['a higher one', ALL, { max_notional_usd: '50000.01' }, true],
    ['a higher day', ALL, { max_daily_notional_usd: '200000.51' }, true],
    ['none any more', ALL, { max_daily_notional_usd: null }, true],
    ['dealing again', ALL, { read_only: false }, true],
    ['dealing as before', {}, { read_only: false }, false],
    ['one market less', ALL, { markets: ['USDTKES'] }, false],
    ['another market', ALL, { markets: ['USDTNGN', 'USDTGHS'] }, true],
    ['any market', ALL, { markets: null }, true],
    ['one up, one down', ALL, { max_notional_usd: '1', max_daily_notional_usd: '999999' }, true],
  ])('that become %s allow more: %#', (_what, before, change, more) => {
    expect(loosens(before, changedLimits(before, change))).toBe(more);
  });

  it('are said in one line', () => {
    expect(limitsInWords(ALL)).toBe(
      'read-only, 50,000.00 USD per trade, 200,000.50 USD per day, USDTNGN, USDTKES alone',
    );
    expect(limitsInWords({})).toBe('none');
  });
});
