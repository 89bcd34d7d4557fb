/** Looks up an action of the journal at the service and records what it finds. Sends no action. */

import { dealIdOf, type TypedIntent } from '../args/action-intent.ts';
import { createsHedge } from '../domain/action-table.ts';
import { unquoted } from '../domain/quoted.ts';
import {
  CredentialError,
  DamagedFileError,
  HedgeError,
  OutcomeUnknownError,
  RefusedError,
  UnavailableError,
  UnreadableAnswerError,
} from '../errors.ts';
import { sameIdentity } from '../journal/account-identity.ts';
import { actionInWords, stateInWords } from '../journal/describe.ts';
import { type Action, isAwaitingOutcome, isUnresolved } from '../journal/replay.ts';
import type { JournalState } from '../journal/state.ts';
import type { ReadContext } from '../readings/read-context.ts';
import { confirmationCommands, isOfAnotherKey } from './account-keys.ts';
import { completeAction, reportEnd } from './await-completion.ts';
import { absenceCheck } from './outcome/absence.ts';
import { endFrom, recordNotSeen, recordNotTold } from './outcome/await-outcome.ts';
import type { Evidence } from './outcome/change-evidence.ts';
import {
  confirmFound,
  hasProvisionExpired,
  isDueToRuleOut,
  recordFound,
  recordNotExecuted,
} from './outcome/found-hedge.ts';
import { type Observation, observe } from './outcome/observe.ts';
import { reportOf } from './report.ts';
import {
  changedByOthersError,
  evidenceInWords,
  notSeenError,
  stillPendingError,
  stillUnknownError,
  unknownError,
} from './report-errors.ts';
import type { ActionReport } from './trading-context.ts';

export interface ObservedAction {
  report: ActionReport;
  /** Undefined when no lookup was needed: the outcome is known, or it is being sent. */
  evidence: Evidence | undefined;
}

/**
 * `leftMs`: how long a list that lags may be waited for.
 * @throws HedgeError of the reading that failed; the signal's reason when that aborted.
 */
export async function observeAction(
  action: Action,
  context: ReadContext,
  leftMs = 0,
): Promise<ObservedAction> {
  if (action.underway || (!isUnresolved(action) && action.state !== 'accepted'))
    return {
      report: await completeAction(action, { wait: false, timeoutMs: 0 }, context),
      evidence: undefined,
    };
  const seen = await observeTwiceIfDoubtful(action, context);
  const report = isUnresolved(action)
    ? await unresolvedReport(action, seen, context)
    : await acceptedReport(action, seen, context, leftMs);
  return { report, evidence: seen.evidence };
}

/** Between readings: the service advises one second at least (specification §6). */
const NEXT_READING_MS = 1_000;

/** Reads once, or a second time to confirm that something is missing. */
async function observeTwiceIfDoubtful(action: Action, context: ReadContext): Promise<Observation> {
  const absence = absenceCheck(action.intent);
  const seen = await observe(action, context, absence);
  if (seen.doubt?.again !== true) return seen;
  await context.clock.sleep(NEXT_READING_MS, context.signal);
  context.signal.throwIfAborted();
  return observe(action, context, absence);
}

/** Only the hedge of an open proves it: any other change may be somebody else's. */
async function unresolvedReport(
  action: Action,
  seen: Observation,
  context: ReadContext,
): Promise<ActionReport> {
  const { evidence, hedge, position, servedAt } = seen;
  if (createsHedge(action.intent) && evidence.kind === 'exact' && hedge !== undefined) {
    return acceptedReport(await recordFound(action, hedge, context), seen, context);
  }
  const settled = await recordNotExecuted(action, seen, context);
  if (settled !== undefined) return (await observeAction(settled, context)).report;
  const finding = stillUnknownError(action, evidence, context);
  return reportOf('unknown', {
    entry: action,
    hedges: 'hedges' in evidence ? evidence.hedges : undefined,
    position,
    servedAt,
    finding,
  });
}

