import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { carryToMaturity, mostExpensive } from '../../src/domain/quote-figures.ts';

const terms = (tenor: number, total: string) => ({
  tenor_days: new Big(tenor),
  carry: { total_usdc: new Big(total) },
});
const from = new Date('2026-11-20T12:00:00Z');
const carry = (tenor: number, total: string, to: string): string | undefined =>
  carryToMaturity(terms(tenor, total), { from, to })?.carry_usdc.toFixed();

describe('the carry of an addition', () => {
  it.each([
    // 10,000 USD sold for 7 days earns 14; one day of the seven is left: 14 / 7 = 2.
    [7, '-14', '2026-11-21T12:00:00Z', '-2'],
    [7, '35', '2026-11-21T12:00:00Z', '5'],
    // 6 h 30 min of 3 days: 15 × 23,400 / 259,200 = 1.354166…
    [3, '15', '2026-11-20T18:30:00Z', '1.354167'],
    [3, '-15', '2026-11-20T18:30:00Z', '-1.354167'],
    // All of the tenor is all of its carry, to the digit.
    [3, '15.000001', '2026-11-23T12:00:00Z', '15.000001'],
    // A tie goes to the even neighbour: half of 0.000001 and of 0.000003.
    [1, '0.000001', '2026-11-21T00:00:00Z', '0'],
    [1, '0.000003', '2026-11-21T00:00:00Z', '0.000002'],
    [1, '5', '2026-11-20T11:59:59Z', '0'],
    [1, '5', 'tomorrow', undefined],
    [0, '5', '2026-11-21T00:00:00Z', undefined],
  ])('over %s days %s, to %s: %s', (tenor, total, to, expected) => {
    expect(carry(tenor, total, to)).toBe(expected);
  });

  it('of several maturities is the dearest: the last where it pays, the first where it earns', () => {
    const [first, last] = ['2026-11-21T12:00:00Z', '2026-11-22T12:00:00Z'];
    const held = (total: string) =>
      [first, last].flatMap((to) => carryToMaturity(terms(3, total), { from, to }) ?? []);
    expect(mostExpensive(held('15'))?.maturity_at).toBe(last);
    expect(mostExpensive(held('-6'))?.maturity_at).toBe(first);
    expect(mostExpensive([])).toBeUndefined();
  });
});
