/** Reads, plans and checks an intent, and compares a fresh plan with the one that was confirmed. Sends no action. */

import type { Big } from 'big.js';
import type { ActionIntent, TypedIntent } from '../domain/action-intent.ts';
import { askedOf, changeAsked, dealIdOf } from '../domain/action-intent.ts';
import { type ActionName, needsQuote, shrinks, takesWholeSide } from '../domain/action-table.ts';
import { say, shell } from '../domain/hint.ts';
import { exactInstant } from '../domain/instants.ts';
import type { HedgeError, Hint } from '../errors.ts';
import { timeInWords } from '../journal/describe.ts';
import { hedgesOpenedHere, holdsSide, inFlightOn } from '../journal/queries.ts';
import type { JournalState } from '../journal/state.ts';
import { stillFilling } from '../readings/partial-fills.ts';
import type { SideHedge, SidePosition } from '../readings/side-position.ts';
import { similarDealIds } from '../readings/similar-deal-ids.ts';
import { planAction } from './action-parts.ts';
import { guardDealId, similarFinding } from './deal-id.ts';
import { finishedInBackground } from './follow/finished-in-background.ts';
import { confirmDueOutcomes } from './follow/lookups.ts';
import { checkMarket, guardPlan } from './guards/guard-plan.ts';
import { guardJournal, type JournalGuardTerms } from './guards/journal-guard.ts';
import { checkNoStop } from './guards/stops.ts';
import { CLOSE_LANDS_MS } from './idempotency-window.ts';
import { comingInWords, type Plan, type PlanFacts, takesAll, waitForNewest } from './plan.ts';
import { type ActionFacts, readFacts } from './read-facts.ts';
import type { Evaluation, Finding, TradingContext } from './trading-context.ts';

export interface EvaluationInputs {
  /** The intent with its notional, computed if it was not typed. */
  intent: ActionIntent;
  state: JournalState;
  facts: ActionFacts;
}

/** Reads all inputs, reports opens that finished in the background, and records outcomes that are now certain. */
export async function readInputs(
  typed: TypedIntent,
  context: TradingContext,
  shown?: PlanFacts,
): Promise<EvaluationInputs> {
  // A desk's log is read while the service is.
  const [facts] = await Promise.all([readFacts(typed, context, shown), context.journal.latest()]);
  const { intent } = facts;
  await finishedInBackground(facts.positionFacts.hedges, context);
  const state = context.journal.read();
  const changed = await confirmDueOutcomes(intent, state, context);
  const latest = changed ? context.journal.read() : state;
  return { intent, facts, state: context.simulation?.state(latest) ?? latest };
}

/** @throws StoppedError when a pre-trade check stops it, or nothing is open to act on. */
export function evaluate({ intent, state, facts }: EvaluationInputs, context: TradingContext): Evaluation {
  checkMarket(facts.sidePosition, facts);
  const now = { actions: state.current, nowMs: context.clock.now() };
  if (isMeasured(intent.action, askedOf(intent)))
    checkNoStop([...settlingFindings(facts.sidePosition), ...fillingFindings(facts.sidePosition, now)]);
  const plan = planAction(intent, facts);
  const terms = journalTermsOf(plan, context);
  const clocks = { ...guardContext(context), servedMs: plan.facts.sidePosition.servedAt.getTime() };
  const journaled = guardJournal(terms, state, clocks);
  // A hedge of this journal is named by its action.
  const named = journaled.some(({ level, code }) => level === 'stop' && code === 'in_flight')
    ? inFlightOn(state.current, terms).map(({ hedgeId }) => hedgeId)
    : [];
  const findings = [
    ...dealIdFindings(intent, { state, facts, context }),
    // Only hedges in flight matter if there is nothing to close.
    ...(nothingToDo(plan) ? [] : guardPlan(plan, { limits: context.limits() })),
    ...journaled,
    ...[facts.positionFacts.listFailure ?? []].flat().map(listUnread),
    ...(takesWholeSide(terms) || terms.closesSide === true ? refillFindings(facts.sidePosition, now) : []),
    ...(terms.measured === true
      ? comingFindings(plan.facts.sidePosition.coming.filter(({ id }) => !named.includes(id)))
      : []),
  ];
  checkNoStop(findings, plan.facts.quote);
  return {
    plan,
    warnings: findings.filter(({ level }) => level === 'warn'),
    openedElsewhere: hedgesOpenedElsewhere({ state, facts }, context),
  };
}

const listUnread = ({ what }: HedgeError): Finding => ({
  level: 'warn',
  code: 'unavailable',
  message: `The list of hedges could not be read: which hedges this closes is not known. ${what}`,
});

export const nothingToDo = (plan: Plan): boolean => 'nothingToDo' in plan && plan.nothingToDo;

