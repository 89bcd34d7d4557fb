/** Records what the service showed of a sent action: found, ended, not executed, or not to be told. */
import type { Big } from 'big.js';
import type { Hedge } from '../../client/schemas.ts';
import { createsHedge, rowOf } from '../../domain/action-table.ts';
import { isSameSize } from '../../domain/exposure.ts';
import { clocksDisagree, exactInstant } from '../../domain/instants.ts';
import { UNAUTHORIZED } from '../../journal/queries.ts';
import { type EndKind, NOT_OURS } from '../../journal/records.ts';
import { type Action, isUnanswered } from '../../journal/replay.ts';
import { closedElsewhere, PARTIAL_FILL, partialFillOf } from '../../journal/results.ts';
import type { JournalState } from '../../journal/state.ts';
import { filledInPart } from '../../readings/partial-fills.ts';
import { foundProvisionallyUntil, isConclusive, isOverdue, keyAge } from '../idempotency-window.ts';
import {
  appendRecord,
  factsOfHedge,
  factsOfSide,
  type OutcomeFacts,
  type RecordContext,
  type RecordPayload,
} from '../outcome/append-record.ts';
import { actionsSince, type Observation } from '../outcome/observe.ts';

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
  { evidence, hedge, byReference }: Observation,
  context: RecordContext,
): Promise<Action> {
  const isSeenAlone = byReference === true && evidence.kind === 'exact' && hedge !== undefined;
  return isSeenAlone && hasProvisionExpired(action, context.clock.now())
    ? recordFound(action, hedge, context)
    : action;
}

export const hasProvisionExpired = (action: Action, nowMs: number): boolean =>
  action.provisionalUntil !== undefined && nowMs >= Date.parse(action.provisionalUntil);

/** One of an earlier run says nothing of a run whose end is not recorded. */
const rejection = ({ refusal, openRunAt }: Action): Action['refusal'] =>
  openRunAt !== undefined || refusal === undefined || UNAUTHORIZED.includes(refusal.httpStatus)
    ? undefined
    : refusal;

/** Whether a missing hedge can prove that it was not executed: only for an open, or a rejected action that was never accepted. */
export const canBeRuledOut = (action: Action): boolean =>
  isUnanswered(action) &&
  action.hedgeId === undefined &&
  action.outcome?.kind !== 'not_told' &&
  (createsHedge(action.intent) || rejection(action) !== undefined);

/** No attempt can still arrive, so a lookup decides. */
export const isDueToRuleOut = (action: Action, state: JournalState, nowMs: number): boolean =>
  canBeRuledOut(action) && isConclusive(action, state, nowMs);

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
    (current) => !isUnanswered(current) || current.attempts !== action.attempts,
  );
}

function notExecuted(action: Action): RecordPayload {
  const rejected = rejection(action);
  if (rejected === undefined) return { kind: 'outcome', outcome: 'failed', facts: {} };
  return { kind: 'refused', code: rejected.code, http_status: rejected.httpStatus, looked: true };
}

export interface ActionEnd {
  /** An open: `filled`, `failed`, or `closed` if closed since. The others: `changed`, or `closed` if no hedge is left. */
  outcome: EndKind;
  /** For the journal's record. */
  facts: OutcomeFacts;
}

/** The outcome that an observation shows, if any. */
export function endFrom({ intent }: Action, { evidence, position }: Observation): ActionEnd | undefined {
  if (evidence.kind !== 'exact') return undefined;
  const { hedge, hedges } = evidence;
  if (hedge !== undefined) {
    const outcome = hedgeEnd(hedge);
    return outcome && { outcome, facts: factsOfHedge(hedge) };
  }
  const isClosed = hedges.length > 0 && hedges.every(({ after }) => after.eq(0));
  const outcome = isClosed ? 'closed' : rowOf(intent.action).outcome;
  // A position of the side now was opened since.
  return { outcome, facts: factsOfSide(hedges, isClosed ? undefined : position) };
}

export const hedgeEnd = ({ status }: Hedge): 'filled' | 'failed' | 'closed' | undefined =>
  status === 'filled' || status === 'failed' || status === 'closed' ? status : undefined;

/**
 * The action with its outcome, also if that could not be written. A hedge that another action closed by its own outcome is
 * left out of it: it was closed once. Never throws.
 */
