/** `hedge quote` */

import { type QuoteIntent, readQuoteIntent } from '../args/quote-options.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import { TENORS } from '../domain/vocabulary.ts';
import { briefQuote, QUOTE_COLUMNS, quoteChanges, quoteDocument, viewQuotes } from '../output/views/quote.ts';
import { boundsFinding, readQuotes, suggestingMarket } from '../readings/read-quotes.ts';
import { defineCommand } from './define.ts';

export const quote = defineCommand({
  name: 'quote',
  summary: 'Price a hedge, all costs to maturity included; without --tenor, for every tenor',
  description:
    'Indicative only: no trade is made and nothing is reserved. You will pay dollars: buy. You hold dollars and owe naira: sell. The size is in USD, and 1 USDT counts as 1 USD; margin, fees and P&L are paid in USDC. The total cost is impact, carry and platform fee, to maturity; a close before it has a fee that the service does not quote. The break-even is the reference rate at maturity at which the hedge pays its own costs. With --worst-price or --max-cost-bps the exit code is 11 if any requested tenor exceeds the limit.',
  aside: 'indicative',
  operands: [
    { name: 'MARKET', summary: 'market, such as USDTNGN' },
    { name: 'SIDE', summary: 'buy gains if the naira weakens, sell if it strengthens' },
    { name: 'NOTIONAL', summary: 'size in USD: 10000, 10_000, 10,000, 10k, 1.5m' },
  ],
  checksOperands: true,
  options: [
    {
      flags: '-t, --tenor <days>',
      summary: '1, 3, 7 (or 3d), a list such as 1,3, or all',
      completes: { words: [...TENORS.map(String), 'all'], list: true },
    },
    { flags: '--worst-price <price>', summary: 'exit code 11 if the execution price is worse' },
    { flags: '--max-cost-bps <bps>', summary: 'exit code 11 if the total cost in bps of notional is higher' },
    { flags: '--curve', summary: 'draw the cost from a tenth to ten times the notional' },
  ],
  examples: [
    { line: 'hedge quote USDTNGN buy 10000', shows: '1, 3 and 7 days' },
    { line: 'hedge quote USDTNGN buy 10k --tenor 3', shows: 'one tenor in full' },
    {
      line: 'hedge quote USDTNGN buy 50k --curve',
      shows: 'cost by size',
    },
    {
      line: 'hedge quote USDTNGN buy 50k --tenor 3 --max-cost-bps 40 -q || echo too expensive',
      shows: 'a price alert',
    },
  ],
  inBatch: 'reading',
  read: readQuoteIntent,
  async run(context, intent) {
    const api = await context.api();
    const { curve, value } = await suggestingMarket(api, intent.market, async () => {
      const drawn = intent.curve === true ? await drawCurve(api, intent) : undefined;
      return { curve: drawn?.curve, value: drawn?.reading ?? (await readQuotes(api, intent)) };
    });
    const { account, servedAt, source } = value;
    return {
      value: { ...value, curve },
      servedAt,
      meta: {
        ...(source === undefined ? {} : { source }),
        ...(curve === undefined ? { account: account ?? null } : {}),
      },
      finding: boundsFinding(value),
    };
  },
  document({ tenors, curve }) {
    const documents = tenors.map(quoteDocument);
    return curve === undefined && documents.length === 1 ? documents[0] : documents;
  },
  columns: QUOTE_COLUMNS,
  table: ({ tenors }) => ({ columns: QUOTE_COLUMNS, records: tenors.map(quoteDocument) }),
  brief: briefQuote,
  view: (value) => value.curve ?? viewQuotes(value),
  changes: ({ tenors }) => quoteChanges(tenors),
});

/** Loaded only for --curve. */
async function drawCurve(api: HedgeApi, intent: QuoteIntent) {
  const { readCurve } = await import('../readings/read-curve.ts');
  const { viewCurve } = await import('../output/views/quote-curve.ts');
  const reading = await readCurve(api, intent);
  return { reading, curve: viewCurve(reading) };
}
