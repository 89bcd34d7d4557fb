import { describe, expect, it } from 'vitest';
import { progressBar } from '../../src/terminal/progress.ts';

describe('the bar', () => {
  it.each([
    [{ done: 0, failed: 0, total: 30 }, '[--------------------] 0/30'],
    [{ done: 15, failed: 0, total: 30 }, '[##########----------] 15/30'],
    [{ done: 29, failed: 2, total: 30 }, '[###################-] 29/30, 2 failed'],
    [{ done: 30, failed: 0, total: 30 }, '[####################] 30/30'],
  ])('is full when everything is done, and not before: %j', (state, bar) => {
    expect(progressBar(state)).toBe(bar);
  });
});
