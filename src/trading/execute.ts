/**
 * An action from intent to report, the same for all four and for everyone who deals: read, guard, confirm,
 * write down, send once, wait. The only way to the service that changes a book begins here.
 *
 * From an intent to a plan that may be sent: judged, shown, agreed to by the operator, and read again after
 * the answer, so that nobody deals on what was true a minute ago.
 */

import { Big } from 'big.js';
import type { ActionIntent } from '../args/action-intent.ts';
import { grouped } from '../domain/exposure.ts';
import { worseByBps } from '../domain/price-bounds.ts';
import { StoppedError } from '../errors.ts';
import { sameIdentity } from '../journal/account-identity.ts';
import { findByKey } from '../journal/queries.ts';
import { type Action, maybeExecuted } from '../journal/replay.ts';
import type { JournalState } from '../journal/store.ts';
import { checkAccount } from './account-keys.ts';
import {
  changedSince,
  type Evaluation,
  type EvaluationInputs,
  evaluate,
  guardContext,
  isMeasured,
  journalTermsOf,
  nothingToDo,
  priceOf,
  readInputs,
} from './evaluate.ts';
import { existingDeal } from './existing-deal.ts';
import { stopFrom } from './guards/guard-plan.ts';
import { guardJournal } from './guards/journal-guard.ts';
import { checkUnattended } from './guards/unattended-policy.ts';
import { keepsItsKey } from './idempotency-window.ts';
import { entryOf } from './journal-entry.ts';
import { confirmOne } from './observe-action.ts';
import { isDueToRuleOut } from './outcome/found-hedge.ts';
import type { Plan } from './plan.ts';
import { continueAction, earlierUnderKey } from './recover/continue-action.ts';
import { reportOf } from './report.ts';
import { sendAndFinish } from './send-action.ts';
import type { ActionReport, TradingContext } from './trading-context.ts';

/** How often another process may take the key or the deal id between a look and the writing down. */
const ROUNDS = 3;

/**
 * @throws UsageError, StoppedError, CredentialError, DamagedFileError and the readings' own errors while nothing
 * was sent. Once it stands in the journal there is always a report, its `finding` saying what went otherwise.
 */
export async function executeAction(intent: ActionIntent, dealing: TradingContext): Promise<ActionReport> {
  checkUnattended(intent, dealing);
  checkAccount(dealing);
  for (let round = 1; ; round += 1) {
    try {
      return await dealOnce(intent, dealing);
    } catch (error) {
      if (!(error instanceof TakenMeanwhile) || round === ROUNDS) throw error;
    }
  }
}

async function dealOnce(intent: ActionIntent, dealing: TradingContext): Promise<ActionReport> {
  const earlier = await earlierToContinue(intent, dealing);
  if (earlier !== undefined) return continueAction(earlier, intent, dealing);
  const read = await readInputs(intent, dealing);
  const dealt = await existingDeal(intent, read, dealing);
  const { servedAt } = read.facts.book;
  if (dealt !== undefined) return { ...dealt, servedAt: dealt.servedAt ?? servedAt };
  const agreed = await agreeUnlessTaken(intent, read, dealing);
  const { plan, warnings } = agreed;
  if (nothingToDo(plan)) {
    warnings.forEach(({ message: says }) => dealing.watch.news(`besides    ${says}`));
    return reportOf('flat', { plan, warnings, servedAt });
  }
  if (intent.options.dryRun) return reportOf('planned', { plan, warnings, servedAt });
  const entry = await writeIntent(agreed, dealing);
  const { wait, timeoutMs } = intent.options;
  return { ...(await sendAndFinish(entry, { plan, wait, timeoutMs }, dealing)), warnings };
}

/** The action under its key; undefined also where that turns out not to have been executed: it is dealt now. */
async function earlierToContinue(intent: ActionIntent, dealing: TradingContext): Promise<Action | undefined> {
  const earlier = earlierUnderKey(intent, dealing);
  if (earlier === undefined || earlier.underway) return earlier;
  const isDue = isDueToRuleOut(earlier, dealing.journal.read(), dealing.clock.now());
  const settled = isDue ? await confirmOne(earlier, dealing) : earlier;
  return keepsItsKey(settled, dealing.clock.now()) ? undefined : settled;
}

/** What stops it because another process has begun to deal it under the same key is the same action, not a double. */
async function agreeUnlessTaken(
  intent: ActionIntent,
  read: EvaluationInputs,
  dealing: TradingContext,
): Promise<Evaluation> {
  try {
    return await confirmAction(intent, read, dealing);
  } catch (error) {
    const stopped = error instanceof StoppedError && error.code !== 'declined';
    if (stopped && earlierUnderKey(intent, dealing) !== undefined) throw new TakenMeanwhile();
    throw error;
  }
}

