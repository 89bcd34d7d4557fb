/** The key in a text of others, in any spelling; and every other text as it came. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from '../../src/client/json.ts';
import { ApiKey, keyMaskOf } from '../../src/domain/api-key.ts';
import { IN_JSON, IN_TEXT } from '../support/key-spellings.ts';

const KEY = 'hk_test_for/Tests+Alone&~0003';
const MASKED = 'hk_test_…0003';
const mask = keyMaskOf(ApiKey.of(KEY));

describe('the mask of a key', () => {
  it.each(IN_TEXT)('finds it where a text holds it spelled as %s', (_, spelled) => {
    expect(mask.text(`Bearer ${spelled(KEY)}.`)).toMatch(/^Bearer hk_test_…0003(?:\u00ad|\u200d\ufe0f)?\.$/u);
  });

  it.each(IN_JSON)('finds it in texts and names of JSON that has it with %s', (_, spelled) => {
    const json = `{"a":["${spelled(KEY)}",1.50],"${spelled(KEY)}":{"b":"x ${spelled(KEY)} y"}}`;
    expect(mask.value(readJson(json))).toEqual({
      a: [MASKED, expect.objectContaining({ s: 1 })],
      [MASKED]: { b: `x ${MASKED} y` },
    });
  });

  it.each(IN_TEXT)('finds its secret part alone where it is spelled as %s', (_, spelled) => {
    expect(mask.text(`token ${spelled(KEY.slice('hk_test_'.length))}.`)).toContain(`token ${MASKED}`);
  });

  it('leaves a short secret alone without its head', () => {
    expect(keyMaskOf(ApiKey.of('hk_test_market')).text('market hk_test_market')).toBe('market hk_test_…');
  });

  it('keeps fields that every object has, as fields', () => {
    const value = mask.value(readJson(`{"__proto__":{"key":"${KEY}"},"constructor":"x\\u0041"}`));
    expect(JSON.stringify(value)).toBe(`{"__proto__":{"key":"${MASKED}"},"constructor":"xA"}`);
  });

  it('says the mask itself, whatever the key ends with', () => {
    const odd = "hk_test_forTestsAlone$&$'";
    expect(keyMaskOf(ApiKey.of(odd)).text(`x ${odd} y`)).toBe("x hk_test_…$&$' y");
  });

  it('leaves every text alone that is not the key', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\\'.repeat(50),
        '%25%25',
        '&amp;#',
        KEY.slice(0, -1),
        `${KEY.slice(0, 12)} ${KEY.slice(12)}`,
      ),
    );
    expect(fc.check(fc.property(texts, (text) => mask.text(text) === text))).toMatchObject({ failed: false });
  });

  it.each([
    ['backslashes', '\\'],
    ['percent signs', '%25'],
    ['ampersands', '&amp;'],
    ['the beginning of the key', KEY.slice(0, -1)],
    ['its first letter and what shows nothing', `h${'\u00ad'.repeat(9)}`],
  ])('does not go back and forth over many %s', (_, piece) => {
    // A pattern that did would not end within the time of any test.
    expect(mask.text(piece.repeat(100_000))).toBe(piece.repeat(100_000));
  });
});
