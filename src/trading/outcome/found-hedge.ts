/**
 * What a look for an action without an answer settles, written into the journal: that its hedge was found, for certain
 * or provisionally, or that it was not executed, once no send of it can still arrive.
 */
import type { Hedge } from '../../client/schemas.ts';
import { createsHedge } from '../../domain/action-table.ts';
import { clocksDisagree, exactInstant } from '../../domain/instants.ts';
import { type Action, isUnresolved } from '../../journal/replay.ts';
import type { JournalState } from '../../journal/store.ts';
import { foundProvisionallyUntil, isConclusive, keyAge } from '../idempotency-window.ts';
import { appendRecord, type RecordContext, type RecordPayload } from './append-record.ts';
import type { Observation } from './observe.ts';
/** An open that its reference, or its id, finds on the book: the service took it, whatever its answer was. */
export function recordFound(
  action: Action,
  { id, order_tx_hash: hash }: Hedge,
  recording: RecordContext,
): Promise<Action> {
  const until = foundProvisionallyUntil(action, recording.clock.now());
  const said = {
    kind: 'accepted',
    by: 'looking',
    hedge_id: id,
    ...(hash ? { order_tx_hash: hash } : {}),
    ...(until === undefined ? {} : { provisional_until: exactInstant(until) }),
  } as const;
  return appendRecord(action, said, recording);
}

/** What was found provisionally is final once it is found alone, and nothing else can arrive. */
export async function confirmFound(
  action: Action,
  seen: Observation,
  recording: RecordContext,
): Promise<Action> {
  const { evidence, hedge, byReference } = seen;
  const isSeenAlone = byReference === true && evidence.kind === 'exact' && hedge !== undefined;
  return isSeenAlone && hasProvisionExpired(action, recording.clock.now())
    ? recordFound(action, hedge, recording)
    : action;
}

export const hasProvisionExpired = (action: Action, nowMs: number): boolean =>
  action.provisionalUntil !== undefined && nowMs >= Date.parse(action.provisionalUntil);

/** Answers that say nothing about what a key was used for. */
const TURNED_DOWN: readonly number[] = [401, 403];

const rejection = ({ refusal }: Action): Action['refusal'] =>
  refusal === undefined || TURNED_DOWN.includes(refusal.httpStatus) ? undefined : refusal;

/**
 * Whether its absence may come to say that it was not executed: of an open, which its reference finds, and of what the
 * service rejected. One that was accepted once is never undone by its absence.
 */
export const canBeRuledOut = (action: Action): boolean =>
  isUnresolved(action) &&
  action.hedgeId === undefined &&
  action.outcome?.kind !== 'not_told' &&
  (createsHedge(action.intent) || rejection(action) !== undefined);

/** None of its sends can arrive any more: a look settles it. */
export const isDueToRuleOut = (
  action: Action,
  { records }: Pick<JournalState, 'records'>,
  nowMs: number,
): boolean => canBeRuledOut(action) && isConclusive(action, records, nowMs);

/**
 * The action with its end, where the look shows that it was not executed; undefined where it doesn't, or where the clocks
 * disagree about how long ago it was sent: one that was set forward ends no time.
 */
export async function recordNotExecuted(
  action: Action,
  { evidence, clocks }: Observation,
  recording: RecordContext,
): Promise<Action | undefined> {
  const { journal, clock } = recording;
  if (evidence.kind !== 'none' || !isDueToRuleOut(action, journal.read(), clock.now())) return undefined;
  if (clocks !== undefined && clocksDisagree(keyAge(action, [clocks]))) return undefined;
  return appendRecord(
    action,
    notExecuted(action),
    recording,
    // Another process has settled it, or begun to send it again.
    (standing) => !isUnresolved(standing) || standing.attempts !== action.attempts,
  );
}

function notExecuted(action: Action): RecordPayload {
  const rejected = rejection(action);
  if (rejected === undefined) return { kind: 'outcome', outcome: 'failed', facts: {} };
  return { kind: 'refused', code: rejected.code, http_status: rejected.httpStatus, looked: true };
}
