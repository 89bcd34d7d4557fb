/**
 * One look at an action of the journal, and what follows from it: an end that is seen is written down, an open
 * that is found is accepted, what cannot be told is said. Sends nothing that changes anything.
 *
 * An action that could not be looked at: a reading that failed leaves it as unknown, or as much in flight, as it was.
 *
 * What an earlier command left open and a look settles now: an action that was not answered and of which nothing can
 * arrive any more, and a hedge that was found only provisionally. The next command that it concerns looks by itself.
 */

import { type ActionIntent, dealIdOf } from '../args/action-intent.ts';
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
import type { JournalState } from '../journal/store.ts';
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
  /** Undefined where there was nothing to look for: it has ended, or is being sent. */
  evidence: Evidence | undefined;
}

/** @throws HedgeError of the reading that failed; the signal's reason when that aborted. */
export async function observeAction(action: Action, looking: ReadContext): Promise<ObservedAction> {
  if (action.underway || (!isUnresolved(action) && action.state !== 'accepted'))
    return {
      report: await completeAction(action, { wait: false, timeoutMs: 0 }, looking),
      evidence: undefined,
    };
  const seen = await lookTwiceInDoubt(action, looking);
  const report = isUnresolved(action)
    ? await unresolvedReport(action, seen, looking)
    : await acceptedReport(action, seen, looking);
  return { report, evidence: seen.evidence };
}

/** From one reading to the next, in milliseconds: the service advises one second at least (specification §6). */
const NEXT_READING_MS = 1_000;

/** Once, or a second time where that is all it takes to believe what the first one lacks. */
async function lookTwiceInDoubt(action: Action, looking: ReadContext): Promise<Observation> {
  const absence = absenceCheck(action.intent);
  const seen = await observe(action, looking, absence);
  if (seen.doubt?.again !== true) return seen;
  await looking.clock.sleep(NEXT_READING_MS, looking.signal);
  looking.signal.throwIfAborted();
  return observe(action, looking, absence);
}

/** Only an open is settled by its being there, or not: what else is seen may be a colleague's. */
async function unresolvedReport(
  action: Action,
  seen: Observation,
  looking: ReadContext,
): Promise<ActionReport> {
  const { evidence, hedge, position, servedAt } = seen;
  if (createsHedge(action.intent) && evidence.kind === 'exact' && hedge !== undefined) {
    return acceptedReport(await recordFound(action, hedge, looking), seen, looking);
  }
  const settled = await recordNotExecuted(action, seen, looking);
  if (settled !== undefined) return (await observeAction(settled, looking)).report;
  const finding = stillUnknownError(action, evidence, looking);
  return reportOf('unknown', {
    entry: action,
    hedges: 'hedges' in evidence ? evidence.hedges : undefined,
    position,
    servedAt,
    finding,
  });
}

async function acceptedReport(found: Action, seen: Observation, looking: ReadContext): Promise<ActionReport> {
  const { evidence, hedge, position, servedAt } = seen;
  const action = await confirmFound(found, seen, looking);
  const end = endFrom(action, seen);
  if (end !== undefined) return reportEnd(action, end, looking);
  const nowMs = looking.clock.now();
  if (evidence.kind === 'other') {
    const { says, closedBy, isOneOf } = evidence;
    const entry = await recordNotTold(action, { says, waited: isOneOf !== undefined }, looking);
    const finding = changedByOthersError(entry, { says, closedBy });
    return reportOf('unknown', {
      entry,
      hedge,
      hedges: evidence.hedges,
      position,
      servedAt,
      finding,
    });
  }
  const entry = await recordNotSeen(action, evidence, looking);
  if (entry.outcome?.kind === 'not_seen' && evidence.kind === 'none')
    return reportOf('unknown', { entry, position, servedAt, finding: notSeenError(entry, nowMs) });
  const isSeen = hedge !== undefined && evidence.kind !== 'unclear';
  const says = isSeen
    ? `${unquoted(hedge.id)} is ${unquoted(hedge.status)}`
    : evidenceInWords(entry, evidence);
  const first = isOfAnotherKey(entry, looking) ? confirmationCommands(entry) : [];
  const finding = stillPendingError(entry, says, nowMs, first);
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

/** Undefined for an action whose end is known. */
export function lookupFailed(action: Action, error: HedgeError, nowMs: number): ActionReport | undefined {
  const what = `It could not be looked at: ${error.what}`;
  if (isUnresolved(action)) {
    const cause = new OutcomeUnknownError({ what, httpStatus: error.httpStatus, cause: error });
    return reportOf('unknown', { entry: action, finding: unknownError(action, cause) });
  }
  if (!isAwaitingOutcome(action)) return undefined;
  const says = `it could not be looked at: ${error.what.replace(/\.$/, '')}`;
  return reportOf('pending', { entry: action, finding: stillPendingError(action, says, nowMs) });
}

/** Before an action is judged: what stands in its way. Whether anything was looked at, and may be another by now. */
export async function confirmDueOutcomes(
  intent: ActionIntent,
  state: JournalState,
  looking: ReadContext,
): Promise<boolean> {
  const nowMs = looking.clock.now();
  const due = provisionalIn(state, looking).concat(
    state.actions.filter(
      (action) =>
        isFree(action, looking) && isInTheWay(action, intent) && isDueToRuleOut(action, state, nowMs),
    ),
  );
  for (const action of due) await confirmOne(action, looking);
  return due.length > 0;
}

/** Beside a reading of hedges. A journal that cannot be read is told of by whatever needs it. */
export async function confirmProvisional(looking: ReadContext): Promise<void> {
  try {
    const due = provisionalIn(looking.journal.read(), looking);
    for (const action of due) await confirmOne(action, looking);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
  }
}

const provisionalIn = ({ actions }: JournalState, looking: ReadContext): readonly Action[] =>
  actions.filter((action) => isFree(action, looking) && hasProvisionExpired(action, looking.clock.now()));

/** Of this account, and nobody is sending it. */
const isFree = ({ intent, underway }: Action, { identity }: ReadContext): boolean =>
  !underway && sameIdentity(intent.identity, identity);

/** On its side, or under its deal id. */
function isInTheWay({ intent: earlier }: Action, intent: ActionIntent): boolean {
  const dealId = dealIdOf(intent);
  return (
    (earlier.market === intent.market && earlier.side === intent.side) ||
    (dealId !== undefined && earlier.deal_id === dealId)
  );
}

/** The action as it is then; what could not be looked at is as unknown as it was. @throws the signal's reason. */
export async function confirmOne(action: Action, looking: ReadContext): Promise<Action> {
  try {
    const { entry = action, finding } = (await observeAction(action, looking)).report;
    const isSettled = isUnresolved(entry) !== isUnresolved(action);
    const says = finding?.what ?? `${actionInWords(entry)}, action ${entry.shortId}: ${stateInWords(entry)}.`;
    if (isSettled) looking.watch.news(`checked    ${says}`);
    return entry;
  } catch (error) {
    if (isReadingFailure(error)) return action;
    throw error;
  }
}
