import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sum } from '../../src/domain/amounts.ts';
import {
  affordable,
  isAboutEverything,
  medianOf,
  remainingLimit,
  scaleDown,
  shareOf,
  someOf,
  usdcInWords,
  usdInWords,
  wholeCents,
} from '../../src/domain/exposure.ts';

const big = (text: string): Big => new Big(text);
const cents = fc.integer({ min: 1, max: 100_000_000 }).map((value) => new Big(value).div(100));

describe('a reduction', () => {
  it.each([
    ['9899.99', false],
    ['9900', true],
    ['10000', true],
  ])('of %s out of 10,000 takes about everything: %s', (part, everything) => {
    expect(isAboutEverything(big(part), big('10000'))).toBe(everything);
  });

  it.each([
    ['10000', '50', '5000'],
    ['10000', '33.3333', '3333.33'],
    ['10000.01', '50', '5000'],
    ['10000.03', '50', '5000.02'],
    ['8333.333333', '100', '8333.333333'],
    ['0.01', '1', '0'],
  ])('of %s by %s %% is %s', (whole, percent, part) => {
    expect(shareOf(big(whole), big(percent)).toFixed()).toBe(part);
  });

  it('falls on every hedge in proportion', () => {
    const left = scaleDown([big('30000'), big('10000')], big('10000'));
    expect(left.map((size) => size.toFixed())).toEqual(['22500', '7500']);
  });

  it('leaves in all what was not taken, to a micro-USD a hedge', () => {
    fc.assert(
      fc.property(fc.array(cents, { minLength: 1, maxLength: 6 }), fc.nat(100), (sizes, percent) => {
        const taken = shareOf(sum(sizes), big(percent.toString()));
        const left = scaleDown(sizes, taken);
        const off = sum(left).minus(sum(sizes).minus(taken)).abs();
        expect(off.lte(new Big('0.000001').times(sizes.length))).toBe(true);
        expect(left.every((size) => size.gte(0))).toBe(true);
      }),
    );
  });
});

describe('what still fits', () => {
  it.each([
    ['500', '120', '380'],
    ['500', '500', '0'],
    ['500', '700', '0'],
  ])('of a limit of %s with %s used is %s', (limit, used, left) => {
    expect(remainingLimit(big(limit), big(used)).toFixed()).toBe(left);
  });

  it.each([
    // 10,000 needs 1,010: 505 pays for half of it; 100 for 10,000 × 100 / 1010 = 990.099… → 990.09
    ['1010', '505', '5000'],
    ['1010', '100', '990.09'],
    ['1010', '0', '0'],
    ['1010', '-3', '0'],
    // 0.9999999999 rounds up to a whole cent that is not there
    ['10000', '0.9999999999', '0.99'],
    ['0', '5', undefined],
  ])('when 10,000 needs %s and %s is free is %s', (required, available, fits) => {
    const found = affordable(big('10000'), { required: big(required), available: big(available) });
    expect(found?.toFixed()).toBe(fits);
  });

  it('never needs more than there is', () => {
    fc.assert(
      fc.property(cents, cents, cents, (notional, required, available) => {
        const fits = affordable(notional, { required, available }) ?? new Big(0);
        expect(fits.times(required).lte(available.times(notional))).toBe(true);
      }),
    );
  });

  it('is rounded down to whole cents', () => {
    expect(wholeCents(big('990.099')).toFixed()).toBe('990.09');
  });
});

describe('the middle size', () => {
  it.each([
    [[], undefined],
    [['5'], '5'],
    [['9', '1', '5'], '5'],
    [['9', '1', '5', '6'], '5.5'],
  ])('of %j is %s', (sizes, middle) => {
    expect(medianOf(sizes.map(big))?.toFixed()).toBe(middle);
  });
});

describe('an amount in a sentence', () => {
  it('is grouped and keeps every digit', () => {
    expect(usdInWords(big('250000'))).toBe('250,000.00 USD');
    expect(usdcInWords(big('1234567.123456'))).toBe('1,234,567.123456 USDC');
  });
});

it('some of many are named, and one more as well: it is as short as its count', () => {
  const of = (count: number) => someOf(Array.from({ length: count }, (_, index) => `${index + 1}`));
  expect([of(5), of(6), of(7)]).toEqual(['1, 2, 3, 4, 5', '1, 2, 3, 4, 5, 6', '1, 2, 3, 4, 5 and 2 more']);
});
