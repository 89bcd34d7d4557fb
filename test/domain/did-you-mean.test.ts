import { describe, expect, it } from 'vitest';
import { closestMatch } from '../../src/domain/did-you-mean.ts';

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
    expect(closestMatch(word, names)).toBe(meant);
  });
});
