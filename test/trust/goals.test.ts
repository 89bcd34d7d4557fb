/** Every goal of trust has a test that counts its runs and violations under its letter: the soak's table is the list. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import goals from '../soak/goals.json' with { type: 'json' };
import { oneOfEach } from '../support/goal.ts';

const TESTS = fileURLToPath(new URL('..', import.meta.url));

/** Letters of the goals that stand at the head of a row's name in some test: `R2 R5 faults × phases`. */
const counted = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.ts') || name === join('soak', 'run.mjs'))
  .flatMap((name) => [...readFileSync(join(TESTS, name), 'utf8').matchAll(/['`]((?:[RS]\d+ )+)\w/g)])
  .flatMap(([, letters = '']) => letters.trim().split(' '));

describe('a goal of trust', () => {
  it.each(Object.entries(goals))('%s (%s) has a test of its own', (letter) => {
    expect(counted).toContain(letter);
  });

  it('is one of the list, where a test counts for it', () => {
    expect(counted.filter((letter) => !Object.hasOwn(goals, letter))).toEqual([]);
  });
});

describe('what is tried of all cases', () => {
  const numbers = (count: number): readonly number[] => [...Array(count).keys()];

  it.each([2, 3, 4, 5, 6, 8, 10, 31])('one of %i, is each kind of whatever was combined', (many) => {
    const tried = oneOfEach(numbers(80 * many), many);
    expect(tried).toHaveLength(80);
    for (const kinds of [2, 3, 4, 6, 8])
      expect(new Set(tried.map((index) => index % kinds))).toEqual(new Set(numbers(kinds)));
  });

  it('is the same every time, in order, and all of them where one of one is asked for', () => {
    const tried = oneOfEach(numbers(95), 10);
    expect(tried).toHaveLength(10);
    expect(tried).toEqual(oneOfEach(numbers(95), 10).toSorted((one, other) => one - other));
    expect(oneOfEach(numbers(7), 1)).toEqual(numbers(7));
  });
});
