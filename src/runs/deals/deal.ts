/** One row of a deals file on its way: its open, how it ended, and what that means for the rows after it. Pure. */
import type { Big } from 'big.js';
import type { Quote } from '../../client/schemas.ts';
import type { OpenIntent, TypedIntentOf } from '../../domain/action-intent.ts';
import { readDecimal } from '../../domain/amounts.ts';
import { grouped } from '../../domain/exposure.ts';
import { hasBound, worseByBps } from '../../domain/price-bounds.ts';
import { quoteFigures } from '../../domain/quote-figures.ts';
import { quotedName } from '../../domain/quoted.ts';
import { coverOf } from '../../domain/sizes.ts';
import {
  type HedgeError,
  OrderFailedError,
  PartialFillError,
  PendingError,
  RefusedError,
  StoppedError,
} from '../../errors.ts';
import { recordedFigures } from '../../journal/results.ts';
import { TOLERATED_BPS } from '../../trading/confirm.ts';
import { priceOf } from '../../trading/evaluate.ts';
import { PricedStopError } from '../../trading/guards/stops.ts';
import type { OpenPlan, Plan } from '../../trading/plan.ts';
import type { ActionReport, ReportOutcome } from '../../trading/report.ts';

export interface Deal {
  line: number;
  /** A size in naira has its notional once that is computed. */
  intent: TypedIntentOf<'open'>;
}

export interface DealEnd extends Deal {
  /** Undefined: it was stopped before there was one. */
  report: ActionReport | undefined;
  /** The plan of the check or of the run; undefined for a deal of an earlier run. */
  plan: OpenPlan | undefined;
  /** For its size, of a row that was stopped after it. */
  quote?: Quote | undefined;
  /** Undefined for a row that fits, was accepted or is filled. */
  error: HedgeError | undefined;
}

/** `skipped`: beyond its price limit. `stopped`: by a pre-trade check. `not_run`: after a stop. */
export type DealOutcome = ReportOutcome | 'skipped' | 'stopped' | 'not_run';

export type DealRecord = ReturnType<typeof recordOfDeal>;

/** For a document and a screen: the row as it ended. Unknown values are undefined. */
export function recordOfDeal(end: DealEnd) {
  const { line: at, intent, plan, report, error } = end;
  const outcome = outcomeOfDeal(end);
  const { entry, hedge, derived } = report ?? {};
  const quote = plan?.facts.quote ?? end.quote;
  const recorded = entry?.intent.quote;
  const price = quote?.pricing.execution_price ?? readDecimal(recorded?.['execution_price']);
  const figures =
    plan?.figures ?? (entry && recordedFigures(entry)) ?? (end.quote && quoteFigures(end.quote));
  // Undefined: given in naira, and not computed yet.
  const notional = plan?.notional ?? intent.notional ?? entry?.notional;
  // Undefined: not filled yet, or the hedge of another machine.
  const filled = derived?.filled_notional_usd;
  const size = filled ?? notional;
  const struck = derived?.struck_rate ?? hedge?.struck_rate ?? undefined;
  const asked = intent.sizing?.by === 'ngn' ? intent.sizing.amount : undefined;
  const covered = asked && notional && price && coverOf(notional, price, asked);
  return {
    line: at,
    deal_id: intent.dealId,
    market: intent.market,
    side: intent.side,
    notional_usd: notional,
    filled_notional_usd: filled,
    ngn_asked: asked,
    ngn: covered?.amount,
    ngn_rest: covered?.rest,
    ngn_struck: asked && size && struck && size.times(struck),
    tenor_days: intent.tenor,
    // That of the hedge, else of the quote; a failed order has none.
    maturity_at: outcome === 'failed' ? undefined : (hedge?.maturity_at ?? quote?.maturity),
    worst_price: intent.bounds.worstPrice,
    max_cost_bps: intent.bounds.maxCostBps,
    execution_price: price,
    cost_bps: figures?.cost_bps,
    cost_usdc: figures?.cost_usdc,
    upfront_usdc: quote?.upfront.total_upfront_usdc ?? readDecimal(recorded?.['total_upfront_usdc']),
    struck_rate: struck,
    slippage_bps: derived?.slippage_bps,
    outcome,
    code: error?.code,
    // An earlier run sent it, or it was opened elsewhere.
    earlier: report !== undefined && plan === undefined,
    hedge_id: entry?.hedgeId ?? hedge?.id,
    action_id: entry?.id,
    sent_at: entry?.sentAt,
    note: intent.options.note,
    message: error?.what,
  };
}

export function outcomeOfDeal({ report, error, intent }: DealEnd): DealOutcome {
  if (error?.code === NOT_RUN) return NOT_RUN;
  if (error !== undefined && isBeyondBound(error, intent)) return 'skipped';
  if (report !== undefined) return report.outcome;
  return error instanceof RefusedError ? 'refused' : 'stopped';
}

export const NOT_RUN = 'not_run';

const OF_A_BOUND: readonly string[] = ['worse_price', 'cost_too_high'];

/** The price is beyond the limit of the row: the others go on. */
export const isBeyondBound = (error: HedgeError, intent: Pick<OpenIntent, 'bounds'>): boolean =>
  error instanceof StoppedError && OF_A_BOUND.includes(error.code) && hasBound(intent.bounds);

/** Whether a row keeps the whole file from being opened: it was not sent, and could not be. */
export const blocksRun = ({ report, error, intent }: DealEnd): boolean =>
  report === undefined && error !== undefined && error.code !== NOT_RUN && !isBeyondBound(error, intent);

/** Whether no further row is opened. A rejection or a failed order concerns its row alone. */
export function endsRun({ report, error, intent }: DealEnd): boolean {
  if (error === undefined || isBeyondBound(error, intent)) return false;
  if (report?.outcome === 'unknown' || error.effect === 'unknown') return true;
  const isUsed = report?.outcome === 'refused' && error.code === 'deal_id_used';
  return !isUsed && !ROW_ALONE.some((kind) => error instanceof kind);
}

const ROW_ALONE = [RefusedError, OrderFailedError, PartialFillError, PendingError] as const;

/** A row without a price limit was confirmed at a price. @throws StoppedError */
export function checkNotWorse(plan: Plan, shown: Big | undefined): void {
  const now = priceOf(plan);
  if (plan.action !== 'open' || hasBound(plan.intent.bounds) || shown === undefined || now === undefined)
    return;
  const bps = worseByBps(plan.side, { shown, now });
  if (bps.lte(TOLERATED_BPS)) return;
  throw new PricedStopError(
    {
      code: 'worse_price',
      what: `The price of ${quotedName(plan.intent.dealId ?? '')} is now ${grouped(now)}, ${bps.round(1).toFixed()} bps worse than the ${grouped(shown)} that was confirmed, and it has no price limit.`,
      meaning: 'It was not sent.',
      retry: 'later',
      details: { execution_price: now, confirmed_price: shown, worse_by_bps: bps },
    },
    plan.facts.quote,
  );
}

export const notRun = (deal: Deal, cause: HedgeError, at: number | undefined): DealEnd => ({
  ...deal,
  report: undefined,
  plan: undefined,
  quote: undefined,
  error: new StoppedError({
    code: NOT_RUN,
    what: `Not run: ${at === undefined ? 'the run was stopped' : `the run stopped at line ${at.toString()}`} (${cause.code}).`,
    meaning: 'Nothing was sent for this row.',
    retry: 'later',
    details: { stopped_by: cause.code, stopped_at_line: at ?? null },
    cause,
  }),
});
