/**
 * Runs the legs of a roll, each through the one path of every action. It goes on from what the journal shows, so that a
 * run that was killed anywhere is continued by the next one; the deal ID of the second leg opens once.
 */
import type { Big } from 'big.js';
import type { ActionOptions, CloseIntent, OpenIntent } from '../../domain/action-intent.ts';
import { say, shell } from '../../domain/hint.ts';
import { exactInstant, MINUTE_MS } from '../../domain/instants.ts';
import { quotedName } from '../../domain/quoted.ts';
import { DamagedFileError, HedgeError, InterruptedError, nothingSent, unless } from '../../errors.ts';
import { isOn } from '../../journal/queries.ts';
import type { RollPlan } from '../../journal/records.ts';
import { maybeExecuted } from '../../journal/replay.ts';
import { chainNotional, isDue, type RollChain, rollChain } from '../../journal/roll-chains.ts';
import type { JournalState } from '../../journal/state.ts';
import { troubleError } from '../../journal/trouble.ts';
import { bookChange, changedSince } from '../../trading/confirm.ts';
import { evaluate, readInputs } from '../../trading/evaluate.ts';
import { confirmedAs, executeAction } from '../../trading/execute.ts';
import { waitForOwnClose } from '../../trading/outcome/own-close.ts';
import type { ClosePlan, OpenPlan } from '../../trading/plan.ts';
import type { ActionReport } from '../../trading/report.ts';
import type { Evaluation, Finding, TradingContext } from '../../trading/trading-context.ts';
import { type BatchSimulation, simulateBatch } from '../simulate-batch.ts';
import {
  type BeforeLegTwo,
  checkLegOneClosed,
  checkNotClosedSince,
  checkNotReplaced,
  notWhole,
  readTaken,
} from './between-legs.ts';
import { endRoll } from './end-roll.ts';
import { lookAgain } from './look-again.ts';
import { legTwo, onlyHedgeOn, pastDueDate, type RollChoice, type RolledHedge } from './plan-roll.ts';
import { errorOfRoll, NOTHING_RUN, type RollResult } from './roll-result.ts';

/** Both legs as they were shown. */
export interface ShownLegs extends Omit<Evaluation, 'plan'> {
  close: ClosePlan;
  open: OpenPlan;
}

/** `known`: the legs of this run. The journal may lack their last records, or be unreadable. */
export function chainNow(
  plan: RollPlan,
  { journal, clock }: TradingContext,
  {
    servedMs,
    known = [],
  }: { servedMs?: number | undefined; known?: readonly (ActionReport | undefined)[] } = {},
): RollChain {
  const legs = known.flatMap((leg) => leg?.entry ?? []);
  const recorded = legs.length === 0 ? journal.read() : unless(DamagedFileError, () => journal.read());
  const find: JournalState['find'] = (by) => [
    ...(recorded?.find(by) ?? []).filter(({ id }) => !legs.some((leg) => leg.id === id)),
    ...legs,
  ];
  const newest: JournalState['newest'] = (...of) => recorded?.newest(...of) ?? [];
  return rollChain(plan, { state: { find, newest }, nowMs: clock.now(), servedMs });
}

/** The close of the whole side, on which the hedge is alone. */
const legOne = (
  { market, side }: { market: string; side: RollPlan['side'] },
  options: ActionOptions,
): CloseIntent => ({
  action: 'close',
  market,
  side,
  ifOpen: false,
  options: { ...options, dryRun: false, wait: true, idempotencyKey: undefined },
});

/** @throws StoppedError unless the hedge is alone on its side. */
export async function readAlone(
  place: { market: string; side: RollPlan['side'] },
  terms: RollChoice & { options: ActionOptions },
  context: TradingContext,
): Promise<{
  hedge: RolledHedge;
  close: Omit<ShownLegs, 'open'>;
  simulated: BatchSimulation;
}> {
  const intent = legOne(place, terms.options);
  const simulated = simulateBatch();
  const closing = { ...context, simulation: simulated.line(1) };
  const evaluation = evaluate(await readInputs(intent, closing), closing);
  const { plan, warnings, openedElsewhere } = evaluation;
  if (plan.action !== 'close') throw new Error('a close was planned as another action');
  const hedge = onlyHedgeOn(plan.facts.sidePosition, terms);
  simulated.line(1).execute(evaluation, closing);
  return { hedge, close: { close: plan, warnings, openedElsewhere }, simulated };
}

