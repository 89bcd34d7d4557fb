/** The API, remembering the mids that go by: the one place where the price memory is fed. Changes no answer. */
import type { Big } from 'big.js';
import type { PriceMemory } from '../cache/seen-prices.ts';
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import { midOf } from '../client/unspecified-fields.ts';
import type { Clock } from '../platform/clock.ts';
export function remembering(api: HedgeApi, memory: PriceMemory, clock: Pick<Clock, 'now'>): HedgeApi {
  const see = (market: string, mid: Big | undefined, { servedAt }: ApiResponse<unknown>): void => {
    if (mid !== undefined) memory.see(market, { at: servedAt?.getTime() ?? clock.now(), mid });
  };
  return {
    ...api,
    async markets(options) {
      const answer = await api.markets(options);
      for (const { market, price } of answer.data) see(market, price, answer);
      return answer;
    },
    async price(market, options) {
      const answer = await api.price(market, options);
      see(market, midOf(answer.data, market), answer);
      return answer;
    },
    async quote(request, options) {
      const answer = await api.quote(request, options);
      see(answer.data.market, answer.data.pricing.market_price, answer);
      return answer;
    },
  };
}
