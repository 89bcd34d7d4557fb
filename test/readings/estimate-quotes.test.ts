/** Quotes between two sizes, against figures by hand. */
import { Big } from 'big.js';
import { describe, expect, it } from 'vitest';
import type { HedgeApi } from '../../src/client/hedge-api.ts';
import { type Quote, quoteSchema } from '../../src/client/schemas.ts';
import { parseExactJson } from '../../src/domain/exact-json.ts';
import { RefusedError } from '../../src/errors.ts';
import {
  between,
  type EstimateRequest,
  exactQuotes,
  sampledQuotes,
} from '../../src/readings/estimate-quotes.ts';
import { aQuote } from '../spec/bodies.ts';

const quote = (changes: Record<string, unknown>): Quote =>
  quoteSchema().parse(parseExactJson(JSON.stringify(aQuote(changes))));

/** Impact 4 bps and 2 bps more for each 10,000 USD; carry 0.15 %, margin 10 %, fee 0.1 % of the size. */
const priced = (notional: number, mid = 1_500): Quote =>
  quote({
    notional_usd: notional,
    pricing: {
      market_price: mid,
      execution_price: Number(new Big(notional).div(5_000).plus(4).div(10_000).plus(1).times(mid)),
      price_impact_usd: (-notional * (4 + notional / 5_000)) / 10_000,
    },
    carry: {
      daily_usdc: notional / 2_000,
      daily_rate_pct: 0.05,
      total_usdc: (notional * 3) / 2_000,
      total_rate_pct: 0.15,
    },
    upfront: {
      required_margin_usdc: notional / 10,
      platform_fee_usdc: notional / 1_000,
      total_upfront_usdc: (notional * 101) / 1_000,
    },
  });

describe('a quote between two', () => {
  it('has the price, impact, carry and upfront of the straight line between them', () => {
    const found = between(priced(10_000), priced(50_000), new Big(20_000));
    // 20,000 USD: 4 + 4 = 8 bps. 1,500 × 1.0008 = 1,501.2; impact −20,000 × 8 / 10,000 = −16.
    expect(found.pricing.execution_price.toFixed()).toBe('1501.2');
    expect(found.pricing.price_impact_usd.toFixed()).toBe('-16');
    // 20,000 × 0.15 % = 30; 10 % = 2,000; 0.1 % = 20; together 2,020.
    expect(found.carry.total_usdc.toFixed()).toBe('30');
    expect(found.upfront.required_margin_usdc.toFixed()).toBe('2000');
    expect(found.upfront.platform_fee_usdc.toFixed()).toBe('20');
    expect(found.upfront.total_upfront_usdc.toFixed()).toBe('2020');
    expect(found.notional_usd.toFixed()).toBe('20000');
  });

  it('is on the mid of the smaller one if the mid has moved between them', () => {
    const found = between(priced(10_000, 1_500), priced(50_000, 1_600), new Big(20_000));
    // 6 bps at 10,000 and 14 bps at 50,000: 8 bps at 20,000, on a mid of 1,500.
    expect(found.pricing.market_price.toFixed()).toBe('1500');
    expect(found.pricing.execution_price.toFixed()).toBe('1501.2');
  });
});

const request = (notional: number): EstimateRequest => ({
  market: 'USDTNGN',
  side: 'buy',
  notional_usd: new Big(notional),
  tenor_days: 3,
});

/** `sizes`: those that the service was asked for. */
function aService(largest = Number.POSITIVE_INFINITY) {
  const sizes: number[] = [];
  const ask: HedgeApi['quote'] = async ({ notional_usd: notional }) => {
    const size = Number(notional);
    sizes.push(size);
    if (size > largest) throw new RefusedError({ code: 'capacity_exceeded', what: 'Too large.' });
    return {
      data: priced(size),
      meta: {},
      servedAt: undefined,
      clocks: { wall: 0, monotonic: 0, service: undefined },
    };
  };
  return { api: { quote: ask }, sizes, signal: new AbortController().signal };
}

describe('sampled quotes', () => {
  it('ask for three of many sizes, and agree with the service where its impact is linear', async () => {
    const service = aService();
    const sizes = [10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000];
    const source = sampledQuotes(sizes.map(request), service);
    for (const size of sizes) {
      // oxlint-disable-next-line no-await-in-loop
      const { data } = await source.quote(request(size));
      // 1,500 × (4 + size / 5,000) / 10,000 above the mid.
      const byHand = new Big(1_500).plus(new Big('0.15').times(4 + size / 5_000));
      expect([size, data.pricing.execution_price.toFixed()]).toEqual([size, byHand.toFixed()]);
    }
    expect(service.sizes.toSorted((one, other) => one - other)).toEqual([10_000, 40_000, 70_000]);
    expect([source.asked(), source.estimated()]).toEqual([3, true]);
  });

  it('estimate nothing where there are at most three sizes', async () => {
    const service = aService();
    const source = sampledQuotes([10, 20, 30, 20, 10].map(request), service);
    // oxlint-disable-next-line no-await-in-loop
    for (const size of [30, 20, 10, 20]) await source.quote(request(size));
    expect(service.sizes).toEqual([30, 20, 10]);
    expect(source.estimated()).toBe(false);
  });

  it('ask for a size itself where a size beside it is rejected', async () => {
    const service = aService(60_000);
    const source = sampledQuotes([10_000, 20_000, 50_000, 90_000].map(request), service);
    const { data } = await source.quote(request(20_000));
    expect(data.notional_usd.toFixed()).toBe('20000');
    await expect(source.quote(request(90_000))).rejects.toThrow('Too large.');
  });
});

describe('exact quotes', () => {
  it('are asked for once for the same terms', async () => {
    const service = aService();
    const source = exactQuotes(service.api, service.signal);
    await Promise.all([source.quote(request(10)), source.quote(request(20)), source.quote(request(10))]);
    expect(service.sizes).toEqual([10, 20]);
  });
});
