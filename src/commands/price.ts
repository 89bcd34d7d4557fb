/** `hedge price`: the indicative mid. */

import { optionGiven, readMarket } from '../args/operands.ts';
import {
  PRICE_COLUMNS,
  priceChanges,
  priceDocument,
  SEEN_PRICE_COLUMNS,
  seenPriceDocument,
  viewPrices,
  viewSeenPrice,
} from '../output/views/price.ts';
import { type MarketPrice, readPrices, readSeenPrices, type SeenMarket } from '../readings/read-prices.ts';
import type { CommandOutcome } from './command-result.ts';
import { defineCommand } from './define.ts';

interface PricesRead {
  prices: readonly MarketPrice[];
  /** How many markets were named. */
  asked: number;
  /** Where a chart was asked for. */
  seen: readonly SeenMarket[] | undefined;
}

export const price = defineCommand({
  name: 'price',
  summary: 'indicative mid of one market, several, or all of yours',
  description: 'A reference rate, not a price to deal at: that comes from hedge quote.',
  aside: 'indicative',
  operands: [
    { name: 'MARKET', summary: 'USDTNGN, in any case; none: all of yours', optional: true, variadic: true },
  ],
  options: [{ flags: '--chart', summary: 'the mids that were seen from this machine, drawn over time' }],
  examples: [
    { line: 'hedge price', shows: 'the mid of every market of the account' },
    { line: 'hedge price --chart', shows: 'how it moved, as far as it was looked at from here' },
    {
      line: 'hedge price USDTNGN --query data.derived.mid',
      shows: 'the bare figure, for a script, whatever shape the service sends it in',
    },
  ],
  read: (raw) => ({ markets: raw.operands.map(readMarket), chart: optionGiven(raw, 'chart') }),
  async run(desk, { markets, chart }): Promise<CommandOutcome<PricesRead>> {
    const prices = await readPrices(await desk.api(), markets);
    const seen = chart ? readSeenPrices(prices, await desk.prices()) : undefined;
    return { value: { prices, asked: markets.length, seen }, servedAt: prices[0]?.servedAt };
  },
  document(value) {
    const documents = documentsOf(value);
    return value.asked === 1 ? documents[0] : documents;
  },
  table: (value) => ({
    columns: value.seen === undefined ? PRICE_COLUMNS : SEEN_PRICE_COLUMNS,
    records: documentsOf(value),
  }),
  view: ({ prices, seen }) => [...viewPrices(prices), ...(seen ?? []).flatMap(viewSeenPrice)],
  changes: ({ prices }) => priceChanges(prices),
});

const documentsOf = ({ prices, seen }: PricesRead): readonly unknown[] =>
  seen === undefined ? prices.map(priceDocument) : seen.map(seenPriceDocument);
