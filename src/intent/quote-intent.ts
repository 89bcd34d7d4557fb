/** What `hedge quote` was asked: operands and options to a QuoteIntent, or the right line to type. */
import { TENORS, type Tenor } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import type { QuoteIntent } from './intents.ts';
import { readBps, readNotional, readPrice, readTenors } from './operands.ts';
import { optionGiven, optionText, type RawInput } from './raw-input.ts';
import { readSideWords } from './side-words.ts';

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
