import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineReader, readLines } from '../../src/journal/lines.ts';
import { ACCEPTED, anIntent, SENDING, step } from './records.ts';

const PIECES = [
  `${JSON.stringify(anIntent())}\n`,
  `${JSON.stringify(step(SENDING))}\n`,
  `${JSON.stringify(step(ACCEPTED))}\n`,
  '{"damaged"\n',
  '\n',
  '{"kind":"sen',
  '\u0018\n',
] as const;

describe('a journal that is read again and again', () => {
  it('reads the same as one that is read once, however it grows', () => {
    assert(
      property(array(array(constantFrom(...PIECES), { maxLength: 4 }), { maxLength: 6 }), (growths) => {
        const readAgain = lineReader('journal.jsonl');
        let content = '';
        for (const pieces of growths) {
          content += pieces.join('');
          const bytes = Buffer.from(content);
          expect(readAgain(bytes)).toEqual(readLines(bytes, 'journal.jsonl'));
        }
      }),
    );
  });

  it('that is another one by then is read anew', () => {
    const readAgain = lineReader('journal.jsonl');
    const [first, second, third] = PIECES;
    expect(readAgain(Buffer.from(first + second)).records).toHaveLength(2);
    const other = Buffer.from(second + first.replace('buy', 'sel') + third);
    expect(readAgain(other)).toEqual(readLines(other, 'journal.jsonl'));
    expect(readAgain(Buffer.from(first)).records).toHaveLength(1);
    expect(readAgain(Buffer.alloc(0)).records).toEqual([]);
  });
});
