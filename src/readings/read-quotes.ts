/** Reads indicative quotes per tenor, and checks them against price limits. */
import type { Big } from 'big.js';
import type { ApiResponse, HedgeApi } from '../client/hedge-api.ts';
import type { Account, Quote } from '../client/schemas.ts';
import { type BoundFinding, checkPriceBounds } from '../domain/price-bounds.ts';
import { type QuoteFigures, quoteFigures } from '../domain/quote-figures.ts';
import type { QuoteIntent } from '../domain/quote-intent.ts';
import { ConditionError, CredentialError, HedgeError } from '../errors.ts';
import type { SizedDocument } from '../schema/action-document.ts';

export interface QuotedTenor {
  quote: Quote;
  figures: QuoteFigures;
  /** The limits that this tenor exceeds. */
  misses: readonly BoundFinding[];
  /** For the document: how the size was computed, where it was not typed. */
  sized?: SizedDocument | null;
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
export async function readQuotes(
  api: HedgeApi,
  intent: QuoteIntent,
  /** The quote for the first tenor, if there is one already. */
  first?: ApiResponse<Quote>,
): Promise<QuoteReading> {
  const [responses, account] = await Promise.all([
    Promise.all(
      intent.tenors.map(async (tenor, at) =>
        at === 0 && first !== undefined ? first : quoteTenor(api, intent, tenor),
      ),
    ),
    ifItCan(api.account().then(({ data }) => data)),
  ]);
  const [response] = responses;
  return {
    intent,
    tenors: responses.map(({ data: quote }) => ({
      quote,
      figures: quoteFigures(quote),
      misses: checkPriceBounds(quote, intent),
    })),
    account,
    servedAt: response?.servedAt,
    source: response?.meta['source'],
  };
}

/** `read`; the error for an unknown market has the one that was probably meant, and that for a size above capacity the capacity. */
export async function suggestingMarket<T>(
  api: HedgeApi,
  named: Pick<QuoteIntent, 'market' | 'side'> & { notional?: Big | undefined },
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { withSuggestion } = await import('./read-prices.ts');
    throw await withSuggestion(error, named, api);
  }
}

/** Undefined when every tenor is within the limits. */
export function boundsFinding(reading: QuoteReading): ConditionError | undefined {
  const missed = reading.tenors.flatMap(({ quote, misses }) =>
    misses.map((miss) => ({ ...miss, tenor: quote.tenor_days.toString() })),
  );
  const [first] = missed;
  if (first === undefined) return undefined;
  const isTypo = missed.some(({ bound }) => bound === 'implausible_price');
  return new ConditionError({
    code: isTypo ? 'implausible_price' : first.bound === 'worst_price' ? 'worse_price' : 'cost_too_high',
    what: `${missed.map(({ tenor, message }) => `${tenor}d: ${message}`).join('; ')}.`,
    meaning: 'Indicative only. No trade was made.',
    hint: isTypo ? 'Correct the limit.' : 'Try again later or raise the limit.',
    retry: isTypo ? 'never' : 'later',
  });
}

const quoteTenor = (api: HedgeApi, intent: QuoteIntent, tenor: number): Promise<ApiResponse<Quote>> =>
  api.quote({
    market: intent.market,
    side: intent.side,
    notional_usd: intent.notional,
    tenor_days: tenor,
  });

/** A price without this reading is still of use; a rejected API key is not passed over. */
export async function ifItCan<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof HedgeError && !(error instanceof CredentialError)) return undefined;
    throw error;
  }
}
