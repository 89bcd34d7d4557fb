/** What somebody typed, repeated in a message: recognisable, bounded, and harmless on a terminal. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quoted } from '../../src/domain/quoted.ts';

/** Nothing that moves a cursor, reorders, hides or ends a line: all that a message may hold besides letters. */
const HARMLESS = /^[^\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{2800}]*$/u;

describe('quoted', () => {
  it.each([
    ['10000', '"10000"'],
    ['', '""'],
    ['Zahlung für Ọlá 💶', '"Zahlung für Ọlá 💶"'],
    ['say "x" \\n', String.raw`"say \"x\" \\n"`],
    ['a\tb\r\nc', String.raw`"a\tb\r\nc"`],
    ['\u001b[2J\u009b0m\u007f', String.raw`"\u{1b}[2J\u{9b}0m\u{7f}"`],
    ['\u202Eabc\u2066', String.raw`"\u{202e}abc\u{2066}"`],
    ['a\u200Bb\uFEFF\u00AD', String.raw`"a\u{200b}b\u{feff}\u{ad}"`],
    ['a\u00A0b\u3000c\u2028d', String.raw`"a\u{a0}b\u{3000}c\u{2028}d"`],
    ['\uD800', String.raw`"\u{d800}"`],
    ['\u{E0041}', String.raw`"\u{e0041}"`],
  ])('%j is shown as %s', (text, shown) => {
    expect(quoted(text)).toBe(shown);
  });

  it('shows 60 characters and then that there are more', () => {
    expect(quoted('x'.repeat(60))).toBe(`"${'x'.repeat(60)}"`);
    expect(quoted('💶'.repeat(61))).toBe(`"${'💶'.repeat(60)}…"`);
    expect(quoted('\0'.repeat(1_000_000)).length).toBeLessThan(400);
  });

  it('never lets anything through that acts, hides or reorders, whatever was typed', () => {
    const nasty = fc.constantFrom(
      '\u001b',
      '\u009b',
      '\u202e',
      '\u2028',
      '\u0000',
      '\u{e0001}',
      '\\',
      '"',
      '\ud800',
    );
    const typed = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary' })), { maxLength: 30 });
    fc.assert(
      fc.property(typed, (parts) => {
        expect(quoted(parts.join(''))).toMatch(HARMLESS);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a key that was typed in the wrong place', () => {
  it.each([
    ['hk_live_0123456789abcdef', '"hk_live_…"'],
    ['--key=hk_test_0123456789abcdef', '"--key=hk_test_…"'],
    ['Q4_live_20261120', '"Q4_live_20261120"'],
  ])('%s is shown as %s', (text, shown) => {
    expect(quoted(text)).toBe(shown);
  });

  it('is looked for without long waiting, however much was typed', () => {
    expect(quoted('x'.repeat(3_000_000))).toBe(`"${'x'.repeat(60)}…"`);
  });
});
