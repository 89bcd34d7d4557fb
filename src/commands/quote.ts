/** `hedge quote` */

import { readQuoteIntent } from '../args/quote-options.ts';
import { SIZE_OPTIONS } from '../args/sizing.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import type { GridIntent, QuoteIntent, UnsizedQuote } from '../domain/quote-intent.ts';
import { SIDES, TENORS } from '../domain/vocabulary.ts';
import type { View } from '../output/blocks.ts';
import type { Words } from '../output/cells.ts';
import {
  briefQuote,
  QUOTE_COLUMNS,
  quoteChanges,
  quoteDocument,
  viewCurve,
  viewQuotes,
} from '../output/views/quote.ts';
import { boundsFinding, type QuoteReading, readQuotes, suggestingMarket } from '../readings/read-quotes.ts';
import type { CommandContext, CommandOutcome } from './command-context.ts';
import { defineCommand } from './define.ts';

/** One quote per tenor, per notional of a curve, or per cell of a grid. */
interface QuoteResult {
  /** For the lines of a watch, which a grid does not have. */
  tenors: QuoteReading['tenors'];
  documents: readonly unknown[];
  /** The document is one quote, not a list. */
  isOne: boolean;
  columns: readonly string[];
  /** A curve has no short form. */
  brief: () => Words;
  view: () => View;
}

export const quote = defineCommand({
  name: 'quote',
  summary: 'Price a hedge, all costs to maturity included; without --tenor, for every tenor',
  description:
    'Indicative: nothing is traded or reserved. You will pay dollars or receive naira: buy. You hold dollars and will pay naira: sell. The size is in USD; 1 USDT counts as 1 USD; margin, fees and P&L are in USDC. The total cost is impact, carry and platform fee, to maturity; a close before it has a fee, not quoted here. The break-even is the reference rate at maturity at which the hedge pays its costs. Exit code 11: a tenor exceeds --worst-price or --max-cost-bps. A grid (--sides, --sizes, at most 60 quotes) marks the lowest cost, and sizes above capacity or headroom; a rate limit ends it early (exit code 5).',
  aside: 'indicative',
  operands: [
    { name: 'MARKET', summary: 'market, such as USDTNGN' },
    { name: 'SIDE', summary: 'buy gains if the naira weakens, sell if it strengthens' },
    { name: 'NOTIONAL', summary: 'size in USD: 10000, 10_000, 10,000, 10k, 1.5m', optional: true },
  ],
  checksOperands: true,
  options: [
    ...SIZE_OPTIONS,
    {
      flags: '-t, --tenor <days>',
      summary: '1, 3, 7 (or 3d), a list such as 1,3, or all',
      completes: { words: [...TENORS.map(String), 'all'], list: true },
    },
    { flags: '--worst-price <price>', summary: 'exit code 11 if the execution price is worse' },
    { flags: '--max-cost-bps <bps>', summary: 'exit code 11 if the total cost in bps of notional is higher' },
    { flags: '--curve', summary: 'draw the cost from a tenth to ten times the notional' },
    {
      flags: '--sides <sides>',
      summary: 'grid: buy, sell or buy,sell, instead of SIDE',
      completes: { words: SIDES, list: true },
    },
    { flags: '--sizes <notionals>', summary: 'grid: sizes such as 50k,100k, instead of NOTIONAL' },
    { flags: '--markup-bps <bps>', summary: "add the customer's rate: break-even and this markup" },
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
    { line: 'hedge quote USDTNGN buy --ngn 75m', shows: 'what covers 75 million naira' },
    {
      line: 'hedge quote USDTNGN --sides buy,sell --sizes 50k,100k,250k --tenor all --markup-bps 35',
      shows: 'compare sides, sizes and tenors',
    },
  ],
  inBatch: 'reading',
  read: readQuoteIntent,
  async run(context, intent): Promise<CommandOutcome<QuoteResult>> {
    const api = await context.api();
    if ('sizes' in intent) return quoteGrid(context, api, intent);
    const { curve, sized, value } = await suggestingMarket(api, intent, () =>
      readAsAsked(api, intent, context),
    );
    const { account, servedAt, source } = value;
    const tenors = await withMarkup(value);
    return {
      value: {
        tenors,
        documents: tenors.map(quoteDocument),
        isOne: curve === undefined && tenors.length === 1,
        columns: QUOTE_COLUMNS,
        brief: () => (curve === undefined ? briefQuote({ tenors, account }) : undefined),
        view: () => curve ?? [viewQuotes({ tenors, account }), sized],
      },
      servedAt,
      meta: {
        ...(source === undefined ? {} : { source }),
        ...(curve === undefined ? { account: account ?? null } : {}),
      },
      finding: boundsFinding(value),
    };
  },
  document: ({ documents, isOne }) => (isOne ? documents[0] : documents),
  columns: QUOTE_COLUMNS,
  table: ({ columns, documents }) => ({ columns, records: documents }),
  brief: ({ brief }) => brief(),
  view: ({ view }) => view(),
  changes: ({ tenors }) => quoteChanges(tenors),
});

/** One quote per tenor; for a curve, one per notional; for a size in naira or the largest one, at that size. */
async function readAsAsked(
  api: HedgeApi,
  intent: QuoteIntent | UnsizedQuote,
  context: CommandContext,
): Promise<{ value: QuoteReading; curve?: View; sized?: View }> {
  if (intent.notional === undefined) {
    const [{ readSizedQuotes }, { viewSized, withSized }] = await Promise.all([
      import('../readings/read-sized-quotes.ts'),
      import('../output/views/sized.ts'),
    ]);
    const value = await readSizedQuotes(api, intent, async () => {
      const [{ roomOfLimits }, { readOpenOnDesk }] = await Promise.all([
        import('../trading/size-action.ts'),
        import('../readings/read-position.ts'),
      ]);
      const trading = await context.tradingContext();
      return roomOfLimits(trading, await readOpenOnDesk(intent, trading));
    });
    return { sized: viewSized(value), value: { ...value, tenors: withSized(value) } };
  }
  if (intent.curve !== true) return { value: await readQuotes(api, intent) };
  const { readCurve } = await import('../readings/read-curve.ts');
  const value = await readCurve(api, intent);
  return { curve: viewCurve(value), value };
}

async function withMarkup({ tenors, intent: { markupBps } }: QuoteReading): Promise<QuoteReading['tenors']> {
  if (markupBps === undefined) return tenors;
  const { customerRate } = await import('../domain/quote-grid.ts');
  return tenors.map((tenor) => ({
    ...tenor,
    figures: { ...tenor.figures, customer_rate: customerRate(tenor.quote, markupBps) },
  }));
}

async function quoteGrid(
  { clock, progress }: CommandContext,
  api: HedgeApi,
  intent: GridIntent,
): Promise<CommandOutcome<QuoteResult>> {
  const [{ readGrid }, views] = await Promise.all([
    import('../readings/read-grid.ts'),
    import('../output/views/quote-grid.ts'),
  ]);
  const onProgress = (came: number, asked: number): void =>
    progress.start(`Quote ${came.toString()} of ${asked.toString()}`);
  const reading = await readGrid(intent, { api, clock, onProgress });
  const { account, market, cells, asked, source, ended, servedAt } = reading;
  return {
    value: { tenors: [], isOne: false, ...views.gridResult(reading) },
    servedAt,
    meta: {
      ...(source === undefined ? {} : { source }),
      account: account ?? null,
      capacity: market?.available_capacity_usd ?? null,
      covers: { count: cells.length, asked },
    },
    finding: ended,
  };
}
