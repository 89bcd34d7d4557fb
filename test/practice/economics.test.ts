/** The figures of a hedge, each computed by hand. */
import { describe, expect, it } from 'vitest';
import {
  allocateProRata,
  blendedRate,
  executionPrice,
  priceImpact,
  pricePnl,
} from '../../src/practice/book/economics.ts';
import { decimalOf, decimalText, divideHalfEven } from '../../src/practice/domain/scaled-decimals.ts';
import {
  DAY,
  expectAccepted,
  flatAt,
  opened,
  openPractice,
  startPractice,
  storeFolder,
  type TestPractice,
} from './support/practice-service.ts';

const usd = (text: string) => decimalOf(text, 6) ?? 0n;
const rate = (text: string) => decimalOf(text, 8) ?? 0n;

describe('rounding', () => {
  it.each([
    [5n, 2n, 2n], // 2.5 → 2, the even one
    [7n, 2n, 4n], // 3.5 → 4
    [-5n, 2n, -2n],
    [-7n, 2n, -4n],
    [8n, 3n, 3n], // 2.67
    [7n, 3n, 2n], // 2.33
    [7n, -2n, -4n],
    [0n, 9n, 0n],
  ])('rounding: %s / %s is %s, half to even', (numerator, denominator, expected) => {
    expect(divideHalfEven(numerator, denominator)).toBe(expected);
  });

  it.each([
    ['10000', '10000'],
    ['0.5', '0.5'],
    ['-0.000001', '-0.000001'],
    ['1e3', '1000'],
    ['1.25e2', '125'],
    ['1e-6', '0.000001'],
    ['0.0', '0'],
  ])('decimals: reads %s and writes %s', (written, shown) => {
    const value = decimalOf(written, 6);
    expect(value === undefined ? undefined : decimalText(value, 6)).toBe(shown);
  });

  it.each(['1e-7', '0.1234567', 'NaN', 'Infinity', '', ' 1', '1_000', '0x10', '--1'])(
    'decimals: reject %j',
    (written) => {
      expect(decimalOf(written, 6)).toBeUndefined();
    },
  );
});

describe('prices', () => {
  const impact = { base: 40_000n, per10kUsd: 20_000n }; // 4 bps and 2 bps, in 1e-8

  it('prices: a buy of 10,000 executes at mid × (1 + 6 bps), a sell at mid × (1 − 6 bps)', () => {
    // 4 + 2 × 10,000 / 10,000 = 6 bps; 1500 × 1.0006 = 1500.9; 1500 × 0.9994 = 1499.1
    expect(executionPrice(rate('1500'), 'buy', usd('10000'), impact)).toBe(rate('1500.9'));
    expect(executionPrice(rate('1500'), 'sell', usd('10000'), impact)).toBe(rate('1499.1'));
  });

  it('prices: 50,000 costs 14 bps, shown as −70 USD of impact', () => {
    // 4 + 2 × 5 = 14 bps; 1500 × 1.0014 = 1502.1; 50,000 × 2.1 / 1500 = 70
    expect(executionPrice(rate('1500'), 'buy', usd('50000'), impact)).toBe(rate('1502.1'));
    expect(priceImpact(usd('50000'), rate('1502.1'), rate('1500'))).toBe(usd('-70'));
    expect(priceImpact(usd('50000'), rate('1497.9'), rate('1500'))).toBe(usd('-70'));
  });

  it('P&L: a buy gains if the naira weakens, in USD at the settlement rate', () => {
    // 10,000 × (1515 − 1500.9) / 1515 = 141,000 / 1515 = 93.0693069…
    expect(pricePnl('buy', usd('10000'), rate('1500.9'), rate('1515'))).toBe(usd('93.069307'));
    // a sell at the same rates is the exact negative
    expect(pricePnl('sell', usd('10000'), rate('1500.9'), rate('1515'))).toBe(usd('-93.069307'));
  });

  it('add: the struck rate is the average by notional', () => {
    // (10,000 × 1500.9 + 20,000 × 1511.208) / 30,000 = 45,233,160 / 30,000 = 1507.772
    expect(blendedRate(usd('10000'), rate('1500.9'), usd('20000'), rate('1511.208'))).toBe(rate('1507.772'));
  });

  it('reduce: is split pro rata to the last micro-USD', () => {
    // 100 over 1 : 1 : 1 is 33.33… each; the first listed takes the odd one
    const allocated = (total: bigint, ...held: bigint[]) => [
      ...allocateProRata(total, BigInt64Array.from(held)),
    ];
    expect(allocated(100n, 50n, 50n, 50n)).toEqual([34n, 33n, 33n]);
    expect(allocated(10n, 1n, 19n, 20n)).toEqual([0n, 5n, 5n]); // 0.25, 4.75, 5
    expect(allocated(7n, 7n)).toEqual([7n]);
  });
});

