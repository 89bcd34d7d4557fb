/** An action of the journal for programs; field names as in the document of an action that has just finished. */
import { Big } from 'big.js';
import type { Effect } from '../../errors.ts';
import { nextSteps } from '../../journal/describe.ts';
import { fillOf, recordedFigures } from '../../journal/queries.ts';
import type { JournalRecord } from '../../journal/records.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../../journal/replay.ts';
import type { JournalSummary } from '../../readings/read-journal.ts';
/** The columns of `--csv`, in order. */
export const JOURNAL_COLUMNS = [
  'began_at',
  'action_id',
  'short_id',
  'identity.environment',
  'profile',
  'action',
  'request.market',
  'request.side',
  'request.notional_usd',
  'request.tenor_days',
  'outcome',
  'effect',
  'deal_id',
  'receipt.hedge_id',
  'receipt.order_tx_hash',
  'receipt.client_reference',
  'receipt.idempotency_key',
  'receipt.sent_at',
  'changed_at',
  'state',
  'unresolved',
  'in_flight',
  'settled_as',
  'why',
  'refusal.code',
  'refusal.http_status',
  'attempts',
  'identity.base_url',
  'identity.key_fingerprint',
  'request.client_reference',
  'asked',
  'bounds.worst_price',
  'bounds.max_cost_bps',
  'quote.maturity_at',
  'quote.market_price',
  'quote.execution_price',
  'quote.price_impact_usd',
  'quote.impact_cost_usd',
  'quote.carry_usdc',
  'quote.platform_fee_usdc',
  'quote.required_margin_usdc',
  'quote.total_upfront_usdc',
  'quote.cost_usdc',
  'quote.cost_bps',
  'quote.all_in_rate',
  'quote.net_margin_usd',
  'quote.close_fee_usdc',
  'quote.net_pnl_usd',
  'filled_notional_usd',
  'before.hedges',
  'before.in_positions',
  'before.read_at',
  'ended_as',
  'sent_by',
  'next',
  'steps',
  'identity.account',
] as const;

/** The outcome in one word; without one, what the action waits for or how it stopped. */
export function outcomeWord(action: Action): string {
  if (action.underway) return 'sending';
  if (isUnresolved(action)) return 'unknown';
  if (action.state === 'prepared') return 'not_sent';
  if (action.state === 'accepted') return action.outcome?.kind ?? 'pending';
  return action.state === 'done' || action.state === 'failed'
    ? (action.outcome?.kind ?? action.state)
    : action.state;
}

/** The effect on the position, as far as the journal knows. */
export function effectOf(action: Action): Effect {
  if (action.underway || isUnresolved(action)) return 'unknown';
  if (action.state === 'accepted') return action.outcome === undefined ? 'pending' : 'unknown';
  return action.state === 'done' || action.settledAs === 'done' ? 'done' : 'none';
}

export function journalDocument(
  action: Action,
  selected: string | undefined,
  steps?: readonly JournalRecord[],
): Readonly<Record<string, unknown>> {
  const { intent } = action;
  const { market, side, notional_usd: notional, tenor_days: tenor } = intent;
  return {
    action: intent.action,
    action_id: action.id,
    short_id: action.shortId,
    outcome: outcomeWord(action),
    effect: effectOf(action),
    state: action.state,
    unresolved: isUnresolved(action),
    in_flight: isAwaitingOutcome(action),
    settled_as: action.settledAs ?? null,
    why: action.why ?? null,
    refusal:
      action.refusal === undefined
        ? null
        : { code: action.refusal.code, http_status: action.refusal.httpStatus },
    identity: intent.identity,
    profile: intent.profile,
    deal_id: intent.deal_id ?? null,
    request: {
      market,
      side,
      ...(notional === undefined ? {} : { notional_usd: new Big(notional) }),
      ...(tenor === undefined ? {} : { tenor_days: tenor }),
      ...(intent.client_reference === undefined ? {} : { client_reference: intent.client_reference }),
    },
    receipt: {
      idempotency_key: intent.idempotency_key,
      client_reference: intent.client_reference ?? null,
      hedge_id: action.hedgeId ?? null,
      order_tx_hash: action.orderTxHash ?? null,
      sent_at: action.sentAt ?? null,
    },
    attempts: action.attempts,
    began_at: intent.at,
    changed_at: action.changedAt,
    filled_notional_usd: fillOf(action)?.notional ?? null,
    ended_as: action.outcome?.facts ?? null,
    asked: intent.asked ?? null,
    bounds: intent.bounds ?? null,
    quote: quoteOf(action),
    before: intent.before,
    sent_by: intent.sent_by,
    next: nextSteps(action, selected).map(({ command }) => command),
    ...(steps === undefined ? {} : { steps }),
  };
}

/** As recorded; the impact also as a cost, positive when the account pays. */
function quoteOf(action: Action): Readonly<Record<string, string | null>> | null {
  const { quote } = action.intent;
  const impact = recordedFigures(action)?.impact_cost_usd;
  return quote === undefined ? null : { ...quote, ...(impact && { impact_cost_usd: impact.toFixed() }) };
}

/** Null when the whole journal can be read. */
export const damageDocument = ({ damage, unreadable }: JournalSummary): unknown =>
  unreadable?.message ?? damage ?? null;
