/** What `hedge quote` was asked: operands and options to a QuoteIntent, or the right line to type. */
import { TENORS } from '../domain/vocabulary.ts';
import type { QuoteIntent } from './intents.ts';
import { readMarketAndSide } from './market-and-side.ts';
import { readBps, readNotional, readPrice, readTenors } from './operands.ts';
import { optionText, type RawInput } from './raw-input.ts';

export function readQuoteIntent(raw: RawInput): QuoteIntent {
  const [market = '', side = '', notional = ''] = raw.operands;
  const tenors = optionText(raw, 'tenor');
  const worstPrice = optionText(raw, 'worstPrice');
  const maxCostBps = optionText(raw, 'maxCostBps');
  return {
    ...readMarketAndSide('quote', { market, side, rest: [notional] }),
    notional: readNotional(notional),
    tenors: tenors === undefined ? TENORS : readTenors(tenors),
    ...(worstPrice === undefined ? {} : { worstPrice: readPrice('--worst-price', worstPrice) }),
    ...(maxCostBps === undefined ? {} : { maxCostBps: readBps('--max-cost-bps', maxCostBps) }),
  };
}
