/**
 * Reads what a hedge of one tenor would cost at smaller and larger notionals: one quote each, all at once. Opens
 * nothing.
 */
import type { Big } from 'big.js';
import type { HedgeApi } from '../../client/hedge-api.ts';
import { quoteFigures } from '../../domain/quote-figures.ts';
import { RefusedError } from '../../errors.ts';
import type { QuoteIntent } from '../../intent/intents.ts';
import type { QuoteReading } from './read-quotes.ts';

export interface CurveReading extends QuoteReading {
  /** Notionals in USD that the service gave no quote for, ascending. */
  refused: readonly { notional: Big; why: string }[];
}

/** Each is as many times the notional; few enough that a service's rate limit lets them pass. */
const STEPS = ['0.1', '0.2', '0.5', '1', '2', '5', '10'] as const;
const CENTS = 2;

/** `tenors` of the reading are the quotes, by notional ascending. Fails when the notional itself gets none. */
export async function readCurve(api: HedgeApi, intent: QuoteIntent): Promise<CurveReading> {
  const [tenor] = intent.tenors;
  if (tenor === undefined) throw new RangeError('a curve needs a tenor');
  const notionals = STEPS.map((step) => intent.notional.times(step).round(CENTS)).filter((size) =>
    size.gt(0),
  );
  const answers = await Promise.all(
    notionals.map(async (notional) => {
      const request = { market: intent.market, side: intent.side, notional_usd: notional, tenor_days: tenor };
      const answer = await api.quote(request).catch((error: unknown) => {
        if (error instanceof RefusedError && !notional.eq(intent.notional)) return error;
        throw error;
      });
      return { notional, answer };
    }),
  );
  const quoted = answers.flatMap(({ answer }) => (answer instanceof RefusedError ? [] : [answer]));
  const refused = answers.flatMap(({ notional, answer }) =>
    answer instanceof RefusedError ? [{ notional, why: answer.code }] : [],
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
