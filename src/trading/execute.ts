/**
 * Executes an action: read, check, confirm, journal, send, wait. Every action of every command starts here. After the
 * confirmation everything is read again, so that nobody trades on stale figures. With `--ensure`, a deal that already
 * exists under the deal ID is reported, awaited or continued instead.
 */

import type { Big } from 'big.js';
import {
  type ActionIntent,
  dealIdOf,
  isUnsized,
  type TypedIntent,
  type UnsizedIntent,
} from '../domain/action-intent.ts';
import { enlarges } from '../domain/action-table.ts';
import { say, shell } from '../domain/hint.ts';
import { exactInstant, utcDay } from '../domain/instants.ts';
import { HedgeError, StoppedError } from '../errors.ts';
import { findByKey, isKeyTaken, isOn, usedDealId } from '../journal/queries.ts';
import { type Action, maybeExecuted, wasNeverSent } from '../journal/replay.ts';
import { actionById, type JournalState } from '../journal/state.ts';
import { flatUnsure } from '../readings/journal-trouble.ts';
import { readUnderReference } from '../readings/read-position.ts';
import { checkAccount } from './account-keys.ts';
import { isSameRequest } from './action-parts.ts';
import { changedSince, confirmPlan } from './confirm.ts';
import {
  dealKey,
  type EarlierAttempts,
  earlierAttempts,
  earlierUnderKey,
  hadFailed,
  MOST_ATTEMPTS,
  nextAttemptDue,
  recordedAttempt,
} from './deal-attempts.ts';
import { adviseRepeat, coversAsAsked, dealStatus, guardDealId } from './deal-id.ts';
import {
  type EvaluationInputs,
  evaluate,
  guardContext,
  journalTermsOf,
  nothingToDo,
  readInputs,
} from './evaluate.ts';
import { existingDeal } from './existing-deal.ts';
import { finishedInBackground } from './follow/finished-in-background.ts';
import { follow } from './follow/follow.ts';
import { confirmDueOutcomes, lookUpQuietly } from './follow/lookups.ts';
import { isDueToRuleOut } from './follow/record-outcome.ts';
import { guardLimits } from './guards/guard-plan.ts';
import { dealIdUsed, guardJournal } from './guards/journal-guard.ts';
import { checkNoStop, stopFrom } from './guards/stops.ts';
import { checkUnattended } from './guards/unattended-policy.ts';
import { keepsItsKey } from './idempotency-window.ts';
import { entryOf } from './journal-entry.ts';
import { ownCloseLandsUntil, waitForOwnClose } from './outcome/own-close.ts';
import type { Plan } from './plan.ts';
import { continueAction } from './recover/resume-action.ts';
import { type ActionReport, reportOf } from './report.ts';
import type { Evaluation, TradingContext } from './trading-context.ts';

/** How often to start again when another process takes the key or deal ID first. */
const ROUNDS = 3;

/**
 * @throws UsageError, StoppedError, CredentialError, DamagedFileError and errors of readings before anything is sent.
 * Once the action is in the journal it returns a report, and problems are its `finding`.
 */
export async function executeAction(intent: TypedIntent, context: TradingContext): Promise<ActionReport> {
  checkUnattended(intent, context);
  checkAccount(context);
  for (let round = 1; ; round += 1) {
    try {
      return adviseRepeat(intent, await makeAttempts(intent, context), context.clock.now());
    } catch (error) {
      if (!(error instanceof TakenMeanwhile) || round === ROUNDS) throw error;
    }
  }
}

/** From the first attempt under its deal ID. Each has its own readings, checks and record. */
async function makeAttempts(intent: TypedIntent, context: TradingContext): Promise<ActionReport> {
  const retries = !('ensure' in intent && intent.ensure) || intent.retryFailed;
  let [typed, asked] = [intent, context];
  let earlier: EarlierAttempts | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const { report, before } = await executeOnce(typed, attempt, asked);
    if (before === undefined) return report;
    earlier ??= before;
    const seen = await ifFailedBefore(report, earlier, context);
    const why = nextAttemptDue(seen, { earlier, retries });
    if (why === undefined) return seen;
    const made = `attempt ${attempt.toString()} under this deal ID: ${why}`;
    if (attempt === MOST_ATTEMPTS) {
      context.progress.news(
        `${made}. The service may only repeat it: use a new deal ID, or try again in an hour.`,
      );
      return seen;
    }
    context.progress.note(`${made}; making the next`);
    typed = unsized(typed);
    asked = confirmedAs(seen.plan, { ...context, shared: undefined, simulation: undefined });
  }
}

