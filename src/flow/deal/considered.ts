/**
 * An intent held against the book, the journal and the limits of the desk, as they are at this moment: read,
 * planned and judged. Sends nothing that changes anything.
 */
import type { ActionIntent } from '../../intent/action-intent.ts';
import { hedgesDealtHere } from '../../journal/ledger.ts';
import type { JournalState } from '../../journal/store.ts';
import type { Dealing, Finding } from '../dealing.ts';
import { lateNews } from '../evidence/late-news.ts';
import { guardPlan } from '../guard/guard.ts';
import { type Asked, guardJournal } from '../guard/guard-journal.ts';
import { stopFrom } from '../guard/stop.ts';
import { type Plan, type PlanFacts, planAction } from '../plan/plan.ts';
import { settleDue } from '../settle/settle-due.ts';
import { guardDealId, nextAttempt } from './ensure.ts';
import { type ActionFacts, readFacts } from './read-facts.ts';

/** The readings of one moment. */
export interface Read {
  state: JournalState;
  facts: ActionFacts;
}

export interface Considered {
  plan: Plan;
  /** Of an open under a deal id: which attempt it would be, from 1. */
  dealAttempt: number;
  warnings: readonly Finding[];
  /** Ids of open hedges on the side that were not dealt from this machine. */
  dealtElsewhere: readonly string[];
}

/** Reads all that the intent is decided on, tells what ended while nobody waited, and settles what can be by now. */
export async function readAll(intent: ActionIntent, dealing: Dealing, shown?: PlanFacts): Promise<Read> {
  const facts = await readFacts(intent, dealing, shown);
  await lateNews(facts.bookFacts.hedges, dealing);
  const state = dealing.journal.read();
  const settled = await settleDue(intent, state, dealing);
  return { facts, state: settled ? dealing.journal.read() : state };
}

/** @throws StoppedError by the first guard that stops, or when there is nothing to act on. */
export function consider(intent: ActionIntent, { state, facts }: Read, dealing: Dealing): Considered {
  const plan = planAction(intent, facts);
  const findings = [
    // Of nothing to close, only what is still coming matters.
    ...(nothingToDo(plan) ? [] : guardPlan(plan, { limits: dealing.limits })),
    ...guardJournal(askedOfJournal(plan, dealing), state, moment(dealing)),
    ...dealIdFindings(intent, { state, facts, dealing }),
  ];
  const stop = stopFrom(findings);
  if (stop !== undefined) throw stop;
  return {
    plan,
    dealAttempt: attemptOf(intent, { state, facts, dealing }),
    warnings: findings.filter(({ level }) => level === 'warn'),
    dealtElsewhere: notDealtHere({ state, facts }, dealing),
  };
}

export const nothingToDo = (plan: Plan): boolean => plan.action === 'close' && plan.nothingToDo;

/** What the journal is asked about a plan, before and under its lock. */
export const askedOfJournal = (plan: Plan, { identity }: Dealing): Asked => ({
  identity,
  action: plan.action,
  market: plan.market,
  side: plan.side,
  notional: 'notional' in plan ? plan.notional : undefined,
  tenorDays: plan.action === 'open' ? plan.intent.tenor : undefined,
  dealId: plan.action === 'open' ? plan.intent.dealId : undefined,
  despite: plan.intent.options.despite,
  allowDuplicate: 'allowDuplicate' in plan.intent && plan.intent.allowDuplicate,
  flat: nothingToDo(plan),
  measured: isMeasured(plan),
});

/** Its size was worked out from what is open. */
export const isMeasured = (plan: Plan): boolean =>
  plan.action === 'reduce' && plan.intent.reduction.by !== 'notional';

/** What a guard of the journal needs to know of this moment. */
export const moment = ({ clock, limits, halted }: Pick<Dealing, 'clock' | 'limits' | 'halted'>) => ({
  nowMs: clock.now(),
  limits,
  halt: halted(),
});

/** Ids of open hedges on the side that were not dealt from this machine. */
export function notDealtHere({ state, facts }: Read, { identity }: Dealing): readonly string[] {
  const here = hedgesDealtHere(state.actions, identity);
  return facts.book.open.flatMap(({ id }) => (here.has(id) ? [] : [id]));
}

interface Under {
  state: JournalState;
  facts: Pick<ActionFacts, 'underDealId' | 'underDealIdCut'>;
  dealing: Dealing;
}

/** A deal id that was used elsewhere. */
export function dealIdFindings(intent: ActionIntent, under: Under): readonly Finding[] {
  const dealId = intent.action === 'open' ? intent.dealId : undefined;
  return dealId === undefined ? [] : guardDealId(dealId, knownUnder(under));
}

function attemptOf(intent: ActionIntent, under: Under): number {
  const dealId = intent.action === 'open' ? intent.dealId : undefined;
  return dealId === undefined ? 1 : nextAttempt(dealId, knownUnder(under));
}

const knownUnder = ({ state, facts, dealing: { identity, clock } }: Under) => ({
  state,
  identity,
  nowMs: clock.now(),
  ...facts,
});
