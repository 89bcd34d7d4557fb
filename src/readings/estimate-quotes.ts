/** Estimated quotes for many sizes from at most three per market, side and tenor. They open nothing and promise nothing. */
import type { Big } from 'big.js';
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import type { Quote } from '../client/schemas.ts';
import { divide, RATE_PLACES, USD_PLACES } from '../domain/amounts.ts';
import type { Side } from '../domain/vocabulary.ts';
import { RefusedError, without } from '../errors.ts';

export interface EstimateRequest {
  market: string;
  side: Side;
  /** USD. */
  notional_usd: Big;
  tenor_days: number;
}

export interface QuoteSource {
  quote(request: EstimateRequest): Promise<ApiResponse<Quote>>;
  /** A quote of the service for exactly that size. */
  exact(request: EstimateRequest): Promise<ApiResponse<Quote>>;
  /** How many quotes were asked for. */
  asked(): number;
  /** Whether a size was given that was not quoted itself. */
  estimated(): boolean;
}

const termsOf = ({ market, side, tenor_days: tenor }: EstimateRequest): string =>
  JSON.stringify([market, side, tenor]);

/** A quote of its own for each market, side, tenor and size; the same terms are asked for once. */
export function exactQuotes(api: Pick<HedgeApi, 'quote'>, signal: AbortSignal): QuoteSource {
  const asked = new Map<string, Promise<ApiResponse<Quote>>>();
  const quote = (request: EstimateRequest): Promise<ApiResponse<Quote>> => {
    const key = `${termsOf(request)} ${request.notional_usd.toFixed()}`;
    const quoted = asked.get(key) ?? api.quote(request, { signal });
    asked.set(key, quoted);
    return quoted;
  };
  return {
    quote,
    exact: quote,
    asked: () => asked.size,
    estimated: () => false,
  };
}

/** The smallest, the middle and the largest of the sizes are quoted; between two of them each figure is interpolated. */
export function sampledQuotes(
  requests: readonly EstimateRequest[],
  { api, signal }: { api: Pick<HedgeApi, 'quote'>; signal: AbortSignal },
): QuoteSource {
  const exact = exactQuotes(api, signal);
  const sizes = new Map<string, Big[]>();
  for (const request of requests) {
    const known = sizes.get(termsOf(request)) ?? [];
    if (!known.some((size) => size.eq(request.notional_usd))) known.push(request.notional_usd);
    sizes.set(termsOf(request), known);
  }
  const samples = new Map(
    [...sizes].map(([terms, known]) => [terms, samplesOf(known.toSorted((one, other) => one.cmp(other)))]),
  );
  let estimated = false;
  const quoted = (request: EstimateRequest, size: Big): Promise<ApiResponse<Quote> | undefined> =>
    exact.quote({ ...request, notional_usd: size }).catch(without(RefusedError));
  return {
    async quote(request) {
      const { notional_usd: notional } = request;
      const around = samples.get(termsOf(request)) ?? [];
      const below = around.findLast((size) => size.lte(notional));
      const above = around.find((size) => size.gte(notional));
      if (below === undefined || above === undefined || below.eq(above)) return exact.quote(request);
      const [lower, upper] = [await quoted(request, below), await quoted(request, above)];
      // A size that the service rejects has no quote to interpolate with.
      if (lower === undefined || upper === undefined) return exact.quote(request);
      estimated = true;
      return { ...lower, data: between(lower.data, upper.data, notional) };
    },
    exact: (request) => exact.quote(request),
    asked: () => exact.asked(),
    estimated: () => estimated,
  };
}

const MOST_SAMPLES = 3;

/** `sorted`: ascending, none twice. */
function samplesOf(sorted: readonly Big[]): readonly Big[] {
  if (sorted.length <= MOST_SAMPLES) return sorted;
  return [0, Math.floor(sorted.length / 2), sorted.length - 1].flatMap((at) => sorted[at] ?? []);
}

/**
 * For quotes of a < N < b USD: a figure f in USD or USDC is N × ((f(a)/a)(b − N) + (f(b)/b)(N − a)) / (b − a), and the
 * execution price likewise by its ratio to the mid, on the mid of the smaller one. Signs are those of the quotes.
 */
export function between(lower: Quote, upper: Quote, notional: Big): Quote {
  const [a, b] = [lower.notional_usd, upper.notional_usd];
  const [low, high] = [b.minus(notional), notional.minus(a)];
  const scaled = (one: Big, other: Big): Big =>
    divide(
      notional.times(one.times(b).times(low).plus(other.times(a).times(high))),
      a.times(b).times(b.minus(a)),
      USD_PLACES,
    );
  const [mid, midAbove] = [lower.pricing.market_price, upper.pricing.market_price];
  const execution = divide(
    lower.pricing.execution_price
      .times(midAbove)
      .times(low)
      .plus(upper.pricing.execution_price.times(mid).times(high)),
    midAbove.times(b.minus(a)),
    RATE_PLACES,
  );
  return {
    ...lower,
    notional_usd: notional,
    pricing: {
      ...lower.pricing,
      execution_price: execution,
      price_impact_usd: scaled(lower.pricing.price_impact_usd, upper.pricing.price_impact_usd),
    },
    carry: {
      ...lower.carry,
      daily_usdc: scaled(lower.carry.daily_usdc, upper.carry.daily_usdc),
      total_usdc: scaled(lower.carry.total_usdc, upper.carry.total_usdc),
    },
    upfront: {
      ...lower.upfront,
      required_margin_usdc: scaled(lower.upfront.required_margin_usdc, upper.upfront.required_margin_usdc),
      platform_fee_usdc: scaled(lower.upfront.platform_fee_usdc, upper.upfront.platform_fee_usdc),
      total_upfront_usdc: scaled(lower.upfront.total_upfront_usdc, upper.upfront.total_upfront_usdc),
    },
  };
}
