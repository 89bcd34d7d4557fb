/** Reads indicative quotes per notional, for the cost curve. */
import type { Big } from 'big.js';
import type { HedgeApi } from '../client/hedge-api.ts';
import { quoteFigures } from '../domain/quote-figures.ts';
import type { QuoteIntent } from '../domain/quote-intent.ts';
import { RefusedError } from '../errors.ts';
import type { QuoteReading } from './read-quotes.ts';

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
