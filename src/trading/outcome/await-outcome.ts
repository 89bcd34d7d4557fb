/**
 * Waits for the outcome of an accepted action, or of any hedge, and records it. Failed readings, slow fills and unknown
 * statuses do not end the waiting; the timeout and the operator do. Sends nothing.
 */
import type { Hedge, Position } from '../../client/schemas.ts';
import { createsHedge, rowOf, takesWholeSide } from '../../domain/action-table.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { commandOnId, shell, step } from '../../domain/hint.ts';
import { quoted, quotedName, unquoted } from '../../domain/quoted.ts';
import { HEDGE_STATUSES } from '../../domain/vocabulary.ts';
import { CredentialError, InterruptedError, OrderFailedError, PendingError } from '../../errors.ts';
import { PARTIAL_FILL } from '../../journal/queries.ts';
import { type EndKind, NOT_OURS } from '../../journal/records.ts';
import type { Action } from '../../journal/replay.ts';
import { poll } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import type { SideBook } from '../../readings/side-book.ts';
import { NOT_SEEN_AFTER_MS } from '../idempotency-window.ts';
import type { HedgeChange } from '../plan.ts';
import { reportOf } from '../report.ts';
import type { ActionReport } from '../trading-context.ts';
import { absenceCheck } from './absence.ts';
import {
  appendRecord,
  factsOfHedge,
  factsOfSide,
  filledInPart,
  type OutcomeFacts,
  type RecordContext,
  type RecordPayload,
} from './append-record.ts';
import type { Evidence } from './change-evidence.ts';
import { actionsSince, type Observation, observe } from './observe.ts';

export interface ActionEnd {
  kind: 'ended';
  /** An open: `filled`, `failed`, or `closed` if closed since. The others: `changed`, or `closed` if no hedge is left. */
  outcome: EndKind;
  hedge: Hedge | undefined;
  /** The position; undefined when it is gone. */
  position: Position | undefined;
  /** The side as read. */
  book?: SideBook | undefined;
  /** Each earlier hedge of the side, changed or not; undefined for an open. */
  hedges: readonly HedgeChange[] | undefined;
  /** For the journal's record. */
  facts: OutcomeFacts;
  /** A remark, as a clause. */
  message: string | undefined;
  servedAt: Date | undefined;
}

/** `message`: a clause without a full stop. */
export type AwaitedOutcome =
  | ActionEnd
  /** No outcome yet. */
  | { kind: 'pending'; message: string; hedge: Hedge | undefined }
  /** A reading lacked the side, and the next one had it. */
  | { kind: 'disagree'; message: string }
  /** The position has changed differently. */
  | {
      kind: 'other';
      message: string;
      hedges: readonly HedgeChange[];
      hedge: Hedge | undefined;
      /** The short ID of a later close from this machine. */
      closedBy: string | undefined;
      /** The response named this hedge, which is another one. */
      notOurs: string | undefined;
    };

/** @throws the signal's reason as soon as it aborts. A rejected API key ends the waiting as pending. */
export async function awaitOutcome(
  action: Action,
  context: ReadContext,
  { timeoutMs }: { timeoutMs: number },
): Promise<AwaitedOutcome> {
  const { clock, signal, progress } = context;
  const startedAt = clock.monotonic();
  const waited = (): number => Math.round((clock.monotonic() - startedAt) / 1000);
  const waiting = waitingText(action);
  const report = (remark: string | undefined): void => {
    const more = remark === undefined ? '' : `: ${remark}`;
    progress.update(`${waiting}, ${waited().toString()} s${more}`);
  };
  let last: Observation | undefined;
  const absence = absenceCheck(action.intent);

  progress.start(`${waiting} (Ctrl-C stops only the waiting)`);
  try {
    const found = await poll({
      clock,
      signal,
      withinMs: timeoutMs,
      async read(own) {
        last = await observe(action, { ...context, signal: own }, absence);
        const end = endFrom(action, last) ?? refuted(last);
        if (end === undefined) report(remarkOf(last));
        return end;
      },
      onFailure: (error) => report(`a reading failed, retrying: ${error.what}`),
    });
    if (found !== undefined) return found;
    return takesWholeSide(action.intent) && absence.disagree
      ? disagreeing(action, waited())
      : unfinished(action, last, waited());
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error;
    return {
      kind: 'pending',
      message: `waiting ended after ${waited().toString()} s: the service rejected the API key`,
      hedge: last?.hedge,
    };
  } finally {
    progress.stop();
  }
}

