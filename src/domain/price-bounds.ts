/**
 * Whether a quote is good enough: the operator's worst price and highest all-in cost, judged. Says by how much
 * a bound is missed, and decides nothing else: `quote` answers a question with it, a guard stops a deal.
 */
import type { Big } from 'big.js';
import { type QuoteFigures, type QuoteTerms, quoteFigures } from './quote-figures.ts';
import { quoteCurrency } from './vocabulary.ts';

export interface PriceBounds {
  /** Execution price in quote currency per USDT: a buy must not be above it, a sell not below. */
  worstPrice?: Big | undefined;
  /** Highest all-in cost in basis points of the notional (`cost_bps` of the derived figures). */
  maxCostBps?: Big | undefined;
}

export interface BoundFinding {
  bound: 'worst_price' | 'max_cost_bps';
  limit: Big;
  actual: Big;
  /** How far on the wrong side of the limit, in the limit's own unit; above zero. */
  by: Big;
  /** The finding as half a sentence, without a full stop. */
  says: string;
}

/**
 * The bounds that a quote misses, price first; empty when each that was given holds. On the limit holds. The cost
 * is that over the quote's tenor unless `cost_bps` of another holding is given.
 */
export function judgePrice(
  quote: QuoteTerms & { market: string },
  bounds: PriceBounds,
  { cost_bps: cost }: Pick<QuoteFigures, 'cost_bps'> = quoteFigures(quote),
): readonly BoundFinding[] {
  const findings: BoundFinding[] = [];
  if (bounds.worstPrice !== undefined) {
    const limit = bounds.worstPrice;
    const actual = quote.pricing.execution_price;
    const by = quote.side === 'buy' ? actual.minus(limit) : limit.minus(actual);
    const wrongSide = quote.side === 'buy' ? 'above' : 'below';
    const says = `the execution price ${actual.toFixed()} is ${by.toFixed()} ${quoteCurrency(quote.market)} ${wrongSide} the worst price ${limit.toFixed()}`;
    findings.push({ bound: 'worst_price', limit, actual, by, says });
  }
  if (bounds.maxCostBps !== undefined) {
    const limit = bounds.maxCostBps;
    const actual = cost;
    const by = actual.minus(limit);
    const says = `the cost of ${actual.toFixed()} bps is ${by.toFixed()} bps above the most allowed, ${limit.toFixed()} bps`;
    findings.push({ bound: 'max_cost_bps', limit, actual, by, says });
  }
  return findings.filter((finding) => finding.by.gt(0));
}
