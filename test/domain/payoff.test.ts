/** The payoff of an NDF and what is made of it, against figures worked by hand: treasury.md has N = 10,000 and K = 1,516.25. */
import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  carryUntil,
  comparePayoff,
  evenlyBetween,
  marginUsedUpAt,
  moveBetween,
  movedRate,
  type PayoffLeg,
  payoffAt,
  payoffOfSide,
  payoffTolerance,
} from '../../src/domain/payoff.ts';
import { quoteFigures } from '../../src/domain/quote-figures.ts';
import type { Side } from '../../src/domain/vocabulary.ts';

const big = (digits: number | string): Big => new Big(digits);
const leg = (
  side: Side,
  notional: number | string = 10_000,
  struck: number | string = 1_516.25,
): PayoffLeg => ({
  side,
  notional: big(notional),
  struck: big(struck),
});
const DAY_MS = 24 * 60 * 60 * 1_000;

describe('the payoff at a rate', () => {
  it.each([
    // 10,000 × (1,600 − 1,516.25) / 1,600 = 837,500 / 1,600
    ['buy', 1_600, '523.4375'],
    ['sell', 1_600, '-523.4375'],
    // 10,000 × (1,400 − 1,516.25) / 1,400 = −1,162,500 / 1,400 = −830.357142857…
    ['buy', 1_400, '-830.357143'],
    ['sell', 1_400, '830.357143'],
    ['buy', 1_516.25, '0'],
    ['sell', 1_516.25, '0'],
  ] as const)('of a %s at %d is %s USD', (side, rate, payoff) => {
    expect(payoffAt(leg(side), big(rate)).toFixed()).toBe(payoff);
  });

  it('and 15,162,500 naira to be received are 10,000.00 USD whatever the rate becomes', () => {
    // A / S + payoff: at 1,400 10,830.357143 − 830.357143, at 1,600 9,476.5625 + 523.4375.
    for (const rate of [1_400, 1_600]) {
      const received = big(15_162_500)
        .div(rate)
        .plus(payoffAt(leg('buy'), big(rate)));
      expect(received.toFixed(2)).toBe('10000.00');
    }
  });

  it('of a side is divided once, and is the sum of its hedges to a millionth each', () => {
    const legs = [leg('buy', 10_000, 1_516.25), leg('buy', 5_000, 1_540)];
    // (10,000 × 83.75 + 5,000 × 60) / 1,600 = (837,500 + 300,000) / 1,600
    expect(payoffOfSide('buy', legs, big(1_600)).toFixed()).toBe('710.9375');
  });

  it('needs a rate above zero', () => {
    expect(() => payoffAt(leg('buy'), big(0))).toThrow(RangeError);
  });
});

const figure = (min: number, max: number, places: number) =>
  fc.integer({ min, max }).map((whole) => big(whole).div(10 ** places));
const legs = fc.array(fc.tuple(figure(1, 10 ** 9, 2), figure(50_000, 500_000, 2)), {
  minLength: 1,
  maxLength: 8,
});

describe('for any hedges and rates', () => {
  it('a sell pays the negative of a buy, and a buy gains when the rate rises', () => {
    fc.assert(
      fc.property(legs, figure(50_000, 500_000, 2), figure(1, 100_000, 2), (some, rate, rise) => {
        const on = (side: Side) => some.map(([notional, struck]) => ({ side, notional, struck }));
        const buy = payoffOfSide('buy', on('buy'), rate);
        expect(payoffOfSide('sell', on('sell'), rate).plus(buy).toFixed()).toBe('0');
        expect(payoffOfSide('buy', on('buy'), rate.plus(rise)).gte(buy)).toBe(true);
      }),
    );
  });

  it('the payoff at the rate where the margin is used up is the margin lost, to a cent', () => {
    fc.assert(
      fc.property(
        legs,
        fc.constantFrom<Side>('buy', 'sell'),
        fc.integer({ min: 1, max: 90 }),
        (some, side, pct) => {
          const on = some.map(([notional, struck]) => ({ side, notional, struck }));
          const margin = on
            .reduce((sum, { notional }) => sum.plus(notional), big(0))
            .times(pct)
            .div(100);
          const rate = marginUsedUpAt({ side, legs: on }, margin);
          expect(rate).toBeDefined();
          const lost = payoffOfSide(side, on, rate ?? big(1));
          // The rate has 8 decimals: that moves a payoff of 80 million USD at 500 by less than 0.01 USD.
          expect(lost.plus(margin).abs().lt(0.02)).toBe(true);
        },
      ),
    );
  });
});

