/** Lookups of actions that nobody awaits, whose failure must not fail the command. */
import { dealIdOf, type TypedIntent } from '../../domain/action-intent.ts';
import { isSameSide } from '../../domain/vocabulary.ts';
import {
  CredentialError,
  DamagedFileError,
  HedgeError,
  OutcomeUnknownError,
  RefusedError,
  UnavailableError,
  UnreadableAnswerError,
} from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { actionInWords, stateInWords } from '../../journal/describe.ts';
import { type Action, isUnanswered, isUnfinished } from '../../journal/replay.ts';
import type { JournalState } from '../../journal/state.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { type ActionReport, reportOf } from '../report.ts';
import { stillPendingError, unknownError } from '../report-errors.ts';
import { lookUpAction } from './follow.ts';
import { hasProvisionExpired, isDueToRuleOut } from './record-outcome.ts';

const READING_FAILURES = [
  UnavailableError,
  UnreadableAnswerError,
  RefusedError,
  CredentialError,
  OutcomeUnknownError,
] as const;

/** The failed reading. @throws any other error. */
export function readingFailure(error: unknown): HedgeError {
  if (error instanceof HedgeError && READING_FAILURES.some((kind) => error instanceof kind)) return error;
  throw error;
}

/** The report without the reading that failed. @throws the error of any other failure, and for an action whose outcome is known. */
export function reportWithoutLookup(action: Action, error: unknown, { clock }: ReadContext): ActionReport {
  const failure = readingFailure(error);
  if (isUnanswered(action)) {
    const { what, httpStatus } = failure;
    const cause = new OutcomeUnknownError({ what: `The lookup failed: ${what}`, httpStatus, cause: failure });
    return reportOf('unknown', { entry: action, finding: unknownError(action, cause) });
  }
  if (!isUnfinished(action)) throw failure;
  const message = `the lookup failed: ${failure.clause}`;
  return reportOf('pending', { entry: action, finding: stillPendingError(action, message, clock.now()) });
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
  for (const action of due) await lookUpQuietly(action, context);
  return due.length > 0;
}

/** After a reading of hedges. A damaged journal is reported by commands that need it. */
export async function confirmProvisional(context: ReadContext): Promise<void> {
  try {
    const due = provisionalIn(context.journal.read(), context);
    for (const action of due) await lookUpQuietly(action, context);
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
  return isSameSide(earlier, intent) || (dealId !== undefined && earlier.deal_id === dealId);
}

/** The report of a lookup; undefined if it failed. @throws the signal's reason. */
export async function lookUpQuietly(action: Action, context: ReadContext): Promise<ActionReport | undefined> {
  try {
    const report = await lookUpAction(action, context);
    const { entry = action, finding } = report;
    const isDecided = isUnanswered(entry) !== isUnanswered(action);
    const message =
      finding?.what ?? `${actionInWords(entry)}, action ${entry.shortId}: ${stateInWords(entry)}.`;
    if (isDecided) context.progress.news(`checked    ${message}`);
    return report;
  } catch (error) {
    readingFailure(error);
    return undefined;
  }
}
