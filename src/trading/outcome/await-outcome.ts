/**
 * Waits for the end of an action that the service has taken: an open until its hedge is filled, failed or
 * closed, the others until the book shows exactly what was asked. A failed reading, a slow fill and a status
 * that is not known are waited through; only the time limit and the operator end the waiting early.
 *
 * Waits for the end of a hedge that no action of this machine's journal made, and reports it. Sends nothing.
 *
 * What the book showed of an action, written into the journal: its end, or that none is told.
 */
import type { Hedge, Position } from '../../client/schemas.ts';
import { createsHedge, rowOf, takesWholeSide } from '../../domain/action-table.ts';
import { usdInWords } from '../../domain/exposure.ts';
import { quoted, quotedName, shellWord, unquoted } from '../../domain/quoted.ts';
import { HEDGE_STATUSES } from '../../domain/vocabulary.ts';
import { CredentialError, InterruptedError, OrderFailedError, PendingError } from '../../errors.ts';
import { PARTIAL_FILL } from '../../journal/queries.ts';
import type { EndKind } from '../../journal/records.ts';
import type { Action } from '../../journal/replay.ts';
import { poll } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
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
import { type Observation, observe, readActions } from './observe.ts';
export interface ActionEnd {
  became: 'ended';
  /**
   * Of an open `filled`, `failed`, or `closed` when it was filled and is over already; of the others `changed`,
   * or `closed` when the action took every hedge that stood.
   */
  outcome: EndKind;
  hedge: Hedge | undefined;
  /** The side's line; undefined when it is gone. */
  position: Position | undefined;
  /** Each hedge that stood on the side before, changed or not; undefined of an open. */
  hedges: readonly HedgeChange[] | undefined;
  /** For the journal's record. */
  facts: OutcomeFacts;
  /** What else is worth knowing, as half a sentence. */
  says: string | undefined;
  servedAt: Date | undefined;
}

/** `says`: half a sentence. */
export type AwaitedOutcome =
  | ActionEnd
  /** Not seen yet; it may still come. */
  | { became: 'pending'; says: string; hedge: Hedge | undefined }
  /** A reading lacked the side, and the next one had it. */
  | { became: 'disagree'; says: string }
  /** The book has changed, and not exactly as was asked. */
  | {
      became: 'other';
      says: string;
      hedges: readonly HedgeChange[];
      hedge: Hedge | undefined;
      /** By a later close of this machine's, named by its short id. */
      closedBy: string | undefined;
    };

/** @throws the signal's reason as soon as it aborts. A key that is turned down meanwhile ends the waiting: pending. */
export async function awaitOutcome(
  action: Action,
  looking: ReadContext,
  { timeoutMs }: { timeoutMs: number },
): Promise<AwaitedOutcome> {
  const { clock, signal, watch } = looking;
  const startedAt = clock.monotonic();
  const waited = (): number => Math.round((clock.monotonic() - startedAt) / 1000);
  const waiting = waitingFor(action);
  const report = (remark: string | undefined): void => {
    const more = remark === undefined ? '' : `: ${remark}`;
    watch.update(`${waiting}, ${waited().toString()} s${more}`);
  };
  let last: Observation | undefined;
  const absence = absenceCheck(action.intent);

  watch.start(`${waiting} (Ctrl-C stops only the waiting)`);
  try {
    const found = await poll({
      clock,
      signal,
      withinMs: timeoutMs,
      async read(own) {
        last = await observe(action, { ...looking, signal: own }, absence);
        const end = endFrom(action, last);
        if (end === undefined) report(remarkOf(last));
        return end;
      },
      onFailure: (error) => report(`a reading failed, and is made again: ${error.what}`),
    });
    if (found !== undefined) return found;
    return takesWholeSide(action.intent) && absence.disagree
      ? disagreeing(action, waited())
      : unfinished(action, last, waited());
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error;
    return {
      became: 'pending',
      says: `the waiting ended after ${waited().toString()} s, since the service turned the API key down`,
      hedge: last?.hedge,
    };
  } finally {
    watch.stop();
  }
}

