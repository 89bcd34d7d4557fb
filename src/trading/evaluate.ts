/**
 * An intent held against the book, the journal and the limits of the desk, as they are at this moment: read,
 * planned and judged. Sends nothing that changes anything.
 *
 * What changed between the plan that was shown and the one of a fresh reading: enough to ask again, or not.
 * Pure.
 */

import { Big } from 'big.js';
import { type ActionIntent, dealIdOf } from '../args/action-intent.ts';
import { needsQuote } from '../domain/action-table.ts';
import { grouped, usdInWords } from '../domain/exposure.ts';
import { worseByBps } from '../domain/price-bounds.ts';
import { hedgesOpenedHere } from '../journal/queries.ts';
import type { JournalState } from '../journal/store.ts';
import type { SideBook } from '../readings/side-book.ts';
import { askedOf, planAction } from './action-parts.ts';
import { guardDealId, nextAttempt } from './deal-id.ts';
import { guardPlan, stopFrom } from './guards/guard-plan.ts';
import { guardJournal, type JournalGuardTerms } from './guards/journal-guard.ts';
import { confirmDueOutcomes } from './observe-action.ts';
import { finishedInBackground } from './outcome/finished-in-background.ts';
import type { Plan, PlanFacts } from './plan.ts';
import { type ActionFacts, readFacts } from './read-facts.ts';
import type { Finding, TradingContext } from './trading-context.ts';
/** The readings of one moment. */
export interface EvaluationInputs {
  state: JournalState;
  facts: ActionFacts;
}

export interface Evaluation {
  plan: Plan;
  /** Of an open under a deal id: which attempt it would be, from 1. */
  dealAttempt: number;
  warnings: readonly Finding[];
  /** Ids of open hedges on the side that were not dealt from this machine. */
  dealtElsewhere: readonly string[];
}

/** Reads all that the intent is decided on, tells what ended while nobody waited, and settles what can be by now. */
export async function readInputs(
  intent: ActionIntent,
  dealing: TradingContext,
  shown?: PlanFacts,
): Promise<EvaluationInputs> {
  const facts = await readFacts(intent, dealing, shown);
  await finishedInBackground(facts.bookFacts.hedges, dealing);
  const state = dealing.journal.read();
  const settled = await confirmDueOutcomes(intent, state, dealing);
  return { facts, state: settled ? dealing.journal.read() : state };
}

/** @throws StoppedError by the first guard that stops, or when there is nothing to act on. */
export function evaluate(
  intent: ActionIntent,
  { state, facts }: EvaluationInputs,
  dealing: TradingContext,
): Evaluation {
  const plan = planAction(intent, facts);
  const findings = [
    // Of nothing to close, only what is still coming matters.
    ...(nothingToDo(plan) ? [] : guardPlan(plan, { limits: dealing.limits })),
    ...guardJournal(journalTermsOf(plan, dealing), state, guardContext(dealing)),
    ...dealIdFindings(intent, { state, facts, dealing }),
  ];
  const stop = stopFrom(findings);
  if (stop !== undefined) throw stop;
  return {
    plan,
    dealAttempt: attemptOf(intent, { state, facts, dealing }),
    warnings: findings.filter(({ level }) => level === 'warn'),
    dealtElsewhere: hedgesOpenedElsewhere({ state, facts }, dealing),
  };
}

export const nothingToDo = (plan: Plan): boolean => 'nothingToDo' in plan && plan.nothingToDo;

/** What the journal is asked about a plan, before and under its lock. */
export const journalTermsOf = (plan: Plan, { identity }: TradingContext): JournalGuardTerms => ({
  identity,
  action: plan.action,
  market: plan.market,
  side: plan.side,
  notional: 'notional' in plan ? plan.notional : undefined,
  tenorDays: 'tenor' in plan.intent ? plan.intent.tenor : undefined,
  dealId: dealIdOf(plan.intent),
  despite: plan.intent.options.despite,
  allowDuplicate: 'allowDuplicate' in plan.intent && plan.intent.allowDuplicate,
  flat: nothingToDo(plan),
  measured: isMeasured(plan),
});