/** The outcome that an observation shows, if any. */
export function endFrom(
  action: Action,
  { evidence, position, book, servedAt }: Observation,
): ActionEnd | undefined {
  if (evidence.kind !== 'exact') return undefined;
  const { hedge, hedges, message } = evidence;
  const outcome = hedge === undefined ? endOfSide(action, hedges) : hedgeEnd(hedge);
  if (outcome === undefined) return undefined;
  return {
    kind: 'ended',
    outcome,
    hedge,
    position,
    book,
    hedges: hedge === undefined ? hedges : undefined,
    facts: hedge === undefined ? factsOfSide(hedges, position) : factsOfHedge(hedge),
    message,
    servedAt,
  };
}

export const hedgeEnd = ({ status }: Hedge): 'filled' | 'failed' | 'closed' | undefined =>
  status === 'filled' || status === 'failed' || status === 'closed' ? status : undefined;

const endOfSide = ({ intent }: Action, hedges: readonly HedgeChange[]): 'changed' | 'closed' =>
  takesWholeSide(intent) || hedges.every(({ after }) => after.eq(0)) ? 'closed' : 'changed';

function unfinished(action: Action, last: Observation | undefined, seconds: number): AwaitedOutcome {
  const hedge = last?.hedge;
  if (last?.evidence.kind === 'other')
    return { closedBy: undefined, notOurs: undefined, ...last.evidence, hedge };
  const seen = last === undefined ? 'nothing could be read' : (remarkOf(last) ?? notSeenYet(action, last));
  return { kind: 'pending', message: `${seen} after ${seconds.toString()} s`, hedge };
}

/** Another hedge does not become the requested one. */
const refuted = ({ evidence, hedge }: Observation): AwaitedOutcome | undefined =>
  evidence.kind === 'other' && evidence.notOurs !== undefined
    ? { closedBy: undefined, ...evidence, hedge, notOurs: evidence.notOurs }
    : undefined;

const disagreeing = ({ intent: { market, side } }: Action, seconds: number): AwaitedOutcome => ({
  kind: 'disagree',
  message: `${unquoted(market)} ${side} was missing in one reading and present in the next, after ${seconds.toString()} s`,
});

/** A remark on an observation without an outcome; undefined when it is as expected. */
function remarkOf({ evidence, hedge }: Observation): string | undefined {
  if (evidence.kind === 'other' || evidence.kind === 'unclear') return evidence.message;
  if (hedge === undefined || HEDGE_STATUSES.some((known) => known === hedge.status)) return undefined;
  return `${unquoted(hedge.id)} has an unknown status, ${quoted(hedge.status)}`;
}

function notSeenYet({ intent }: Action, { hedge }: Observation): string {
  if (hedge !== undefined) return `${unquoted(hedge.id)} is ${hedge.status}`;
  if (createsHedge(intent)) return 'no hedge carries its reference';
  return `no change of ${intent.market} ${intent.side} yet`;
}

function waitingText({ intent, hedgeId, notional }: Action): string {
  return rowOf(intent.action).words.waitsFor({
    on: `${unquoted(intent.market)} ${intent.side}`,
    size: notional === undefined ? '' : usdInWords(notional),
    hedge: hedgeId === undefined ? undefined : unquoted(hedgeId),
  });
}