/** The end that a sighting shows; undefined while there is none. */
export function endFrom(
  action: Action,
  { evidence, position, servedAt }: Observation,
): ActionEnd | undefined {
  if (evidence.kind !== 'exact') return undefined;
  const { hedge, hedges, says } = evidence;
  const outcome = hedge === undefined ? endOfSide(action, hedges) : hedgeEnd(hedge);
  if (outcome === undefined) return undefined;
  return {
    became: 'ended',
    outcome,
    hedge,
    position,
    hedges: hedge === undefined ? hedges : undefined,
    facts: hedge === undefined ? factsOfSide(hedges, position) : factsOfHedge(hedge),
    says,
    servedAt,
  };
}

export const hedgeEnd = ({ status }: Hedge): 'filled' | 'failed' | 'closed' | undefined =>
  status === 'filled' || status === 'failed' || status === 'closed' ? status : undefined;

const endOfSide = ({ intent }: Action, hedges: readonly HedgeChange[]): 'changed' | 'closed' =>
  takesWholeSide(intent) || hedges.every(({ after }) => after.eq(0)) ? 'closed' : 'changed';

function unfinished(action: Action, last: Observation | undefined, seconds: number): AwaitedOutcome {
  const hedge = last?.hedge;
  if (last?.evidence.kind === 'other') {
    const { says, hedges, closedBy } = last.evidence;
    return { became: 'other', says, hedges, hedge, closedBy };
  }
  const seen = last === undefined ? 'nothing could be read' : (remarkOf(last) ?? notSeenYet(action, last));
  return { became: 'pending', says: `${seen} after ${seconds.toString()} s`, hedge };
}

const disagreeing = ({ intent: { market, side } }: Action, seconds: number): AwaitedOutcome => ({
  became: 'disagree',
  says: `one reading lacked ${unquoted(market)} ${side} and the next one had it, after ${seconds.toString()} s`,
});

/** What an operator who watches should know of a sighting that is no end; undefined when it is as expected. */
function remarkOf({ evidence, hedge }: Observation): string | undefined {
  if (evidence.kind === 'other' || evidence.kind === 'unclear') return evidence.says;
  if (hedge === undefined || HEDGE_STATUSES.some((known) => known === hedge.status)) return undefined;
  return `${unquoted(hedge.id)} is ${quoted(hedge.status)}, a status that is not known`;
}

function notSeenYet({ intent }: Action, { hedge }: Observation): string {
  if (hedge !== undefined) return `${unquoted(hedge.id)} is ${hedge.status}`;
  if (createsHedge(intent)) return 'no hedge carries its reference';
  return `no change of ${intent.market} ${intent.side} is to be seen`;
}

function waitingFor({ intent, hedgeId, notional }: Action): string {
  return rowOf(intent.action).words.waitsFor({
    on: `${unquoted(intent.market)} ${intent.side}`,
    size: notional === undefined ? '' : usdInWords(notional),
    hedge: hedgeId === undefined ? undefined : unquoted(hedgeId),
  });
}

export async function awaitHedge(
  hedge: Hedge,
  { wait, timeoutMs }: { wait: boolean; timeoutMs: number },
  looking: ReadContext,
): Promise<ActionReport> {
  if (hedgeEnd(hedge) !== undefined) return ended(hedge);
  if (!wait) return reportOf('submitted', { hedge });
  const { api, clock, signal, watch } = looking;
  let latest = hedge;
  watch.start(`waiting for ${quotedName(hedge.id)} (Ctrl-C stops only the waiting)`);
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
    return found === undefined ? pending(latest, timeoutMs) : ended(found);
  } catch (error) {
    if (!(error instanceof InterruptedError)) throw error;
    return reportOf('pending', { hedge: latest, finding: stopped(latest, error) });
  } finally {
    watch.stop();
  }
}

