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
    ['halts', 'Unknown command: halts.', 'Did you mean: hedge journal halts. See hedge --help.'],
    ['pnl', 'Unknown command: pnl.', 'Did you mean: hedge report. See hedge --help.'],
    ['ls', 'Unknown command: ls.', 'Did you mean: hedge hedges. See hedge --help.'],
    ['exit-codes', 'Unknown command: exit-codes.', 'It is a help topic: hedge help exit-codes'],
    ['profile ls', 'Unknown command: ls.', 'See hedge profile --help.'],
    ['profile lsit', 'Unknown command: lsit.', 'Did you mean list? See hedge profile --help.'],
    ['quote USDTNGN --tenro=3', 'Unknown option: --tenro.', 'Did you mean --tenor? See hedge quote --help.'],
    [
      'practice advance -3d',
      'Unknown option: -3d.',
      'A time is above zero. See hedge practice advance --help.',
    ],
    ['quote USDTNGN buy -5 -z', 'Unknown option: -z.', 'See hedge quote --help.'],
    ['close USDTNGN buy --tox 5k', 'Unknown option: --tox.', 'See hedge close --help.'],
    ['open USDTNGN buy --yse', 'Unknown option: --yse.', 'See hedge open --help.'],
    ['open USDTNGN --ref PAY-1', 'Unknown option: --ref.', 'Did you mean --deal-id? See hedge open --help.'],
    ['open -yz', 'Unknown option: -z.', 'See hedge open --help.'],
    ['--jsno markets', 'Unknown option: --jsno.', 'Did you mean --json? See hedge --help.'],
    ['quote USDTNGN --tenor', '--tenor needs a value.', 'See hedge quote --help.'],
    ['markets --output', '--output needs a value.', 'See hedge --help.'],
    ['close USDTNGN buy --note --json', '--note needs a value.', 'See hedge close --help.'],
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
    ['close all', 'A close takes one market and one side; nothing closes all of them.'],
    ['open USDTNGN buy 1k --tenor 3 --max-cost-bps 4000', '"4000" looks like a typo: 1 % is 100 bps.'],
    ['profile limit desk --markets ANY', '"ANY" is not a list of markets (--markets).'],
  ])('hedge %s is refused: what it seems to ask for is something else', async (words, what) => {
    const line = await readCommandLine(words.split(' '), { width: 80 });
    if (line.kind !== 'run') throw new Error('no command');
    expect(() => line.command.prepare(line.raw)).toThrow(
      expect.objectContaining({ what: expect.stringContaining(what) }),
    );
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

  it.each([
    ['open USDTNGN buy 1k --tenor 3 --yes --note --dry-run', '--note', '--dry-run'],
    ['open USDTNGN buy 1k --tenor 3 --yes --deal-id --ensure', '--deal-id', '--ensure'],
    ['open USDTNGN buy 1k --tenor --yes', '--tenor', '--yes'],
    ['open USDTNGN buy 1k -t -y', '--tenor', '-y'],
    ['close USDTNGN buy --idempotency-key --no-wait --yes', '--idempotency-key', '--no-wait'],
    ['batch file --yes --name --dry-run', '--name', '--dry-run'],
    ['close USDTNGN buy --yes --note --no-such-option', '--note', '--no-such-option'],
    ['journal resolve 7c1e --as executed --reason --yes', '--reason', '--yes'],
    ['--profile --json markets', '--profile', '--json'],
    ['close USDTNGN buy --note --timeout=5', '--note', '--timeout=5'],
    ['api GET /hedges --param limit=1 --param --paginate', '--param', '--paginate'],
  ])('hedge %s: an empty variable does not take an option away', async (words, flag, swallowed) => {
    const error = await rejected(words);
    expect(error.what).toBe(`${flag} needs a value: "${swallowed}" is an option.`);
  });

  it('takes a value that looks like an option where it is written behind =, and a negative number', async () => {
    const words = 'open USDTNGN buy 1k --tenor 3 --note=--dry-run'.split(' ');
    const line = await readCommandLine(words, { width: 80 });
    expect(line).toMatchObject({ kind: 'run', raw: { options: { note: '--dry-run' } } });
    expect(await readCommandLine('what-if --move -5'.split(' '), { width: 80 })).toHaveProperty(
      'kind',
      'run',
    );
  });

  it.each([
    '-- unhalt',
    '-- journal',
    'journal --json -- repair',
    'journal -- halts',
    '--json -- halt',
    '--',
  ])('hedge %s: a word behind -- names no command, and never ends as if it had run', async (words) => {
    const error = await rejected(words);
    expect(error.what).toBe('A command is named before --, not behind it.');
  });

  it.each([
    ['-qo json check', 'check'],
    ['-vo json doctor', 'doctor'],
    ['-qvojson positions', 'positions'],
    ['-o json snapshot', 'snapshot'],
    ['journal -o json -- 7c1e', 'journal'],
  ])('hedge %s runs hedge %s', async (words, name) => {
    const line = await readCommandLine(words.split(' '), { width: 80 });
    expect(line).toMatchObject({ kind: 'run', command: { name }, globals: { output: { form: 'json' } } });
  });

  it('shows neither the value of an unknown option nor a key', async () => {
    const error = await rejected('markets --kye=hpk_test_0123456789abcdef0123456789abcdef');
    expect(`${error.what} ${hintText(error.hint)}`).not.toContain('0123');
  });
});
