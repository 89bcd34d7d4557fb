/** Reads indicative mids, adds locally recorded ones, and checks that a named market exists when a list has none of it. */
import type { Big } from 'big.js';
import type { PriceCache, SeenPrice } from '../cache/seen-prices.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import { midOf } from '../client/json.ts';
import type { Market } from '../client/schemas.ts';
import { marketMeant } from '../domain/did-you-mean.ts';
import { usdInWords } from '../domain/exposure.ts';
import { shell, step } from '../domain/hint.ts';
import { unquoted } from '../domain/quoted.ts';
import { nairaHint } from '../domain/sizes.ts';
import { isSameName, type Side } from '../domain/vocabulary.ts';
import { RefusedError } from '../errors.ts';
import type { AnyRecord } from './filter-records.ts';

export interface MarketPrice {
  market: string;
  /** The price as sent; its shape is not specified. */
  sent: unknown;
  /** Undefined when no assumed shape fits. */
  mid: Big | undefined;
  servedAt: Date | undefined;
}

/** One request per market, all at once, in the order named or the service's. */
export async function readPrices(api: HedgeApi, named: readonly string[]): Promise<readonly MarketPrice[]> {
  const markets = named.length > 0 ? named : (await api.markets()).data.map(({ market }) => market);
  return Promise.all(
    markets.map(async (market) => {
      const { data: sent, servedAt } = await api.price(market);
      return { market, sent, mid: midOf(sent, market), servedAt };
    }),
  );
}

export interface SeenMarket extends MarketPrice {
  /** Oldest first. */
  seen: readonly SeenPrice[];
}

export const readSeenPrices = (prices: readonly MarketPrice[], memory: PriceCache): readonly SeenMarket[] =>
  prices.map((price) => ({ ...price, seen: memory.seen(price.market) }));

/** Reads the markets only when none of the records is of the market. @throws RefusedError `market_not_found` */
export async function checkMarketIsKnown(
  api: HedgeApi,
  named: string | undefined,
  records: readonly AnyRecord[],
): Promise<void> {
  if (
    named === undefined ||
    records.some(({ market }) => typeof market === 'string' && isSameName(market, named))
  )
    return;
  const { data: markets } = await api.markets();
  if (!markets.some(({ market }) => market === named)) throw marketNotFound(named, markets);
}

/** A rejected market as `marketNotFound`, a size above capacity with the capacity; any other error unchanged. */
export async function withSuggestion(
  error: unknown,
  { market: named, side, notional }: { market: string; side: Side; notional?: Big | undefined },
  api: HedgeApi,
): Promise<unknown> {
  if (!(error instanceof RefusedError)) return error;
  if (error.code !== 'market_not_found' && error.code !== 'capacity_exceeded') return error;
  return api.markets().then(
    ({ data }) =>
      error.code === 'capacity_exceeded'
        ? withCapacity(
            error,
            data.find(({ market }) => market === named),
            [side],
            notional,
          )
        : marketNotFound(named, data, error.httpStatus),
    () => error,
  );
}

/** A size above capacity with the capacity of these sides; any other error, or one of a market that is not known, unchanged. */
export function withCapacity(
  error: RefusedError,
  of: Market | undefined,
  sides: readonly Side[],
  notional?: Big,
): RefusedError {
  if (of === undefined || error.code !== 'capacity_exceeded') return error;
  const { what, details } = error;
  const { market, available_capacity_usd: capacity, price: rate } = of;
  const now = sides.map((side) => `${usdInWords(capacity[side])} on ${side}`).join(', ');
  return error.with({
    what: `${what} Now ${unquoted(market)} takes up to ${now}.`,
    hint: [
      ...sides.map((side) =>
        step(shell`hedge quote ${market} ${side} --max`, 'price the largest size that fits'),
      ),
      ...sides.flatMap((side) => nairaHint(notional, { market, fits: capacity[side], rate })),
    ],
    details: { ...(typeof details === 'object' ? details : {}), available_capacity_usd: capacity },
  });
}

/** `markets`: those of the account. */
export const marketNotFound = (
  named: string,
  markets: readonly Market[],
  httpStatus?: number,
): RefusedError =>
  new RefusedError({
    code: 'market_not_found',
    httpStatus,
    what: `This account has no market ${unquoted(named)}.`,
    meaning: 'Nothing was changed.',
    hint: marketMeant(
      named,
      markets.map(({ market }) => market),
    ),
    details: { market: named },
  });