/** Without waiting, a hedge whose order had failed before looks as if it was accepted now. */
async function ifFailedBefore(
  report: ActionReport,
  earlier: EarlierAttempts,
  context: TradingContext,
): Promise<ActionReport> {
  const { entry, outcome, plan } = report;
  const hedgeId = outcome === 'submitted' ? entry?.hedgeId : undefined;
  if (entry === undefined || hedgeId === undefined || !hadFailed(hedgeId, { earlier, plan })) return report;
  const seen = await lookUpQuietly(entry, context);
  return seen?.outcome === 'failed' ? { ...seen, plan } : report;
}

/** A plan that was confirmed as `shown` is asked about again only if it has changed. */
export const confirmedAs = (shown: Plan | undefined, context: TradingContext): TradingContext => ({
  ...context,
  async confirm(preview, options) {
    const changed = shown === undefined ? preview.changed : changedSince(shown, preview.plan);
    return (
      (shown !== undefined && changed === undefined) || context.confirm({ ...preview, changed }, options)
    );
  },
});

const notSent = (report: ActionReport) => ({ report, before: undefined });

/** `before`: the attempts before it, where a request was sent for it now. */
async function executeOnce(
  intent: TypedIntent,
  attempt: number,
  context: TradingContext,
): Promise<{ report: ActionReport; before: EarlierAttempts | undefined }> {
  const earlier = await earlierToContinue(intent, context);
  if (earlier !== undefined) return notSent(await continueAction(earlier, intent, context));
  if (enlarges(intent) && !intent.options.dryRun) await waitForOwnClose(intent, context);
  const known = isUnsized(intent) ? await lookUpBeforeSizing(intent, attempt, context) : { intent };
  if ('report' in known) return notSent(known.report);
  let read = await readSized(known.intent, context);
  // Another machine's close may have been pulled meanwhile.
  const isLater = enlarges(intent) && !intent.options.dryRun && (await waitForOwnClose(intent, context));
  if (isLater) read = await readSized(known.intent, context);
  const { state, facts } = read;
  const existing = await existingDeal(
    read.intent,
    { state, underDealId: facts.underDealId, servedAt: facts.positionFacts.servedAt },
    context,
  );
  const { servedAt } = facts.sidePosition;
  if (existing !== undefined) return notSent({ ...existing, servedAt: existing.servedAt ?? servedAt });
  const confirmed = await confirmUnlessTaken(intent, read, context);
  const { plan, warnings, openedElsewhere } = confirmed;
  if (nothingToDo(plan)) {
    const finding = flatUnsure(context.journal.read().trouble);
    const told = warnings.filter(({ code }) => code !== finding?.code);
    told.forEach(({ message }) => context.progress.news(`warning    ${message}`));
    return notSent(reportOf('flat', { plan, warnings, finding, servedAt }));
  }
  if (intent.options.dryRun) {
    context.simulation?.execute(confirmed, context);
    return notSent(reportOf('planned', { plan, warnings, openedElsewhere, servedAt }));
  }
  // Not sooner: with a desk, the journal lacks the attempts of colleagues until its log was pulled.
  const before = earlierAttempts(intent, context);
  const entry = await writeIntent(plan, attempt, context);
  const { wait, timeoutMs } = intent.options;
  const report = await follow(entry, { asks: 'send', plan, wait, timeoutMs }, context);
  return { report: { ...report, warnings, openedElsewhere }, before };
}

/** A size in naira that was recorded at another rate is computed again. */
async function readSized(intent: TypedIntent, context: TradingContext): Promise<EvaluationInputs> {
  const read = await readInputs(intent, context);
  return intent.options.idempotencyKey !== undefined || coversAsAsked(read.intent, read.facts.quote)
    ? read
    : readInputs(unsized(read.intent), context);
}

