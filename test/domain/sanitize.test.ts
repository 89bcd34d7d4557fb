/** What others send is harmless on a terminal: the judge is a terminal emulator, not our own regular expressions. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeJson, escapeJsonToAscii, sanitize } from '../../src/domain/sanitize.ts';
import { ATTACKS } from '../support/terminal-attacks.ts';
import { effectsOf } from '../support/terminal-effects.ts';

const ESC = '\u001b';

describe('text from the service on a terminal', () => {
  it.each(ATTACKS)('%s has no effect', async (_, attack) => {
    expect(await effectsOf(attack), 'the attack itself must be seen by the judge').not.toEqual([]);
    expect(await effectsOf(sanitize(attack))).toEqual([]);
  });

  it('any string at all is one harmless line', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.constantFrom(...ATTACKS.map(([, attack]) => attack), ESC, '\u009b', '\u009d', '[', ']', ';', '\\'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        expect(await effectsOf(sanitize(pieces.join('')))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    ['plain', 'USDTNGN buy 10,000.00'],
    ['accents', 'Société Générale, Zürich, Ọ̀yọ́'],
    ['Arabic and Hebrew letters', 'سعر שלום'],
    ['Devanagari with its vowel signs', 'नमस्ते'],
    ['Chinese, Japanese, Korean', '人民币 ナイラ 나이라'],
    ['emoji with a skin tone and a flag', '👍🏽 🇳🇬'],
    ['signs of the trade', '₦1,530.10 — 0.05 % ± 4 bps …'],
  ])('%s stays as it is', (_, text) => {
    expect(sanitize(text)).toBe(text);
  });

  it('shows that something was there, once for a run', () => {
    expect(sanitize(`a${ESC}[31m${ESC}[1mb\u202e\u202ec`)).toBe('a\ufffdb\ufffdc');
  });

  it('turns every kind of blank into one space each', () => {
    expect(sanitize('a\nb\r\nc\td\u00a0e\u3000f\u2028g')).toBe('a b c d e f g');
  });

  it('gives a mark with nothing under it a ring, so that it leaves the text before it alone', () => {
    expect(sanitize('\u0301x')).toBe('\u25cc\u0301x');
  });

  it('cuts a tower of marks down to what a script could need', () => {
    expect(sanitize(`a${'\u0300'.repeat(50)}b`)).toBe(`a${'\u0300'.repeat(4)}b`);
  });

  it('cleaning twice is cleaning once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(sanitize(sanitize(text))).toBe(sanitize(text));
      }),
    );
  });

  it('takes a megabyte of openers in well under a second', () => {
    const before = process.cpuUsage();
    for (const opener of [`${ESC}]`, '\u009d', `${ESC}[`, '\u009b', `${ESC}P`, 'a\u0300'])
      sanitize(opener.repeat(500_000));
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
  });
});

describe('JSON printed to a terminal', () => {
  it.each(ATTACKS)('%s has no effect and the value is unchanged', async (_, attack) => {
    const json = JSON.stringify({ [attack]: attack });
    const escaped = escapeJson(json);
    expect(JSON.parse(escaped)).toEqual({ [attack]: attack });
    expect(await effectsOf(escaped)).toEqual([]);
  });

  it('leaves ordinary letters raw, or spells them in ASCII when asked', () => {
    expect(escapeJson('{"a":"Ọ̀yọ́ 👍"}')).toBe('{"a":"Ọ̀yọ́ 👍"}');
    expect(escapeJsonToAscii('{"a":"é👍\u009b"}')).toBe(String.raw`{"a":"\u00e9\ud83d\udc4d\u009b"}`);
  });

  it('keeps every value, whatever the strings', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(escapeJson(JSON.stringify(text)))).toBe(text);
        expect(JSON.parse(escapeJsonToAscii(JSON.stringify(text)))).toBe(text);
      }),
    );
  });
});