function ended(hedge: Hedge): ActionReport {
  const outcome = hedgeEnd(hedge) ?? 'filled';
  if (outcome !== 'failed') return reportOf(outcome, { hedge });
  const finding = new OrderFailedError({
    what: `FAILED: hedge ${quotedName(hedge.id)} did not land.`,
    book: 'Nothing was opened by it.',
    details: { hedge_id: hedge.id },
  });
  return reportOf('failed', { hedge, finding });
}

const pending = (hedge: Hedge, waitedMs: number): ActionReport =>
  reportOf('pending', {
    hedge,
    finding: new PendingError({
      what: `PENDING: hedge ${quotedName(hedge.id)} is ${quoted(hedge.status)} after ${Math.round(waitedMs / 1000).toString()} s.`,
      book: 'It comes to its end without us.',
      hint: `hedge wait ${shellWord(hedge.id)}`,
      details: { hedge_id: hedge.id },
    }),
  });

const stopped = (hedge: Hedge, { signal, what }: InterruptedError): InterruptedError =>
  new InterruptedError(signal, {
    what,
    book: `Hedge ${quotedName(hedge.id)} is ${quoted(hedge.status)} and comes to its end without us.`,
    hint: `hedge wait ${shellWord(hedge.id)}`,
    effect: 'pending',
    retry: 'after_check',
    details: { hedge_id: hedge.id },
  });

/** The action as it stands with its end, also where that could not be written. Never throws. */
export function recordOutcome(
  action: Action,
  { outcome, hedge, facts: seen }: Pick<ActionEnd, 'outcome' | 'hedge' | 'facts'>,
  recording: RecordContext,
): Promise<Action> {
  const hedgeId = hedge?.id ?? action.hedgeId;
  const named = hedgeId === undefined ? {} : { hedge_id: hedgeId };
  const part = hedge && filledInPart(action, hedge, readActions(recording.journal));
  const facts = part === undefined ? seen : { ...seen, [PARTIAL_FILL]: part.toFixed() };
  return write(action, { kind: 'outcome', outcome, ...named, facts }, recording);
}

/**
 * An accepted add, reduction or close of which the book shows nothing after five minutes is `not_seen`: the
 * service tells no failure of these. Sooner, or of anything else, nothing is written. Never throws.
 */
export async function recordNotSeen(
  action: Action,
  evidence: Evidence,
  recording: RecordContext,
): Promise<Action> {
  const { state, outcome, intent, changedAt } = action;
  const waits = state === 'accepted' && outcome === undefined && !createsHedge(intent);
  const late = recording.clock.now() - Date.parse(changedAt) >= NOT_SEEN_AFTER_MS;
  if (!waits || !late || evidence.kind !== 'none') return action;
  return write(action, { kind: 'outcome', outcome: 'not_seen', facts: {} }, recording);
}

/** How long what was accepted may stand beside a colleague's change before nothing can be told any more. */
const NOT_TOLD_AFTER_MS = 60_000;

/**
 * An accepted action of which the book shows something else is `not_told`: unresolved from then on, for a person
 * to settle. `waited`: its time limit has passed; else a minute must have. So is one whose hedge was found under its
 * deal id, as soon as several carry that. Never throws.
 */
export async function recordNotTold(
  action: Action,
  { says, waited }: { says: string; waited: boolean },
  recording: RecordContext,
): Promise<Action> {
  const late = recording.clock.now() - Date.parse(action.changedAt) >= NOT_TOLD_AFTER_MS;
  const isRefuted = action.provisionalUntil !== undefined;
  if (!isRefuted && (action.state !== 'accepted' || !(waited || late))) return action;
  return write(action, { kind: 'outcome', outcome: 'not_told', facts: { seen: says } }, recording);
}

const write = (
  action: Action,
  end: Extract<RecordPayload, { kind: 'outcome' }>,
  recording: RecordContext,
): Promise<Action> => appendRecord(action, end, recording, ({ outcome }) => outcome?.kind === end.outcome);
