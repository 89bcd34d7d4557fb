/** Settings in force, their versions, and the terms that a hedge keeps. */
import { describe, expect, it } from 'vitest';
import { openPracticeAdmin, parseSettings } from '../../src/practice/index.ts';
import {
  DAY,
  expectAccepted,
  flatAt,
  opened,
  startPractice,
  type TestPractice,
  testRandom,
} from './support/practice-service.ts';

const on = { market: 'USDTNGN', side: 'buy' };
const positions = async (practice: TestPractice) => (await practice.get('/positions')).body.data;
const changes = (words: string) =>
  words.split(' ').map((each) => {
    const [name = '', value = ''] = each.split('=');
    return { name, value };
  });

describe('the terms of a hedge', () => {
  it('terms: an open hedge keeps carry, fees and margin when the settings change', async () => {
    const practice = await startPractice({ settings: flatAt(1500) });
    await opened(practice, { tenor_days: 7 }); // filled 09:00:02
    const [before] = await positions(practice);
    await practice.admin.changeSettings(
      changes(
        'markets.USDTNGN.carry_daily_pct.buy=1 close_fee_pct=5 margin_pct=50 platform_fee_pct=5 exposure_cap_usd=40000',
      ),
    );
    expect(await positions(practice)).toEqual([before]);
    practice.clock.pass(DAY - 2_001); // 09:00:02 of the next day
    // 10,000 × 0.05 % a day; close fee 10,000 × 0.05 %
    expect(await positions(practice)).toMatchObject([
      { accrued_carry_usdc: -5, close_fee_usdc: 5, margin_usdc: 1_000 },
    ]);
    // 20,000 more: margin 10 % and fee 0.10 % of the hedge, not 50 % and 5 %
    expectAccepted(await practice.post('/hedges/add', { ...on, notional_usd: 20_000 }));
    const account = (await practice.get('/account')).body.data;
    expect(account).toMatchObject({ reserved_usdc: 2_020, available_exposure_usd: 10_000 });
    practice.clock.pass(2_000);
    expect(await positions(practice)).toMatchObject([{ margin_usdc: 3_000, close_fee_usdc: 15 }]);
  });

  it('terms: a new hedge has the settings in force, and a position the sum of both', async () => {
    const practice = await startPractice({ settings: flatAt(1500) });
    await opened(practice, { tenor_days: 7 });
    await practice.admin.changeSettings(changes('close_fee_pct=0.1 margin_pct=20'));
    await opened(practice, { tenor_days: 7 });
    // 10,000 × 0.05 % + 10,000 × 0.1 %; 10 % + 20 %
    expect(await positions(practice)).toMatchObject([{ close_fee_usdc: 15, margin_usdc: 3_000 }]);
  });

  it('terms: a hedge opened before a change and filled after it has those of the open', async () => {
    const practice = await startPractice({ settings: flatAt(1500) });
    expectAccepted(await practice.post('/hedges', { ...on, notional_usd: 10_000, tenor_days: 1 }));
    await practice.admin.changeSettings(changes('markets.USDTNGN.carry_daily_pct.buy=1 margin_pct=50'));
    practice.clock.pass(86_402_000 - 2_000);
    const [record] = (await practice.get('/hedges/history')).body.data;
    // 10,000 × 0.05 % × 86,398 s
    expect(record).toMatchObject({ reason: 'maturity', carry_usdc: -4.999884 });
  });
});