/** A computed size is computed again. */
const unsized = (intent: TypedIntent): TypedIntent =>
  'sizing' in intent && intent.sizing !== undefined
    ? { ...intent, notional: undefined, sizing: intent.sizing }
    : intent;

/**
 * A deal ID is looked up before its size is computed: at another price it would be another size. An action that was
 * recorded under the same key keeps its notional, so that the same bytes are sent.
 */
async function lookUpBeforeSizing(
  intent: UnsizedIntent,
  attempt: number,
  context: TradingContext,
): Promise<{ report: ActionReport } | { intent: TypedIntent }> {
  const { identity, journal, simulation, clock } = context;
  const dealId = dealIdOf(intent);
  const [list] = await Promise.all([
    dealId === undefined ? undefined : readUnderReference(context, dealId),
    journal.latest(),
  ]);
  const underDealId = list?.hedges ?? [];
  const underDealIdCut = list?.mayBeCut ?? false;
  const servedAt = list?.servedAt ?? new Date(clock.now());
  await finishedInBackground(underDealId, context);
  if (dealId !== undefined) await confirmDueOutcomes(intent, journal.read(), context);
  const read = journal.read();
  const state = simulation?.state(read) ?? read;
  const existing = await existingDeal(intent, { state, underDealId, servedAt }, context);
  if (existing !== undefined) return { report: existing };
  const known = { state, identity, underDealId, underDealIdCut };
  if (dealId !== undefined && !('ensure' in intent && intent.ensure)) {
    const used = usedDealId(state.find({ dealIds: [dealId] }), identity, dealId);
    checkNoStop([...(used === undefined ? [] : [dealIdUsed(used)]), ...guardDealId(dealId, known)]);
  }
  const notional = recordedSize(intent, known, attempt);
  return { intent: notional === undefined ? intent : { ...intent, notional } };
}

/** The notional of the same request that was recorded under its key, unless another request has that key. */
export function recordedSize(
  intent: UnsizedIntent,
  known: { state: JournalState; identity: TradingContext['identity'] },
  attempt = 1,
): Big | undefined {
  const { state, identity } = known;
  const { idempotencyKey: key } = intent.options;
  const id = dealIdOf(intent);
  if (key === undefined)
    return id === undefined
      ? undefined
      : recordedAttempt(intent, dealKey(identity, { id, attempt }), known)?.notional;
  const recorded = findByKey(state.find({ keys: [key] }), identity, key);
  if (recorded === undefined || isKeyTaken(recorded) || wasNeverSent(recorded)) return undefined;
  return isSameRequest(intent, recorded) ? recorded.notional : undefined;
}

/** The earlier action with the same key; undefined also when that was not executed, so that it is sent now. */
async function earlierToContinue(intent: TypedIntent, context: TradingContext): Promise<Action | undefined> {
  const earlier = earlierUnderKey(intent, context);
  if (earlier === undefined || earlier.underway) return earlier;
  const isDue = isDueToRuleOut(earlier, context.journal.read(), context.clock.now());
  const now = (isDue ? (await lookUpQuietly(earlier, context))?.entry : undefined) ?? earlier;
  return keepsItsKey(now, context.clock.now()) ? undefined : now;
}

/** A stop caused by another process that sends the same key, or ensures the same deal, is the same action. */
async function confirmUnlessTaken(
  intent: TypedIntent,
  read: EvaluationInputs,
  context: TradingContext,
): Promise<Evaluation> {
  try {
    return await confirmAction(read, context);
  } catch (error) {
    const stopped = error instanceof StoppedError && error.code !== 'declined';
    if (stopped && (isEnsuredBy(intent, error) || isTakenMeanwhile(intent, read, context)))
      throw new TakenMeanwhile();
    throw error;
  }
}

/** A used deal ID is no obstacle under `--ensure`. */
const isEnsuredBy = (intent: TypedIntent, stop: StoppedError | undefined): boolean =>
  'ensure' in intent && intent.ensure && stop?.code === 'deal_id_used';

