/** The documents of readings: what the service sent, with what was computed under `derived`. */
import * as z from 'zod/mini';
import { TENORS } from '../domain/vocabulary.ts';
import { quotedFigures, sizedFigures, unfinishedRollSchema } from './action-document.ts';
import {
  amount,
  day,
  dealSide,
  flag,
  instant,
  leftOut,
  list,
  maybe,
  named,
  object,
  orNull,
  recordedFields,
  sentAccount,
  sentClosedHedge,
  sentHedge,
  sentMarket,
  sentPosition,
  sentQuote,
  whole,
  words,
} from './document-fields.ts';
import { activeHaltSchema, deskSchema, journalDocumentSchema, troubleSchema } from './journal-document.ts';

export const hedgesDocumentSchema = z.union([sentHedge, list(sentHedge)]);

/** The fields of a price, as sent; another shape is whole under `sent`. */
const priceSchema = z.looseObject({
  sent: maybe(z.unknown()),
  derived: object({
    market: words,
    mid: orNull(amount),
    /** Recorded on this machine, oldest first. */
    seen: maybe(list(object({ at: instant, mid: amount }))),
  }),
});
export type PriceDocument = z.infer<typeof priceSchema>;
export const priceDocumentSchema = z.union([priceSchema, list(priceSchema)]);

const missedBound = object({
  bound: z.enum(['worst_price', 'max_cost_bps', 'implausible_price']),
  limit: amount,
  by: amount,
});

const quoteSchema = named(
  'quote_with_figures',
  z.extend(sentQuote, {
    derived: z.extend(quotedFigures, {
      misses: list(missedBound),
      /** How the size was computed; absent when it was typed. */
      sized: maybe(orNull(sizedFigures)),
    }),
  }),
);
export type QuoteDocument = z.infer<typeof quoteSchema>;

const gridMarks = { best: flag, exceeds: list(z.enum(['capacity', 'headroom', 'balance'])) };
const gridCellSchema = named(
  'grid_cell',
  z.union([
    z.extend(sentQuote, {
      derived: z.extend(quotedFigures, {
        marginal_bps: orNull(amount),
        ...gridMarks,
        customer_rate: orNull(amount),
        refused: z.null(),
      }),
    }),
    object({
      market: words,
      side: dealSide,
      notional_usd: amount,
      tenor_days: z.literal(TENORS),
      derived: object({
        marginal_bps: z.null(),
        ...gridMarks,
        customer_rate: z.null(),
        /** The service's code. */
        refused: words,
      }),
    }),
  ]),
);
export type QuoteGridDocument = z.infer<typeof gridCellSchema>;
/** One quote; or one per tenor, or per size of a curve; or the cells of a grid. */
export const quoteDocumentSchema = z.union([quoteSchema, list(quoteSchema), list(gridCellSchema)]);

const summed = {
  count: whole,
  notional_usd: orNull(amount),
  gross_pnl_usd: orNull(amount),
  carry_usdc: orNull(amount),
  fees_usdc: orNull(amount),
  net_pnl_usd: orNull(amount),
  /** How many records lack the field. */
  lacking: object({
    notional_usd: whole,
    gross_pnl_usd: whole,
    carry_usdc: whole,
    fees_usdc: whole,
    net_pnl_usd: whole,
  }),
};
const period = { from: maybe(orNull(instant)), until: maybe(orNull(instant)) };
const historySumsSchema = object({
  derived: object({
    of: z.literal('closed_hedges'),
    by: z.enum(['day', 'week', 'month', 'market', 'side']),
    zone: orNull(words),
    groups: list(
      object({
        day: maybe(orNull(words)),
        week: maybe(orNull(words)),
        month: maybe(orNull(words)),
        market: maybe(orNull(words)),
        side: maybe(orNull(words)),
        ...period,
        ...summed,
      }),
    ),
    total: object(summed),
  }),
});
export const historyDocumentSchema = z.union([
  historySumsSchema,
  list(sentClosedHedge),
  list(z.extend(sentClosedHedge, { derived: object({ cumulative_net_pnl_usd: orNull(amount) }) })),
]);
export type HistoryDocument = z.infer<typeof historyDocumentSchema>;

