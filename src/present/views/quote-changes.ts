/** Quotes as lines for a pipe, one a tenor. */
import { spelledName } from '../../domain/clean.ts';
import type { QuotedTenor } from '../../flow/read/read-quotes.ts';
import { text } from '../blocks.ts';
import type { ChangeLine } from '../change-lines.ts';
import { bps, cost, costWord, rate } from './cells.ts';

export const quoteChanges = (tenors: readonly QuotedTenor[]): readonly ChangeLine[] =>
  tenors.map(({ quote, figures, misses }) => ({
    key: `${spelledName(quote.market)} ${quote.side} ${quote.notional_usd.toFixed()} ${quote.tenor_days.toString()} d`,
    cells: [
      text('at'),
      rate(quote.pricing.execution_price),
      text(`, ${costWord(figures.cost_usdc).toLowerCase()}`),
      cost(figures.cost_usdc),
      bps(figures.cost_bps),
      ...misses.map(({ says }) => text(`, not good enough: ${says}`, 'warn')),
    ],
  }));