/** Restarts the service over the same store at another rate. */
async function atRate(practice: TestPractice, baseRate: number): Promise<TestPractice> {
  expectAccepted(await practice.get('/account')); // executes what is due at the old rate
  await practice.close();
  return startPractice({
    store: practice.store,
    clock: practice.clock,
    settings: flatAt(baseRate),
    seed: baseRate,
  });
}

const account = async (practice: TestPractice) => (await practice.get('/account')).body.data;
const history = async (practice: TestPractice) => (await practice.get('/hedges/history')).body.data;

describe('a quote', () => {
  it('quote: a buy of 50,000 for 3 days at 1,500 has the figures of the specification', async () => {
    const practice = await startPractice({ settings: flatAt(1500) });
    const body = { market: 'USDTNGN', side: 'buy', notional_usd: 50_000, tenor_days: 3 };
    expect((await practice.post('/quotes', body)).body.data).toEqual({
      ...body,
      maturity: '2026-11-23T09:00:00.000Z',
      // 14 bps above 1500, 50,000 × 14 bps
      pricing: { market_price: 1500, execution_price: 1502.1, price_impact_usd: -70 },
      // 50,000 × 0.05 % = 25 a day, three days
      carry: { daily_usdc: 25, daily_rate_pct: 0.05, total_usdc: 75, total_rate_pct: 0.15 },
      // 10 % and 0.10 %
      upfront: { required_margin_usdc: 5_000, platform_fee_usdc: 50, total_upfront_usdc: 5_050 },
    });
  });

  it('quote: a sell of 25,000.50 for 7 days earns carry', async () => {
    const practice = await startPractice({ settings: flatAt(1500) });
    const body = { market: 'USDTNGN', side: 'sell', notional_usd: 25_000.5, tenor_days: 7 };
    const { data } = (await practice.post('/quotes', body)).body;
    // 4 + 2 × 2.50005 = 9.0001 bps; 1500 × (1 − 0.00090001) = 1498.649985
    expect(data.pricing.execution_price).toBe(1498.649985);
    // 25,000.5 × 9.0001 bps = 22.50070… : 25,000.5 × 0.00090001 = 22.500700005 → 22.5007
    expect(data.pricing.price_impact_usd).toBe(-22.5007);
    // 25,000.5 × −0.02 % = −5.0001 a day; × 7 = −35.0007
    expect(data.carry).toEqual({
      daily_usdc: -5.0001,
      daily_rate_pct: -0.02,
      total_usdc: -35.0007,
      total_rate_pct: -0.14,
    });
    expect(data.upfront).toEqual({
      required_margin_usdc: 2_500.05,
      platform_fee_usdc: 25.0005,
      total_upfront_usdc: 2_525.0505,
    });
  });
});

describe('an open', () => {
  it('open: reserves margin and fee, then locks the margin and takes the fee', async () => {
    const practice = await startPractice({ settings: flatAt(1500) });
    const body = { market: 'USDTNGN', side: 'buy', notional_usd: 10_000, tenor_days: 3 };
    expectAccepted(await practice.post('/hedges', body));
    // 100,000 − 1,000 − 10; cap 500,000 − 10,000
    expect(await account(practice)).toMatchObject({
      balance_usdc: 98_990,
      reserved_usdc: 1_010,
      margin_in_use_usdc: 0,
      open_exposure_usd: 10_000,
      available_exposure_usd: 490_000,
      open_positions: 0,
    });
    practice.clock.pass(2_000);
    expect(await account(practice)).toMatchObject({
      balance_usdc: 98_990,
      reserved_usdc: 0,
      margin_in_use_usdc: 1_000,
      open_positions: 1,
      // 10,000 × (1500 − 1500.9) / 1500 = −6: the impact is lost at once
      unrealized_pnl_usd: -6,
    });
  });
});