/** Both legs, the second one as if the first had filled. @throws StoppedError of a pre-trade check of either. */
export async function previewNow(
  plan: RollPlan,
  { hedge, close, simulated }: Awaited<ReturnType<typeof readAlone>>,
  options: ActionOptions,
  context: TradingContext,
): Promise<ShownLegs> {
  const intent = openLegOf(plan, hedge.notional, options, context);
  const opening = { ...context, simulation: simulated.line(2) };
  const { plan: open, warnings } = evaluate(await readInputs(intent, opening), opening);
  if (open.action !== 'open') throw new Error('an open was planned as another action');
  const pastDue = pastDueDate(plan, { quote: open.facts.quote }, context);
  return { ...close, open, warnings: [...close.warnings, ...warnings, ...pastDue] };
}

/**
 * Closes and opens again, as far as that is not done yet. `shown`: both legs were confirmed. `allowDuplicate`: leg 2 may come
 * on top of other hedges of the side, and soon after another open.
 */
export async function runNow(
  plan: RollPlan,
  options: ActionOptions,
  context: TradingContext,
  { shown, allowDuplicate = false }: { shown?: ShownLegs; allowDuplicate?: boolean } = {},
): Promise<RollResult> {
  const result: Mutable<RollResult> = { chain: chainNow(plan, context), ...NOTHING_RUN };
  return ended(result, context, undefined, async () => {
    const { state } = result.chain;
    if (state === 'planned' || state === 'closing') {
      result.close = await closeLeg(result.chain, options, context, shown?.close);
      result.finding = result.close.finding;
      result.chain = chainNow(plan, context, { known: [result.close] });
    }
    if (result.finding !== undefined || !isToOpen(result.chain)) return undefined;
    const taken = await readTaken(result.chain, context);
    const { size } = taken;
    await openLeg(result, { plan, size, options, context, allowDuplicate, shown: shown?.open });
    return notWhole(result.chain, taken);
  });
}

