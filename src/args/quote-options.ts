/** Reads the arguments of `hedge quote`. */
import type { Big } from 'big.js';
import { type Side, TENORS, type Tenor } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import {
  optionGiven,
  optionText,
  type RawInput,
  readBps,
  readNotional,
  readPrice,
  readTenors,
} from './operands.ts';
import { readSideWords } from './side-words.ts';

export interface QuoteIntent {
  /** In capitals; not checked against the service. */
  market: string;
  side: Side;
  /** USD, positive, two decimals at most. */
  notional: Big;
  /** In days; at least one, ascending, none twice. */
  tenors: readonly Tenor[];
  /** Also quotes smaller and larger notionals, for one tenor. */
  curve?: boolean | undefined;
  /** Quote currency per USDT: the highest price to buy at, the lowest to sell at. */
  worstPrice?: Big | undefined;
  /** Highest total cost in bps of notional; negative is a gain. */
  maxCostBps?: Big | undefined;
}

export function readQuoteIntent(raw: RawInput): QuoteIntent {
  const { market, side } = readSideWords('quote', raw);
  const [, , notional] = raw.operands;
  if (notional === undefined)
    throw new UsageError('Missing: the notional.', `hedge quote ${market} ${side} NOTIONAL`);
  const tenors = optionText(raw, 'tenor');
  const worstPrice = optionText(raw, 'worstPrice');
  const maxCostBps = optionText(raw, 'maxCostBps');
  if (optionGiven(raw, 'curve')) {
    if (worstPrice !== undefined || maxCostBps !== undefined)
      throw new UsageError(
        '--curve and a price limit exclude each other.',
        'Leave out the limit, or --curve.',
      );
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

/** A curve has one tenor: the shortest by default. */
function curveTenor(text: string | undefined): Tenor {
  const [first, another] = text === undefined ? [TENORS[0]] : readTenors(text);
  if (first !== undefined && another === undefined) return first;
  throw new UsageError('--curve takes one tenor.', '--curve --tenor 3');
}
