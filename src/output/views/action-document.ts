/** The document of an action: the same fields in every outcome, computed ones under `derived`, null for no value. */
import { askedOf } from '../../domain/action-intent.ts';
import { parseExactJson } from '../../domain/exact-json.ts';
import type { QuoteFigures } from '../../domain/quote-figures.ts';
import { estimatedPnl } from '../../domain/returned-amounts.ts';
import { nairaAsked } from '../../journal/describe.ts';
import type { Action } from '../../journal/replay.ts';
import { recordedFigures } from '../../journal/results.ts';
import type { ActionDocument } from '../../schema/action-document.ts';
import type { HedgeChange, Plan } from '../../trading/plan.ts';
import type { ActionReport } from '../../trading/report.ts';
import { pickOrNull } from '../record-table.ts';
import { expectedBack } from './changed-side.ts';
import { operatorDocument, receiptDocument } from './journal.ts';
import { quotedPrice, sizedDocument } from './sized.ts';

type Derived = ActionDocument['derived'];
type Returned = NonNullable<Derived['planned']>['comes_back'];

export const actionOrNull = (report: ActionReport | undefined): ActionDocument | null =>
  report === undefined ? null : actionDocument(report);

export function actionDocument(report: ActionReport): ActionDocument {
  const { entry, plan, hedge } = report;
  return {
    action: plan?.action ?? entry?.intent.action ?? null,
    action_id: entry?.id ?? null,
    outcome: report.outcome,
    effect: report.effect,
    request: entry === undefined ? requestOf(plan) : parseExactJson(entry.intent.body),
    receipt: receiptDocument(entry, hedge),
    operator: operatorDocument(entry?.intent.operator),
    version: entry?.intent.version ?? null,
    note: (entry === undefined ? plan?.intent.options.note : entry.intent.note) ?? null,
    hedge: hedge ?? null,
    position: report.position ?? null,
    quote: plan?.facts.quote ?? null,
    derived: derivedOf(report),
  };
}

/** Null if nothing would be sent. */
const requestOf = (plan: Plan | undefined): ActionDocument['request'] =>
  plan === undefined || ('nothingToDo' in plan && plan.nothingToDo) ? null : plan.request;

function derivedOf(report: ActionReport): Derived {
  const { plan, entry, derived, hedges, warnings } = report;
  // The P&L that a reduce or close was expected to realize, with the fee to close.
  const back = expectedBack(report);
  return {
    ...pickOrNull(derived, ['filled_notional_usd', 'struck_rate', 'slippage_bps', 'slippage_usd']),
    ...pickOrNull(derived, ['net_pnl_usd', 'gross_pnl_usd', 'carry_usdc', 'fees_usdc']),
    estimated_pnl_usd: (back && estimatedPnl(back)) ?? null,
    ...pickOrNull(derived, ['entry_price_before', 'entry_price_after', 'took_ms']),
    provisional_until: entry?.provisionalUntil ?? null,
    hedges: changesOf(hedges),
    quoted: quotedOf(plan, entry) ?? null,
    planned: plan === undefined ? null : plannedOf(plan, report.openedElsewhere),
    warnings: warnings.map(({ code }) => code),
    asked: entry?.intent.asked ?? (plan && askedOf(plan.intent)) ?? null,
    sized: sizedOf(report),
  };
}

/** For an earlier run the journal has the naira that were asked for; the limit of the largest size was of that moment. */
function sizedOf({ plan, entry, derived }: ActionReport): Derived['sized'] {
  const intent = plan !== undefined && 'sizing' in plan.intent ? plan.intent : undefined;
  const naira = nairaAsked(entry?.intent.asked ?? (plan && askedOf(plan.intent)));
  const sizing = intent?.sizing ?? (naira && { by: 'ngn' as const, amount: naira });
  const notional = intent?.notional ?? (plan?.action === 'reduce' ? plan.notional : entry?.notional);
  if (sizing === undefined || notional === undefined) return null;
  const price =
    plan?.action === 'reduce'
      ? plan.struckRate
      : (plan?.facts.quote?.pricing.execution_price ?? quotedPrice(entry).price);
  const sized = sizedDocument(sizing, { notional, price });
  const { filled_notional_usd: filled, struck_rate: struck } = derived;
  return sized !== null && 'ngn_asked' in sized
    ? { ...sized, ngn_struck: filled === undefined || struck === undefined ? null : filled.times(struck) }
    : sized;
}

/** The plan for the side; the outcome is under `hedges`. */
const plannedOf = (plan: Plan, openedElsewhere: readonly string[] | undefined): Derived['planned'] => ({
  side_before_usd: plan.facts.sidePosition.total ?? null,
  opened_elsewhere: openedElsewhere ?? null,
  side_after_usd: plan.after.total ?? null,
  hedges: changesOf(plan.after.hedges),
  closes_side: 'closesSide' in plan ? plan.closesSide : false,
  comes_back: 'comesBack' in plan ? comesBackOf(plan) : null,
  carry_to_maturity_usdc: ('carryToMaturity' in plan ? plan.carryToMaturity : undefined) ?? null,
});

/** Figures of the quote of an open or add; an earlier run has them in its journal entry. */
function quotedOf(plan: Plan | undefined, entry: Action | undefined): QuoteFigures | undefined {
  if (plan === undefined) return entry && recordedFigures(entry);
  return 'figures' in plan ? plan.figures : undefined;
}

const changesOf = (changes: readonly HedgeChange[] | undefined): Derived['hedges'] =>
  changes?.map(({ id, before, after, reference, rateBefore, rateAfter }) => ({
    hedge_id: id,
    before_usd: before,
    after_usd: after,
    client_reference: reference ?? null,
    struck_rate_before: rateBefore ?? null,
    struck_rate_after: rateAfter ?? null,
  })) ?? null;

const comesBackOf = ({ comesBack }: Extract<Plan, { comesBack: unknown }>): Returned =>
  comesBack === undefined
    ? null
    : {
        ...pickOrNull(comesBack, ['net_margin_usd', 'close_fee_usdc', 'net_pnl_usd']),
        realized_pnl_usd: estimatedPnl(comesBack) ?? null,
      };
