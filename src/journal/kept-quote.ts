/** The quote that an action was dealt on, as its entry keeps it: our figures of it, worked out anew. Pure. */
import type { Big } from 'big.js';
import { readDecimal } from '../domain/amounts.ts';
import { type QuoteFigures, quoteFigures } from '../domain/quote-figures.ts';
import type { Action } from './fold.ts';

/** The same as were shown before it was sent; undefined where the entry keeps no quote, or not all of one. */
export function keptFigures({ intent, notional }: Action): QuoteFigures | undefined {
  const market = positive(intent.quote?.['market_price']);
  const execution = positive(intent.quote?.['execution_price']);
  const carry = readDecimal(intent.quote?.['carry_usdc']);
  const fee = readDecimal(intent.quote?.['platform_fee_usdc']);
  if (notional === undefined || !market || !execution || !carry || !fee) return undefined;
  const to = intent.quote?.['maturity_at'];
  return quoteFigures(
    {
      side: intent.side,
      notional_usd: notional,
      pricing: { market_price: market, execution_price: execution },
      carry: { total_usdc: carry },
      upfront: { platform_fee_usdc: fee },
    },
    // Of an addition: its carry ran to the maturity that it kept.
    intent.action === 'add' && typeof to === 'string' ? { carry_usdc: carry, maturity_at: to } : undefined,
  );
}

function positive(digits: string | null | undefined): Big | undefined {
  const value = readDecimal(digits);
  return value?.gt(0) === true ? value : undefined;
}