export async function awaitHedge(
  hedge: Hedge,
  { wait, timeoutMs }: { wait: boolean; timeoutMs: number },
  context: ReadContext,
): Promise<ActionReport> {
  if (hedgeEnd(hedge) !== undefined) return ended(hedge);
  if (!wait) return reportOf('submitted', { hedge });
  const { api, clock, signal, progress } = context;
  let latest = hedge;
  progress.start(`waiting for ${quotedName(hedge.id)} (Ctrl-C stops only the waiting)`);
  try {
    const found = await poll({
      clock,
      signal,
      withinMs: timeoutMs,
      read: async (own) => {
        latest = (await api.hedge(hedge.id, { signal: own })).data;
        return hedgeEnd(latest) === undefined ? undefined : latest;
      },
    });
    return found === undefined
      ? reportOf('pending', { hedge: latest, finding: hedgePendingError(latest, afterTimeout(timeoutMs)) })
      : ended(found);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    return reportOf('pending', { hedge: latest, finding: stopped(latest, error) });
  } finally {
    progress.stop();
  }
}

function ended(hedge: Hedge): ActionReport {
  const outcome = hedgeEnd(hedge) ?? 'filled';
  if (outcome !== 'failed') return reportOf(outcome, { hedge });
  const finding = new OrderFailedError({
    what: `FAILED: hedge ${quotedName(hedge.id)}: order failed on-chain.`,
    book: 'Nothing was opened.',
    details: { hedge_id: hedge.id },
  });
  return reportOf('failed', { hedge, finding });
}

/** `after 60 s` */
export const afterTimeout = (ms: number): string => `after ${Math.round(ms / 1000).toString()} s`;

/** `when`: until when it was awaited, or why no longer, without a full stop. */
export const hedgePendingError = ({ id, status }: Hedge, when: string): PendingError =>
  new PendingError({
    what: `PENDING: hedge ${quotedName(id)} is ${quoted(status)} ${when}.`,
    book: 'It continues at the service.',
    hint: step(commandOnId(shell`hedge wait`, id)),
    details: { hedge_id: id },
  });

const stopped = (hedge: Hedge, interrupted: InterruptedError): InterruptedError =>
  interrupted.with({
    book: `Hedge ${quotedName(hedge.id)} is ${quoted(hedge.status)} and continues at the service.`,
    hint: step(commandOnId(shell`hedge wait`, hedge.id)),
    effect: 'pending',
    retry: 'after_check',
    details: { hedge_id: hedge.id },
  });

/** The action with its outcome, also if that could not be written. Never throws. */
export function recordOutcome(
  action: Action,
  { outcome, hedge, facts: seen }: Pick<ActionEnd, 'outcome' | 'hedge' | 'facts'>,
  context: RecordContext,
): Promise<Action> {
  const hedgeId = hedge?.id ?? action.hedgeId;
  const named = hedgeId === undefined ? {} : { hedge_id: hedgeId };
  const part = hedge && filledInPart(action, hedge, () => actionsSince(action, context.journal));
  const facts = part === undefined ? seen : { ...seen, [PARTIAL_FILL]: part.toFixed() };
  return write(action, { kind: 'outcome', outcome, ...named, facts }, context);
}

/**
 * Records `not_seen` for an accepted add, reduce or close without any change after five minutes: the service does not
 * report their failure. Never throws.
 */
export async function recordNotSeen(
  action: Action,
  evidence: Evidence,
  context: RecordContext,
): Promise<Action> {
  const { state, outcome, intent, changedAt } = action;
  const waits = state === 'accepted' && outcome === undefined && !createsHedge(intent);
  const late = context.clock.now() - Date.parse(changedAt) >= NOT_SEEN_AFTER_MS;
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

const write = (
  action: Action,
  end: Extract<RecordPayload, { kind: 'outcome' }>,
  context: RecordContext,
): Promise<Action> => appendRecord(action, end, context, ({ outcome }) => outcome?.kind === end.outcome);
