/** P&L in parts, worked by hand. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import { addPnl, NO_PNL, netPnl, type PnlParts, pnlOf, splitPrice } from '../../src/domain/pnl-parts.ts';
import { shareSide } from '../../src/domain/side-shares.ts';

const big = (digits: string | number): Big => new Big(digits);
const shown = (parts: PnlParts) =>
  Object.fromEntries(
    Object.entries(parts).flatMap(([name, amount]) => (amount.eq(0) ? [] : [[name, amount.toFixed(6)]])),
  );

/** A quote of 10,000 USD at a mid of 1,500. */
const quoted = (price: string) => ({
  notional: big(10_000),
  atMid: big(10_000).times(1_500),
  atQuoted: big(10_000).times(price),
});

describe('price P&L of a hedge', () => {
  it('of a buy is split into market move, impact and slippage', () => {
    // N 10,000, mid 1,500, quoted 1,501.5, struck 1,502, exit 1,560.
    // Market 10,000 × 60 / 1,560 = 384.615385, impact −10,000 × 1.5 / 1,560 = −9.615385,
    // slippage −10,000 × 0.5 / 1,560 = −3.205128; together 10,000 × 58 / 1,560 = 371.794872.
    const gross = big('371.794872');
    const parts = splitPrice(
      { side: 'buy', notional: big(10_000), struck: big(1_502), exit: big(1_560), gross },
      quoted('1501.5'),
    );
    expect(shown(parts)).toEqual({
      market_usd: '384.615385',
      impact_usd: '-9.615385',
      slippage_usd: '-3.205128',
    });
    expect(netPnl(parts).toFixed()).toBe(gross.toFixed());
  });

  it('of a sell is the negative of a buy', () => {
    // N 10,000, mid 1,500, quoted 1,498.5, struck 1,498, exit 1,440.
    // Market −10,000 × (1,440 − 1,500) / 1,440 = 416.666667, impact 10,000 × (1,498.5 − 1,500) / 1,440 = −10.416667,
    // slippage 10,000 × (1,498 − 1,498.5) / 1,440 = −3.472222; together 10,000 × 58 / 1,440 = 402.777778.
    const parts = splitPrice(
      { side: 'sell', notional: big(10_000), struck: big(1_498), exit: big(1_440), gross: big('402.777778') },
      quoted('1498.5'),
    );
    expect(shown(parts)).toEqual({
      market_usd: '416.666667',
      impact_usd: '-10.416667',
      slippage_usd: '-3.472222',
    });
  });

  it('of an add has the average mid and quote', () => {
    // 10,000 quoted at 1,502 with the mid 1,500, then 30,000 quoted at 1,512 with the mid 1,508: average mid 1,506, quote
    // 1,509.5. Struck 1,510 on average, 40,000 at an exit of 1,600:
    // market 40,000 × 94 / 1,600 = 2,350, impact −40,000 × 3.5 / 1,600 = −87.5, slippage −40,000 × 0.5 / 1,600 = −12.5.
    const quotes = {
      notional: big(40_000),
      atMid: big(10_000).times(1_500).plus(big(30_000).times(1_508)),
      atQuoted: big(10_000).times(1_502).plus(big(30_000).times(1_512)),
    };
    const parts = splitPrice(
      { side: 'buy', notional: big(40_000), struck: big(1_510), exit: big(1_600), gross: big(2_250) },
      quotes,
    );
    expect(shown(parts)).toEqual({
      market_usd: '2350.000000',
      impact_usd: '-87.500000',
      slippage_usd: '-12.500000',
    });
  });

  it.each([
    ['without a quote', undefined, big(1_502), big(1_560)],
    ['without a struck rate', quoted('1501.5'), undefined, big(1_560)],
    ['without a rate at exit', quoted('1501.5'), big(1_502), undefined],
    ['with a P&L of another payoff', quoted('1501.5'), big(1_502), big(1_600)],
  ])('%s is one part', (_what, quotes, struck, exit) => {
    const gross = big('371.794872');
    expect(shown(splitPrice({ side: 'buy', notional: big(10_000), struck, exit, gross }, quotes))).toEqual({
      price_usd: '371.794872',
    });
  });

  it('adds up part by part', () => {
    const one = pnlOf({ market_usd: big(5), fees_usdc: big(-2) });
    const other = pnlOf({ market_usd: big('0.5'), carry_usdc: big(-1) });
    expect(shown(addPnl([one, other, NO_PNL]))).toEqual({
      market_usd: '5.500000',
      carry_usdc: '-1.000000',
      fees_usdc: '-2.000000',
    });
  });
});

describe('the figures of a side', () => {
  const leg = (id: string, notional: number, struck: number | undefined, heldMs: number) => ({
    id,
    notional: big(notional),
    struck: struck === undefined ? undefined : big(struck),
    heldMs,
  });

  it('are split by payoff, by notional and time, and by notional', () => {
    // At a mark of 1,600: 10,000 struck at 1,500 are worth 10,000 × 100 / 1,600 = 625; 30,000 at 1,560 are 750.
    // Carry −70 by 10,000 × 1 day and 30,000 × 2 days: 1/7 and 6/7. Fee 20 by 1/4 and 3/4.
    const shares = shareSide(
      { side: 'buy', mark: big(1_600), gross: big(1_375), carry: big(-70), closeFee: big(20) },
      [leg('a', 10_000, 1_500, 1), leg('b', 30_000, 1_560, 2)],
    );
    expect(
      shares.map(({ gross, carry, closeFee }) => [gross, carry, closeFee].map((each) => each.toFixed())),
    ).toEqual([
      ['625', '-10', '5'],
      ['750', '-60', '15'],
    ]);
  });

  it('are shared to the last digit; the largest hedge takes what rounding leaves', () => {
    const shares = shareSide(
      {
        side: 'sell',
        mark: big(1_600),
        gross: big('0.000001'),
        carry: big('0.00001'),
        closeFee: big('0.000002'),
      },
      [leg('a', 1, undefined, 0), leg('b', 1, undefined, 0), leg('c', 3, undefined, 0)],
    );
    const sum = (part: 'gross' | 'carry' | 'closeFee'): string =>
      shares.reduce((all, share) => all.plus(share[part]), big(0)).toFixed();
    expect([sum('gross'), sum('carry'), sum('closeFee')]).toEqual(['0.000001', '0.00001', '0.000002']);
    expect(shares.map(({ carry }) => carry.toFixed())).toEqual(['0.000002', '0.000002', '0.000006']);
  });
});
