import { describe, expect, it } from 'vitest';
import { changedSince } from '../../src/trading/confirm.ts';
import { hedge, planOf, position, quote, sideBook } from './facts.ts';

const priced = (side: 'buy' | 'sell', executionPrice: number) =>
  planOf(`open USDTNGN ${side} 10000`, {
    facts: {
      quote: quote(side, '10000', {
        pricing: { market_price: 1_000, execution_price: executionPrice, price_impact_usd: -6 },
      }),
    },
  });

describe('a change between the preview and the send', () => {
  it.each([
    ['buy', '10 bps above', 1_001, undefined],
    ['buy', 'a hair more', 1_001.001, 'the price is now 1,001.001, 10 bps worse than 1,000.00'],
    ['buy', '20 bps above', 1_002, 'the price is now 1,002.00, 20 bps worse than 1,000.00'],
    ['buy', 'far better', 900, undefined],
    ['sell', '10 bps below', 999, undefined],
    ['sell', '20 bps below', 998, 'the price is now 998.00, 20 bps worse than 1,000.00'],
    ['sell', 'far better', 1_100, undefined],
  ] as const)('a %s at %s', (side, _what, now, message) => {
    expect(changedSince(priced(side, 1_000), priced(side, now))).toBe(message);
  });

  const marked = (line: string, mark: number) => {
    const side = line.includes('sell') ? 'sell' : 'buy';
    const hedges = [hedge('hdg_A', 10_000, { side })];
    const positions = [position({ side, mark_price: mark })];
    return planOf(line, { facts: { sidePosition: sideBook({ hedges, positions }, side) } });
  };

  it.each([
    ['close USDTNGN buy', 999, undefined],
    ['close USDTNGN buy', 998, 'the mark price is now 998.00, 20 bps worse than 1,000.00'],
    ['close USDTNGN buy', 1_100, undefined],
    ['reduce USDTNGN buy 5000', 998, 'the mark price is now 998.00, 20 bps worse than 1,000.00'],
    ['close USDTNGN sell', 1_002, 'the mark price is now 1,002.00, 20 bps worse than 1,000.00'],
    ['close USDTNGN sell', 900, undefined],
  ] as const)('%s, whose mark price is now %s', (line, now, message) => {
    expect(changedSince(marked(line, 1_000), marked(line, now))).toBe(message);
  });

  const half = (hedges = [hedge('hdg_B', 30_000), hedge('hdg_A', 10_000)]) =>
    planOf('reduce USDTNGN buy', { options: { by: '50%' }, facts: { sidePosition: sideBook({ hedges }) } });

  it('a colleague changed the size of a part', () => {
    expect(changedSince(half(), half([hedge('hdg_B', 40_000), hedge('hdg_A', 10_000)]))).toBe(
      'the reduction is now 25,000.00 USD instead of 20,000.00 USD',
    );
  });

  it.each([
    'open USDTNGN buy 10000',
    'add USDTNGN buy 10000',
    'reduce USDTNGN buy 5000',
    'close USDTNGN buy',
  ])('a colleague traded on the side of: %s', (line) => {
    const grown = sideBook({
      hedges: [hedge('hdg_C', 7_000), hedge('hdg_B', 30_000), hedge('hdg_A', 10_000)],
    });
    expect(changedSince(planOf(line), planOf(line, { facts: { sidePosition: grown } }))).toBe(
      'USDTNGN buy changed from 40,000.00 USD to 47,000.00 USD',
    );
  });

  it('the same total in other hedges is another side', () => {
    const swapped = sideBook({ hedges: [hedge('hdg_C', 30_000), hedge('hdg_A', 10_000)] });
    const close = 'close USDTNGN buy';
    expect(changedSince(planOf(close), planOf(close, { facts: { sidePosition: swapped } }))).toBe(
      'the hedges on USDTNGN buy changed',
    );
  });

  it('a reduction of the same size closes what is left of the side', () => {
    const reduce = (size: number) =>
      planOf('reduce USDTNGN buy 5000', {
        facts: { sidePosition: sideBook({ hedges: [hedge('hdg_A', size)] }) },
      });
    expect(changedSince(reduce(10_000), reduce(5_000))).toBe('the reduction now closes the side');
    expect(changedSince(reduce(5_000), reduce(10_000))).toBe('the reduction no longer closes the side');
  });

  it('the price and the side: both are named', () => {
    const close = (mark: number, size: number) =>
      planOf('close USDTNGN buy', {
        facts: {
          sidePosition: sideBook({
            hedges: [hedge('hdg_A', size)],
            positions: [position({ mark_price: mark })],
          }),
        },
      });
    expect(changedSince(close(1_000, 10_000), close(998, 15_000))).toBe(
      'the mark price is now 998.00, 20 bps worse than 1,000.00, and USDTNGN buy changed from 10,000.00 USD to 15,000.00 USD',
    );
  });

  it('nothing, when nothing did', () => {
    expect(changedSince(half(), half())).toBeUndefined();
    expect(changedSince(priced('buy', 1_000), priced('buy', 1_000))).toBeUndefined();
  });
});
