/** What an open was filled for and at which rate, as its entry keeps it: all that was asked, or less. Pure. */
import type { Big } from 'big.js';
import { readDecimal } from '../domain/amounts.ts';
import type { Action } from './fold.ts';

/** USD, and quote currency per USDT; the rate is undefined where it did not come. */
export interface Fill {
  notional: Big;
  rate: Big | undefined;
}

/** Among the facts of an end, only where it is less than was asked: a hedge's size alone may be of a later change. */
export const PARTIAL_FILL = 'filled_notional_usd';

/** Undefined where the entry does not tell: the hedge was another size already when it was first read. */
export function fillOf({ intent, notional, outcome }: Action): Fill | undefined {
  const isFilled = outcome?.kind === 'filled' || outcome?.kind === 'closed';
  if (intent.action !== 'open' || notional === undefined || !isFilled) return undefined;
  const { [PARTIAL_FILL]: part, notional_usd: size, struck_rate: rate } = outcome.facts;
  const filled = readDecimal(part) ?? readDecimal(size);
  if (filled === undefined || (part === undefined && !filled.eq(notional))) return undefined;
  return { notional: filled, rate: readDecimal(rate) };
}

/** USD that were filled of an open, where that is less than was asked. */
export function partialFillOf(action: Action): Big | undefined {
  const filled = fillOf(action)?.notional;
  return filled !== undefined && action.notional?.gt(filled) === true ? filled : undefined;
}
