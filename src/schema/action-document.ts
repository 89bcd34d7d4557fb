/** The document of an action: of an open, add, reduce or close, of what resumes one, and of a leg of a roll. */
import * as z from 'zod/mini';
import { ACTION_NAMES } from '../domain/action-table.ts';
import { TENORS } from '../domain/vocabulary.ts';
import {
  amount,
  dealSide,
  effectOnPosition,
  flag,
  instant,
  list,
  maybe,
  named,
  object,
  orNull,
  ranBy,
  sentHedge,
  sentPosition,
  sentQuote,
  whole,
  words,
} from './document-fields.ts';

/** The figures of a quote. Positive is a cost. */
export const quotedFigures = named(
  'quoted_figures',
  object({
    all_in_rate: maybe(amount),
    move_to_break_even_pct: maybe(amount),
    impact_cost_usd: amount,
    cost_usdc: amount,
    cost_bps: amount,
    notional_quote: amount,
    customer_rate: maybe(amount),
    carry_usdc: maybe(amount),
    maturity_at: maybe(words),
  }),
);

export const bindingLimit = z.enum([
  'headroom',
  'capacity',
  'balance',
  'per_trade_limit',
  'daily_limit',
  'open_limit',
]);

/** How a size was computed that was not typed. */
export const sizedFigures = named(
  'sized',
  z.union([
    object({
      ngn_asked: amount,
      ngn: orNull(amount),
      ngn_rest: orNull(amount),
      /** At the struck rate; of an action only. */
      ngn_struck: maybe(orNull(amount)),
    }),
    object({ binding: bindingLimit, room_usd: amount }),
    object({ target_usd: amount }),
  ]),
);

export type SizedDocument = z.infer<typeof sizedFigures>;

export const returnedFigures = object({
  net_margin_usd: orNull(amount),
  close_fee_usdc: orNull(amount),
  net_pnl_usd: orNull(amount),
  realized_pnl_usd: orNull(amount),
});

const hedgeChange = named(
  'hedge_change',
  object({
    hedge_id: words,
    before_usd: amount,
    after_usd: amount,
    client_reference: orNull(words),
    struck_rate_before: orNull(amount),
    struck_rate_after: orNull(amount),
  }),
);

/** The body of the request, as it was sent or would be. The exact bytes are the journal's, so its type is open. */
export const sentRequest: z.ZodMiniType = object({
  market: words,
  side: dealSide,
  notional_usd: maybe(amount),
  tenor_days: maybe(z.literal(TENORS)),
  client_reference: maybe(words),
});

export const sentReceipt = object({
  idempotency_key: orNull(words),
  client_reference: orNull(words),
  hedge_id: orNull(words),
  order_tx_hash: orNull(words),
  /** First send. */
  sent_at: orNull(instant),
});

const derivedOfAction = {
  filled_notional_usd: orNull(amount),
  struck_rate: orNull(amount),
  slippage_bps: orNull(amount),
  slippage_usd: orNull(amount),
  net_pnl_usd: orNull(amount),
  gross_pnl_usd: orNull(amount),
  carry_usdc: orNull(amount),
  fees_usdc: orNull(amount),
  estimated_pnl_usd: orNull(amount),
  entry_price_before: orNull(amount),
  entry_price_after: orNull(amount),
  took_ms: orNull(whole),
  provisional_until: orNull(instant),
  hedges: orNull(list(hedgeChange)),
  quoted: orNull(quotedFigures),
  planned: orNull(
    object({
      side_before_usd: orNull(amount),
      opened_elsewhere: orNull(list(words)),
      side_after_usd: orNull(amount),
      hedges: orNull(list(hedgeChange)),
      closes_side: flag,
      comes_back: orNull(returnedFigures),
      carry_to_maturity_usdc: orNull(amount),
    }),
  ),
  /** Codes of pre-trade checks that did not stop it. */
  warnings: list(words),
  /** How the size was given, when not as a notional: `by 50%`. */
  asked: orNull(words),
  sized: orNull(sizedFigures),
};

const actionFields = {
  action: orNull(z.enum(ACTION_NAMES)),
  action_id: orNull(words),
  outcome: z.enum([
    'filled',
    'changed',
    'closed',
    'failed',
    'pending',
    'submitted',
    'unknown',
    'refused',
    'not_sent',
    'planned',
    'flat',
  ]),
  effect: effectOnPosition,
  request: orNull(sentRequest),
  receipt: sentReceipt,
  operator: orNull(ranBy),
  version: orNull(words),
  note: orNull(words),
  hedge: orNull(sentHedge),
  position: orNull(sentPosition),
  quote: orNull(sentQuote),
};

export const actionDocumentSchema = named(
  'action',
  object({ ...actionFields, derived: object(derivedOfAction) }),
);
export type ActionDocument = z.infer<typeof actionDocumentSchema>;

/** The document of `check`, with the evidence of the lookup. */
const lookedUpSchema = named(
  'looked_up_action',
  object({
    ...actionFields,
    derived: object({
      ...derivedOfAction,
      /** Null where none was needed. */
      evidence: orNull(object({ kind: z.enum(['exact', 'none', 'other', 'unclear']), says: orNull(words) })),
    }),
  }),
);
export const checkDocumentSchema = z.union([lookedUpSchema, list(lookedUpSchema)]);
export type LookedUpDocument = z.infer<typeof lookedUpSchema>;

export const resumeDocumentSchema = orNull(actionDocumentSchema);

