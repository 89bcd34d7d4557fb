import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/output/blocks.ts';
import { renderHuman } from '../../src/output/render-human.ts';

const VIEW = { colour: 0, zone: 'UTC', now: Date.parse('2026-11-20T09:00:00Z') } as const;

const drawn = (block: Block, { width = 60, unicode = true }: { width?: number; unicode?: boolean } = {}) =>
  renderHuman([block], { ...VIEW, width, unicode });

const spark = (values: readonly number[]): Block => ({
  kind: 'spark',
  values: values.map((value) => new Big(value)),
});

describe('how something went', () => {
  it.each([
    ['up', [1, 2, 3, 4, 5, 6, 7, 8], '▁▂▃▄▅▆▇█\n', '_.-:=+*#\n'],
    ['nowhere', [5, 5, 5], '▅▅▅\n', '===\n'],
    ['not yet', [5], '', ''],
  ])('%s, in letters of the terminal', (_, values, unicode, ascii) => {
    expect(drawn(spark(values))).toBe(unicode);
    expect(drawn(spark(values), { unicode: false })).toBe(ascii);
  });

  it('has its first and last value at the ends, however many there are', () => {
    const values = Array.from({ length: 5_000 }, (_, index) => (index === 4_999 ? 9_000 : index));
    const text = drawn(spark(values), { width: 40 }).trimEnd();
    expect([...text]).toHaveLength(40);
    expect([text.at(0), text.at(-1)]).toEqual(['▁', '█']);
  });
});

describe('how full something is', () => {
  const bars: Block = {
    kind: 'bars',
    rows: [
      { name: 'Headroom', part: 0.5, cells: [{ kind: 'money', amount: '250000', unit: 'USD' }] },
      { name: 'Over', part: 1.7, cells: [{ kind: 'money', amount: '9', unit: 'USD' }] },
      { name: 'Balance', part: undefined, cells: [{ kind: 'money', amount: '9', unit: 'USDC' }] },
    ],
  };

  it('is a bar of one length with the figure next to it, and none where there is no whole', () => {
    expect(drawn(bars, { width: 40 })).toBe(
      [
        'Headroom  ███████░░░░░░░  250,000.00 USD',
        'Over      ██████████████  9.00 USD',
        'Balance                   9.00 USDC',
        '',
      ].join('\n'),
    );
    expect(drawn(bars, { width: 40, unicode: false })).toContain('Headroom  #######.......  250,000.00 USD');
  });

  it('is its figure alone where a bar has no room', () => {
    expect(drawn(bars, { width: 28 })).toMatch(/^Headroom {2}250,000\.00 USD$/m);
  });
});

describe('two columns', () => {
  const block: Block = {
    kind: 'columns',
    left: [{ kind: 'line', cells: [{ kind: 'text', text: 'left' }] }],
    right: [{ kind: 'line', cells: [{ kind: 'text', text: 'right' }] }],
  };

  it('are side by side in a wide window, and stacked in a narrow one', () => {
    expect(drawn(block, { width: 120 })).toMatch(/^left {57}right\n$/);
    expect(drawn(block, { width: 80 })).toBe('left\n\nright\n');
  });
});
