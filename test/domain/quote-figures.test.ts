import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { type QuoteTerms, quoteFigures } from '../../src/domain/quote-figures.ts';
import type { Side } from '../../src/domain/vocabulary.ts';

const terms = (
  side: Side,
  [notional, market, execution, carry, fee]: readonly [string, string, string, string, string],
): QuoteTerms => ({
  side,
  notional_usd: new Big(notional),
  pricing: { market_price: new Big(market), execution_price: new Big(execution) },
  carry: { total_usdc: new Big(carry) },
  upfront: { platform_fee_usdc: new Big(fee) },
});

const spelled = (quote: QuoteTerms): Record<string, string> =>
  Object.fromEntries(Object.entries(quoteFigures(quote)).map(([name, figure]) => [name, figure.toFixed()]));

describe('the derived figures of a quote', () => {
  it('are those worked out by hand for a buy', () => {
    // N 10,000, M 1530, K 1530.918 (6 bps above), carry 15, fee 10: C = 25.
    // impact     10,000 × (1530.918 − 1530) / 1530 = 9180 / 1530 = 6
    // cost       6 + 15 + 10 = 31, which is 31 / 10,000 = 31 bps
    // all in     1530.918 × 10,000 / (10,000 − 25) = 15,309,180 / 9975
    //            9975 × 1534 = 15,301,650, rest 7530, 7530 / 9975 = 0.754887218…
    // move       (1534.754887218… − 1530) / 1530 = 4.754887218… / 1530 = 0.31077694… %
    expect(spelled(terms('buy', ['10000', '1530', '1530.918', '15', '10']))).toEqual({
      all_in_rate: '1534.75488722',
      move_to_break_even_pct: '0.310777',
      impact_cost_usd: '6',
      cost_usdc: '31',
      cost_bps: '31',
      notional_quote: '15309180',
    });
  });

  it('are those worked out by hand for a sell that earns carry', () => {
    // N 10,000, M 1530, K 1529.082 (6 bps below), carry −6, fee 10: C = 4.
    // impact     −10,000 × (1529.082 − 1530) / 1530 = 9180 / 1530 = 6: still a cost
    // cost       6 − 6 + 10 = 10, which is 10 bps
    // all in     1529.082 × 10,000 / (10,000 + 4) = 15,290,820 / 10,004
    //            10,004 × 1528 = 15,286,112, rest 4708, 4708 / 10,004 = 0.470611755…
    // move       (1528.470611755… − 1530) / 1530 = −1.529388244… / 1530 = −0.09996001… %
    expect(spelled(terms('sell', ['10000', '1530', '1529.082', '-6', '10']))).toEqual({
      all_in_rate: '1528.47061176',
      move_to_break_even_pct: '-0.09996',
      impact_cost_usd: '6',
      cost_usdc: '10',
      cost_bps: '10',
      notional_quote: '15290820',
    });
  });

  it('show a price better than the market, and carry that pays for all, as negative costs', () => {
    // A buy at 1529.235 (5 bps under 1530): impact −5; carry −20, fee 10: −15 in all, −15 bps of 10,000.
    // all in: 1529.235 × 10,000 / (10,000 + 10) = 15,292,350 / 10,010 = 1527.70729270…
    expect(spelled(terms('buy', ['10000', '1530', '1529.235', '-20', '10']))).toMatchObject({
      impact_cost_usd: '-5',
      cost_usdc: '-15',
      cost_bps: '-15',
      all_in_rate: '1527.70729271',
    });
  });

  it.each(['buy', 'sell'] as const)(
    'let a %s that matures at its all-in rate pay exactly its costs',
    (side) => {
      const quote = terms(side, ['50000', '1530.41', '1532.562588', '52.5', '50']);
      const rate = quoteFigures(quote).all_in_rate ?? new Big(0);
      const sign = side === 'buy' ? 1 : -1;
      // The NDF formula: N × (rate − K) / rate for a buy, its negative for a sell.
      const gain = quote.notional_usd.times(rate.minus(quote.pricing.execution_price)).div(rate).times(sign);
      expect(gain.minus('102.5').abs().lt('0.000001')).toBe(true);
    },
  );

  it('round each figure once, half-even', () => {
    // N 1, M 3, K 3.000001: impact 0.000001 / 3 = 0.00000033… → 0; cost 0.0000005 + that = 0.00000083… → 0.000001
    expect(spelled(terms('buy', ['1', '3', '3.000001', '0.0000005', '0']))).toMatchObject({
      impact_cost_usd: '0',
      cost_usdc: '0.000001',
    });
  });

  it('leave the break-even out when costs eat the whole notional of a buy', () => {
    const figures = quoteFigures(terms('buy', ['100', '1530', '1530', '90', '10']));
    expect(figures).not.toHaveProperty('all_in_rate');
    expect(figures).not.toHaveProperty('move_to_break_even_pct');
    expect(figures.cost_bps.toFixed()).toBe('10000');
  });

  it.each([
    ['notional', ['0', '1530', '1530', '1', '1']],
    ['market price', ['100', '0', '1530', '1', '1']],
    ['execution price', ['100', '1530', '-1', '1', '1']],
  ] as const)('are not derived from a %s of nothing', (_, figures) => {
    expect(() => quoteFigures(terms('buy', figures))).toThrow(RangeError);
  });
});
