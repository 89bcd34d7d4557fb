import { Big } from 'big.js';
import { assert, bigInt, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divide, roundTo, sum } from '../../src/domain/amounts.ts';

const big = (digits: string): Big => new Big(digits);

describe('rounding', () => {
  it.each([
    ['0.125', 2, '0.12'],
    ['0.135', 2, '0.14'],
    ['-0.125', 2, '-0.12'],
    ['2.5', 0, '2'],
    ['3.5', 0, '4'],
    ['0.1250001', 2, '0.13'],
  ])('takes %s to %d places as %s', (amount, places, rounded) => {
    expect(roundTo(big(amount), places).toFixed()).toBe(rounded);
  });
});

describe('dividing', () => {
  it.each([
    ['1', '8', 2, '0.12'],
    ['3', '8', 2, '0.38'],
    ['-1', '8', 2, '-0.12'],
    ['1', '-8', 2, '-0.12'],
    ['-3', '-8', 2, '0.38'],
    ['1', '3', 8, '0.33333333'],
    ['2', '3', 8, '0.66666667'],
    ['0', '7', 4, '0'],
    // A hair above the tie, further out than big.js divides by itself: 0.125…01 rounds up, not to even.
    ['125000000000000000000000000001', '1000000000000000000000000000000', 2, '0.13'],
    ['124999999999999999999999999999', '1000000000000000000000000000000', 2, '0.12'],
  ])('%s by %s to %d places is %s', (dividend, divisor, places, quotient) => {
    expect(divide(big(dividend), big(divisor), places).toFixed()).toBe(quotient);
  });

  it('is the nearest there is, and the even one of two, for any amounts', () => {
    const amount = bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
    assert(
      property(
        amount,
        amount,
        integer({ min: 0, max: 8 }),
        constantFrom(1n, 1000n),
        (top, low, places, scale) => {
          if (low === 0n) return;
          const quotient = divide(big(`${top}`).div(`${scale}`), big(`${low}`), places);
          // In whole numbers: |quotient × scale × low × 10^places − top × 10^places| is at most half a step.
          const unit = 10n ** BigInt(places);
          const scaled = BigInt(quotient.times(`${unit}`).toFixed()) * scale * low;
          const distance = 2n * abs(scaled - top * unit);
          const step = abs(scale * low);
          expect(distance <= step).toBe(true);
          const even = BigInt(quotient.times(`${unit}`).toFixed()) % 2n === 0n;
          expect(distance < step || even).toBe(true);
        },
      ),
    );
  });

  it('refuses to divide by nothing', () => {
    expect(() => divide(big('1'), big('0'), 2)).toThrow(RangeError);
  });

  it('leaves the shared settings of big.js alone', () => {
    const before = [Big.DP, Big.RM];
    divide(big('1'), big('3'), 60);
    expect([Big.DP, Big.RM]).toEqual(before);
  });
});

describe('a sum', () => {
  it('is exact, and nothing of nothing', () => {
    expect(sum(['0.1', '0.2', '1e20'].map(big)).toFixed()).toBe('100000000000000000000.3');
    expect(sum([]).toFixed()).toBe('0');
  });
});

const abs = (value: bigint): bigint => (value < 0n ? -value : value);
