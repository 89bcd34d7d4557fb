/**
 * Rolls one hedge: now, as a close and an open, or by a plan for its maturity that is kept in the journal. What will be done
 * is shown and confirmed once; an earlier run of the same command is continued.
 */
import { Big } from 'big.js';
import type { RollIntent } from '../../args/roll-options.ts';
import type { OpenIntent } from '../../domain/action-intent.ts';
import { say, shell } from '../../domain/hint.ts';
import type { Side } from '../../domain/vocabulary.ts';
import { nothingSent } from '../../errors.ts';
import type { RollPlan } from '../../journal/records.ts';
import { asRead, type RollChain, whyNoLegTwo } from '../../journal/roll-chains.ts';
import type { JournalState } from '../../journal/state.ts';
import { readPositionFacts } from '../../readings/read-position.ts';
import { sidePositionOf } from '../../readings/side-position.ts';
import { checkAccount } from '../../trading/account-keys.ts';
import { guardContext, journalTermsOf, readInputs } from '../../trading/evaluate.ts';
import { guardLimits, guardMarket, sizeFindings } from '../../trading/guards/guard-plan.ts';
import { guardAdmission } from '../../trading/guards/journal-guard.ts';
import { checkNoStop } from '../../trading/guards/stops.ts';
import { checkResending } from '../../trading/guards/unattended-policy.ts';
import { type OpenPlan, planOpen } from '../../trading/plan.ts';
import type { Finding, TradingContext } from '../../trading/trading-context.ts';
import { earlierRoll, isSamePlan, rolledBefore, unfinishedOf, unseenRollTo } from './earlier-rolls.ts';
import { endRoll } from './end-roll.ts';
import {
  checkBound,
  findTarget,
  keepPlan,
  legTwo,
  onlyHedgeOn,
  pastDueDate,
  planRoll,
  type RollChoice,
  rollMissed,
  unfinished,
  withLimit,
} from './plan-roll.ts';
import { NOTHING_RUN, type RollResult, runsElsewhere } from './roll-result.ts';
import { chainNow, previewNow, readAlone, runNow, type ShownLegs } from './run-legs.ts';
import { cannotTell } from './settlement.ts';

/** Result of a roll. */
export interface RollReport extends RollResult {
  /** Nothing was kept or sent. */
  dryRun: boolean;
  /** It was planned or made by an earlier run. */
  existing: boolean;
  /** For a dry run, both legs; for a plan for the maturity, the second one at today's quote. */
  shown: Partial<ShownLegs>;
  servedAt: Date | undefined;
}

export interface RollPreview {
  chain: RollChain;
  /** The close is missing from a plan for the maturity. */
  legs: Partial<ShownLegs> & { open: OpenPlan };
  warnings: readonly Finding[];
}

/** Shows the roll, and asks unless `yes`. False: declined. */
export type ConfirmRoll = (preview: RollPreview, options: { yes: boolean }) => Promise<boolean>;

/** @throws UsageError, StoppedError and errors of readings before anything is sent; after that problems are its `finding`. */
export async function rollHedge(
  intent: RollIntent,
  context: TradingContext,
  confirm: ConfirmRoll,
): Promise<RollReport> {
  checkBound(intent, context);
  checkRunsAlone(intent, context);
  checkAccount(context);
  return intent.when === 'now' ? rollNow(intent, context, confirm) : rollLater(intent, context, confirm);
}

/** The options required without a terminal: its deal ID and its limit are those of the plan. @throws UsageError */
export const checkRunsAlone = ({ options }: Pick<RollIntent, 'options'>, context: TradingContext): void =>
  checkResending({ ...options, resend: true }, context);

const reportOf = (chain: RollChain, more: Partial<RollReport> = {}): RollReport => ({
  chain,
  ...NOTHING_RUN,
  dryRun: false,
  existing: false,
  shown: {},
  servedAt: more.open?.servedAt ?? more.close?.servedAt,
  ...more,
});

async function rollNow(
  intent: RollIntent,
  context: TradingContext,
  confirm: ConfirmRoll,
): Promise<RollReport> {
  const { options } = intent;
  const begun = earlierRoll(intent, context);
  const earlier = begun && { ...begun, plan: withLimit(begun.plan, intent.maxCostBps) };
  if (earlier?.state === 'missed')
    return reportOf(earlier, { dryRun: options.dryRun, existing: true, finding: rollMissed(earlier) });
  if (earlier !== undefined && earlier.state !== 'planned') {
    if (options.dryRun) return reportOf(earlier, { dryRun: true, existing: true });
    context.progress.note(`continuing roll ${earlier.plan.chain_id}`);
    const { chain, ...result } = await runNow(earlier.plan, options, context);
    return reportOf(chain, result);
  }
  if (earlier !== undefined) return closeAndOpen({ earlier: earlier.plan, options }, context, confirm);
  const done = rolledBefore(intent, context);
  if (done !== undefined) return rolledAlready(done, options, context);
  const place = await findTarget(intent.target, context);
  return closeAndOpen({ place, intent, options }, context, confirm);
}

/** Its process may have died before it looked at leg 2 again. */
async function rolledAlready(
  done: RollChain,
  options: RollIntent['options'],
  context: TradingContext,
): Promise<RollReport> {
  const { chain, ...result } =
    done.end === undefined && !options.dryRun ? await runNow(done.plan, options, context) : { chain: done };
  return reportOf(chain, { existing: true, ...result });
}

const termsOf = ({ when, tenor_days: tenor, max_cost_bps: bps }: RollPlan): RollChoice => ({
  when,
  tenor,
  maxCostBps: bps === undefined ? undefined : new Big(bps),
});

