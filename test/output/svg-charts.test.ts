/** Charts of the page of a report, where the figures leave no scale. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { barChart, lineChart, waterfallChart } from '../../src/output/svg-charts.ts';

describe('a chart of the page', () => {
  it.each([0, 7, -7])('whose values are all %d has a place for each of them', (value) => {
    const amount = new Big(value);
    const words = { title: 'P&L', label: (shown: number) => shown.toFixed(2) };
    const charts = [
      waterfallChart([{ name: 'market', amount, shown: '' }], words),
      lineChart(
        [0, 1].map((ms) => ({ ms, value: amount })),
        { ...words, ends: ['first', 'last'] },
      ),
      barChart([{ name: '11-20', values: [amount, undefined] }], { ...words, kinds: ['one', 'other'] }),
    ];
    for (const chart of charts) {
      expect(chart).not.toMatch(/NaN|Infinity|undefined/);
      expect(new Set(chart.match(/class="(?:grid|zero)"[^>]* y1="[^"]*"/g)).size).toBeGreaterThan(1);
    }
  });
});
