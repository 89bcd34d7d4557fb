import { describe, expect, it } from 'vitest';
import { closestOf } from '../../src/domain/closest.ts';

describe('the name that was probably meant', () => {
  const names = ['USDTKES', 'USDTNGN', 'USDTZAR'];
  it.each([
    ['USDNGN', 'USDTNGN'],
    ['USDTTNGN', 'USDTNGN'],
    ['USDTNGM', 'USDTNGN'],
    ['UDSTNGN', 'USDTNGN'],
    ['USTDNG', 'USDTNGN'],
    ['USDTKS', 'USDTKES'],
    ['EURNGN', undefined],
    ['', undefined],
    ['10K', undefined],
  ])('by %j is %s', (word, meant) => {
    expect(closestOf(word, names)).toBe(meant);
  });
});