export const journalTermsOf = (
  plan: Plan,
  { identity, chainId, shared }: TradingContext,
): JournalGuardTerms => ({
  identity,
  action: plan.action,
  market: plan.market,
  side: plan.side,
  notional: 'notional' in plan ? plan.notional : undefined,
  tenorDays: 'tenor' in plan.intent ? plan.intent.tenor : undefined,
  asked: changeAsked(plan.intent),
  dealId: dealIdOf(plan.intent),
  despite: plan.intent.options.despite,
  isOfRun: (chainId ?? shared) !== undefined,
  allowDuplicate: 'allowDuplicate' in plan.intent && plan.intent.allowDuplicate,
  flat: nothingToDo(plan),
  closesSide: takesAll(plan),
  measured: isMeasured(plan.action, askedOf(plan.intent)),
  facts: plan.facts,
});

/** Its size was computed from the position. `asked`: how the size was given, when not as a notional. */
export const isMeasured = (action: ActionName, asked: string | undefined): boolean =>
  asked !== undefined && (shrinks({ action }) || asked.startsWith('to '));

/** A size that was computed from the position is wrong once these have filled. */
const comingFindings = (coming: SidePosition['coming']): readonly Finding[] =>
  wrongSize(coming, 'fill', say`${waitForNewest(coming)}. Or give the size in USD.`);

/** The same where one settles before the order lands. The service may still count one that has just matured. */
export function settlingFindings({ listed, servedAt }: SidePosition): readonly Finding[] {
  const settling = listed.filter(
    (hedge) => holdsSide(hedge.status) && Math.abs(dueMs(hedge) - servedAt.getTime()) <= CLOSE_LANDS_MS,
  );
  const over = timeInWords(exactInstant(Math.max(0, ...settling.map(dueMs)) + CLOSE_LANDS_MS));
  // A size in USD is no way out: it may close the rest.
  return wrongSize(settling, 'settle before this executes', `Try again after ${over}.`);
}

/** The same of one that was filled in part. */
const fillingFindings = ({ open }: SidePosition, now: Parameters<typeof stillFilling>[1]) =>
  wrongSize(stillFilling(open, now), 'still fill up', 'Try again in a minute. Or give the size in USD.');

/** After a close of the whole side. */
const refillFindings = ({ open }: SidePosition, now: Parameters<typeof stillFilling>[1]) =>
  wrongSize(stillFilling(open, now), 'still fill up', say`Afterwards: ${shell`hedge positions`}`, {
    level: 'warn',
    means: 'what fills after this is open',
  });

const dueMs = ({ maturityAt = '' }: SideHedge): number => Date.parse(maturityAt);

const WRONG_SIZE = { level: 'stop', means: '--by, --to and --ngn would be wrong' } as const;

const wrongSize = (
  hedges: SidePosition['coming'],
  may: string,
  hint: Hint,
  { level, means }: Pick<Finding, 'level'> & { means: string } = WRONG_SIZE,
): readonly Finding[] =>
  hedges.length === 0
    ? []
    : [
        {
          level,
          code: 'in_flight',
          message: `${comingInWords(hedges).replace(/^h/, 'H')} may ${may}: ${means}.`,
          hint,
          details: { hedge_ids: hedges.map(({ id }) => id) },
        },
      ];

/** The current time, the limits of now and who confirms, for the journal checks. */
export const guardContext = ({
  clock,
  limits,
  attended,
}: Pick<TradingContext, 'clock' | 'limits' | 'attended'>) => ({
  nowMs: clock.now(),
  limits: limits(),
  attended,
});

/** IDs of open hedges on the side that are not in the journal. */
export function hedgesOpenedElsewhere(
  { state, facts }: Omit<EvaluationInputs, 'intent'>,
  { identity }: TradingContext,
): readonly string[] {
  const ids = facts.sidePosition.open.map(({ id }) => id);
  const here = hedgesOpenedHere(state.find({ hedgeIds: ids }), identity);
  return ids.filter((id) => !here.has(id));
}

interface DealIdInputs {
  state: JournalState;
  facts: Pick<ActionFacts, 'underDealId' | 'underDealIdCut' | 'positionFacts'>;
  context: TradingContext;
  except?: string;
}

/** Stops for a deal ID that was used elsewhere, and warns of one that looks like it: in a deals file, and for `--ensure`, it may stop. */
export function dealIdFindings(intent: ActionIntent, inputs: DealIdInputs): readonly Finding[] {
  const dealId = dealIdOf(intent);
  if (dealId === undefined) return [];
  const { state, facts, context, except } = inputs;
  const { shared, identity } = context;
  const similar =
    shared?.similar ?? similarDealIds([dealId], { state, hedges: facts.positionFacts.hedges }, context);
  const used = similar.get(dealId);
  const ensures = 'ensure' in intent && intent.ensure;
  // Another machine's, perhaps of this very deal: a service may keep references in another form (§4).
  const isToStop = (similarId: string): boolean =>
    shared !== undefined || (ensures && state.find({ dealIds: [similarId] }).length === 0);
  return [
    ...guardDealId(dealId, { state, identity, except, ...facts }),
    ...(used === undefined ? [] : [similarFinding(dealId, used, isToStop(used) ? 'stop' : 'warn')]),
  ];
}

/** The execution price of an open or add, the mark price of a close or reduction. */
export const priceOf = (plan: Plan): Big | undefined =>
  needsQuote(plan) ? plan.facts.quote?.pricing.execution_price : plan.comesBack?.mark_price;