describe('at maturity', () => {
  it('maturity: a buy returns margin + price P&L − carry without a fee', async () => {
    const practice = await startPractice({ settings: flatAt(1500) });
    await opened(practice);
    const later = await atRate(practice, 1515);
    later.clock.pass(3 * DAY);
    // gross 10,000 × (1515 − 1500.9) / 1515 = 93.069307
    // carry 10,000 × 0.05 % × (259,200 − 2) s / 86,400 = 5 × 2.999976851… = 14.999884
    // credit 1,000 + 93.069307 − 14.999884 = 1,078.069423; 98,990 + that
    expect(await account(later)).toMatchObject({ balance_usdc: 100_068.069423, margin_in_use_usdc: 0 });
    expect(await history(later)).toMatchObject([
      {
        notional_usd: 10_000,
        entry_price: 1500.9,
        exit_price: 1515,
        gross_pnl_usd: 93.069307,
        carry_usdc: -14.999884,
        fees_usdc: 10,
        net_pnl_usd: 68.069423, // 93.069307 − 14.999884 − 10 = what the balance gained over 100,000
        reason: 'maturity',
        closed_at: '2026-11-23T09:00:00.000Z',
      },
    ]);
  });

  it('maturity: a sell loses if the rate rises, and earns carry', async () => {
    const practice = await startPractice({ settings: flatAt(1500) });
    await opened(practice, { side: 'sell' });
    const later = await atRate(practice, 1515);
    later.clock.pass(3 * DAY);
    // struck 1499.1; gross −10,000 × (1515 − 1499.1) / 1515 = −159,000 / 1515 = −104.950495
    // carry 10,000 × −0.02 % × 259,198 / 86,400 = −5.999954 (earned)
    // 98,990 + 1,000 − 104.950495 + 5.999954
    expect(await account(later)).toMatchObject({ balance_usdc: 99_891.049459 });
    expect(await history(later)).toMatchObject([
      { gross_pnl_usd: -104.950495, carry_usdc: 5.999954, fees_usdc: 10, net_pnl_usd: -108.950541 },
    ]);
  });

  it('maturity: a loss beyond margin makes the balance negative', async () => {
    const practice = await startPractice({ settings: flatAt(1500) });
    await practice.admin.reset({ balance: '1010' });
    await opened(practice);
    expect(await account(practice)).toMatchObject({ balance_usdc: 0 });
    const later = await atRate(practice, 1200);
    later.clock.pass(3 * DAY);
    // 10,000 × (1200 − 1500.9) / 1200 = −2,507.5; 1,000 − 2,507.5 − 14.999884 = −1,522.499884
    expect(await account(later)).toMatchObject({ balance_usdc: -1_522.499884, margin_in_use_usdc: 0 });
    const rejected = await later.post('/hedges', {
      market: 'USDTNGN',
      side: 'buy',
      notional_usd: 1,
      tenor_days: 1,
    });
    expect(rejected.body.error.code).toBe('insufficient_balance');
  });
});

