/**
 * What the operator wants, as values: the same whether it was typed or asked for. No text, no service.
 *
 * What `hedge quote` was asked: operands and options to a QuoteIntent, or the right line to type.
 */
import type { Big } from 'big.js';
import { type Side, TENORS, type Tenor } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { readSideWords } from './action-operands.ts';
import {
  optionGiven,
  optionText,
  type RawInput,
  readBps,
  readNotional,
  readPrice,
  readTenors,
} from './operands.ts';
export interface QuoteIntent {
  /** In capitals; whether there is such a market is the service's to say. */
  market: string;
  side: Side;
  /** USD, positive, two decimals at most. */
  notional: Big;
  /** In days; at least one, ascending, none twice. */
  tenors: readonly Tenor[];
  /** Smaller and larger notionals beside it, of one tenor. */
  curve?: boolean | undefined;
  /** Quote currency per USDT: the highest that is good enough to buy at, the lowest to sell at. */
  worstPrice?: Big | undefined;
  /** The most that the whole hedge may cost, in bps of notional; negative asks to earn. */
  maxCostBps?: Big | undefined;
}

export function readQuoteIntent(raw: RawInput): QuoteIntent {
  const { market, side } = readSideWords('quote', raw);
  const [, , notional] = raw.operands;
  if (notional === undefined)
    throw new UsageError('The notional is missing.', `hedge quote ${market} ${side} NOTIONAL`);
  const tenors = optionText(raw, 'tenor');
  const worstPrice = optionText(raw, 'worstPrice');
  const maxCostBps = optionText(raw, 'maxCostBps');
  if (optionGiven(raw, 'curve')) {
    if (worstPrice !== undefined || maxCostBps !== undefined)
      throw new UsageError('A curve is looked at, and judges no price.', 'Leave out the bound, or --curve.');
    return { market, side, notional: readNotional(notional), tenors: [curveTenor(tenors)], curve: true };
  }
  return {
    market,
    side,
    notional: readNotional(notional),
    tenors: tenors === undefined ? TENORS : readTenors(tenors),
    ...(worstPrice === undefined ? {} : { worstPrice: readPrice('--worst-price', worstPrice) }),
    ...(maxCostBps === undefined ? {} : { maxCostBps: readBps('--max-cost-bps', maxCostBps) }),
  };
}

/** Notionals stand side by side in a curve, so that it has room for one tenor: the shortest unless said. */
function curveTenor(text: string | undefined): Tenor {
  const [first, another] = text === undefined ? [TENORS[0]] : readTenors(text);
  if (first !== undefined && another === undefined) return first;
  throw new UsageError('A curve is of one tenor.', '--curve --tenor 3');
}
