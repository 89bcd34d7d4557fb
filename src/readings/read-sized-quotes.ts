/** Reads quotes for a size in naira, or for the largest one: the size is found with the first tenor. */

import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import type { Quote } from '../client/schemas.ts';
import type { QuoteIntent, UnsizedQuote } from '../domain/quote-intent.ts';
import type { OwnRoom } from '../domain/sizes.ts';
import { findCover, findLargest, type QuoteFor } from './find-size.ts';
import { marketNotFound } from './read-prices.ts';
import { type QuoteReading, readQuotes } from './read-quotes.ts';

/** @throws StoppedError when no size fits; RefusedError when the account does not have the market. */
export async function readSizedQuotes(
  api: HedgeApi,
  unsized: UnsizedQuote,
  roomOfLimits: () => Promise<OwnRoom>,
): Promise<QuoteReading> {
  const {
    market: name,
    side,
    sizing,
    tenors: [tenor],
  } = unsized;
  if (tenor === undefined) throw new RangeError('a quote needs a tenor');
  const { data: markets } = await api.markets();
  const market = markets.find((each) => each.market === name);
  if (market === undefined) throw marketNotFound(name, markets);
  let last: ApiResponse<Quote> | undefined;
  const quoteFor: QuoteFor = async (notional) => {
    last = await api.quote({ market: name, side, notional_usd: notional, tenor_days: tenor });
    return last.data;
  };
  const quotesOf = (intent: QuoteIntent, quote: Quote): Promise<QuoteReading> =>
    readQuotes(api, intent, last?.data === quote ? last : undefined);
  if (sizing.by === 'ngn') {
    const { notional, quote } = await findCover(sizing.amount, { market, quoteFor });
    return quotesOf({ ...unsized, notional }, quote);
  }
  const { data: account } = await api.account();
  const capacity = market.available_capacity_usd[side];
  const { notional, quote, binding, room } = await findLargest(account, {
    capacity,
    quoteFor,
    own: await roomOfLimits(),
  });
  return quotesOf({ ...unsized, notional, sizing: { by: 'max', limit: { binding, room } } }, quote);
}