const chainFields = {
  chain_id: words,
  state: z.enum([
    'planned',
    'due',
    'closing',
    'flat_open_due',
    'opening',
    'done',
    'missed',
    'closed_early',
    'dropped',
  ]),
  when: z.enum(['now', 'maturity']),
  market: words,
  side: dealSide,
  notional_usd: amount,
  /** USD asked for with leg 2, where less was filled. */
  asked_notional_usd: orNull(amount),
  tenor_days: whole,
  max_cost_bps: orNull(amount),
  sent_max_cost_bps: orNull(amount),
  maturity_at: orNull(instant),
  due_at: orNull(instant),
  from_hedge_id: words,
  from_deal_id: orNull(words),
  close_action_id: orNull(words),
  close_outcome: orNull(words),
  to_deal_id: words,
  to_hedge_id: orNull(words),
  open_action_id: orNull(words),
  open_outcome: orNull(words),
  root: words,
  profile: words,
  environment: words,
  planned_at: instant,
  ended_at: orNull(instant),
  operator: orNull(ranBy),
  version: orNull(words),
  note: orNull(words),
  /** The command to run next. */
  next: orNull(words),
};
export const chainDocumentSchema = named('roll_chain', object(chainFields));
export type ChainDocument = z.infer<typeof chainDocumentSchema>;

const legs = object({ close: orNull(actionDocumentSchema), open: orNull(actionDocumentSchema) });

export const rollDocumentSchema = object({
  ...chainFields,
  dry_run: flag,
  existing: flag,
  legs,
  quote: orNull(sentQuote),
  quoted: orNull(quotedFigures),
  returned: orNull(
    object({
      net_margin_usd: maybe(amount),
      close_fee_usdc: maybe(amount),
      net_pnl_usd: maybe(amount),
      gross_pnl_usd: maybe(amount),
      mark_price: maybe(amount),
    }),
  ),
});
export type RollDocument = z.infer<typeof rollDocumentSchema>;

const runRecordSchema = object({
  ...chainFields,
  outcome: words,
  error: orNull(object({ code: words, message: words, effect: effectOnPosition, hint: orNull(words) })),
  legs,
});
export const runDocumentSchema = list(runRecordSchema);
export type RollRunDocument = z.infer<typeof runRecordSchema>;

const costSum = { cost_usdc: amount, cost_bps: amount, missing: list(words) };
const oneRollSchema = object({
  ...chainFields,
  derived: object({
    ...costSum,
    legs: list(
      object({
        leg: whole,
        hedge_id: orNull(words),
        notional_usd: amount,
        impact_cost_usd: orNull(amount),
        slippage_usd: orNull(amount),
        carry_usdc: orNull(amount),
        platform_fee_usdc: orNull(amount),
        close_fee_usdc: orNull(amount),
        ...costSum,
        net_pnl_usd: orNull(amount),
        gross_pnl_usd: orNull(amount),
      }),
    ),
  }),
});
export type OneRollDocument = z.infer<typeof oneRollSchema>;
export const rollShowDocumentSchema = z.union([oneRollSchema, list(chainDocumentSchema)]);

export const unfinishedRollSchema = named(
  'unfinished_roll',
  object({
    chain_id: chainFields.chain_id,
    state: chainFields.state,
    when: chainFields.when,
    market: words,
    side: dealSide,
    notional_usd: amount,
    from_hedge_id: words,
    to_deal_id: words,
    maturity_at: orNull(instant),
    profile: words,
    next: orNull(words),
  }),
);
export type UnfinishedRollDocument = z.infer<typeof unfinishedRollSchema>;

const dealRow: z.ZodMiniType<Readonly<Record<string, unknown>>> = object({
  line: whole,
  deal_id: words,
  market: words,
  side: dealSide,
  notional_usd: orNull(amount),
  filled_notional_usd: orNull(amount),
  ngn_asked: orNull(amount),
  ngn: orNull(amount),
  ngn_rest: orNull(amount),
  ngn_struck: orNull(amount),
  tenor_days: whole,
  maturity_at: orNull(instant),
  worst_price: orNull(amount),
  max_cost_bps: orNull(amount),
  execution_price: orNull(amount),
  cost_bps: orNull(amount),
  cost_usdc: orNull(amount),
  upfront_usdc: orNull(amount),
  struck_rate: orNull(amount),
  slippage_bps: orNull(amount),
  outcome: words,
  code: orNull(words),
  earlier: flag,
  hedge_id: orNull(words),
  action_id: orNull(words),
  sent_at: orNull(instant),
  note: orNull(words),
  message: orNull(words),
});
/** `deals`: the rows. Of `deals check` what would be opened, of `deals run` what was. */
export const dealsDocumentSchema = object({
  file: words,
  deals: list(dealRow),
  derived: z.union([
    object({
      sides: list(
        object({
          market: words,
          side: dealSide,
          deals: whole,
          notional_usd: amount,
          upfront_usdc: orNull(amount),
          cost_usdc: orNull(amount),
        }),
      ),
      left: orNull(object({ available_exposure_usd: amount, balance_usdc: amount })),
      would_open: whole,
    }),
    object({
      sides: list(
        object({
          market: words,
          side: dealSide,
          deals: whole,
          not_opened: whole,
          pending: whole,
          notional_usd: amount,
          upfront_usdc: amount,
        }),
      ),
    }),
  ]),
});
export type DealsDocument = z.infer<typeof dealsDocumentSchema>;
