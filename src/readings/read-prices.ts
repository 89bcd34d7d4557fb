/**
 * Reads indicative mids: of the markets named, or of every market of the account.
 *
 * The mids of each market as they were seen from this machine over time, the one just read the last. For pictures.
 *
 * Whether a market that was named is one of the account's: the service's to say, never ours. Asked only where
 * nothing that came is of it, so that a slip of the finger is not answered with an empty list.
 */
import type { Big } from 'big.js';
import type { PriceMemory, SeenPrice } from '../cache/seen-prices.ts';
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import { midOf } from '../client/unspecified-fields.ts';
import { didYouMean } from '../domain/did-you-mean.ts';
import { unquoted } from '../domain/quoted.ts';
import { RefusedError } from '../errors.ts';
import type { SomeRecord } from './filter-records.ts';
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

const priceOf = (market: string, answer: ApiResponse<unknown>): MarketPrice => ({
  market,
  sent: answer.data,
  mid: midOf(answer.data, market),
  servedAt: answer.servedAt,
});

export interface SeenMarket extends MarketPrice {
  /** Oldest first. */
  seen: readonly SeenPrice[];
}

export const readSeenPrices = (prices: readonly MarketPrice[], memory: PriceMemory): readonly SeenMarket[] =>
  prices.map((price) => ({ ...price, seen: memory.seen(price.market) }));

/** One more reading, and only where none of the records is of the market. @throws RefusedError `market_not_found`. */
export async function checkMarketIsKnown(
  api: HedgeApi,
  named: string | undefined,
  came: readonly SomeRecord[],
): Promise<void> {
  if (named === undefined || came.some(({ market }) => market === named)) return;
  const names = (await api.markets()).data.map(({ market }) => market);
  if (!names.includes(named)) throw marketNotFound(named, names);
}

/** `names`: the markets of the account. */
export const marketNotFound = (named: string, names: readonly string[]): RefusedError =>
  new RefusedError({
    code: 'market_not_found',
    what: `This account has no market ${unquoted(named)}.`,
    book: 'Nothing was changed.',
    hint: `${didYouMean(named, names)}To see which it has: hedge markets`,
    details: { market: named },
  });
