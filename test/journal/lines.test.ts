import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineReader, parseLines } from '../../src/journal/store.ts';
import { ACCEPTED, anIntent, DESK, idOf, SENDING, step } from './records.ts';

const PIECES = [
  `${JSON.stringify(anIntent())}\n`,
  `${JSON.stringify(step(SENDING))}\n`,
  `${JSON.stringify(step(ACCEPTED))}\n`,
  '{"damaged"\n',
  '\n',
  '{"kind":"sen',
  '\u0018\n',
] as const;

describe('a journal of two formats', () => {
  it('lines: records of format 1 are read unchanged, mixed with format 2', () => {
    const before = anIntent();
    const since = anIntent({
      schema: 2,
      action_id: idOf('8d2f'),
      identity: { ...DESK, environment: 'live', account: 'payroll', key_fingerprint: '0f0f0f0f' },
    });
    const sending = { ...step(SENDING, '8d2f'), schema: 2, key_fingerprint: '0f0f0f0f' } as const;
    const lines = [before, step(SENDING), since, sending];
    const bytes = Buffer.from(lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
    expect(parseLines(bytes, 'journal.jsonl')).toEqual({
      records: lines,
      damage: [],
      damageAt: 0,
      cutTail: false,
    });
  });
});

describe('a journal that is read repeatedly', () => {
  it('lines: repeated reads of a growing journal equal one read', () => {
    assert(
      property(array(array(constantFrom(...PIECES), { maxLength: 4 }), { maxLength: 6 }), (growths) => {
        const readAgain = lineReader('journal.jsonl');
        let content = '';
        for (const pieces of growths) {
          content += pieces.join('');
          const bytes = Buffer.from(content);
          expect(readAgain(bytes)).toEqual(parseLines(bytes, 'journal.jsonl'));
        }
      }),
    );
  });

  it('lines: a replaced journal is read from the start', () => {
    const readAgain = lineReader('journal.jsonl');
    const [first, second, third] = PIECES;
    expect(readAgain(Buffer.from(first + second)).records).toHaveLength(2);
    const other = Buffer.from(second + first.replace('buy', 'sel') + third);
    expect(readAgain(other)).toEqual(parseLines(other, 'journal.jsonl'));
    expect(readAgain(Buffer.from(first)).records).toHaveLength(1);
    expect(readAgain(Buffer.alloc(0)).records).toEqual([]);
  });
});
