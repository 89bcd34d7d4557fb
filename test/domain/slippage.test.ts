import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FillPrice, slippageOf, worseByBps } from '../../src/domain/price-bounds.ts';

const fill = (
  side: FillPrice['side'],
  notional: string,
  [quoted, struck]: readonly [string, string],
): FillPrice => ({
  side,
  notional: new Big(notional),
  quoted: new Big(quoted),
  struck: new Big(struck),
});

describe('slippage', () => {
  it.each([
    // 0.15 / 1500 = 1 bps; 50,000 × 0.0001 = 5 USD
    ['a buy struck above the quote is worse', 'buy', ['1500', '1500.15'], '1', '5'],
    ['a buy struck below the quote is better', 'buy', ['1500', '1499.85'], '-1', '-5'],
    ['a sell struck below the quote is worse', 'sell', ['1500', '1499.85'], '1', '5'],
    ['a sell struck above the quote is better', 'sell', ['1500', '1500.15'], '-1', '-5'],
    ['a fill at the quote is neither', 'sell', ['1500', '1500'], '0', '0'],
    // 0.15 / 1532.56 = 0.97875 45 … bps; 50,000 × 0.15 / 1532.56 = 7500 / 1532.56 = 4.8937725 …
    ['figures are rounded once', 'buy', ['1532.56', '1532.71'], '0.9788', '4.893773'],
    // 0.0000001 / 1500 × 10,000 = 0.00000067 bps, and × 50,000 = 0.0000033 USD
    ['what is far too small to show is nothing', 'buy', ['1500', '1500.0000001'], '0', '0.000003'],
  ] as const)('%s', (_, side, prices, bps, usd) => {
    const found = slippageOf(fill(side, '50000', prices));
    expect([found.slippage_bps.toFixed(), found.slippage_usd.toFixed()]).toEqual([bps, usd]);
  });

  it('grows with the notional in USD and not in basis points', () => {
    const found = slippageOf(fill('sell', '1000000', ['1500', '1499.85']));
    expect([found.slippage_bps.toFixed(), found.slippage_usd.toFixed()]).toEqual(['1', '100']);
  });

  it('of one side is the opposite of the other', () => {
    const price = fc.integer({ min: 1, max: 10_000_000 }).map((ticks) => new Big(ticks).div(1000).toFixed());
    fc.assert(
      fc.property(price, price, (quoted, struck) => {
        const buy = slippageOf(fill('buy', '777.77', [quoted, struck]));
        const sell = slippageOf(fill('sell', '777.77', [quoted, struck]));
        expect(buy.slippage_bps.plus(sell.slippage_bps).toFixed()).toBe('0');
        expect(buy.slippage_usd.plus(sell.slippage_usd).toFixed()).toBe('0');
      }),
    );
  });

  it('of a price that is none is not worked out', () => {
    expect(() => slippageOf(fill('buy', '1', ['0', '1']))).toThrow(RangeError);
    expect(() => worseByBps('buy', { shown: new Big(-1), now: new Big(1) })).toThrow(RangeError);
  });
});

describe('a price read again', () => {
  it.each([
    ['buy', '1500', '1501.5', '10'],
    ['buy', '1500', '1498.5', '-10'],
    ['sell', '1500', '1498.5', '10'],
    ['sell', '1500', '1501.5', '-10'],
  ] as const)('of a %s shown at %s and now %s is worse by %s bps', (side, shown, now, bps) => {
    expect(worseByBps(side, { shown: new Big(shown), now: new Big(now) }).toFixed()).toBe(bps);
  });
});
