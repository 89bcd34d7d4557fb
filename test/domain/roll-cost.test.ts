/** What a roll has cost: the sum of its parts, in USDC and in bps of the size that is carried on. */
import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COST_PARTS, type CostParts, chainCost, legCost } from '../../src/domain/roll-cost.ts';

const parts = (given: Partial<Record<keyof CostParts, string>>): CostParts => ({
  impact_cost_usd: undefined,
  slippage_usd: undefined,
  carry_usdc: undefined,
  platform_fee_usdc: undefined,
  close_fee_usdc: undefined,
  ...Object.fromEntries(Object.entries(given).map(([name, digits]) => [name, new Big(digits)])),
});

describe('the cost of a roll', () => {
  it('adds what each leg paid, and takes off what it earned', () => {
    // Leg 1: 6 impact + 0.5 slippage + 1.25 carry + 10 fee + 5 to close = 22.75 on 10,000: 22.75 bps.
    const first = legCost(
      parts({
        impact_cost_usd: '6',
        slippage_usd: '0.5',
        carry_usdc: '1.25',
        platform_fee_usdc: '10',
        close_fee_usdc: '5',
      }),
      new Big(10_000),
    );
    expect([first.cost_usdc.toFixed(), first.cost_bps.toFixed(), first.missing]).toEqual([
      '22.75',
      '22.75',
      [],
    ]);
    // Leg 2: 4 - 0.1 - 3 + 8 + 0 = 8.9 on 8,000: 8.9 / 8,000 * 10,000 = 11.125 bps.
    const second = legCost(
      parts({
        impact_cost_usd: '4',
        slippage_usd: '-0.1',
        carry_usdc: '-3',
        platform_fee_usdc: '8',
        close_fee_usdc: '0',
      }),
      new Big(8_000),
    );
    expect([second.cost_usdc.toFixed(), second.cost_bps.toFixed()]).toEqual(['8.9', '11.125']);
    // 22.75 + 8.9 = 31.65; / 8,000 * 10,000 = 39.5625 bps.
    const whole = chainCost([first, second], new Big(8_000));
    expect([whole.cost_usdc.toFixed(), whole.cost_bps.toFixed()]).toEqual(['31.65', '39.5625']);
  });

  it('names the parts that are not known, and leaves them out of the sum', () => {
    const leg = legCost(parts({ platform_fee_usdc: '10', close_fee_usdc: '0' }), new Big(10_000));
    expect([leg.cost_usdc.toFixed(), leg.missing]).toEqual([
      '10',
      ['impact_cost_usd', 'slippage_usd', 'carry_usdc'],
    ]);
    expect(chainCost([leg, leg], new Big(10_000)).missing).toEqual(leg.missing);
  });

  it('equals the sum of its parts for any two legs', () => {
    const amount = fc.option(
      fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map((micros) => new Big(micros).div(1_000_000)),
      { nil: undefined },
    );
    const leg = fc.record({
      impact_cost_usd: amount,
      slippage_usd: amount,
      carry_usdc: amount,
      platform_fee_usdc: amount,
      close_fee_usdc: amount,
    });
    const size = fc.integer({ min: 1, max: 1_000_000_000 }).map((cents) => new Big(cents).div(100));
    fc.assert(
      fc.property(leg, leg, size, size, (one, other, first, second) => {
        const total = chainCost([legCost(one, first), legCost(other, second)], second);
        const known = [one, other].flatMap((each) =>
          COST_PARTS.flatMap((part) => each[part]?.toFixed() ?? []),
        );
        const micros = known.reduce(
          (sum, digits) => sum + BigInt(new Big(digits).times(1_000_000).toFixed(0)),
          0n,
        );
        expect(BigInt(total.cost_usdc.times(1_000_000).toFixed(0))).toBe(micros);
        // |bps × N / 10⁴ − cost| is at most half of the last decimal of the bps.
        const back = total.cost_bps.times(second).div(10_000);
        expect(back.minus(total.cost_usdc).abs().lte(second.times('0.00000001'))).toBe(true);
      }),
    );
  });
});