/** The journal is asked now: it may have more than when the deal ID was looked up. */
function isTakenMeanwhile(
  intent: TypedIntent,
  { facts: { underDealId } }: EvaluationInputs,
  context: TradingContext,
): boolean {
  if (earlierUnderKey(intent, context) !== undefined) return true;
  if (!('ensure' in intent && intent.ensure) || intent.dealId === undefined) return false;
  const known = { state: context.journal.read(), identity: context.identity, underDealId };
  return dealStatus(intent.dealId, known).status === 'journaled';
}

/** The intent is on disk when this returns. It is checked again under the journal's lock. */
async function writeIntent(plan: Plan, attempt: number, context: TradingContext) {
  const { identity, journal } = context;
  context.signal.throwIfAborted();
  const bytes = (key: string): string | undefined => {
    const recorded = recordedAttempt(plan.intent, key, { state: journal.read(), identity });
    return 'notional' in plan && recorded?.notional?.eq(plan.notional) === true
      ? recorded.intent.body
      : undefined;
  };
  const { id, records } = entryOf(plan, { context, attempt, bytes });
  const [{ idempotency_key: key, at }] = records;
  const state = await context.journal.append(records, (current) => {
    // It would count for the day before, whose limit was not asked.
    if (enlarges(plan) && utcDay(Date.parse(at)) !== utcDay(context.clock.now())) throw new TakenMeanwhile();
    checkAgain(plan, key, current, context);
  });
  const entry = actionById(state, id);
  if (entry !== undefined) return entry;
  throw new HedgeError({
    code: 'internal',
    what: `The journal does not show action ${id}, which was just written.`,
    meaning: 'Nothing was sent.',
  });
}

function checkAgain(
  plan: Evaluation['plan'],
  key: string,
  state: JournalState,
  context: TradingContext,
): void {
  const terms = journalTermsOf(plan, context);
  const guarded = guardContext(context);
  const findings = [...guardLimits(plan, guarded.limits), ...guardJournal(terms, state, guarded)];
  const stop = stopFrom(findings, plan.facts.quote);
  const given = plan.intent.options.idempotencyKey !== undefined;
  // A key that never reached the service may be reused; a random one is new.
  const isRandom = !given && dealIdOf(plan.intent) === undefined;
  const earlier = isRandom ? undefined : findByKey(state.find({ keys: [key] }), context.identity, key);
  const taken = earlier !== undefined && maybeExecuted(earlier);
  if (isEnsuredBy(plan.intent, stop) || (taken && (given || stop === undefined))) throw new TakenMeanwhile();
  if (stop !== undefined) throw stop;
  if (enlarges(plan) && ownCloseLandsUntil(plan, state, context) !== undefined) throw new TakenMeanwhile();
  if (terms.measured === true && changedOnSide(plan, state, context)) throw new TakenMeanwhile();
}

/** Whether another process has acted on the side since it was read. */
const changedOnSide = (
  { market, side, facts: { readAtMs } }: Evaluation['plan'],
  state: JournalState,
  { identity }: TradingContext,
): boolean =>
  state
    .since(exactInstant(readAtMs))
    .some((action) => isOn(action, { identity, market, side }) && Date.parse(action.changedAt) >= readAtMs);

/** Another process used the same key or deal ID, or acted on a side whose size matters, or closed it: start again. */
class TakenMeanwhile extends StoppedError {
  constructor() {
    super({
      code: 'duplicate',
      what: 'Another process is sending the same action, or one on the same side.',
      meaning: 'Nothing was sent.',
      hint: say`To see what it did: ${shell`hedge journal`}`,
      retry: 'later',
    });
  }
}

/** Asks nothing for a dry run. @throws StoppedError of a check, or `declined`. */
export async function confirmAction(read: EvaluationInputs, context: TradingContext): Promise<Evaluation> {
  const { yes, dryRun } = read.intent.options;
  const first = evaluate(read, context);
  if (dryRun) return first;
  return confirmPlan(
    first,
    {
      yes,
      read: async ({ intent, facts }) =>
        evaluate(await readInputs(asConfirmed(intent), context, facts), context),
    },
    context,
  );
}

/** A size in naira, and the largest one, is fixed when it is confirmed; one that depends on the position follows it. */
const asConfirmed = (intent: ActionIntent): TypedIntent =>
  'sizing' in intent && intent.sizing?.by === 'target' ? unsized(intent) : intent;
