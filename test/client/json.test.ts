import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { MAX_DEPTH, readJson } from '../../src/client/json.ts';
import { writeExactJson } from '../../src/domain/exact-json.ts';

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('JSON from the service', () => {
  it('keeps every number exact', () => {
    const value = readJson('{"a":12345678901234567.89,"b":[0.1,-7,1e3,2.5E-3]}');
    expect(writeExactJson(value)).toBe('{"a":12345678901234567.89,"b":[0.1,-7,1000,0.0025]}');
    expect(value).toMatchObject({ a: new Big('12345678901234567.89') });
  });

  it('keeps keys in their order, and hostile ones as plain keys', () => {
    const text = '{"b":1,"__proto__":{"polluted":true},"constructor":{"prototype":1},"a":null}';
    expect(writeExactJson(readJson(text))).toBe(text);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('may start with a byte order mark', () => {
    expect(readJson('\ufeff{"a":true}')).toEqual({ a: true });
  });

  it('may be nested as deep as the cap, brackets in strings aside', () => {
    expect(() => readJson(nested(MAX_DEPTH))).not.toThrow();
    expect(readJson(`["${'['.repeat(500)}\\"["]`)).toEqual([`${'['.repeat(500)}"[`]);
  });

  it.each([
    ['nothing', ''],
    ['a word', 'nonsense'],
    ['a web page', '<html>'],
    ['a cut object', '{"data":{"a":1'],
    ['something after the end', '{"a":1} x'],
    ['two documents', '{"a":1}{"b":2}'],
    ['NaN', '{"a":NaN}'],
    ['a comma too many', '[1,]'],
    ['single quotes', "{'a':1}"],
    ['a raw line break in a string', '"a\nb"'],
    ['one level too many', nested(MAX_DEPTH + 1)],
    ['a million levels', nested(1_000_000)],
    ['a key twice with two values', '{"a":1,"a":2}'],
    ['a key twice with one value', '{"a":1,"a":1}'],
    ['a key twice, once spelled otherwise', '{"a":[],"\\u0061":[]}'],
    ['a key twice further in', '{"x":[{"a":{},"a":{}}]}'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":1}'],
    ['a huge exponent', '{"a":1e400}'],
    ['a tiny exponent', '{"a":1e-400}'],
    ['an exponent that is no number', '{"a":1e99999999999999999999}'],
    ['a numeral without end', `{"a":${'9'.repeat(65)}}`],
  ])('is refused when it is %s', (_, text) => {
    expect(() => readJson(text)).toThrow(SyntaxError);
  });

  it('takes a numeral and an exponent at their caps', () => {
    expect(writeExactJson(readJson(`[${'9'.repeat(64)},1e30]`))).toBe(
      `[${'9'.repeat(64)},1${'0'.repeat(30)}]`,
    );
  });

  it('reads a megabyte in no time', () => {
    const text = `[${Array.from({ length: 40_000 }, () => '{"price":1530.1234567}').join(',')}]`;
    expect(readJson(text)).toHaveLength(40_000);
  });
});
