/** Reads indicative quotes per tenor, or per notional for the cost curve, and checks them against price limits. */
import type { Big } from 'big.js';
import type { QuoteIntent } from '../args/quote-options.ts';
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import type { Account, Quote } from '../client/schemas.ts';
import { type BoundFinding, checkPriceBounds } from '../domain/price-bounds.ts';
import { type QuoteFigures, quoteFigures } from '../domain/quote-figures.ts';
import { ConditionError, CredentialError, HedgeError, RefusedError } from '../errors.ts';

export interface QuotedTenor {
  quote: Quote;
  figures: QuoteFigures;
  /** The limits that this tenor exceeds. */
  misses: readonly BoundFinding[];
}

export interface QuoteReading {
  intent: QuoteIntent;
  tenors: readonly QuotedTenor[];
  /** Undefined when it could not be read. */
  account: Account | undefined;
  servedAt: Date | undefined;
  source: unknown;
}

/**
 * Quotes every tenor at once. A failed quote fails the reading; a failed account read does not, unless the API key was
 * rejected.
 */
export async function readQuotes(api: HedgeApi, intent: QuoteIntent): Promise<QuoteReading> {
  const [responses, account] = await Promise.all([
    Promise.all(intent.tenors.map((tenor) => quoteTenor(api, intent, tenor))),
    readAccountIfItCan(api),
  ]);
  const first = responses[0];
  return {
    intent,
    tenors: responses.map(({ data }) => quotedTenor(data, intent)),
    account,
    servedAt: first?.servedAt,
    source: first?.meta['source'],
  };
}

/** The quotes, or the curve, that were asked for. @throws RefusedError with the market that was meant. */
export async function readQuoted(
  api: HedgeApi,
  intent: QuoteIntent,
): Promise<{ value: QuoteReading; curve: CurveReading | undefined }> {
  try {
    const curve = intent.curve === true ? await readCurve(api, intent) : undefined;
    return { curve, value: curve ?? (await readQuotes(api, intent)) };
  } catch (error) {
    const { withSuggestion } = await import('./read-prices.ts');
    throw await withSuggestion(error, intent.market, api);
  }
}

/** Undefined when every tenor is within the limits. */
export function boundsFinding(reading: QuoteReading): ConditionError | undefined {
  const missed = reading.tenors.flatMap(({ quote, misses }) =>
    misses.map((miss) => ({ ...miss, tenor: quote.tenor_days.toString() })),
  );
  const [first] = missed;
  if (first === undefined) return undefined;
  return new ConditionError({
    code: first.bound === 'worst_price' ? 'worse_price' : 'cost_too_high',
    what: `${missed.map(({ tenor, message }) => `${tenor}d: ${message}`).join('; ')}.`,
    book: 'Indicative only. No trade was made.',
    hint: 'Try again later or raise the limit.',
    retry: 'later',
  });
}

const quotedTenor = (quote: Quote, intent: QuoteIntent): QuotedTenor => ({
  quote,
  figures: quoteFigures(quote),
  misses: checkPriceBounds(quote, intent),
});

const quoteTenor = (api: HedgeApi, intent: QuoteIntent, tenor: number): Promise<ApiResponse<Quote>> =>
  api.quote({
    market: intent.market,
    side: intent.side,
    notional_usd: intent.notional,
    tenor_days: tenor,
  });

async function readAccountIfItCan(api: HedgeApi): Promise<Account | undefined> {
  try {
    return (await api.account()).data;
  } catch (error) {
    if (error instanceof HedgeError && !(error instanceof CredentialError)) return undefined;
    throw error;
  }
}

export interface CurveReading extends QuoteReading {
  /** Notionals in USD without a quote, ascending. */
  refused: readonly { notional: Big; why: string }[];
}

/** Multiples of the notional; few enough for the service's rate limit. */
const STEPS = ['0.1', '0.2', '0.5', '1', '2', '5', '10'] as const;
const CENTS = 2;

/** `tenors` of the reading are the quotes by notional, ascending. Fails when the notional itself has no quote. */
export async function readCurve(api: HedgeApi, intent: QuoteIntent): Promise<CurveReading> {
  const [tenor] = intent.tenors;
  if (tenor === undefined) throw new RangeError('a curve needs a tenor');
  const notionals = STEPS.map((step) => intent.notional.times(step).round(CENTS)).filter((size) =>
    size.gt(0),
  );
  const results = await Promise.all(
    notionals.map(async (notional) => {
      const request = { market: intent.market, side: intent.side, notional_usd: notional, tenor_days: tenor };
      const result = await api.quote(request).catch((error: unknown) => {
        if (error instanceof RefusedError && !notional.eq(intent.notional)) return error;
        throw error;
      });
      return { notional, result };
    }),
  );
  const quoted = results.flatMap(({ result }) => (result instanceof RefusedError ? [] : [result]));
  const refused = results.flatMap(({ notional, result }) =>
    result instanceof RefusedError ? [{ notional, why: result.code }] : [],
  );
  const [first] = quoted;
  return {
    intent,
    tenors: quoted.map(({ data }) => ({ quote: data, figures: quoteFigures(data), misses: [] })),
    account: undefined,
    servedAt: first?.servedAt,
    source: first?.meta['source'],
    refused,
  };
}
