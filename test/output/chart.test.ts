import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { ChartBlock } from '../../src/output/blocks.ts';
import { renderHuman } from '../../src/output/render-human.ts';

const VIEW = { colour: 0, unicode: true, zone: 'UTC', now: Date.parse('2026-11-20T09:00:00Z') } as const;

const chart = (values: readonly (string | number)[], more: Partial<ChartBlock> = {}): ChartBlock => ({
  kind: 'chart',
  points: values.map((y, x) => ({ x, y: new Big(y) })),
  label: (y) => ({ kind: 'money', amount: y, signed: true, unit: 'USD' }),
  ends: [
    { kind: 'text', text: 'first' },
    { kind: 'text', text: 'last' },
  ],
  height: 5,
  empty: 'Nothing yet.',
  ...more,
});

const drawn = (block: ChartBlock, view: { width: number; unicode?: boolean }): string =>
  renderHuman([block], { ...VIEW, ...view });

describe('a line through points', () => {
  it('is shown between labels with unit and sign, and the ends below', () => {
    expect(drawn(chart([-10, 0, 30, 20]), { width: 44 })).toBe(
      [
        '+30.00 USD ┤                   ╭──────╮',
        '           ┤                ╭──╯      ╰─────',
        '+10.00 USD ┤             ╭──╯',
        '           ┤      ╭──────╯',
        '-10.00 USD ┤──────╯',
        '           └────────────────────────────────',
        '            first                       last',
        '',
      ].join('\n'),
    );
  });

  it.each([20, 40, 60, 80, 120, 200])('fits %i columns, in letters that any terminal has', (width) => {
    const values = Array.from({ length: 500 }, (_, index) => (index * 7919) % 613);
    for (const unicode of [true, false]) {
      const lines = drawn(chart(values), { width, unicode }).split('\n');
      for (const each of lines) expect([...each].length).toBeLessThanOrEqual(Math.max(width, 24));
      if (!unicode) expect(lines.join('')).toMatch(/^[\x20-\x7e]*$/);
    }
  });

  it.each([
    ['one point', [5], /^\+5\.00 USD ┤•$/m],
    ['a line that does not move', [5, 5, 5], /^\+5\.00 USD ┤─+$/m],
    ['nothing', [], /^Nothing yet\.$/m],
  ])('draws %s', (_, values, shows) => {
    expect(drawn(chart(values), { width: 60 })).toMatch(shows);
  });

  it.each([
    ['all of it happened at one moment', [0, 0]],
    ['several happened at the last moment', [0, 5, 9, 9, 9]],
    ['some happened at once on the way', [0, 5, 5, 9]],
  ])('ends at the last point when %s', (_, moments) => {
    const points = moments.map((x, index) => ({ x, y: new Big(-10 * index) }));
    const lines = drawn(chart([], { points }), { width: 60 }).split('\n');
    expect(lines[0]).toMatch(/0\.00 USD ┤─+╮/);
    const ends = lines.slice(0, 5).map((each) => [...each.trimEnd()].length);
    expect(ends.lastIndexOf(Math.max(...ends))).toBe(4);
  });

  it('places points by their distance, not by their count', () => {
    const points = [0, 1, 2, 100].map((x, index) => ({ x, y: new Big(index === 3 ? 10 : 0) }));
    const [top = ''] = drawn(chart([], { points }), { width: 60 }).split('\n');
    expect(top.trimEnd()).toHaveLength(60);
    expect(top).toMatch(/┤ {35,}/);
  });
});
