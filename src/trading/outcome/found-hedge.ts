/** Records the result of a lookup: the hedge was found, for certain or provisionally, or the action was not executed. */
import type { Hedge } from '../../client/schemas.ts';
import { createsHedge } from '../../domain/action-table.ts';
import { clocksDisagree, exactInstant } from '../../domain/instants.ts';
import { type Action, isUnresolved } from '../../journal/replay.ts';
import type { JournalState } from '../../journal/state.ts';
import { foundProvisionallyUntil, isConclusive, keyAge } from '../idempotency-window.ts';
import { appendRecord, type RecordContext, type RecordPayload } from './append-record.ts';
import type { Observation } from './observe.ts';

/** A hedge with the reference or ID of an open proves that the service accepted it. */
export function recordFound(
  action: Action,
  { id, order_tx_hash: hash }: Hedge,
  context: RecordContext,
): Promise<Action> {
  const until = foundProvisionallyUntil(action, context.clock.now());
  const record = {
    kind: 'accepted',
    by: 'looking',
    hedge_id: id,
    ...(hash ? { order_tx_hash: hash } : {}),
    ...(until === undefined ? {} : { provisional_until: exactInstant(until) }),
  } as const;
  return appendRecord(action, record, context);
}

/** A provisional hedge becomes final once it is the only one and nothing can still arrive. */
export async function confirmFound(
  action: Action,
  seen: Observation,
  context: RecordContext,
): Promise<Action> {
  const { evidence, hedge, byReference } = seen;
  const isSeenAlone = byReference === true && evidence.kind === 'exact' && hedge !== undefined;
  return isSeenAlone && hasProvisionExpired(action, context.clock.now())
    ? recordFound(action, hedge, context)
    : action;
}

export const hasProvisionExpired = (action: Action, nowMs: number): boolean =>
  action.provisionalUntil !== undefined && nowMs >= Date.parse(action.provisionalUntil);

/** Responses that prove nothing about the idempotency key. */
const UNAUTHORIZED: readonly number[] = [401, 403];

const rejection = ({ refusal }: Action): Action['refusal'] =>
  refusal === undefined || UNAUTHORIZED.includes(refusal.httpStatus) ? undefined : refusal;

/** Whether a missing hedge can prove that it was not executed: only for an open, or a rejected action that was never accepted. */
export const canBeRuledOut = (action: Action): boolean =>
  isUnresolved(action) &&
  action.hedgeId === undefined &&
  action.outcome?.kind !== 'not_told' &&
  (createsHedge(action.intent) || rejection(action) !== undefined);

/** No attempt can still arrive, so a lookup decides. */
export const isDueToRuleOut = (
  action: Action,
  state: Pick<JournalState, 'latestSince'>,
  nowMs: number,
): boolean => canBeRuledOut(action) && isConclusive(action, state, nowMs);

/** Records that it was not executed; undefined if the lookup does not prove it, or the clocks disagree on its age. */
export async function recordNotExecuted(
  action: Action,
  { evidence, clocks }: Observation,
  context: RecordContext,
): Promise<Action | undefined> {
  const { journal, clock } = context;
  if (evidence.kind !== 'none' || !isDueToRuleOut(action, journal.read(), clock.now())) return undefined;
  if (clocks !== undefined && clocksDisagree(keyAge(action, [clocks]))) return undefined;
  return appendRecord(
    action,
    notExecuted(action),
    context,
    // Another process has resolved it, or is sending it again.
    (current) => !isUnresolved(current) || current.attempts !== action.attempts,
  );
}

function notExecuted(action: Action): RecordPayload {
  const rejected = rejection(action);
  if (rejected === undefined) return { kind: 'outcome', outcome: 'failed', facts: {} };
  return { kind: 'refused', code: rejected.code, http_status: rejected.httpStatus, looked: true };
}
