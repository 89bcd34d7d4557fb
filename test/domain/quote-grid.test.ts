import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { QuoteTerms } from '../../src/domain/quote-figures.ts';
import { customerRate, exceededBy, marginalBps } from '../../src/domain/quote-grid.ts';

const big = (digits: string | number): Big => new Big(digits);

/** N = 10,000, K = 1,516.25, carry and fee 25 together: the worked example of the treasury definitions. */
const worked = (changes: Partial<QuoteTerms> = {}): QuoteTerms => ({
  side: 'buy',
  notional_usd: big(10_000),
  pricing: { market_price: big(1515), execution_price: big('1516.25') },
  carry: { total_usdc: big(15) },
  upfront: { platform_fee_usdc: big(10) },
  ...changes,
});

describe("the customer's rate", () => {
  it('of a buy is the all-in rate and the markup above it', () => {
    // All-in: 1516.25 / (1 − 25/10,000) = 1516.25 / 0.9975 = 1520.0501253133;
    // × (1 + 35/10,000) = 1520.0501253133 × 1.0035 = 1525.37030075.
    expect(customerRate(worked(), big(35))?.toFixed()).toBe('1525.37030075');
  });

  it('of a sell is the all-in rate and the markup below it', () => {
    // All-in: 1516.25 / (1 + 25/10,000) = 1516.25 / 1.0025 = 1512.4688279302;
    // × (1 − 35/10,000) = 1512.4688279302 × 0.9965 = 1507.17518703.
    expect(customerRate(worked({ side: 'sell' }), big(35))?.toFixed()).toBe('1507.17518703');
  });

  it('without a markup is the all-in rate', () => {
    expect(customerRate(worked(), big(0))?.toFixed()).toBe('1520.05012531');
  });

  it('does not exist for a buy whose costs eat the notional', () => {
    expect(customerRate(worked({ carry: { total_usdc: big(9_990) } }), big(35))).toBeUndefined();
  });
});

describe('the marginal cost between two sizes', () => {
  const small = worked({
    pricing: { market_price: big(1500), execution_price: big('1500.9') },
  });
  const large = worked({
    notional_usd: big(20_000),
    pricing: { market_price: big(1500), execution_price: big('1501.2') },
    carry: { total_usdc: big(30) },
    upfront: { platform_fee_usdc: big(20) },
  });

  it('of a buy is the further cost over the further size', () => {
    // 10,000: impact 10,000 × 0.9/1500 = 6, and 25: 31. 20,000: 20,000 × 1.2/1500 = 16, and 50: 66.
    // (66 − 31) / (20,000 − 10,000) × 10⁴ = 35 bps.
    expect(marginalBps(small, large).toFixed()).toBe('35');
  });

  it('of a sell that earns can be negative', () => {
    const sold = (quote: QuoteTerms, carry: number, execution: string): QuoteTerms => ({
      ...quote,
      side: 'sell',
      carry: { total_usdc: big(carry) },
      pricing: { market_price: big(1500), execution_price: big(execution) },
    });
    // 10,000: impact 10,000 × 0.9/1500 = 6; 6 − 20 + 10 = −4. 20,000 at the same price: 12 − 40 + 20 = −8.
    // (−8 + 4) / 10,000 × 10⁴ = −4 bps.
    expect(marginalBps(sold(small, -20, '1499.1'), sold(large, -40, '1499.1')).toFixed()).toBe('-4');
  });

  it('takes each cost at its own market price, which may have moved', () => {
    // 20,000 at mid 1600, K 1601.28: 20,000 × 1.28/1600 = 16, and 50: 66 again. 35 bps.
    const moved = { ...large, pricing: { market_price: big(1600), execution_price: big('1601.28') } };
    expect(marginalBps(small, moved).toFixed()).toBe('35');
  });

  it('is refused for sizes in the wrong order', () => {
    expect(() => marginalBps(large, small)).toThrow(RangeError);
  });
});

describe('the limits that a size exceeds', () => {
  const room = { capacity: big(100_000), headroom: big(50_000), balance: big(6_000) };
  it('are named in one order, and a size at the limit fits', () => {
    expect(exceededBy(big(50_000), big(5_050), room)).toEqual([]);
    expect(exceededBy(big('50000.01'), big(5_051), room)).toEqual(['headroom']);
    expect(exceededBy(big(150_000), big(15_150), room)).toEqual(['capacity', 'headroom', 'balance']);
  });

  it('are none where they are not known', () => {
    const unknown = { capacity: undefined, headroom: undefined, balance: undefined };
    expect(exceededBy(big(150_000), undefined, unknown)).toEqual([]);
  });
});