const maturing = { buy_usd: amount, sell_usd: amount, hedges: whole };
export const maturitiesDocumentSchema = object({
  hedges: list(
    z.safeExtend(sentHedge, {
      derived: object({
        zone: words,
        day,
        hour: whole,
        weekend: flag,
        holiday: orNull(words),
        seconds_to_maturity: whole,
        before_next_business_morning: flag,
        /** Filled in part just now: the rest may still fill. */
        may_fill_more: flag,
      }),
    }),
  ),
  derived: object({
    zone: words,
    until: orNull(instant),
    days: list(
      object({
        day,
        weekend: flag,
        holiday: orNull(words),
        ...maturing,
        hours: list(object({ hour: whole, from: instant, until: instant, ...maturing })),
      }),
    ),
    total: object(maturing),
    next_business_morning: instant,
    before_next_business_morning: object(maturing),
    islamic_holidays: object({
      from: day,
      to: day,
      unknown: orNull(object({ from: day, to: day })),
    }),
    sides_known: flag,
    unlisted_positions: whole,
    left_out: leftOut,
  }),
});
export type MaturitiesDocument = z.infer<typeof maturitiesDocumentSchema>;

const projected = {
  payoff_usd: amount,
  accrued_carry_usdc: orNull(amount),
  carry_to_maturity_usdc: orNull(amount),
  close_fee_usdc: orNull(amount),
  net_pnl_usd: orNull(amount),
};
export const whatIfDocumentSchema = object({
  hedges: list(sentHedge),
  positions: list(sentPosition),
  derived: object({
    market: orNull(words),
    mid: orNull(amount),
    at: z.enum(['now', 'maturity']),
    payoff: orNull(z.enum(['assumed', 'confirmed', 'unconfirmed'])),
    payoff_note: orNull(words),
    sides: list(
      object({
        side: dealSide,
        payoff_check: z.union([
          object({
            status: z.enum(['confirmed', 'differs']),
            mark_price: amount,
            gross_pnl_usd: amount,
            computed_usd: amount,
            difference_usd: amount,
            tolerance_usd: amount,
          }),
          object({ status: z.enum(['assumed', 'unclear']), why: words }),
        ]),
        margin_usdc: orNull(amount),
        margin_used_up_at: orNull(amount),
        margin_used_up_move_pct: orNull(amount),
      }),
    ),
    scenarios: list(
      object({
        rate: amount,
        move_pct: orNull(amount),
        ...projected,
        sides: list(object({ side: dealSide, ...projected })),
        hedges: list(object({ id: words, payoff_usd: amount, carry_to_maturity_usdc: orNull(amount) })),
      }),
    ),
    left_out: leftOut,
    maybe_truncated: flag,
  }),
});
export type WhatIfDocument = z.infer<typeof whatIfDocumentSchema>;

const netAssetValue = {
  net_asset_value_usdc: amount,
  balance_usdc: amount,
  net_margin_usd: amount,
  reserved_usdc: orNull(amount),
};
export const snapshotDocumentSchema = object({
  service_at: instant,
  account: recordedFields,
  positions: list(recordedFields),
  hedges: list(recordedFields),
  closed: list(recordedFields),
  mids: recordedFields,
  may_be_cut: list(z.enum(['hedges', 'closed'])),
  note: orNull(words),
  derived: object({ ...netAssetValue, unsteady: flag }),
});
export type SnapshotDocument = z.infer<typeof snapshotDocumentSchema>;

