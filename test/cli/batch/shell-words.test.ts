import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWords } from '../../../src/cli/batch/shell-words.ts';
import { UsageError } from '../../../src/errors.ts';

describe('a line of text', () => {
  it.each([
    ['hedge quote USDTNGN buy 10k', ['hedge', 'quote', 'USDTNGN', 'buy', '10k']],
    ['  open\tUSDTNGN  ', ['open', 'USDTNGN']],
    ['', []],
    ['   ', []],
    ['# a comment', []],
    ['account # what is left', ['account']],
    ['hedges PAY#1', ['hedges', 'PAY#1']],
    [
      String.raw`--deal-id 'PAY 1 $x' "PAY \"2\" \$x" PAY\ 3`,
      ['--deal-id', 'PAY 1 $x', 'PAY "2" $x', 'PAY 3'],
    ],
    [`a'b'"c"`, ['abc']],
    [`''`, ['']],
    [String.raw`"a\nb"`, [String.raw`a\nb`]],
    ['PAY-1~2', ['PAY-1~2']],
  ])('%j is the words a shell would make of it', (line, words) => {
    expect(readWords(line)).toEqual(words);
  });

  it.each([
    ['open $MARKET buy', '$'],
    ['open "$MARKET" buy', '$'],
    ['open `market` buy', '`'],
    ['hedges ~/x', '~'],
    ['account > out', '>'],
    ['account; positions', ';'],
    ['account && positions', '&'],
    ['account | jq .', '|'],
    ['price USDT*', '*'],
    ['price {USDTNGN,USDTKES}', '{'],
  ])('%j is refused: only a shell can do that', (line, character) => {
    expect(() => readWords(line)).toThrow(UsageError);
    expect(() => readWords(line)).toThrow(character);
  });

  it.each([`open 'USDTNGN`, `open "USDTNGN`, 'open USDTNGN \\'])('%j is refused: it does not end', (line) => {
    expect(() => readWords(line)).toThrow(UsageError);
  });

  it('gives back whatever was put in single quotes, and nothing else', () => {
    const word = fc.string({ unit: 'grapheme' }).filter((text) => !/[\n\r]/.test(text));
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const line = words.map((each) => `'${each.replaceAll("'", String.raw`'\''`)}'`).join(' ');
        expect(readWords(line)).toEqual(words);
      }),
    );
  });
});
