/** Command lines that commander rejects, in our words. */
import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { hintText } from '../../src/domain/hint.ts';
import { UsageError } from '../../src/errors.ts';
import { hinting } from '../support/hints.ts';

const rejected = async (words: string): Promise<UsageError> => {
  try {
    await readCommandLine(words.split(' '), { width: 80 });
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('the line was accepted');
};

describe('a command line that commander rejects', () => {
  it.each([
    ['qoute USDTNGN', 'Unknown command: qoute.', 'Did you mean quote? See hedge --help.'],
    ['balance', 'Unknown command: balance.', 'Did you mean: hedge account. See hedge --help.'],
    [
      'buy USDTNGN 10k',
      'Unknown command: buy.',
      'Did you mean: hedge open MARKET buy NOTIONAL --tenor DAYS. See hedge --help.',
    ],
    ['pnl', 'Unknown command: pnl.', 'Did you mean: hedge report. See hedge --help.'],
    ['ls', 'Unknown command: ls.', 'Did you mean: hedge hedges. See hedge --help.'],
    ['exit-codes', 'Unknown command: exit-codes.', 'It is a help topic: hedge help exit-codes'],
    ['profile ls', 'Unknown command: ls.', 'See hedge profile --help.'],
    ['profile lsit', 'Unknown command: lsit.', 'Did you mean list? See hedge profile --help.'],
    ['quote USDTNGN --tenro=3', 'Unknown option: --tenro.', 'Did you mean --tenor? See hedge quote --help.'],
    ['quote USDTNGN buy -5 -z', 'Unknown option: -z.', 'See hedge quote --help.'],
    ['close USDTNGN buy --tox 5k', 'Unknown option: --tox.', 'See hedge close --help.'],
    ['open USDTNGN buy --yse', 'Unknown option: --yse.', 'See hedge open --help.'],
    ['open USDTNGN --ref PAY-1', 'Unknown option: --ref.', 'Did you mean --deal-id? See hedge open --help.'],
    ['open -yz', 'Unknown option: -z.', 'See hedge open --help.'],
    ['--jsno markets', 'Unknown option: --jsno.', 'Did you mean --json? See hedge --help.'],
    ['quote USDTNGN --tenor', '--tenor needs a value.', 'See hedge quote --help.'],
    ['markets --output', '--output needs a value.', 'See hedge --help.'],
    ['wait', 'Missing argument: ACTION.', 'See hedge wait --help.'],
    ['markets now', 'Too many arguments: hedge markets takes no arguments.', 'See hedge markets --help.'],
    ['journal 7c1e 8d', 'Too many arguments: hedge journal takes at most 1.', 'See hedge journal --help.'],
    ['practice', 'hedge practice needs a command: ', 'See hedge practice --help.'],
  ])('hedge %s: the error names what is wrong and where to look', async (words, what, hint) => {
    const error = await rejected(words);
    expect(error.what).toContain(what);
    expect(hintText(error.hint)).toBe(hint);
  });

  it.each([
    ['--to 5k', 'Did you mean: hedge reduce USDTNGN buy --to 5k'],
    ['--by 50% --if-open --yes', 'Did you mean: hedge reduce USDTNGN buy --by 50% --yes'],
  ])('hedge close with the size %s: the error has the reduction that was meant', async (size, hint) => {
    const line = await readCommandLine(`close USDTNGN buy ${size}`.split(' '), { width: 80 });
    if (line.kind !== 'run') throw new Error('no command');
    expect(() => line.command.prepare(line.raw)).toThrow(
      expect.objectContaining({
        what: 'A close has no size: it closes the whole side.',
        hint: hinting(hint),
      }),
    );
  });

  it('shows neither the value of an unknown option nor a key', async () => {
    const error = await rejected('markets --kye=hpk_test_0123456789abcdef0123456789abcdef');
    expect(`${error.what} ${hintText(error.hint)}`).not.toContain('0123');
  });
});