describe('an add, a reduction and an early close', () => {
  it('add, reduce and close: give one history record, computed part by part', async () => {
    const first = await startPractice({ settings: flatAt(1500) });
    const hedge = await opened(first, { tenor_days: 7 }); // filled 09:00:02
    first.clock.pass(3_600_000 - 4_001); // 10:00:00
    const second = await atRate(first, 1510);
    expectAccepted(
      await second.post('/hedges/add', { market: 'USDTNGN', side: 'buy', notional_usd: 20_000 }),
    );
    second.clock.pass(2_000); // 10:00:02, 3,600 s after the fill
    // 8 bps: 1510 × 1.0008 = 1511.208; blended 1507.772; margin 1,000 + 2,000; fees 10 + 20
    expect((await second.get('/positions')).body.data).toEqual([
      {
        market: 'USDTNGN',
        side: 'buy',
        notional_usd: 30_000,
        entry_price: 1507.772,
        mark_price: 1510,
        gross_pnl_usd: 44.264901, // 30,000 × (1510 − 1507.772) / 1510 = 66,840 / 1510
        accrued_carry_usdc: -0.208333, // 10,000 × 0.05 % × 3,600 / 86,400
        net_pnl_usd: 44.056568,
        close_fee_usdc: 15, // 30,000 × 0.05 %
        margin_usdc: 3_000,
        net_margin_usd: 3_029.056568, // 3,000 + 44.264901 − 0.208333 − 15
      },
    ]);
    expect(await account(second)).toMatchObject({ balance_usdc: 96_970 }); // 100,000 − 1,010 − 2,020
    second.clock.pass(86_400_000);
    const third = await atRate(second, 1520);
    expectAccepted(
      await third.post('/hedges/reduce', { market: 'USDTNGN', side: 'buy', notional_usd: 12_000 }),
    );
    third.clock.pass(2_000); // a day and 2 s after the add
    // 12,000 of 30,000 close: gross 12,000 × (1520 − 1507.772) / 1520 = 146,736 / 1520 = 96.536842
    // carry so far 0.208333 + 30,000 × 0.05 % × 86,402 / 86,400 = 0.208333 + 15.000347 = 15.208680
    //   three fifths remain: 9.125208, two fifths close: 6.083472
    // fee 12,000 × 0.05 % = 6; margin 1,200; credit 1,200 + 96.536842 − 6.083472 − 6 = 1,284.45337
    expect(await account(third)).toMatchObject({ balance_usdc: 98_254.45337, margin_in_use_usdc: 1_800 });
    expect((await third.get(`/hedges/${hedge.id}`)).body.data).toMatchObject({
      status: 'filled',
      notional_usd: 18_000,
      units: 18_000,
      struck_rate: 1507.772,
      maturity_at: hedge.maturity_at,
    });
    const fourth = await atRate(third, 1490);
    expectAccepted(await fourth.post('/hedges/close', { market: 'USDTNGN', side: 'buy' }));
    fourth.clock.pass(2_000); // 2 s more
    // gross 18,000 × (1490 − 1507.772) / 1490 = −319,896 / 1490 = −214.695302
    // carry 9.125208 + 18,000 × 0.05 % × 2 / 86,400 = 9.125208 + 0.000208 = 9.125416
    // fee 9; credit 1,800 − 214.695302 − 9.125416 − 9 = 1,567.179282
    expect(await account(fourth)).toMatchObject({ balance_usdc: 99_821.632652, margin_in_use_usdc: 0 });
    const [record] = await history(fourth);
    expect(record).toMatchObject({
      id: hedge.id,
      notional_usd: 30_000, // 12,000 + 18,000
      entry_price: 1507.772,
      gross_pnl_usd: -118.15846, // 96.536842 − 214.695302
      carry_usdc: -15.208888, // 6.083472 + 9.125416
      fees_usdc: 45, // 10 + 20 + 6 + 9
      net_pnl_usd: -178.367348, // = 99,821.632652 − 100,000
      reason: 'close',
    });
    // harmonic: 30,000 / (12,000 / 1520 + 18,000 / 1490) = 30,000 / (7.894736842 + 12.080536913) = 1501.8569…
    expect(record.exit_price).toBeCloseTo(30_000 / (12_000 / 1520 + 18_000 / 1490), 6);
    expect((await fourth.get('/positions')).body.data).toEqual([]);
  });

  it.each([0.01, 1, 100])(
    'history: the prices of %s USD are those of the fill and of the close',
    async (size) => {
      const practice = await startPractice({ settings: flatAt(1523.4567) });
      const { struck_rate } = await opened(practice, { notional_usd: size });
      expectAccepted(await practice.post('/hedges/close', { market: 'USDTNGN', side: 'buy' }));
      practice.clock.pass(2_000);
      expect(await history(practice)).toMatchObject([{ entry_price: struck_rate, exit_price: 1523.4567 }]);
    },
  );

  it('history: a cent at the highest rate that can be set is a record like others', async () => {
    const practice = await startPractice();
    await opened(practice, { notional_usd: 0.01 });
    const highest = 999_999_999.99;
    const points = [{ at: new Date(practice.clock.now()).toISOString(), price: highest }];
    expectAccepted(await practice.control('PUT', '/prices', { market: 'USDTNGN', points }));
    expectAccepted(await practice.post('/hedges/close', { market: 'USDTNGN', side: 'buy' }));
    practice.clock.pass(4_001);
    expect(await history(practice)).toMatchObject([{ exit_price: highest }]);
  });

  it('history: after a reduction and an add the prices of the record give its gross P&L', async () => {
    const first = await startPractice({ settings: flatAt(1500) });
    await opened(first, { tenor_days: 7 }); // struck 1500.9
    const second = await atRate(first, 1520);
    expectAccepted(
      await second.post('/hedges/reduce', { market: 'USDTNGN', side: 'buy', notional_usd: 5_000 }),
    );
    second.clock.pass(2_000);
    const third = await atRate(second, 1400);
    expectAccepted(await third.post('/hedges/add', { market: 'USDTNGN', side: 'buy', notional_usd: 20_000 }));
    third.clock.pass(2_000);
    const fourth = await atRate(third, 1600);
    expectAccepted(await fourth.post('/hedges/close', { market: 'USDTNGN', side: 'buy' }));
    fourth.clock.pass(2_000);
    const [record] = await history(fourth);
    // 5,000 × (1520 − 1500.9) / 1520 = 62.828947; then (5,000 × 1500.9 + 20,000 × 1401.12) / 25,000 = 1421.076
    // and 25,000 × (1600 − 1421.076) / 1600 = 2,795.6875
    expect(record.gross_pnl_usd).toBe(2_858.516447);
    const { notional_usd: notional, entry_price: entry, exit_price: exit } = record;
    expect((notional * (exit - entry)) / exit).toBeCloseTo(record.gross_pnl_usd, 3);
  });

  it('reduce: reduces every hedge of the side pro rata, to 18,000 of 30,000 over three', async () => {
    const store = await storeFolder();
    const practice = await openPractice(store, { settings: flatAt(1500) });
    const ids: string[] = [];
    for (const notional of [5_000, 10_000, 15_000])
      ids.push((await opened(practice, { notional_usd: notional })).id);
    expectAccepted(
      await practice.post('/hedges/reduce', { market: 'USDTNGN', side: 'buy', notional_usd: 12_000 }),
    );
    practice.clock.pass(2_000);
    const left = await Promise.all(
      ids.map(async (id) => (await practice.get(`/hedges/${id}`)).body.data.notional_usd),
    );
    expect(left).toEqual([3_000, 6_000, 9_000]); // three fifths of each
    expect((await practice.get('/positions')).body.data[0].margin_usdc).toBe(1_800);
    await practice.close();
  });

  it.each([
    ['USDTGHS', 11.2],
    ['USDTAAA', 0.01],
    ['USDTVND', 1_000_000],
  ])(
    'close: a billion USD on %s at a rate of %s is in the history, also after parts',
    async (market, rateOf) => {
      const billion = 1_000_000_000;
      const practice = await startPractice({
        settings: {
          ...flatAt(1500),
          opening_balance_usdc: billion,
          exposure_cap_usd: billion,
          impact_base_bps: 0,
          impact_bps_per_10k_usd: 0,
          markets: {
            [market]: {
              enabled: true,
              base_rate: rateOf,
              swing: 0,
              drift_yearly_pct: 0,
              headroom_usd: billion,
            },
          },
        },
      });
      const act = async (path: string, body: object) => {
        expectAccepted(await practice.post(path, { market, side: 'buy', ...body }));
        practice.clock.pass(2_000);
      };
      await act('/hedges', { notional_usd: billion, tenor_days: 7 });
      for (let part = 0; part < 2; part += 1) {
        await act('/hedges/reduce', { notional_usd: billion / 2 });
        await act('/hedges/add', { notional_usd: billion / 2 });
      }
      await act('/hedges/close', {});
      expect(await history(practice)).toMatchObject([
        { market, notional_usd: 2 * billion, entry_price: rateOf, exit_price: rateOf, gross_pnl_usd: 0 },
      ]);
      expect((await practice.get('/account')).body.data).toMatchObject({
        open_exposure_usd: 0,
        margin_in_use_usdc: 0,
      });
    },
  );
});
