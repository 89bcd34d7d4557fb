import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { checkPriceBounds } from '../../src/domain/price-bounds.ts';
import { carryInWords } from '../../src/domain/quote-figures.ts';
import type { Side } from '../../src/domain/vocabulary.ts';

/** At 1530 with an impact of 6, carry of 15 and a fee of 10 on 10,000: 31 bps (see quote-figures.test.ts). */
const aQuote = (side: Side, execution: string) => ({
  market: 'USDTNGN',
  side,
  notional_usd: new Big(10000),
  pricing: { market_price: new Big(1530), execution_price: new Big(execution) },
  carry: { total_usdc: new Big(15) },
  upfront: { platform_fee_usdc: new Big(10) },
});

describe('a worst price', () => {
  it.each([
    ['buy', '1530.918', '1530.918', undefined],
    ['buy', '1530.918', '1531', undefined],
    ['buy', '1530.918', '1530.9', '0.018'],
    ['sell', '1529.082', '1529.082', undefined],
    ['sell', '1529.082', '1529', undefined],
    ['sell', '1529.082', '1529.1', '0.018'],
  ] as const)('of a %s at %s against %s is missed by %s', (side, execution, worst, by) => {
    const [finding] = checkPriceBounds(aQuote(side, execution), { worstPrice: new Big(worst) });
    expect(finding?.by.toFixed()).toBe(by);
  });

  it('says on which side of the limit the price is, and by how much', () => {
    expect(checkPriceBounds(aQuote('buy', '1530.918'), { worstPrice: new Big('1530.9') })[0]?.message).toBe(
      'execution price 1530.918 is 0.018 NGN above your worst price 1530.9',
    );
    expect(checkPriceBounds(aQuote('sell', '1529.082'), { worstPrice: new Big('1529.1') })[0]?.message).toBe(
      'execution price 1529.082 is 0.018 NGN below your worst price 1529.1',
    );
  });
});

describe('a highest cost', () => {
  it.each([
    ['31', undefined],
    ['30.5', '0.5'],
    ['0', '31'],
  ])('of %s bps is missed by %s', (limit, by) => {
    const [finding] = checkPriceBounds(aQuote('buy', '1530.918'), { maxCostBps: new Big(limit) });
    expect(finding?.by.toFixed()).toBe(by);
  });
});

describe('bounds', () => {
  it('are judged each for itself, the price first', () => {
    const findings = checkPriceBounds(aQuote('buy', '1530.918'), {
      worstPrice: new Big(1500),
      maxCostBps: new Big(1),
    });
    expect(findings.map(({ bound }) => bound)).toEqual(['worst_price', 'max_cost_bps']);
  });

  it('that were not given are not missed', () => {
    expect(checkPriceBounds(aQuote('buy', '9999'), {})).toEqual([]);
  });
});

describe('carry in words', () => {
  it.each([
    ['17.5', 'you pay', '17.5'],
    ['-0.02', 'you earn', '0.02'],
    ['0', 'no carry', '0'],
    ['-0', 'no carry', '0'],
  ])('says of %s: %s %s', (signed, words, amount) => {
    const said = carryInWords(new Big(signed));
    expect([said.words, said.amount.toFixed()]).toEqual([words, amount]);
  });
});
