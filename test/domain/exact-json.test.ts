import { Big } from 'big.js';
import * as fc from 'fast-check';
import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { writeExactJson } from '../../src/domain/exact-json.ts';

const read = (json: string): unknown => parse(json, null, { parseNumber: (digits) => new Big(digits) });

describe('a document with exact numbers', () => {
  it.each([
    ['12345678901234567.89', '12345678901234567.89'],
    ['0.1', '0.1'],
    ['-1532.56', '-1532.56'],
    ['0', '0'],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['0.0000000000000000001', '0.0000000000000000001'],
    ['1e3', '1000'],
  ])('prints %s as %s', (digits, printed) => {
    expect(writeExactJson({ amount: new Big(digits) })).toBe(`{"amount":${printed}}`);
  });

  it.each([
    ['0.1', '12345678901234567.89'],
    ['1532.56', '0.0000001'],
    ['-0.25', '1000000000000000000000'],
  ])('prints %s as it is beside %s, which JavaScript writes otherwise', (amount, long) => {
    const document = {
      first: new Big(amount),
      all: [new Big(long)],
      text: amount,
      count: 3,
      none: undefined,
    };
    expect(writeExactJson(document)).toBe(`{"first":${amount},"all":[${long}],"text":"${amount}","count":3}`);
  });

  it('does not turn a few bytes of exponent into a megabyte of zeros', () => {
    expect(writeExactJson([new Big('1e1000000'), new Big('1e-1000000')])).toBe('[1e+1000000,1e-1000000]');
  });

  it('indents by the blanks asked for, and is on one line otherwise', () => {
    expect(writeExactJson({ a: [1, null] })).toBe('{"a":[1,null]}');
    expect(writeExactJson({ a: [new Big(1)] }, { indent: 2 })).toBe('{\n  "a": [\n    1\n  ]\n}');
  });

  it('leaves out what has no value, and writes nothing at all as null', () => {
    expect(writeExactJson({ a: undefined, b: null })).toBe('{"b":null}');
    expect(writeExactJson(undefined)).toBe('null');
  });

  it('keeps a key called __proto__', () => {
    const sent = read('{"__proto__":{"x":1}}');
    expect(writeExactJson(sent)).toBe('{"__proto__":{"x":1}}');
  });

  it('writes what was read, digit by digit', () => {
    fc.assert(
      fc.property(fc.bigInt(), fc.nat(12), (integer, decimals) => {
        const amount = new Big(integer.toString()).div(new Big(10).pow(decimals));
        const written = writeExactJson({ amount });
        expect(writeExactJson(read(written))).toBe(written);
      }),
    );
  });
});
