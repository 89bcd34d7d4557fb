/**
 * Follows an action of the journal from its record to a report: the one way for every command that sends, looks up or waits.
 * `NEXT` is the whole of it: the next step in each situation, by the caller's request.
 */
import { createsHedge } from '../../domain/action-table.ts';
import { HedgeError, InterruptedError } from '../../errors.ts';
import { machineTimeNote } from '../../journal/describe.ts';
import { type Action, isUnanswered } from '../../journal/replay.ts';
import { actionById } from '../../journal/state.ts';
import { NEXT_READING_MS, poll } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { confirmationCommands, isOfAnotherKey, otherKeyInWords } from '../account-keys.ts';
import { conclusiveFrom } from '../idempotency-window.ts';
import { type Observation, observe } from '../outcome/observe.ts';
import { sideEvidenceAt } from '../outcome/side-evidence.ts';
import type { Plan } from '../plan.ts';
import { type ActionReport, reportOf } from '../report.ts';
import { stillPendingError, stoppedWaiting } from '../report-errors.ts';
import { awaitEnd, awaitSender } from './await-end.ts';
import { type Asks, type Known, type Situation, situationOf } from './known.ts';
import { confirmFound, isDueToRuleOut, recordFound, recordNotExecuted } from './record-outcome.ts';
import { reportKnown, unknownOutcome } from './reports.ts';
import { sendAction } from './send-attempt.ts';

export interface Following {
  asks: Asks;
  /** For the outcome, not only for the acceptance. */
  wait: boolean;
  /** How long; never limits the sending. */
  timeoutMs: number;
  /** The confirmed plan; undefined when the action was sent earlier. */
  plan?: Plan | undefined;
  /** Set by `resume`: its checks, its confirmation and its record. A report: it is not sent. */
  again?: (now: Known) => Promise<Known | ActionReport>;
}

/** The next step. */
const NEXT: Readonly<Record<Situation, Readonly<Record<Asks, Step>>>> = {
  recorded: { send: 'send', resume: 'send', look: 'report', wait: 'report' },
  underway: { send: 'report', resume: 'report', look: 'report', wait: 'await_sender' },
  unsent: { send: 'report', resume: 'send_again', look: 'report', wait: 'report' },
  unresolved: { send: 'look_up_if_due', resume: 'look_up', look: 'look_up', wait: 'await_arrival' },
  undecided: { send: 'report', resume: 'send_again', look: 'report', wait: 'report' },
  accepted: { send: 'await_end', resume: 'await_end', look: 'look_up', wait: 'await_end' },
  in_flight: { send: 'report', resume: 'await_end', look: 'report', wait: 'await_end' },
  ended: { send: 'report', resume: 'report', look: 'report', wait: 'report' },
  late: { send: 'report', resume: 'report', look: 'report', wait: 'report' },
  over: { send: 'report', resume: 'report', look: 'report', wait: 'report' },
};

type Step = keyof typeof STEPS;

/** A report ends it. */
type StepOf = (now: Known, how: Following, context: ReadContext) => Promise<Known | ActionReport>;

const STEPS = {
  async send(now, _, context) {
    const sent = await sendAction(now.action, now.plan?.facts.clocks, context);
    return { ...now, ...sent, toSend: false, asks: 'send' };
  },
  async send_again(now, { again }) {
    if (again === undefined) throw new Error(`action ${now.action.id} may not be sent again here`);
    return again(now);
  },
  async look_up(now, { asks, timeoutMs }, context) {
    const looked = await lookUp(now, context);
    return asks === 'look' ? { ...looked, leftMs: timeoutMs } : looked;
  },
  look_up_if_due: lookUpIfDue,
  async await_sender(now, { timeoutMs }, context) {
    const action = await awaitSender(now.action, timeoutMs, context);
    return action.underway ? { ...now, action, waited: { how: 'late', message: '' } } : { ...now, action };
  },
  await_arrival: awaitArrival,
  await_end: awaitOutcome,
  report: (now, _, context) => reportKnown(now, context),
} satisfies Readonly<Record<string, StepOf>>;

/**
 * Never throws once something may have been sent: the report's `finding` says what happened.
 * @throws HedgeError of a lookup that failed; the signal's reason when that aborted it.
 */
export async function follow(action: Action, how: Following, context: ReadContext): Promise<ActionReport> {
  let now: Known = { action, plan: how.plan, toSend: how.asks === 'send' };
  for (;;) {
    const step: StepOf = STEPS[NEXT[situationOf(now)][now.asks ?? how.asks]];
    const next = await step(now, how, context);
    if ('outcome' in next)
      return { ...next, plan: next.plan ?? now.plan, evidence: next.evidence ?? now.evidence };
    now = next;
  }
}

const LOOK: Following = { asks: 'look', wait: false, timeoutMs: 0 };

/** Looked up once. `leftMs`: how long a list that lags may be waited for. @throws as `follow`. */
export const lookUpAction = (action: Action, context: ReadContext, leftMs = 0): Promise<ActionReport> =>
  follow(action, { ...LOOK, timeoutMs: leftMs }, context);