const parts = {
  market_usd: amount,
  impact_usd: amount,
  slippage_usd: amount,
  price_usd: amount,
  carry_usdc: amount,
  fees_usdc: amount,
};
/** The parts and the net P&L are null where it is partial. */
const groupFigures = {
  market_usd: orNull(amount),
  impact_usd: orNull(amount),
  slippage_usd: orNull(amount),
  price_usd: orNull(amount),
  carry_usdc: orNull(amount),
  fees_usdc: orNull(amount),
  realized_usd: amount,
  unrealized_usd: orNull(amount),
  net_usd: orNull(amount),
  partial: flag,
};
const dealGroup = object({
  hedge_id: words,
  deal_id: orNull(words),
  market: words,
  side: dealSide,
  operator: orNull(words),
  opened_at: instant,
  closed_at: orNull(instant),
  ...groupFigures,
});
const namedGroup = object({ name: orNull(words), hedges: whole, ...groupFigures });
/** `realized_between_usdc`: between `at` and `asked`. */
const periodEnd = object({
  at: instant,
  asked: instant,
  reading: orNull(z.enum(['now', 'snapshot'])),
  realized_between_usdc: amount,
});
const summedParts = object({ ...parts, net_usd: amount });
export const reportDocumentSchema = object({
  derived: object({
    zone: words,
    from: periodEnd,
    to: periodEnd,
    by: words,
    groups: list(
      z.union([z.extend(namedGroup, { net_asset_value_usdc: orNull(amount) }), namedGroup, dealGroup]),
    ),
    total: z.extend(namedGroup, { realized: summedParts, unrealized: orNull(summedParts) }),
    bridge: orNull(
      object({
        opening: object(netAssetValue),
        realized_usd: amount,
        unrealized_usd: amount,
        unexplained_usd: amount,
        closing: object(netAssetValue),
      }),
    ),
    not_opened_here: list(words),
    unconfirmed_opens: list(words),
    unresolved: list(words),
    snapshots: list(object({ at: instant, ...netAssetValue, unsteady: maybe(flag), note: maybe(words) })),
    unnamed_closed_records: whole,
  }),
});
export type ReportDocument = z.infer<typeof reportDocumentSchema>;

export const reconcileDocumentSchema = object({
  derived: object({
    since: instant,
    compared: object({
      hedges: whole,
      actions: whole,
      closed: whole,
      positions: whole,
      finance: orNull(whole),
    }),
    not_compared: list(words),
    breaks: list(
      object({
        class: words,
        against: z.enum(['journal', 'history', 'positions', 'finance', 'hedges']),
        deal_id: orNull(words),
        hedge_id: orNull(words),
        action_id: orNull(words),
        market: orNull(words),
        side: orNull(dealSide),
        journal: orNull(words),
        service: orNull(words),
        finance: orNull(words),
        unresolved: flag,
        break_after: orNull(instant),
        note: orNull(words),
        noted_at: orNull(instant),
        noted_by: orNull(words),
      }),
    ),
  }),
});
export type ReconcileDocument = z.infer<typeof reconcileDocumentSchema>;

export const bookedDocumentSchema = object({
  derived: object({
    zone: words,
    from: instant,
    until: orNull(instant),
    last_snapshot: instant,
    entries: whole,
    postings: list(
      object({
        entry: whole,
        date: words,
        title: words,
        account: words,
        amount_usdc: words,
        deal_id: orNull(words),
        hedge_id: orNull(words),
        at: words,
        booked_at: orNull(words),
        record_hash: orNull(words),
      }),
    ),
  }),
});
export type BookedDocument = z.infer<typeof bookedDocumentSchema>;

const foundInJournal = {
  unresolved: list(journalDocumentSchema),
  in_flight: list(journalDocumentSchema),
  halt: orNull(activeHaltSchema),
  desk: maybe(deskSchema),
  journal_trouble: orNull(troubleSchema),
};

export const homeDocumentSchema = object({
  version: words,
  selected: orNull(object({ name: words, environment: maybe(words), why: words })),
  ...foundInJournal,
  unfinished_rolls: list(unfinishedRollSchema),
});
export type HomeDocument = z.infer<typeof homeDocumentSchema>;

export const watchDocumentSchema = object({
  markets: list(
    z.extend(sentMarket, {
      derived: object({ first_mid: orNull(amount), first_seen_at: orNull(instant) }),
    }),
  ),
  account: sentAccount,
  positions: list(sentPosition),
  derived: object({
    maturing: list(
      object({
        id: words,
        market: words,
        side: dealSide,
        notional_usd: amount,
        maturity_at: instant,
      }),
    ),
    maybe_truncated: flag,
    ...foundInJournal,
  }),
});
export type WatchDocument = z.infer<typeof watchDocumentSchema>;