describe('the settings', () => {
  it('settings: a change by another process counts from the next request, for what was due before it not', async () => {
    const practice = await startPractice({ settings: flatAt(1500) });
    expectAccepted(await practice.post('/hedges', { ...on, notional_usd: 10_000, tenor_days: 3 }));
    practice.clock.pass(3_000); // the fill is due and not executed yet
    const admin = await openPracticeAdmin({
      store: practice.store,
      clock: practice.clock,
      random: testRandom(3),
    });
    const changed = await admin.changeSettings(changes('markets.USDTNGN.base_rate=1600'));
    await admin.close();
    expect(changed.version).toBe(2);
    expect(await positions(practice)).toMatchObject([{ entry_price: 1500.9, mark_price: 1600 }]);
    expect((await practice.admin.status()).settings_version).toBe(2);
  });

  it('settings: a new market and a seed can be set, and equal settings are no new version', async () => {
    const practice = await startPractice();
    const { version } = await practice.admin.settings();
    const added = await practice.admin.changeSettings(changes('markets.USDTXOF.base_rate=605 seed=42'));
    expect(added).toMatchObject({
      version: version + 1,
      settings: { seed: '42', markets: { USDTXOF: { base_rate: 605, enabled: true } } },
    });
    expect((await practice.admin.changeSettings(changes('seed=42'))).version).toBe(version + 1);
    expect((await practice.get('/prices?symbols=USDTXOF')).status).toBe(200);
  });

  it.each([
    ['margn_pct=1', 'margn_pct'],
    ['margin_pct=ten', 'margin_pct'],
    ['margin_pct=101', 'margin_pct'],
    ['margin_pct.buy=1', 'margin_pct'],
    ['markets=1', 'markets'],
    ['markets.USDTNGN.carry_daily_pct.hold=1', 'markets.USDTNGN.carry_daily_pct.hold'],
    ['markets.USDTXOF.enabled=true', 'markets.USDTXOF.base_rate'],
    ['__proto__.margin_pct=1', '__proto__'],
    ['fill_seconds.min=9', 'fill_seconds'],
    ['close_fee_pct=0.00000001', 'close_fee_pct'],
  ])('settings: %s is rejected, named and changes nothing', async (words, field) => {
    const practice = await startPractice();
    const before = await practice.admin.settings();
    await expect(practice.admin.changeSettings(changes(words))).rejects.toMatchObject({ field });
    expect(await practice.admin.settings()).toEqual(before);
  });

  it.each([
    [{ margn_pct: 10 }, 'margn_pct'],
    [{ markets: { USDTNGN: { base_rate: -1 } } }, 'markets.USDTNGN.base_rate'],
    [{ markets: { usd: { base_rate: 2 } } }, 'markets.usd'],
    [{ markets: { USDTNGN: { headroom_usd: 10_000_000_000 } } }, 'headroom_usd'],
    [[], 'Settings: must be an object'],
  ])('settings: the document %j is rejected with the field', (document, named) => {
    expect(() => parseSettings(document)).toThrow(named);
  });

  it('settings: a document changes only what it names', async () => {
    const practice = await startPractice({
      settings: {
        exposure_cap_usd: 1_000,
        markets: { USDTNGN: { carry_daily_pct: { buy: 0.1, sell: 0.1 } } },
      },
    });
    const [market] = (await practice.get('/markets')).body.data;
    expect(market.net_rate_daily_pct).toEqual({ buy: 0.1, sell: 0.1 });
    expect(market.available_capacity_usd).toEqual({ buy: 1_000, sell: 1_000 });
    expect((await practice.admin.status()).settings).toMatchObject({
      margin_pct: 10,
      exposure_cap_usd: 1_000,
    });
  });

  it('settings: must keep a market with open hedges', async () => {
    const practice = await startPractice();
    await practice.admin.changeSettings(changes('markets.USDTXOF.base_rate=605'));
    await opened(practice, { market: 'USDTXOF' });
    await expect(practice.admin.restoreSettings()).rejects.toMatchObject({ field: 'markets.USDTXOF' });
  });

  it.each([
    ['margn_pct=1', 'margn_pct: is not a setting.'],
    ['margin_pct=ten', 'margin_pct: must be a number.'],
    ['margin_pct=101', 'margin_pct: must be at most 100.'],
    ['exposure_cap_usd=0', 'exposure_cap_usd: must be above 0.'],
    ['rate_limit.burst=0', 'rate_limit.burst: must be at least 1.'],
    ['rate_limit.burst=1.5', 'rate_limit.burst: must be a whole number.'],
    ['markets=1', 'markets: must be an object.'],
    ['markets.USDTNGN.enabled=3', 'markets.USDTNGN.enabled: must be true or false.'],
    ['fill_seconds.min=9', 'fill_seconds: min is above max.'],
  ])('settings: %s says what is wrong: %s', async (words, message) => {
    const practice = await startPractice();
    await expect(practice.admin.changeSettings(changes(words))).rejects.toMatchObject({ message });
  });
});
