/** Hints under the profile that the line named. */
import { describe, expect, it } from 'vitest';
import { hintFor } from '../../src/cli/render-context.ts';

describe('a hint', () => {
  it.each([
    ['hedge check 7c1e    looks', 'hedge --profile desk check 7c1e    looks'],
    ['See hedge positions.', 'See hedge --profile desk positions.'],
    [
      'hedge wait 7c1e\nhedge close USDTNGN buy',
      'hedge --profile desk wait 7c1e\nhedge --profile desk close USDTNGN buy',
    ],
    ['hedge --profile practice markets', 'hedge --profile practice markets'],
    ['hedge journal 7c1e', 'hedge journal 7c1e'],
    ['hedge profile show', 'hedge profile show'],
    ['hedge opens', 'hedge opens'],
  ])('repeats --profile for commands of an account: %s', (hint, shown) => {
    expect(hintFor({ hint }, 'desk')).toBe(shown);
    expect(hintFor({ hint }, undefined)).toBe(hint);
  });

  it('stays undefined if there is none', () => {
    expect(hintFor({ hint: undefined }, 'desk')).toBeUndefined();
  });
});