/**
 * Only the hedge of an open proves that an unresolved action was executed: any other change may be somebody else's.
 * @throws HedgeError of the reading that failed; the signal's reason when that aborted.
 */
async function lookUp(now: Known, context: ReadContext): Promise<Known> {
  const { action } = now;
  const observed = await observeTwiceIfUnconfirmed(action, context);
  const { evidence, hedge } = observed;
  if (!isUnanswered(action))
    return { ...now, action: await confirmFound(action, observed, context), observed, evidence };
  if (createsHedge(action.intent) && evidence.kind === 'exact' && hedge !== undefined)
    return { ...now, action: await recordFound(action, hedge, context), observed, evidence };
  const decided = await recordNotExecuted(action, observed, context);
  return decided === undefined
    ? { ...now, observed, evidence }
    : { ...now, action: decided, observed: undefined, evidence };
}

/** Reads once, or a second time to confirm that something is missing. */
async function observeTwiceIfUnconfirmed(action: Action, context: ReadContext): Promise<Observation> {
  const sideEvidence = sideEvidenceAt(action.intent);
  const observed = await observe(action, context, sideEvidence);
  if (observed.unconfirmed?.again !== true) return observed;
  await context.clock.sleep(NEXT_READING_MS, context.signal);
  context.signal.throwIfAborted();
  return observe(action, context, sideEvidence);
}

/** After a rejection, once no attempt can still arrive: then a lookup decides. */
async function lookUpIfDue(now: Known, _: Following, context: ReadContext): Promise<Known | ActionReport> {
  const rejected = now.sent && unknownOutcome(now.sent)?.refusal;
  try {
    const isStopped = context.signal.reason instanceof InterruptedError;
    if (
      rejected !== undefined &&
      !isStopped &&
      isDueToRuleOut(now.action, context.journal.read(), context.clock.now())
    )
      return await lookUp(now, context);
  } catch (error) {
    if (!(error instanceof HedgeError)) throw error;
  }
  return reportKnown(now, context);
}

/** The wait and the journal use different clocks. */
const A_LITTLE_MS = 1_000;

/** Waits until it is found, its change shows, or no attempt can still arrive. */
async function awaitArrival(now: Known, how: Following, context: ReadContext): Promise<Known | ActionReport> {
  const { action } = now;
  const { clock, signal, progress, timeOfDay } = context;
  const startedAt = clock.now();
  const conclusiveAt = (isSeenHere(action, context) ? conclusiveFrom(action) : undefined) ?? startedAt;
  let last: ActionReport | undefined;
  if (conclusiveAt > startedAt)
    progress.start(
      `waiting until ${timeOfDay(conclusiveAt)}${machineTimeNote(action)}: an earlier attempt may still arrive (Ctrl-C stops only the waiting)`,
    );
  const withinMs = Math.max(0, Math.min(how.timeoutMs, conclusiveAt - startedAt + A_LITTLE_MS));
  try {
    await poll({
      clock,
      signal,
      withinMs,
      // It decides.
      lastReadingMs: how.timeoutMs - withinMs,
      async read(own) {
        // Another process may resume it meanwhile.
        const current = actionById(await context.journal.latest(), action.id) ?? action;
        last = await lookUpAction(current, { ...context, signal: own });
        const isOpen = last.outcome === 'unknown' && last.evidence?.kind !== 'exact';
        return isOpen || last.entry?.underway === true ? undefined : last;
      },
    });
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    return reportOf('unknown', { entry: action, finding: stoppedWaiting(action, error) });
  } finally {
    progress.stop();
  }
  const entry = last?.entry ?? action;
  if (entry.state !== 'accepted') return last ?? reportKnown(now, context);
  return { action: entry, withinMs: Math.max(0, startedAt + how.timeoutMs - clock.now()) };
}

/** The side of another key may be another account's, so waiting would prove nothing. */
const isSeenHere = (action: Action, context: ReadContext): boolean =>
  createsHedge(action.intent) || !isOfAnotherKey(action, context);

/** Waits for the end of an accepted action, if the caller waits. */
async function awaitOutcome(now: Known, how: Following, context: ReadContext): Promise<Known | ActionReport> {
  const { action } = now;
  const { clock, progress } = context;
  if (!how.wait) return reportKnown({ ...now, observed: undefined }, context);
  if (!isSeenHere(action, context)) {
    const why = otherKeyInWords(action);
    const finding = stillPendingError(action, why, clock.now(), { first: confirmationCommands(action) });
    return reportOf('pending', { entry: action, finding });
  }
  const timeoutMs = now.withinMs ?? how.timeoutMs;
  const untilMs = clock.monotonic() + timeoutMs;
  try {
    const awaited = await awaitEnd(action, context, { timeoutMs });
    return { ...now, observed: undefined, ...awaited, leftMs: untilMs - clock.monotonic() };
  } catch (error) {
    if (error instanceof InterruptedError)
      return reportOf('pending', { entry: action, finding: stoppedWaiting(action, error) });
    if (!(error instanceof HedgeError)) throw error;
    return {
      ...now,
      observed: undefined,
      waited: { how: 'stopped', message: `waiting ended: ${error.clause}` },
    };
  } finally {
    progress.stop();
  }
}