/** The intent is on disk when this returns: judged once more while no other process could add to the journal. */
async function writeIntent({ plan, dealAttempt }: Evaluation, dealing: TradingContext) {
  dealing.signal.throwIfAborted();
  const { id, records } = entryOf(plan, { dealing, dealAttempt });
  const key = records[0].idempotency_key;
  const state = await dealing.journal.append(records, (standing) => judge(plan, key, standing, dealing));
  const entry = state.actions.find((action) => action.id === id);
  if (entry === undefined) throw new Error(`the journal does not show action ${id}, which was just written`);
  return entry;
}

function judge(plan: Evaluation['plan'], key: string, state: JournalState, dealing: TradingContext): void {
  const stop = stopFrom(guardJournal(journalTermsOf(plan, dealing), state, guardContext(dealing)));
  // A key of which nothing came, for want of a connection, is free for the next attempt.
  const earlier = findByKey(state.actions, dealing.identity, key);
  const taken = earlier !== undefined && maybeExecuted(earlier);
  const given = plan.intent.options.idempotencyKey !== undefined;
  const ensured = 'ensure' in plan.intent && plan.intent.ensure && stop?.code === 'deal_id_used';
  if (ensured || (taken && (given || stop === undefined))) throw new TakenMeanwhile();
  if (stop !== undefined) throw stop;
  if (isMeasured(plan) && changedOnSide(plan, state, dealing)) throw new TakenMeanwhile();
}

/** Whether another process has written of the side since it was read: its size may be another by now. */
const changedOnSide = (
  { market, side, facts: { readAtMs } }: Evaluation['plan'],
  { actions }: JournalState,
  { identity }: TradingContext,
): boolean =>
  actions.some(
    ({ intent, changedAt }) =>
      intent.market === market &&
      intent.side === side &&
      sameIdentity(intent.identity, identity) &&
      Date.parse(changedAt) >= readAtMs,
  );

/** Another process dealt under the same key or deal id, or on the side that was measured: all is read anew. */
class TakenMeanwhile extends StoppedError {
  constructor() {
    super({
      code: 'duplicate',
      what: 'Another process deals the same, or on the same side, at this moment.',
      book: 'Nothing was sent from here.',
      hint: 'See what it did: hedge journal.',
      retry: 'later',
    });
  }
}

/** @throws StoppedError: a guard's, or `declined`. A dry run, and a close of nothing, are asked about by nobody. */
export async function confirmAction(
  intent: ActionIntent,
  read: EvaluationInputs,
  dealing: TradingContext,
): Promise<Evaluation> {
  const { yes, dryRun } = intent.options;
  let shown = evaluate(intent, read, dealing);
  let changed: string | undefined;
  if (dryRun) return shown;
  while (!nothingToDo(shown.plan)) {
    const { plan, warnings, dealtElsewhere } = shown;
    dealing.watch.stop();
    if (!(await dealing.confirm({ plan, warnings, dealtElsewhere, changed }, { yes })))
      throw declined(intent);
    if (yes) return shown;
    dealing.watch.start('Reading the price and the book again');
    const fresh = evaluate(intent, await readInputs(intent, dealing, plan.facts), dealing);
    changed = changedSince(plan, fresh.plan);
    if (changed === undefined) {
      sayReadAgain(plan, fresh.plan, dealing);
      return fresh;
    }
    shown = fresh;
  }
  return shown;
}

/** `re-quoted  1522.35, 0.4 bps worse`. */
function sayReadAgain(shown: Plan, fresh: Plan, { watch }: TradingContext): void {
  const [before, now] = [priceOf(shown), priceOf(fresh)];
  if (before === undefined || now === undefined) {
    watch.note('read again the book is unchanged');
    return;
  }
  const bps = worseByBps(fresh.side, { shown: before, now });
  const moved = bps.eq(0)
    ? 'unchanged'
    : `${bps.abs().round(2, Big.roundUp).toFixed()} bps ${bps.gt(0) ? 'worse' : 'better'}`;
  watch.note(`re-quoted  ${grouped(now)}, ${moved}`);
}

const declined = ({ action }: ActionIntent): StoppedError =>
  new StoppedError({
    code: 'declined',
    what: `Declined: the ${action} was not agreed to.`,
    book: 'Nothing was sent.',
  });
