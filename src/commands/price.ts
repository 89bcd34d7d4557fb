/** `hedge price`: the indicative mid. */

import { readMarket } from '../args/operands.ts';
import { optionGiven } from '../args/option.ts';
import {
  PRICE_COLUMNS,
  priceChanges,
  priceDocument,
  SEEN_PRICE_COLUMNS,
  viewPrices,
  viewSeenPrice,
} from '../output/views/markets.ts';
import { type MarketPrice, readPrices, readSeenPrices, type SeenMarket } from '../readings/read-prices.ts';
import type { CommandOutcome } from './command-context.ts';
import { defineCommand } from './define.ts';

interface PricesRead {
  prices: readonly MarketPrice[];
  /** Number of markets that were named. */
  asked: number;
  /** For a chart. */
  seen: readonly SeenMarket[] | undefined;
}

export const price = defineCommand({
  name: 'price',
  summary: 'Show the indicative mid of one market, several or all',
  description: 'A reference rate, not a price to trade at. For a price: hedge quote.',
  aside: 'indicative',
  operands: [
    { name: 'MARKET', summary: 'market, such as USDTNGN; default: all', optional: true, variadic: true },
  ],
  options: [{ flags: '--chart', summary: 'draw the locally recorded mids' }],
  examples: [
    { line: 'hedge price', shows: 'the mid of every market' },
    { line: 'hedge price --chart', shows: 'locally recorded mids' },
    {
      line: 'hedge price USDTNGN --query data.derived.mid',
      shows: 'only the number, for a script',
    },
  ],
  inBatch: 'reading',
  read: (raw) => ({ markets: raw.operands.map(readMarket), chart: optionGiven(raw, 'chart') }),
  async run(context, { markets, chart }): Promise<CommandOutcome<PricesRead>> {
    const prices = await readPrices(await context.api(), markets);
    const seen = chart ? readSeenPrices(prices, await context.prices()) : undefined;
    return { value: { prices, asked: markets.length, seen }, servedAt: prices[0]?.servedAt };
  },
  document(value) {
    const documents = documentsOf(value);
    return value.asked === 1 ? documents[0] : documents;
  },
  columns: PRICE_COLUMNS,
  table: (value) => ({
    columns: value.seen === undefined ? PRICE_COLUMNS : SEEN_PRICE_COLUMNS,
    records: documentsOf(value),
  }),
  view: (value) => [viewPrices(value.prices, documentsOf(value)), value.seen?.map(viewSeenPrice)],
  changes: ({ prices }) => priceChanges(prices),
});

const documentsOf = ({ prices, seen }: PricesRead): readonly unknown[] => (seen ?? prices).map(priceDocument);
