/** Words and cells of one sentence. */
import { expect, it } from 'vitest';
import { type Cell, nameText, phrase, text } from '../../src/output/cells.ts';

const SIZE: Cell = { kind: 'money', amount: '10', unit: 'USD' };

it('splits a sentence at its cells, and only there', () => {
  expect(phrase`Total ${'buy'} ${SIZE} in ${2} hedges ${false} of ${[nameText('PAY-1', 'dim')]}.`).toEqual([
    text('Total buy'),
    SIZE,
    text('in 2 hedges'),
    text('of'),
    text('PAY-1', 'dim'),
    text('.'),
  ]);
  expect(phrase`${SIZE}`).toEqual([SIZE]);
  expect(phrase``).toEqual([]);
});
