import { describe, expect, it } from 'vitest';
import { chainedLine, NO_LINE } from '../../src/journal/chain.ts';
import { type LinePlace, readLine, readLineAgain } from '../../src/journal/lines.ts';
import { anIntent } from './records.ts';

const CHAINED: LinePlace = { path: '/journal/0001-2026-11.jsonl', line: 7, chained: true };
const FIRST: LinePlace = { path: '/journal/0000.jsonl', line: 7, chained: false };

const lineOf = (record: unknown): Buffer => Buffer.from(chainedLine(JSON.stringify(record), NO_LINE));

describe('a line of the journal that is read again', () => {
  const intent = anIntent();

  it('is the record that it was, without its place in the chain', () => {
    const line = lineOf(intent);
    expect(readLineAgain(line, CHAINED)).toEqual(intent);
    expect(readLineAgain(line, CHAINED)).toEqual(readLine(line, CHAINED));
  });

  it('is damaged where a byte of it was changed, wherever that is', () => {
    const line = lineOf(intent);
    for (let at = 0; at < line.length; at += 1) {
      const changed = Buffer.from(line);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const read = readLineAgain(changed, CHAINED);
      expect(read, `byte ${at.toString()}`).toBeTypeOf('string');
      expect(read).toBe(readLine(changed, CHAINED));
    }
  });

  it('is checked as at first where it has no checksum, or is of an earlier format', () => {
    const text = Buffer.from(JSON.stringify(intent));
    expect(readLineAgain(text, CHAINED)).toBe('has no checksum');
    expect(readLineAgain(text, FIRST)).toEqual(intent);
    expect(readLineAgain(Buffer.from('{"schema":3}'), FIRST)).toBe(
      readLine(Buffer.from('{"schema":3}'), FIRST),
    );
    expect(readLineAgain(lineOf({ ...intent, schema: 2, notional_usd: 'all' }), CHAINED)).toBe(
      'is not valid at "notional_usd"',
    );
  });

  it('of a later format is not understood', () => {
    expect(() => readLineAgain(lineOf({ ...intent, schema: 4 }), CHAINED)).toThrow(/format 4/);
  });
});
