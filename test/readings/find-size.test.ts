import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Market, Quote } from '../../src/client/schemas.ts';
import { StoppedError } from '../../src/errors.ts';
import { findCover, findLargest } from '../../src/readings/find-size.ts';
import { rejection } from '../support/scripted-client.ts';
import { account, market, quote } from '../trading/facts.ts';

const big = (digits: string | number): Big => new Big(digits);
const marketAt = (price: number): Market => market({ price });

/** Counts the quotes; `priceOf` and `upfrontOf` say what each has. */
function quoting(
  priceOf: (notional: Big, nth: number) => Big,
  upfrontOf = (n: Big): Big => n.times('0.101'),
) {
  const asked: Big[] = [];
  return {
    asked,
    async quoteFor(notional: Big): Promise<Quote> {
      asked.push(notional);
      const sample = quote('buy', '10000');
      return {
        ...sample,
        notional_usd: notional,
        pricing: { ...sample.pricing, execution_price: priceOf(notional, asked.length) },
        upfront: { ...sample.upfront, total_upfront_usdc: upfrontOf(notional) },
      };
    },
  };
}

describe('a size for an amount in naira', () => {
  it('is that of the worked example, with two quotes at a price that does not depend on the size', async () => {
    const { quoteFor, asked } = quoting(() => big('1516.25'));
    const found = await findCover(big(800_000_000), { market: marketAt(1500), quoteFor });
    expect(found.notional.toFixed()).toBe('527617.47');
    expect(found.quote.notional_usd.toFixed()).toBe('527617.47');
    // The first is for 800,000,000 / 1,500.
    expect(asked.map((size) => size.toFixed())).toEqual(['533333.33', '527617.47']);
  });

  it('covers at most the amount and all but 1 bp of it within four quotes, whatever the impact', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 2_500, max: 10_000_000 }),
        fc.integer({ min: 1_200_00, max: 1_900_00 }),
        fc.integer({ min: 0, max: 300 }),
        fc.constantFrom(1, -1),
        async (naira, midCents, perMillion, sign) => {
          const mid = big(midCents).div(100);
          const amount = big(naira * 100);
          // Up to 3 bps for each 10,000 USD: 20 % of the price at the largest.
          const priceOf = (notional: Big): Big =>
            mid.times(big(1).plus(notional.times(perMillion).times(sign).div(10_000_000_000)));
          const { quoteFor, asked } = quoting(priceOf);
          const { notional, quote: last } = await findCover(amount, {
            market: marketAt(midCents / 100),
            quoteFor,
          });
          const covered = notional.times(last.pricing.execution_price);
          expect(last.notional_usd.eq(notional)).toBe(true);
          expect(covered.lte(amount)).toBe(true);
          expect(amount.minus(covered).times(10_000).lt(amount)).toBe(true);
          expect(asked.length).toBeLessThanOrEqual(4);
        },
      ),
    );
  });

  it('is not guessed when the price keeps moving', async () => {
    const { quoteFor, asked } = quoting((_, nth) => big(1500).times(1 + nth / 100));
    const error = await rejection(findCover(big(800_000_000), { market: marketAt(1500), quoteFor }));
    expect(error).toMatchObject({ code: 'size_not_found', retry: 'later' });
    expect(error).toBeInstanceOf(StoppedError);
    expect(asked).toHaveLength(4);
  });

  it('says that whole cents leave more than 1 bp of a small amount', async () => {
    // 100,000 / 1,500 = 66.66 USD, which are 99,990 naira: 10 are left, and 1 bp is 10.
    const { quoteFor } = quoting(() => big(1500));
    const error = await rejection(findCover(big(100_000), { market: marketAt(1500), quoteFor }));
    expect(error).toMatchObject({
      code: 'size_not_found',
      what: expect.stringContaining('too small to be covered within 1 bp'),
    });
  });

  it('is none for less than a cent, or without a mid, and asks for no quote', async () => {
    const { quoteFor, asked } = quoting(() => big(1500));
    for (const [amount, price] of [
      [1, 1500],
      [800_000_000, 0],
    ] as const)
      expect(await rejection(findCover(big(amount), { market: marketAt(price), quoteFor }))).toMatchObject({
        code: 'size_not_found',
      });
    expect(asked).toEqual([]);
  });
});

describe('the largest size', () => {
  const ours = account();

  it('is what the balance pays for less 1 %, quoted at that size', async () => {
    // 425,000 × 0.99 = 420,750 first; 41,320 / 0.101 × 0.99 = 405,017.8217… then.
    const { quoteFor, asked } = quoting(() => big(1500));
    const found = await findLargest(ours, { capacity: big(500_000), quoteFor });
    expect([found.notional.toFixed(), found.binding]).toEqual(['405017.82', 'balance']);
    expect(asked.map((size) => size.toFixed())).toEqual(['420750', '405017.82']);
  });

  it('takes one quote where the balance is no limit', async () => {
    const { quoteFor, asked } = quoting(() => big(1500));
    const found = await findLargest(ours, { capacity: big(100_000), quoteFor });
    expect([found.notional.toFixed(), found.binding, found.room.toFixed()]).toEqual([
      '99000',
      'capacity',
      '100000',
    ]);
    expect(asked).toHaveLength(1);
  });

  it('is paid for by the balance also where the fee has a fixed part', async () => {
    const upfrontOf = (notional: Big): Big => notional.times('0.1').plus(75);
    const { quoteFor, asked } = quoting(() => big(1500), upfrontOf);
    const { notional } = await findLargest(ours, { capacity: big(500_000), quoteFor });
    expect(upfrontOf(notional).lte(ours.balance_usdc)).toBe(true);
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  it.each([
    ['exposure_exceeded', { available_exposure_usd: 0 }, 500_000],
    ['capacity_exceeded', {}, 0],
    ['insufficient_balance', { balance_usdc: 0 }, 500_000],
  ])('names the limit when nothing fits: %s', async (code, changes, capacity) => {
    const { quoteFor, asked } = quoting(() => big(1500));
    const poor = account(changes);
    const error = await rejection(findLargest(poor, { capacity: big(capacity), quoteFor }));
    expect(error).toMatchObject({ code });
    expect(asked).toEqual([]);
  });
});
