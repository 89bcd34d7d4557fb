/** Commands to copy, under the profile that the line named. */
import { describe, expect, it } from 'vitest';
import { placing } from '../../src/cli/render-context.ts';
import { commandText, shell } from '../../src/domain/hint.ts';

describe('a command to copy', () => {
  it.each([
    [shell`hedge check 7c1e`, 'hedge --profile desk check 7c1e'],
    [shell`hedge positions`, 'hedge --profile desk positions'],
    [shell`hedge close USDTNGN buy`, 'hedge --profile desk close USDTNGN buy'],
    [shell`hedge --profile practice markets`, 'hedge --profile practice markets'],
    [shell`hedge journal 7c1e`, 'hedge journal 7c1e'],
    [shell`hedge hedges ${'my hedge open'}`, "hedge --profile desk hedges 'my hedge open'"],
    [shell`hedge wait ${"it's a hedge close"}`, `hedge --profile desk wait 'it'"'"'s a hedge close'`],
    [shell`chmod 600 ${'/data/hedge open'}`, "chmod 600 '/data/hedge open'"],
    [shell`hedge`, 'hedge'],
  ])('repeats --profile for commands of an account: %j', (command, shown) => {
    expect(commandText(placing({ named: 'desk' })(command))).toBe(shown);
    expect(placing({ named: undefined })(command)).toEqual(command);
  });

  it('quotes a name that the line got wrong', () => {
    expect(commandText(placing({ named: 'my desk' })(shell`hedge markets`))).toBe(
      "hedge --profile 'my desk' markets",
    );
  });

  it.each([
    ['the profile of --profile', 'desk', 'desk', 'hedge profile show desk'],
    ['the profile of HEDGE_PROFILE or the default', undefined, 'desk', 'hedge profile show desk'],
    ['no profile with HEDGE_API_KEY', undefined, 'env', 'hedge profile show'],
    ['no profile where none is selected', undefined, undefined, 'hedge profile show'],
  ])('about the key or the address names %s', (_what, named, selected, command) => {
    const place = placing({ named, selected });
    expect(commandText(place(shell`hedge profile show`))).toBe(command);
    expect(commandText(place(shell`hedge profile show live`))).toBe('hedge profile show live');
  });
});
