import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coverNotional, coverOf, largestSize, nextNotional } from '../../src/domain/sizes.ts';

const big = (digits: string | number): Big => new Big(digits);
const MILLION = 1_000_000;

describe('the notional that covers an amount in naira', () => {
  it('is the amount over the rate, floored to cents', () => {
    // 800,000,000 / 1,516.25 = 527,617.477…
    expect(coverNotional(big(800 * MILLION), big('1516.25')).toFixed()).toBe('527617.47');
    // 15,162,500 / 1,516.25 = 10,000 exactly.
    expect(coverNotional(big(15_162_500), big('1516.25')).toFixed()).toBe('10000');
    // 1 / 1,516.25 = 0.00066 is less than a cent.
    expect(coverNotional(big(1), big('1516.25')).toFixed()).toBe('0');
  });

  it('makes the naira and the payoff worth it at any rate', () => {
    // 15,162,500 naira to be received, a buy of 10,000 at 1,516.25. At 1,600: 15,162,500/1,600 = 9,476.5625, and the
    // payoff 10,000 × (1,600 − 1,516.25)/1,600 = 523.4375: together 10,000. At 1,400: 10,830.357… − 830.357… = 10,000.
    const notional = coverNotional(big(15_162_500), big('1516.25'));
    expect(big('9476.5625').plus('523.4375').eq(notional)).toBe(true);
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 2_500 }), (rate) => {
        const received = big(15_162_500);
        const payoffTimesRate = notional.times(big(rate).minus('1516.25'));
        expect(received.plus(payoffTimesRate).eq(notional.times(rate))).toBe(true);
      }),
    );
  });

  it('shows what it covers, and the rest', () => {
    // 527,617.47 × 1,516.25 = 791,426,205 (× 1,500) + 8,573,783.8875 (× 16.25) = 799,999,988.8875; rest 11.1125.
    const cover = coverOf(big('527617.47'), big('1516.25'), big(800 * MILLION));
    expect([cover.amount.toFixed(), cover.rest.toFixed(), cover.fits]).toEqual([
      '799999988.8875',
      '11.1125',
      true,
    ]);
  });

  it.each([
    // 1 bp of 10,000,000 is 1,000. N × K: 9,999 × 1,000 = 9,999,000, rest 1,000: not under it.
    ['9999', false],
    // 9,999.01 × 1,000 = 9,999,010, rest 990.
    ['9999.01', true],
    ['10000', true],
    // 10,000.01 × 1,000 = 10,000,010: more than was asked.
    ['10000.01', false],
  ])('of %s USD at 1,000 for 10 million: %s', (notional, fits) => {
    expect(coverOf(big(notional), big(1_000), big(10 * MILLION)).fits).toBe(fits);
  });
});

describe('the next size to quote', () => {
  const quoted = (notional: string, rate: string) => ({ notional: big(notional), rate: big(rate) });

  it('after one quote is the amount over its price', () => {
    // 800,000,000 / 1,516.25 = 527,617.477…
    const next = nextNotional(big(800 * MILLION), quoted('500000', '1516.25'), undefined);
    expect(next.toFixed()).toBe('527617.47');
  });

  it('after two is where their line meets the amount', () => {
    // 100 at 10 is 1,000, 200 at 11 is 2,200: the slope is 1,200/100 = 12. For 2,800: 200 + 600/12 = 250.
    expect(nextNotional(big(2_800), quoted('200', '11'), quoted('100', '10')).toFixed()).toBe('250');
    // For 1,600: 200 − 600/12 = 150.
    expect(nextNotional(big(1_600), quoted('200', '11'), quoted('100', '10')).toFixed()).toBe('150');
  });

  it('ignores a line that the market made by moving', () => {
    // 100 at 30 is 3,000, 101 at 10 is 1,010: the slope is negative. 2,020/10 = 202.
    expect(nextNotional(big(2_020), quoted('101', '10'), quoted('100', '30')).toFixed()).toBe('202');
    expect(nextNotional(big(2_020), quoted('100', '10'), quoted('100', '10')).toFixed()).toBe('202');
  });
});

describe('the largest size', () => {
  const room = { headroom: big(425_000), capacity: big(500_000), balance: big(41_320) };
  const quote = { notional: big(10_000), upfront: big(1_010) };

  it.each([
    // 41,320 × 10,000 / 1,010 = 409,108.91089108…; × 0.99 = 405,017.8217…
    ['the balance', { ...room, quote }, 'balance', '405017.82', '409108.910891'],
    // 425,000 × 0.99 = 420,750.
    ['the headroom', { ...room, balance: big(50_000), quote }, 'headroom', '420750', '425000'],
    // 300,000.55 × 0.99 = 297,000.5445.
    ['the capacity', { ...room, capacity: big('300000.55'), quote }, 'capacity', '297000.54', '300000.55'],
    // Without a quote the balance is no limit yet.
    ['the headroom, before a quote', room, 'headroom', '420750', '425000'],
    ['nothing upfront', { ...room, quote: { ...quote, upfront: big(0) } }, 'headroom', '420750', '425000'],
    ['equal limits', { ...room, capacity: room.headroom, quote: undefined }, 'headroom', '420750', '425000'],
    ['an account without headroom', { ...room, headroom: big(-5), quote }, 'headroom', '0', '0'],
    ['an empty balance', { ...room, balance: big(0), quote }, 'balance', '0', '0'],
    // A limit of the profile does not move: nothing is kept free.
    [
      'a per-trade limit',
      { ...room, quote, own: { perTrade: big(50_000) } },
      'per_trade_limit',
      '50000',
      '50000',
    ],
    [
      'a per-trade limit within 1 % of the headroom',
      { ...room, balance: big(50_000), quote, own: { perTrade: big(421_000) } },
      'headroom',
      '420750',
      '425000',
    ],
    [
      'what is left of the day',
      { ...room, quote, own: { perTrade: big(50_000), today: big('12000.50') } },
      'daily_limit',
      '12000.5',
      '12000.5',
    ],
    ['a day that is used up', { ...room, quote, own: { today: big(0) } }, 'daily_limit', '0', '0'],
  ])('under %s', (_name, limits, binding, notional, left) => {
    const largest = largestSize(limits);
    expect([largest.binding, largest.notional.toFixed(), largest.room.toFixed()]).toEqual([
      binding,
      notional,
      left,
    ]);
  });

  it('is paid for by the balance, and within every limit', () => {
    const cents = fc.integer({ min: 1, max: 10_000_000_00 }).map((all) => big(all).div(100));
    fc.assert(
      fc.property(cents, cents, cents, cents, (headroom, capacity, balance, notional) => {
        const upfront = notional.times('0.101');
        const largest = largestSize({ headroom, capacity, balance, quote: { notional, upfront } });
        expect(largest.notional.lte(headroom.times('0.99'))).toBe(true);
        expect(largest.notional.lte(capacity.times('0.99'))).toBe(true);
        expect(largest.notional.times('0.101').lte(balance.times('0.99'))).toBe(true);
      }),
    );
  });
});