describe('margin used up', () => {
  it.each([
    // 1,516.25 / (1 + 1,000/10,000) = 15,162,500 / 11,000 = 1,378.409090909…
    ['buy', '1378.40909091', '-9.090909'],
    // 1,516.25 / (1 − 1,000/10,000) = 15,162,500 / 9,000 = 1,684.722222222…
    ['sell', '1684.72222222', '11.111111'],
  ] as const)('of a %s with a margin of 1,000 is at %s, %s %%', (side, at, move) => {
    const rate = marginUsedUpAt({ side, legs: [leg(side)] }, big(1_000));
    expect(rate?.toFixed()).toBe(at);
    expect(moveBetween(big(1_516.25), rate ?? big(1)).toFixed()).toBe(move);
  });

  it('of several hedges goes by the struck rate weighted by notional', () => {
    // Σ N × K = 10,000 × 1,500 + 30,000 × 1,540 = 61,200,000; with M = 4,000: / 44,000 = 1,390.909090…
    const two = [leg('buy', 10_000, 1_500), leg('buy', 30_000, 1_540)];
    expect(marginUsedUpAt({ side: 'buy', legs: two }, big(4_000))?.toFixed()).toBe('1390.90909091');
  });

  it('of a sell is at no rate when the margin is the notional or more', () => {
    expect(marginUsedUpAt({ side: 'sell', legs: [leg('sell')] }, big(10_000))).toBeUndefined();
    expect(marginUsedUpAt({ side: 'buy', legs: [leg('buy', 0)] }, big(10_000))).toBeUndefined();
  });
});

describe('the comparison with the gross P&L of the service', () => {
  it('allows a cent, or a millionth of the notional if that is more', () => {
    expect(payoffTolerance(big(10_000)).toFixed()).toBe('0.01');
    // 2,500,000 × 10⁻⁶ = 2.50
    expect(payoffTolerance(big(2_500_000)).toFixed()).toBe('2.5');
  });

  it.each([
    ['523.4375', true],
    ['523.4475', true],
    ['523.447501', false],
    ['-523.4375', false],
    ['0', false],
  ])('takes %s at 1,600: %s', (gross, agrees) => {
    const sent = { mark: big(1_600), gross: big(gross) };
    expect(comparePayoff({ side: 'buy', legs: [leg('buy')] }, sent).agrees).toBe(agrees);
  });
});

describe('rates and carry', () => {
  it('of a move are percent of the mid, + is more naira per USDT', () => {
    // 1,530.25 × 1.1 and × 0.9
    expect(movedRate(big(1_530.25), big(10)).toFixed()).toBe('1683.275');
    expect(movedRate(big(1_530.25), big(-10)).toFixed()).toBe('1377.225');
  });

  it('of a range are evenly spaced, both ends included', () => {
    const rates = evenlyBetween(big(1_400), big(1_700), 11).map((each) => each.toFixed());
    expect(rates).toEqual([
      '1400',
      '1430',
      '1460',
      '1490',
      '1520',
      '1550',
      '1580',
      '1610',
      '1640',
      '1670',
      '1700',
    ]);
  });

  it('until maturity is a part of P&L: what is paid comes out negative', () => {
    // 10,000 × 0.05 % × 3 days = 15; a day and a half at −0.02 % earns 10,000 × 0.0002 × 1.5 = 3.
    expect(carryUntil(big(10_000), big(0.05), 3 * DAY_MS).toFixed()).toBe('-15');
    expect(carryUntil(big(10_000), big(-0.02), 1.5 * DAY_MS).toFixed()).toBe('3');
    expect(carryUntil(big(10_000), big(0.05), -1).eq(0)).toBe(true);
  });

  it('agree with the break-even of a quote: there the payoff is carry and fee', () => {
    // c = 25: buy 1,516.25 / (1 − 0.0025) = 1,520.0501253133, sell 1,516.25 / 1.0025 = 1,512.4688279302.
    for (const [side, rate] of [
      ['buy', '1520.05012531'],
      ['sell', '1512.46882793'],
    ] as const) {
      const figures = quoteFigures({
        side,
        notional_usd: big(10_000),
        pricing: { market_price: big(1_516.25), execution_price: big(1_516.25) },
        carry: { total_usdc: big(15) },
        upfront: { platform_fee_usdc: big(10) },
      });
      expect(figures.all_in_rate?.toFixed()).toBe(rate);
      expect(payoffAt(leg(side), figures.all_in_rate ?? big(1)).toFixed(4)).toBe('25.0000');
    }
  });
});
