/** Every goal of trust has a test that counts its runs and violations under its letter: the soak's table is the list. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import goals from '../soak/goals.json' with { type: 'json' };

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