async function acceptedReport(
  found: Action,
  seen: Observation,
  context: ReadContext,
  leftMs = 0,
): Promise<ActionReport> {
  const { evidence, hedge, position, servedAt } = seen;
  const action = await confirmFound(found, seen, context);
  const end = endFrom(action, seen);
  if (end !== undefined) return reportEnd(action, { ...end, leftMs }, context);
  const nowMs = context.clock.now();
  if (evidence.kind === 'other') {
    const { message, closedBy, isOneOf, notOurs } = evidence;
    const waited = isOneOf !== undefined;
    const entry = await recordNotTold(action, { message, waited, notOurs }, context);
    const finding = changedByOthersError(entry, { message, closedBy, nowMs });
    return reportOf('unknown', {
      entry,
      hedge: notOurs === undefined ? hedge : undefined,
      hedges: evidence.hedges,
      position,
      servedAt,
      finding,
    });
  }
  const entry = await recordNotSeen(action, evidence, context);
  if (entry.outcome?.kind === 'not_seen' && evidence.kind === 'none')
    return reportOf('unknown', { entry, position, servedAt, finding: notSeenError(entry, nowMs) });
  const isSeen = hedge !== undefined && evidence.kind !== 'unclear';
  const message = isSeen
    ? `${unquoted(hedge.id)} is ${unquoted(hedge.status)}`
    : evidenceInWords(entry, evidence);
  const first = isOfAnotherKey(entry, context) ? confirmationCommands(entry) : [];
  const finding = stillPendingError(entry, message, nowMs, first);
  return reportOf('pending', { entry, hedge, position, servedAt, finding });
}

const READING_FAILURES = [
  UnavailableError,
  UnreadableAnswerError,
  RefusedError,
  CredentialError,
  OutcomeUnknownError,
] as const;

export const isReadingFailure = (error: unknown): error is HedgeError =>
  error instanceof HedgeError && READING_FAILURES.some((kind) => error instanceof kind);

/** Undefined for an action whose outcome is known. */
export function lookupFailed(action: Action, error: HedgeError, nowMs: number): ActionReport | undefined {
  const what = `The lookup failed: ${error.what}`;
  if (isUnresolved(action)) {
    const cause = new OutcomeUnknownError({ what, httpStatus: error.httpStatus, cause: error });
    return reportOf('unknown', { entry: action, finding: unknownError(action, cause) });
  }
  if (!isAwaitingOutcome(action)) return undefined;
  const message = `the lookup failed: ${error.clause}`;
  return reportOf('pending', { entry: action, finding: stillPendingError(action, message, nowMs) });
}

/** Looks up earlier actions that conflict with an intent and can be decided now. True if any was looked up. */
export async function confirmDueOutcomes(
  intent: TypedIntent,
  state: JournalState,
  context: ReadContext,
): Promise<boolean> {
  const nowMs = context.clock.now();
  const due = provisionalIn(state, context).concat(
    state.current.filter(
      (action) =>
        isFree(action, context) && conflicts(action, intent) && isDueToRuleOut(action, state, nowMs),
    ),
  );
  for (const action of due) await confirmOne(action, context);
  return due.length > 0;
}

/** After a reading of hedges. A damaged journal is reported by commands that need it. */
export async function confirmProvisional(context: ReadContext): Promise<void> {
  try {
    const due = provisionalIn(context.journal.read(), context);
    for (const action of due) await confirmOne(action, context);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
  }
}

const provisionalIn = ({ current }: JournalState, context: ReadContext): readonly Action[] =>
  current.filter((action) => isFree(action, context) && hasProvisionExpired(action, context.clock.now()));

/** Belongs to this account, and is not being sent. */
const isFree = ({ intent, underway }: Action, { identity }: ReadContext): boolean =>
  !underway && sameIdentity(intent.identity, identity);

/** Same market and side, or same deal ID. */
function conflicts({ intent: earlier }: Action, intent: TypedIntent): boolean {
  const dealId = dealIdOf(intent);
  return (
    (earlier.market === intent.market && earlier.side === intent.side) ||
    (dealId !== undefined && earlier.deal_id === dealId)
  );
}

/** The action after a lookup; unchanged if the lookup failed. @throws the signal's reason. */
export async function confirmOne(action: Action, context: ReadContext): Promise<Action> {
  try {
    const { entry = action, finding } = (await observeAction(action, context)).report;
    const isSettled = isUnresolved(entry) !== isUnresolved(action);
    const message =
      finding?.what ?? `${actionInWords(entry)}, action ${entry.shortId}: ${stateInWords(entry)}.`;
    if (isSettled) context.progress.news(`checked    ${message}`);
    return entry;
  } catch (error) {
    if (isReadingFailure(error)) return action;
    throw error;
  }
}
