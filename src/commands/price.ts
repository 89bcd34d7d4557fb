/** `hedge price`: the indicative mid. */
import { readPrices } from '../flow/read-prices.ts';
import { readMarket } from '../intent/operands.ts';
import { PRICE_COLUMNS, priceDocument, priceRecord } from '../present/price-document.ts';
import { priceChanges, viewPrices } from '../present/views/price.ts';
import { defineCommand } from './define.ts';

export const price = defineCommand({
  name: 'price',
  summary: 'indicative mid of one market, several, or all of yours',
  description: 'A reference rate, not a price to deal at: that comes from hedge quote.',
  aside: 'indicative',
  operands: [
    { name: 'MARKET', summary: 'USDTNGN, in any case; none: all of yours', optional: true, variadic: true },
  ],
  examples: [
    { line: 'hedge price', shows: 'the mid of every market of the account' },
    { line: 'hedge price USDTNGN --json', shows: 'one mid, as the service sent it' },
  ],
  read: ({ operands }) => ({ markets: operands.map(readMarket) }),
  async run(desk, { markets }) {
    const prices = await readPrices(await desk.api(), markets);
    return { value: { prices, asked: markets.length }, servedAt: prices[0]?.servedAt };
  },
  document: ({ prices, asked }) => (asked === 1 ? prices.map(priceDocument)[0] : prices.map(priceDocument)),
  table: ({ prices }) => ({ columns: PRICE_COLUMNS, records: prices.map(priceRecord) }),
  view: ({ prices }) => viewPrices(prices),
  changes: ({ prices }) => priceChanges(prices),
});
