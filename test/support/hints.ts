/** The hint of an error as text, for a matcher of its other parts. */

import { hintText } from '../../src/domain/hint.ts';
import { type Hint, hintLines } from '../../src/errors.ts';

const isHint = (value: unknown): value is Hint => typeof value === 'object' || typeof value === 'string';

/** Matches a hint whose text has this in it. */
export const hinting = (part: string | RegExp): unknown => ({
  $$typeof: Symbol.for('jest.asymmetricMatcher'),
  asymmetricMatch: (value: unknown): boolean => {
    const text = isHint(value) ? hintText(hintLines(value)) : '';
    return typeof part === 'string' ? text.includes(part) : part.test(text);
  },
  toString: () => `a hint with ${String(part)}`,
});
