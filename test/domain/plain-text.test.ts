/** Of plain text nothing is asked: whatever would have been said of each of its characters is compared here. */
import { describe, expect, it } from 'vitest';
import { isPlain, sanitize } from '../../src/domain/sanitize.ts';
import { graphemesOf, graphemeWidth, textWidth } from '../../src/domain/text-width.ts';

const EVERY = Array.from({ length: 0x1_0000 }, (_, point) => String.fromCharCode(point));
const PLAIN = EVERY.filter(isPlain);
/** A letter that is not plain: what stands beside it is looked at. */
const WIDE = '人';

describe('plain text', () => {
  it('is what the desk writes itself', () => {
    expect(isPlain('LIVE · desk: 1,530.10 → 1,532.56 (−0.28 %)… £ € ₦ é ×')).toBe(true);
  });

  it('is no text that a terminal obeys, hides or makes wider', () => {
    const strange = ['\n', '\u001b', '\u009b', '\u00ad', '\u0301', '\u200b', '\u202e', '\u2800', '⌚', WIDE];
    expect(strange.filter(isPlain)).toEqual([]);
  });

  it('has characters that each stand alone, in one column, as they are', () => {
    const joined = PLAIN.filter((each) => graphemesOf(`a${each}${WIDE}`).length !== 3);
    const wider = PLAIN.filter((each) => graphemeWidth(each) !== 1 || textWidth(each + WIDE) !== 3);
    const changed = PLAIN.filter((each) => sanitize(each + WIDE) !== each + WIDE);
    expect({ joined, wider, changed }).toEqual({ joined: [], wider: [], changed: [] });
  });
});
