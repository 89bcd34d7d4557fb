/** The mids of each market as they were seen from this machine over time, the one just read the last. For pictures. */
import type { PriceMemory, SeenPrice } from '../../memory/prices.ts';
import type { MarketPrice } from './read-prices.ts';

export interface SeenMarket extends MarketPrice {
  /** Oldest first. */
  seen: readonly SeenPrice[];
}

export const readSeenPrices = (prices: readonly MarketPrice[], memory: PriceMemory): readonly SeenMarket[] =>
  prices.map((price) => ({ ...price, seen: memory.seen(price.market) }));
