/** Reads indicative mids: of the markets named, or of every market of the account. */
import type { Big } from 'big.js';
import { midOf } from '../../client/guessed.ts';
import { type Answer, type HedgeApi } from '../../client/hedge-api.ts';

export interface MarketPrice {
  market: string;
  /** The answer as the service sent it; its shape is not shown in the specification. */
  sent: unknown;
  /** The mid found in it, or undefined when none of the shapes we assume fits. */
  mid: Big | undefined;
  servedAt: Date | undefined;
}

/** One request a market, all at once; markets come in the order named, or in the service's own. */
export async function readPrices(api: HedgeApi, named: readonly string[]): Promise<readonly MarketPrice[]> {
  const markets = named.length > 0 ? named : (await api.markets()).data.map(({ market }) => market);
  return Promise.all(markets.map(async (market) => priceOf(market, await api.price(market))));
}

const priceOf = (market: string, answer: Answer<unknown>): MarketPrice => ({
  market,
  sent: answer.data,
  mid: midOf(answer.data, market),
  servedAt: answer.servedAt,
});
