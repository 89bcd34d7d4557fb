import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { similarForm } from '../../src/domain/similar-ids.ts';

describe('deal IDs that look alike', () => {
  it.each([
    ['leading zeros', '00123', '123'],
    ['decimals that a spreadsheet adds', '1001.0', '1001'],
    ['both', '01001.00', '1001'],
    ['zeros after a decimal', '1001.50', '1001.5'],
    ['case', 'PAY-1', 'pay-1'],
    ['case of another script', 'ÉTÉ-1', 'été-1'],
    ['a capital that folds twice', 'GRO\u1e9e-1', 'gross-1'],
    ['an en dash', 'PAY\u20131', 'PAY-1'],
    ['a minus sign', 'PAY\u22121', 'PAY-1'],
    ['a hyphen that does not break', 'PAY\u20111', 'PAY-1'],
    ['a full-width dash', 'PAY\uff0d1', 'PAY-1'],
    ['a blank that does not break', 'PAY\u00a01', 'PAY 1'],
    ['two blanks', 'PAY  1', 'PAY 1'],
    ['composed and decomposed letters', 'CAF\u00c9', 'CAFE\u0301'],
    ['full-width letters and digits', '\uff30\uff21\uff39-\uff11', 'PAY-1'],
    ['full-width digits with zeros', '\uff10\uff11', '1'],
  ])('are the same in spite of %s', (_what, one, other) => {
    expect(similarForm(one)).toBe(similarForm(other));
  });

  it.each([
    ['PAY-1', 'PAY-2'],
    ['PAY-1', 'PAY-01'],
    ['PAY-1', 'PAY1'],
    ['1001.5', '1001'],
    ['0', '00.1'],
    ['10', '1'],
    ['100', '1'],
  ])('are not %s and %s', (one, other) => {
    expect(similarForm(one)).not.toBe(similarForm(other));
  });

  it('have a form that is its own form, with each letter of the planes that have any', () => {
    const changing: string[] = [];
    for (let point = 0; point < 0x30000; point += 1) {
      const letter = String.fromCodePoint(point);
      const forms = [`1${letter}`, letter, `${letter}a`].map(similarForm);
      if (forms.some((form) => similarForm(form) !== form)) changing.push(point.toString(16));
    }
    expect(changing).toEqual([]);
  });

  it('have a form that is its own form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(similarForm(similarForm(text))).toBe(similarForm(text));
      }),
    );
  });
});
