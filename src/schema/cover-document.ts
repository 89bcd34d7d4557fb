/** The document of `hedge cover`: the hedges that count, the buckets, the reductions and the deals. */
import * as z from 'zod/mini';
import { quotedFigures } from './action-document.ts';
import {
  amount,
  day,
  dealSide,
  flag,
  leftOut,
  list,
  object,
  orNull,
  sentHedge,
  sentMarket,
  sentQuote,
  whole,
  words,
} from './document-fields.ts';

const marked = { weekend: flag, holiday: orNull(words) };
const band = z.enum(['inside', 'below', 'above', 'nothing_due']);
export const coverDocumentSchema = object({
  hedges: list(
    z.safeExtend(sentHedge, {
      derived: object({
        covered_ngn: amount,
        opened_for: orNull(day),
        allotted: list(object({ due: day, ngn: amount })),
        unused_ngn: amount,
        settlement: orNull(z.enum(['settled', 'assumed', 'early'])),
        must_roll: orNull(object({ due: day, matures_on: day, tenors_days: list(whole) })),
      }),
    }),
  ),
  derived: object({
    market: words,
    mid: amount,
    zone: words,
    today: day,
    buckets: list(
      object({
        from_days: whole,
        to_days: whole,
        from: day,
        to: day,
        exposures: whole,
        receive_ngn: amount,
        pay_ngn: amount,
        net_ngn: amount,
        side: orNull(dealSide),
        covered_ngn: amount,
        coverage_pct: orNull(amount),
        min_pct: amount,
        target_pct: amount,
        max_pct: amount,
        status: band,
        deals_usd: amount,
        covered_after_ngn: amount,
        coverage_after_pct: orNull(amount),
        status_after: band,
        constraint: orNull(words),
        missing_ngn: amount,
        reduce_hedge: orNull(words),
        dues: list(
          object({
            due: day,
            days: whole,
            ...marked,
            net_ngn: amount,
            to_cover_ngn: amount,
            covered_ngn: orNull(amount),
            lacks_minimum: flag,
          }),
        ),
      }),
    ),
    reductions: list(
      object({
        side: dealSide,
        ngn: amount,
        side_pct: amount,
        closes_side: flag,
        falls_below: list(object({ from_days: whole, to_days: whole })),
      }),
    ),
    deals: list(
      object({
        due: day,
        due_days: whole,
        ...marked,
        side: dealSide,
        notional_usd: amount,
        covers_ngn: amount,
        tenor_days: whole,
        rolls: list(object({ date: day, tenor_days: whole, ...marked })),
        matures_on: day,
        cost_usdc: amount,
        chain_cost_usdc: amount,
        upfront_usdc: amount,
        rows: list(object({ deal_id: words, notional_usd: amount, covers_ngn: amount })),
        quote: z.extend(sentQuote, { derived: quotedFigures }),
      }),
    ),
    total: object({
      notional_usd: amount,
      upfront_usdc: amount,
      cost_usdc: amount,
      chain_cost_usdc: amount,
      assumes: z.literal('todays_quotes_for_every_leg'),
    }),
    room: object({
      available_exposure_usd: amount,
      available_capacity_usd: sentMarket.shape.available_capacity_usd,
      balance_usdc: amount,
    }),
    in_no_bucket: list(
      object({
        id: words,
        due: day,
        ngn: amount,
        direction: z.enum(['receive', 'pay']),
        certainty: z.enum(['firm', 'forecast']),
      }),
    ),
    left_out: leftOut,
    uncertain: list(words),
    sides_known: flag,
    ignored_columns: list(words),
    date_order: orNull(words),
  }),
});
export type CoverDocument = z.infer<typeof coverDocumentSchema>;
