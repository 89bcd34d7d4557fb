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
    ['hedge opens', 'hedge opens'],
    ["hedge hedges 'my hedge open'", "hedge --profile desk hedges 'my hedge open'"],
    [`hedge wait 'it'"'"'s a hedge close'`, `hedge --profile desk wait 'it'"'"'s a hedge close'`],
    [
      'Hedge "a hedge close b" is open: hedge close',
      'Hedge "a hedge close b" is open: hedge --profile desk close',
    ],
    [
      "The partner's hedge close failed: hedge check",
      "The partner's hedge --profile desk close failed: hedge --profile desk check",
    ],
  ])('repeats --profile for commands of an account: %s', (hint, shown) => {
    expect(hintFor({ hint }, 'desk')).toBe(shown);
    expect(hintFor({ hint }, undefined)).toBe(hint);
  });

  it.each([
    ['the profile of --profile', 'desk', 'desk', 'hedge profile show desk'],
    ['the profile of HEDGE_PROFILE or the default', undefined, 'desk', 'hedge profile show desk'],
    ['no profile with HEDGE_API_KEY', undefined, 'env', 'hedge profile show'],
    ['no profile where none is selected', undefined, undefined, 'hedge profile show'],
  ])('about the key or the address names %s', (_what, named, selected, command) => {
    const hint = 'Check the key and the base URL: hedge profile show';
    expect(hintFor({ hint }, named, selected)).toBe(`Check the key and the base URL: ${command}`);
    expect(hintFor({ hint: 'hedge profile show live' }, named, selected)).toBe('hedge profile show live');
  });

  it('stays undefined if there is none', () => {
    expect(hintFor({ hint: undefined }, 'desk')).toBeUndefined();
  });
});