/** Its size was worked out from what is open. */
export const isMeasured = (plan: Plan): boolean => askedOf(plan.intent) !== undefined;

/** What a guard of the journal needs to know of this moment. */
export const guardContext = ({
  clock,
  limits,
  halted,
}: Pick<TradingContext, 'clock' | 'limits' | 'halted'>) => ({
  nowMs: clock.now(),
  limits,
  halt: halted(),
});

/** Ids of open hedges on the side that were not dealt from this machine. */
export function hedgesOpenedElsewhere(
  { state, facts }: EvaluationInputs,
  { identity }: TradingContext,
): readonly string[] {
  const here = hedgesOpenedHere(state.actions, identity);
  return facts.book.open.flatMap(({ id }) => (here.has(id) ? [] : [id]));
}

interface Under {
  state: JournalState;
  facts: Pick<ActionFacts, 'underDealId' | 'underDealIdCut'>;
  dealing: TradingContext;
}

/** A deal id that was used elsewhere. */
export function dealIdFindings(intent: ActionIntent, under: Under): readonly Finding[] {
  const dealId = dealIdOf(intent);
  return dealId === undefined ? [] : guardDealId(dealId, knownUnder(under));
}

function attemptOf(intent: ActionIntent, under: Under): number {
  const dealId = dealIdOf(intent);
  return dealId === undefined ? 1 : nextAttempt(dealId, knownUnder(under));
}

const knownUnder = ({ state, facts, dealing: { identity, clock } }: Under) => ({
  state,
  identity,
  nowMs: clock.now(),
  ...facts,
});

/** Further than this from the price that was shown, and worse for us, is another deal. */
const TOLERATED_BPS = new Big(10);

/** Half a sentence; undefined when what was agreed to still stands. */
export function changedSince(shown: Plan, fresh: Plan): string | undefined {
  return (
    priceChange(shown, fresh) ?? sizeChange(shown, fresh) ?? sideChange(shown.facts.book, fresh.facts.book)
  );
}

/** The price of a plan that has one. */
export const priceOf = (plan: Plan): Big | undefined =>
  needsQuote(plan) ? plan.facts.quote?.pricing.execution_price : undefined;

function priceChange(shown: Plan, fresh: Plan): string | undefined {
  const [before, now] = [priceOf(shown), priceOf(fresh)];
  if (before === undefined || now === undefined) return undefined;
  const bps = worseByBps(fresh.side, { shown: before, now });
  return bps.gt(TOLERATED_BPS)
    ? `the price is ${grouped(now)} now, ${bps.round(1).toFixed()} bps worse than the ${grouped(before)} shown`
    : undefined;
}

function sizeChange(shown: Plan, fresh: Plan): string | undefined {
  if (shown.action !== 'reduce' || fresh.action !== 'reduce') return undefined;
  if (shown.notional.eq(fresh.notional) && shown.closesSide === fresh.closesSide) return undefined;
  return `the reduction is ${usdInWords(fresh.notional)} now, ${usdInWords(shown.notional)} was shown`;
}

function sideChange(shown: SideBook, fresh: SideBook): string | undefined {
  if (holdings(shown) === holdings(fresh)) return undefined;
  const place = `${fresh.market} ${fresh.side}`;
  return shown.total === undefined || fresh.total === undefined || shown.total.eq(fresh.total)
    ? `the hedges on ${place} changed in between`
    : `${place} went from ${usdInWords(shown.total)} to ${usdInWords(fresh.total)} in between`;
}

const holdings = ({ open, inPositions }: SideBook): string =>
  JSON.stringify([
    inPositions ?? null,
    ...open.map(({ id, notional }) => `${id} ${notional.toFixed()}`).toSorted(),
  ]);