export async function recordOutcome(
  action: Action,
  { outcome, facts: seen, hedge }: ActionEnd & { hedge: Hedge | undefined },
  context: RecordContext,
): Promise<Action> {
  const hedgeId = hedge?.id ?? action.hedgeId;
  const named = hedgeId === undefined ? {} : { hedge_id: hedgeId };
  const part = hedge && filledInPart(action, hedge, () => actionsSince(action, context.journal));
  const facts = part === undefined ? seen : { ...seen, [PARTIAL_FILL]: part.toFixed() };
  if (outcome !== 'closed' || createsHedge(action.intent))
    return write(action, { kind: 'outcome', outcome, ...named, facts }, context);
  let elsewhere = closedElsewhere(action, actionsSince(action, context.journal));
  for (;;) {
    const own = Object.fromEntries(Object.entries(facts).filter(([name]) => !elsewhere.includes(name)));
    let now = elsewhere;
    const recorded = await write(
      action,
      { kind: 'outcome', outcome, ...named, facts: own },
      context,
      (state) => {
        now = closedElsewhere(action, state.since(action.intent.at));
        return now.length > elsewhere.length;
      },
    );
    if (now.length <= elsewhere.length) return recorded;
    elsewhere = now;
  }
}

/** Records the whole fill of an open that was recorded as filled in part, while its hedge is open. Never throws. */
export async function recordIfWhole(
  action: Action,
  { hedge, filled }: { hedge: Hedge | undefined; filled: Big | undefined },
  context: RecordContext,
): Promise<Action> {
  const { notional, outcome } = action;
  if (hedge?.status !== 'filled' || notional === undefined || filled?.eq(notional) !== true) return action;
  // The rate of another size may be that of a later add.
  const { [PARTIAL_FILL]: _, ...seen } = isSameSize(hedge.notional_usd, notional)
    ? factsOfHedge(hedge)
    : (outcome?.facts ?? {});
  const facts = { ...seen, notional_usd: notional.toFixed() };
  const record = { kind: 'outcome', outcome: 'filled', hedge_id: hedge.id, facts } as const;
  return appendRecord(action, record, context, (current) => partialFillOf(current) === undefined);
}

/**
 * Records `not_seen` for an accepted add, reduce or close without any change after five minutes: the service does not
 * report their failure. Never throws.
 */
export async function recordNotSeen(
  action: Action,
  { evidence, clocks }: Pick<Observation, 'evidence' | 'clocks'>,
  context: RecordContext,
): Promise<Action> {
  const { state, outcome, intent } = action;
  const waits = state === 'accepted' && outcome === undefined && !createsHedge(intent);
  const late = isOverdue(action, { ...clocks, wall: context.clock.now() });
  if (!waits || !late || evidence.kind !== 'none') return action;
  return write(action, { kind: 'outcome', outcome: 'not_seen', facts: {} }, context);
}

/** How long an accepted action may stay mixed with somebody else's change before its outcome counts as unknown. */
const NOT_TOLD_AFTER_MS = 60_000;

/**
 * Records `not_told` for an accepted action when the position changed differently after the timeout (`waited`) or a
 * minute, when several hedges carry its deal ID, or when the response named another hedge (`notOurs`), which is not its
 * hedge from then on. It is unresolved from then on. Never throws.
 */
export async function recordNotTold(
  action: Action,
  { message, waited, notOurs }: { message: string; waited: boolean; notOurs?: string | undefined },
  context: RecordContext,
): Promise<Action> {
  const late = context.clock.now() - Date.parse(action.changedAt) >= NOT_TOLD_AFTER_MS;
  const isRefuted = action.provisionalUntil !== undefined || notOurs !== undefined;
  if (!isRefuted && (action.state !== 'accepted' || !(waited || late))) return action;
  const facts = { seen: message, ...(notOurs === undefined ? {} : { [NOT_OURS]: notOurs }) };
  return write(action, { kind: 'outcome', outcome: 'not_told', facts }, context);
}

/** `isLate`: asked under the journal's lock; nothing is added then. */
const write = (
  action: Action,
  end: Extract<RecordPayload, { kind: 'outcome' }>,
  context: RecordContext,
  isLate: (state: JournalState) => boolean = () => false,
): Promise<Action> =>
  appendRecord(action, end, context, ({ outcome }, state) => outcome?.kind === end.outcome || isLate(state));