/** Opens leg 2 at this size. `servedMs`: the service's time. */
export async function runOpen(
  plan: RollPlan,
  options: ActionOptions,
  context: TradingContext,
  {
    size,
    servedMs,
    allowDuplicate = false,
  }: { size: Big; servedMs: number | undefined; allowDuplicate?: boolean | undefined },
): Promise<RollResult> {
  const result: Mutable<RollResult> = { chain: chainNow(plan, context, { servedMs }), ...NOTHING_RUN };
  return ended(result, context, servedMs, async () => {
    if (!isToOpen(result.chain)) return undefined;
    const usd = result.chain.state === 'opening' ? chainNotional(result.chain) : size;
    const pastDue = pastDueDate(plan, { servedMs }, context);
    await openLeg(result, { plan, size: usd, options, context, allowDuplicate, pastDue });
    return undefined;
  });
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** An open without a known outcome is continued under its key. */
const isToOpen = (chain: RollChain): boolean => isDue(chain) || chain.state === 'opening';

/** A close without a known outcome is continued under its key, which executes once. */
async function closeLeg(
  { plan, state, close }: RollChain,
  options: ActionOptions,
  context: TradingContext,
  shown: ClosePlan | undefined,
): Promise<ActionReport> {
  const intent = legOne(plan, { ...options, yes: options.yes || shown !== undefined, note: plan.note });
  const key = state === 'closing' ? close?.intent.idempotency_key : undefined;
  intent.options.idempotencyKey = key;
  return executeAction(intent, {
    ...legContext(plan, context),
    confirm: async (preview) => {
      if (preview.again !== undefined) return context.confirm(preview, options);
      const { sidePosition } = preview.plan.facts;
      const isAlone = sidePosition.open.length === 1 && sidePosition.open[0]?.id === plan.hedge_id;
      const moved = shown === undefined ? undefined : bookChange(shown, preview.plan);
      if (!isAlone || moved !== undefined) throw sideChanged(plan, moved);
      return confirmedAs(shown, context).confirm(preview, options);
    },
  });
}

interface OpenLeg {
  plan: RollPlan;
  size: Big;
  options: ActionOptions;
  context: TradingContext;
  allowDuplicate: boolean;
  shown?: OpenPlan | undefined;
  pastDue?: readonly Finding[];
}

async function openLeg(
  result: Mutable<RollResult>,
  { plan, size, options, context, allowDuplicate, shown, pastDue = [] }: OpenLeg,
): Promise<void> {
  context.signal.throwIfAborted();
  await waitForOwnClose(plan, context, result.close?.entry);
  const leg = openLegOf(plan, size, options, context);
  const intent = { ...leg, allowDuplicate: leg.allowDuplicate || allowDuplicate };
  const isShown = shown !== undefined;
  let before: BeforeLegTwo | undefined;
  const checkPlace = (state: JournalState, sends = false) => {
    if (!allowDuplicate && (sends || result.chain.state !== 'opening'))
      checkNotClosedSince(result.chain, state);
    return before === undefined || allowDuplicate
      ? { names: [], findings: [] }
      : checkNotReplaced(result.chain, before, { state, nowMs: context.clock.now() });
  };
  checkPlace(context.journal.read());
  result.open = await executeAction(
    { ...intent, options: { ...intent.options, yes: options.yes || isShown } },
    {
      ...legContext(plan, context, checkPlace),
      confirm: async (preview) => {
        const { sidePosition: side } = preview.plan.facts;
        checkLegOneClosed(result.chain, side);
        before = { size, side, asks: context.attended && !options.yes };
        const { names, findings: instead } = checkPlace(context.journal.read());
        before = { ...before, asks: false, told: names };
        const changed = shown === undefined ? preview.changed : priceChanged(shown, preview.plan);
        if (isShown && changed === undefined) return true;
        const warnings = [...preview.warnings, ...instead, ...pastDue];
        return context.confirm({ ...preview, changed, warnings }, options);
      },
    },
  );
  result.finding = result.open.finding;
}

/** Within the bound that was confirmed, any price is. The side has changed by the close. */
function priceChanged(shown: OpenPlan, fresh: Parameters<typeof changedSince>[1]): string | undefined {
  if (shown.intent.bounds.maxCostBps !== undefined) return undefined;
  return changedSince(shown, { ...fresh, facts: { ...fresh.facts, sidePosition: shown.facts.sidePosition } });
}

/** A leg 1 of the last minute is no duplicate of leg 2, which has a deal ID of its own; any other open is. */
function openLegOf(
  plan: RollPlan,
  size: Big,
  options: ActionOptions,
  { journal, identity, clock }: TradingContext,
): OpenIntent {
  const state = journal.read();
  const from = clock.now() - MINUTE_MS;
  const recent = state
    .since(exactInstant(from))
    .filter(
      (action) =>
        action.intent.action === 'open' &&
        isOn(action, { identity, market: plan.market, side: plan.side }) &&
        Date.parse(action.intent.at) >= from &&
        maybeExecuted(action),
    );
  const others = recent.filter(({ hedgeId }) => hedgeId !== plan.hedge_id);
  return legTwo(plan, size, options, { allowDuplicate: recent.length > 0 && others.length === 0 });
}

/** Its intents name the roll; none is written for one that is finished, or run by another process meanwhile. */
function legContext(
  plan: RollPlan,
  context: TradingContext,
  check: (state: JournalState, sends?: boolean) => void = () => undefined,
): TradingContext {
  const journal = context.journal.admitting?.(plan) ?? context.journal;
  return {
    ...context,
    chainId: plan.chain_id,
    journal: {
      ...journal,
      append: (records, guard) =>
        journal.append(records, (state) => {
          const [first] = records;
          if (first.kind === 'intent') checkStillOpen(plan, first.action, state, context);
          if (first.kind === 'intent' || first.kind === 'sending') check(state, true);
          guard?.(state);
        }),
    },
  };
}

function checkStillOpen(
  plan: RollPlan,
  action: string,
  state: JournalState,
  { clock }: TradingContext,
): void {
  const isKept = state.rolls.some(({ chain_id: id }) => id === plan.chain_id);
  const chain = rollChain(plan, { state, nowMs: clock.now() });
  // No close for a roll whose open would be stopped.
  if (action === 'close' && state.trouble !== undefined) throw troubleError(state.trouble);
  if (isKept && (action !== 'close' || chain.state === 'planned')) return;
  throw nothingSent({
    code: isKept ? 'in_flight' : 'roll_unfinished',
    what: isKept
      ? `Another process runs roll ${plan.chain_id}.`
      : `Roll ${plan.chain_id} was finished or given up meanwhile.`,
    hint: say`To see it: ${shell`hedge roll show ${plan.chain_id}`}`,
    details: { chain_id: plan.chain_id },
  });
}

const sideChanged = ({ chain_id: id, hedge_id: hedge, market, side }: RollPlan, changed?: string) =>
  nothingSent({
    code: 'book_changed',
    what: `Hedge ${quotedName(hedge)} is not the only one on ${market} ${side} any more${changed === undefined ? '' : `: ${changed}`}.`,
    hint: say`To see the side: ${shell`hedge hedges`}`,
    details: { chain_id: id, hedge_id: hedge },
  });

/** Runs the legs, records that leg 2 is open, and says what a failure means for the roll. `run`: what a roll that is done lacks. */
async function ended(
  result: Mutable<RollResult>,
  context: TradingContext,
  servedMs: number | undefined,
  run: () => Promise<HedgeError | undefined>,
): Promise<RollResult> {
  const { plan } = result.chain;
  let lack: HedgeError | undefined;
  try {
    lack = await run();
  } catch (error) {
    if (!(error instanceof HedgeError)) throw error;
    result.finding = error;
  }
  result.chain = chainNow(plan, context, { servedMs, known: [result.close, result.open] });
  const found = openedElsewhere(result);
  if (found !== undefined) result.chain = { ...result.chain, state: 'done' };
  const note =
    found === undefined
      ? lack && withPlanned(plan, lack)
      : `leg 2 is hedge ${quotedName(found)}, opened elsewhere`;
  if (isOpened(result) && (await isOver(result, context))) await endRoll(plan, 'done', context, note);
  if (result.chain.state === 'done' && lack !== undefined) result.finding = withLack(result.finding, lack);
  result.finding = result.finding && errorOfRoll(result.finding, result);
  return result;
}

/** The note of the plan, and what the roll lacks. */
const withPlanned = ({ note }: RollPlan, { meaning }: HedgeError): string =>
  [note, meaning].filter((each) => each !== undefined).join('; ');

/** A roll that lacks something says so together with another finding. */
const withLack = (finding: HedgeError | undefined, lack: HedgeError): HedgeError =>
  finding?.with({
    what: `${finding.what} ${lack.what}`,
    meaning: `${finding.meaning} ${lack.meaning}`,
    hint: [finding.hint ?? [], lack.hint ?? []].flat(),
  }) ?? lack;

/** Leg 2 was opened, also where it is closed again by now. */
const isOpened = ({ chain: { plan, state } }: RollResult): boolean =>
  state === 'done' || (state === 'dropped' && plan.when === 'now');

/** Looks at leg 2 again. One that was closed drops the roll, so that the same command does not find it done. */
async function isOver(result: Mutable<RollResult>, context: TradingContext): Promise<boolean> {
  if (result.chain.plan.when !== 'now' || result.finding !== undefined)
    return !(result.finding instanceof InterruptedError);
  try {
    result.finding = await lookAgain(result.chain, result.open, context);
    if (result.finding === undefined) return true;
    result.chain = { ...result.chain, state: 'dropped' };
    await endRoll(result.chain.plan, 'dropped', context, 'leg 2 was closed again');
  } catch (error) {
    if (!(error instanceof HedgeError)) throw error;
    result.finding = error;
  }
  return false;
}

/** The hedge that the service has under the deal ID of leg 2: nothing was sent for it, and the journal has no action. */
const openedElsewhere = ({ open, finding }: RollResult): string | undefined =>
  open !== undefined && open.entry === undefined && finding === undefined ? open.hedge?.id : undefined;
