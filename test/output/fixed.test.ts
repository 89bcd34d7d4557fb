import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { roundCell } from '../../src/output/render-table.ts';
import { signedCell } from '../../src/output/views/record-columns.ts';

describe('a figure in a column', () => {
  it.each([
    ['12.345', '12.35', 'good', true],
    ['-12.3', '-12.3', 'bad', false],
    // What shows no sign any more shows no colour that stands for one.
    ['-0.004', '0', 'plain', true],
    ['0.0049', '0', 'plain', true],
    ['0', '0', 'plain', false],
  ])('a gain of %s is %s, %s', (sent, shown, tone, cut) => {
    const { cell: fixed, isCut } = roundCell(signedCell(new Big(sent)));
    const { amount } = 'amount' in fixed ? fixed : {};
    expect([Number(amount).toString(), 'tone' in fixed ? fixed.tone : undefined, isCut]).toEqual([
      shown,
      tone,
      cut,
    ]);
  });
});