type NowParts = Pick<RollIntent, 'options'> &
  (
    | { earlier: RollPlan }
    | { place: { market: string; side: Side; hedge: { id: string } | undefined }; intent: RollIntent }
  );

/** From the preview of both legs on. `earlier`: a plan of which nothing was sent. */
export async function closeAndOpen(
  parts: NowParts,
  context: TradingContext,
  confirm: ConfirmRoll,
): Promise<RollReport> {
  const { options } = parts;
  const isNew = 'intent' in parts;
  const { market, side } = isNew ? parts.place : parts.earlier;
  const id = isNew ? parts.place.hedge?.id : parts.earlier.hedge_id;
  const rollChoice = isNew ? parts.intent : termsOf(parts.earlier);
  const alone = await readAlone({ market, side }, { ...rollChoice, options }, context);
  if (id !== undefined && alone.hedge.id !== id)
    throw nothingSent({
      code: 'book_changed',
      what: `The hedge on ${market} ${side} is another one now.`,
      hint: say`To see it: ${shell`hedge hedges`}`,
    });
  const done = isNew ? unseenRollTo(alone.hedge.id, parts.intent, context) : undefined;
  if (done !== undefined) return rolledAlready(done, options, context);
  const other = unfinishedOf(context).find(
    ({ plan }) => plan.hedge_id === alone.hedge.id && (isNew || plan.chain_id !== parts.earlier.chain_id),
  );
  if (other !== undefined) throw unfinished(other);
  const plan = isNew ? await planRoll(parts.intent, alone.hedge, context) : parts.earlier;
  const legs = await previewNow(plan, alone, options, context);
  const chain = chainNow(plan, context);
  if (options.dryRun)
    return reportOf(chain, { dryRun: true, shown: legs, servedAt: legs.close.facts.sidePosition.servedAt });
  await requireConfirmed({ chain, legs, warnings: legs.warnings }, options, confirm);
  if (isNew) await keepPlan(plan, context, (state) => checkAdmitted(legs, state, context));
  const { chain: after, ...result } = await runNow(plan, options, context, { shown: legs });
  // Nothing was sent for a roll that this command made.
  if (isNew && after.state === 'planned' && after.close === undefined) {
    await endRoll(plan, 'dropped', context);
    if (result.finding !== undefined) throw result.finding;
  }
  return reportOf(after, result);
}

/** The record of the roll admits both legs. @throws StoppedError for a halt or a limit */
function checkAdmitted({ open }: ShownLegs, state: JournalState, context: TradingContext): void {
  const guarded = guardContext(context);
  checkNoStop([
    ...guardLimits(open, guarded.limits),
    ...guardAdmission(journalTermsOf(open, context), state, guarded),
  ]);
}

async function requireConfirmed(
  preview: RollPreview,
  { yes }: RollIntent['options'],
  confirm: ConfirmRoll,
): Promise<void> {
  if (await confirm(preview, { yes })) return;
  throw nothingSent({ code: 'declined', what: 'Canceled.' });
}

async function rollLater(
  intent: RollIntent,
  context: TradingContext,
  confirm: ConfirmRoll,
): Promise<RollReport> {
  const { options } = intent;
  const target = await findTarget(intent.target, context);
  const hedge = target.hedge ?? onlyHedgeOn(sidePositionOf(target, await readPositionFacts(context)), intent);
  const before = unfinishedOf(context).find(({ plan }) => plan.hedge_id === hedge.id);
  if (before !== undefined) {
    const chain = asRead(before, [{ id: hedge.id, notional_usd: hedge.notional }]);
    if (!isSamePlan(chain, intent) || whyNoLegTwo(chain) !== undefined) throw unfinished(chain);
    const elsewhere = runsElsewhere(chain);
    if (elsewhere !== undefined) throw elsewhere;
    return reportOf(chain, { existing: true });
  }
  const plan = await planRoll(intent, hedge, context);
  const { open, warnings } = await previewLater(
    plan,
    legTwo(plan, hedge.notional, options, { allowDuplicate: true }),
    context,
  );
  const { servedAt } = open.facts.sidePosition;
  const chain = chainNow(plan, context, { servedMs: servedAt.getTime() });
  if (options.dryRun) return reportOf(chain, { dryRun: true, shown: { open, warnings }, servedAt });
  await requireConfirmed({ chain, legs: { open }, warnings }, options, confirm);
  await keepPlan(plan, context);
  return reportOf(chain, { shown: { open }, servedAt });
}

/** Leg 2 at today's quote. @throws StoppedError where no open is allowed. */
async function previewLater(
  plan: RollPlan,
  intent: OpenIntent,
  context: TradingContext,
): Promise<{ open: OpenPlan; warnings: readonly Finding[] }> {
  const { facts } = await readInputs(intent, context);
  const open = planOpen(intent, facts);
  const limits = context.limits();
  checkNoStop(guardMarket(open, { limits }));
  const warnings = sizeFindings(open, limits)
    .filter(({ code }) => code === 'limit_exceeded')
    .map((finding) => ({ ...finding, level: 'warn' as const }));
  const late = pastDueDate(plan, {}, context);
  return { open, warnings: [...warnings, ...costToday(open), ...late, ...(await cannotTell(context))] };
}

/** A plan may wait for a better price, but not by mistake. */
function costToday({ figures, intent }: OpenPlan): readonly Finding[] {
  const { maxCostBps: limit } = intent.bounds;
  const cost = figures?.cost_bps;
  if (limit === undefined || cost?.gt(limit) !== true) return [];
  return [
    {
      level: 'warn',
      code: 'cost_too_high',
      message: `Leg 2 would not open today: its cost is ${cost.toFixed()} bps, your limit is ${limit.toFixed()} bps.`,
      details: { max_cost_bps: limit, cost_bps: cost },
    },
  ];
}
