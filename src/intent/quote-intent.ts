/** What `hedge quote` was asked: operands and options to a QuoteIntent, or the right line to type. */
import { TENORS } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { QuoteIntent } from './intents.ts';
import { readBps, readNotional, readPrice, readTenors } from './operands.ts';
import { optionText, type RawInput } from './raw-input.ts';
import { readSideWords } from './side-words.ts';

export function readQuoteIntent(raw: RawInput): QuoteIntent {
  const { market, side } = readSideWords('quote', raw);
  const [, , notional] = raw.operands;
  if (notional === undefined)
    throw new UsageError('The notional is missing.', `hedge quote ${market} ${side} NOTIONAL`);
  const tenors = optionText(raw, 'tenor');
  const worstPrice = optionText(raw, 'worstPrice');
  const maxCostBps = optionText(raw, 'maxCostBps');
  return {
    market,
    side,
    notional: readNotional(notional),
    tenors: tenors === undefined ? TENORS : readTenors(tenors),
    ...(worstPrice === undefined ? {} : { worstPrice: readPrice('--worst-price', worstPrice) }),
    ...(maxCostBps === undefined ? {} : { maxCostBps: readBps('--max-cost-bps', maxCostBps) }),
  };
}
