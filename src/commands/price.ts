/** `hedge price`: the indicative mid. */
import { readPrices } from '../flow/read/read-prices.ts';
import { readSeenPrices } from '../flow/read/read-seen-prices.ts';
import { readMarket } from '../intent/operands.ts';
import { optionGiven } from '../intent/raw-input.ts';
import { PRICE_COLUMNS, priceDocument, priceRecord, seenPriceDocument } from '../present/price-document.ts';
import { priceChanges, viewPrices } from '../present/views/price.ts';
import { viewSeenPrice } from '../present/views/seen-price.ts';
import { defineCommand } from './define.ts';

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
    { line: 'hedge price USDTNGN --json', shows: 'one mid, as the service sent it' },
  ],
  read: (raw) => ({ markets: raw.operands.map(readMarket), chart: optionGiven(raw, 'chart') }),
  async run(desk, { markets, chart }) {
    const prices = await readPrices(await desk.api(), markets);
    const seen = chart ? readSeenPrices(prices, await desk.prices()) : undefined;
    return { value: { prices, asked: markets.length, seen }, servedAt: prices[0]?.servedAt };
  },
  document({ prices, asked, seen }) {
    const documents = seen === undefined ? prices.map(priceDocument) : seen.map(seenPriceDocument);
    return asked === 1 ? documents[0] : documents;
  },
  table: ({ prices }) => ({ columns: PRICE_COLUMNS, records: prices.map(priceRecord) }),
  view: ({ prices, seen }) => [...viewPrices(prices), ...(seen ?? []).flatMap(viewSeenPrice)],
  changes: ({ prices }) => priceChanges(prices),
});
