/** The report of an action as it is known, and the record that goes with it: each end is recorded before it is reported. */
import { decimalFrom } from '../../client/json.ts';
import type { ClosedHedge } from '../../client/schemas.ts';
import { createsHedge, rowOf } from '../../domain/action-table.ts';
import { sum } from '../../domain/amounts.ts';
import { unquoted } from '../../domain/quoted.ts';
import {
  type CredentialError,
  HedgeError,
  InterruptedError,
  OutcomeUnknownError,
  RefusedError,
  without,
} from '../../errors.ts';
import { wasNotExecuted } from '../../journal/queries.ts';
import { isEnd } from '../../journal/records.ts';
import { type Action, isUnanswered } from '../../journal/replay.ts';
import { changesKept, closedAlone } from '../../journal/results.ts';
import { closedHedgeId } from '../../readings/closed-record.ts';
import { filledSince } from '../../readings/partial-fills.ts';
import { poll, READINGS_LAG_MS } from '../../readings/poll.ts';
import type { ReadContext } from '../../readings/read-context.ts';
import { readUnderReference } from '../../readings/read-position.ts';
import { confirmationCommands, isOfAnotherKey } from '../account-keys.ts';
import { dealSentElsewhere } from '../deal-id.ts';
import { arrivalInWords } from '../idempotency-window.ts';
import { type Evidence, hedgesUnderDealId } from '../outcome/change-evidence.ts';
import { actionsSince, isProofOf, type Observation, observe } from '../outcome/observe.ts';
import { closeOrigin, factsOfOrigin, hasOverstayed, mayStillLand } from '../outcome/own-close.ts';
import {
  type ActionFigures,
  type ActionReport,
  entryPrices,
  figuresOf,
  reportOf,
  withRates,
} from '../report.ts';
import {
  beingSentError,
  changedByOthersError,
  disagreeError,
  evidenceBriefly,
  evidenceInWords,
  failedError,
  neverSentError,
  notSeenError,
  notSentError,
  partialFillError,
  refusedError,
  resolvedAsNotExecutedError,
  stillPendingError,
  stillUnknownError,
  stoppedWaiting,
  unknownError,
} from '../report-errors.ts';
import type { Known } from './known.ts';
import {
  confirmFound,
  endFrom,
  recordIfWhole,
  recordNotSeen,
  recordNotTold,
  recordOutcome,
} from './record-outcome.ts';
import type { Sent } from './send-attempt.ts';

export async function reportKnown(now: Known, context: ReadContext): Promise<ActionReport> {
  const { action, observed } = now;
  if (action.underway) return beingSentReport(action, context);
  if (isUnanswered(action))
    return observed === undefined ? unclearReport(now, context) : undecidedReport(action, observed, context);
  // A lookup has decided it since.
  const sent = now.evidence === undefined ? now.sent : undefined;
  if (sent?.outcome === 'refused')
    return reportOf('refused', { entry: action, finding: refusalOf(action, sent.error) });
  if (sent?.outcome === 'not_sent')
    return reportOf('not_sent', { entry: action, finding: notSentError(action, sent.error) });
  switch (action.state) {
    case 'accepted':
      return observed === undefined && now.waited === undefined
        ? reportOf('submitted', { entry: action })
        : acceptedReport(now, context);
    case 'done':
    case 'failed':
    case 'settled':
      return endedBefore(now, context);
    case 'refused':
      return reportOf('refused', { entry: action, finding: refusedError(action) });
    case 'prepared':
    case 'not_sent':
    case 'sent':
    case 'unknown':
      return reportOf('not_sent', { entry: action, finding: neverSentError(action) });
    default:
      return action.state satisfies never;
  }
}

/** Another process is sending it and records the outcome. */
const beingSentReport = (entry: Action, { signal: { reason } }: ReadContext): ActionReport =>
  reason instanceof InterruptedError
    ? reportOf('unknown', { entry, finding: stoppedWaiting(entry, reason) })
    : reportOf('pending', { entry, finding: beingSentError(entry) });

const refusalOf = (action: Action, error: RefusedError | CredentialError) =>
  (error instanceof RefusedError ? dealSentElsewhere(action, error) : undefined) ?? error;

/** Sent without a usable response, now or by an earlier command, and not looked up. */
function unclearReport({ action: entry, sent }: Known, context: ReadContext): ActionReport {
  const { reason } = context.signal;
  const error = sent === undefined ? undefined : unknownOutcome(sent);
  if (error !== undefined && reason instanceof InterruptedError) {
    const wentOut = sent?.outcome === 'unknown' ? sent.wentOut : [];
    return reportOf('unknown', { entry, finding: stoppedWaiting(entry, reason, wentOut) });
  }
  const cause =
    error === undefined
      ? new OutcomeUnknownError({
          what: [entry.why ?? 'No usable response.', arrivalInWords(entry, context) ?? []].flat().join(' '),
        })
      : rejectedNow(entry, error, context);
  return reportOf('unknown', { entry, finding: unknownError(entry, cause) });
}

/** A definite response to a later attempt does not settle an earlier one. */
export function unknownOutcome(sent: Sent): OutcomeUnknownError | undefined {
  if (sent.outcome === 'accepted') return undefined;
  const { error, outcome } = sent;
  if (outcome === 'unknown') return error;
  return new OutcomeUnknownError(
    { what: `${error.what} An earlier attempt is still unresolved.`, httpStatus: error.httpStatus },
    outcome === 'refused' ? { code: error.code, message: error.what } : undefined,
  );
}

/** Names the rejection first: it answers the current command. */
function rejectedNow(entry: Action, error: OutcomeUnknownError, context: ReadContext): OutcomeUnknownError {
  const arrival = arrivalInWords(entry, context);
  if (error.refusal === undefined || arrival === undefined) return error;
  const { refusal } = error;
  const may = `${arrival.charAt(0).toLowerCase()}${arrival.slice(1)}`;
  const code = refusal.code === undefined ? '' : ` The rejection: ${unquoted(refusal.code)}.`;
  return error.with({ what: `Rejected now, but ${may}${code}` });
}

/** Only the hedge of an open proves it: any other change may be somebody else's. */
const undecidedReport = (
  entry: Action,
  { evidence, position, servedAt }: Observation,
  context: ReadContext,
): ActionReport =>
  reportOf('unknown', {
    entry,
    hedges: 'hedges' in evidence ? evidence.hedges : undefined,
    position,
    servedAt,
    finding: stillUnknownError(entry, evidence, context),
  });

/** Accepted: its end, or what keeps it from being known. */
async function acceptedReport(now: Known, context: ReadContext): Promise<ActionReport> {
  const { action, observed, waited } = now;
  const nowMs = context.clock.now();
  if (observed !== undefined && endFrom(action, observed) !== undefined)
    return endReport(now, observed, context);
  if (waited?.how === 'disagree')
    return reportOf('unknown', { entry: action, finding: disagreeError(action, waited.message) });
  if (observed?.evidence.kind === 'other' && waited?.how !== 'stopped')
    return changedReport(now, observed.evidence, context);
  const { hedge } = observed ?? {};
  if (waited !== undefined) {
    const finding = stillPendingError(action, waited.message, nowMs);
    return reportOf('pending', { entry: action, hedge, finding });
  }
  const evidence: Evidence = observed?.evidence ?? { kind: 'none' };
  const { position, servedAt } = observed ?? {};
  const entry = await recordNotSeen(action, { evidence, clocks: observed?.clocks }, context);
  if (entry.outcome?.kind === 'not_seen' && evidence.kind === 'none')
    return reportOf('unknown', { entry, position, servedAt, finding: notSeenError(entry, nowMs) });
  const message =
    hedge !== undefined && evidence.kind !== 'unclear'
      ? `${unquoted(hedge.id)} is ${unquoted(hedge.status)}`
      : evidenceInWords(entry, evidence);
  const first = isOfAnotherKey(entry, context) ? confirmationCommands(entry) : [];
  const finding = stillPendingError(entry, message, nowMs, { first, seen: evidence });
  return reportOf('pending', { entry, hedge, position, servedAt, finding });
}

async function changedReport(
  { action, observed, waited }: Known,
  { message, closedBy, isOneOf, notOurs, hedges }: Extract<Evidence, { kind: 'other' }>,
  context: ReadContext,
): Promise<ActionReport> {
  const told = { message, waited: waited !== undefined || isOneOf !== undefined, notOurs };
  const entry = await recordNotTold(action, told, context);
  const finding = changedByOthersError(entry, { message, closedBy, nowMs: context.clock.now() });
  const { hedge, position, servedAt } = observed ?? {};
  const looked = { hedge: notOurs === undefined ? hedge : undefined, position, servedAt };
  return reportOf('unknown', { entry, hedges, finding, ...(waited === undefined ? looked : {}) });
}

async function endReport(now: Known, observed: Observation, context: ReadContext): Promise<ActionReport> {
  const { action, plan, leftMs = 0 } = now;
  const end = endFrom(action, observed);
  if (end === undefined || observed.evidence.kind !== 'exact') throw new Error('a report of no end');
  const { outcome } = end;
  const { hedge, message } = observed.evidence;
  const { position, servedAt, sidePosition: after } = observed;
  const before = plan?.facts.sidePosition;
  const hedges = hedge === undefined ? withRates(observed.evidence.hedges, { before, after }) : undefined;
  const isClosed = outcome === 'closed' && !createsHedge(action.intent);
  const { api, signal } = context;
  // Its failure must not fail the command.
  const history = isClosed ? await api.history({ signal }).catch(without(HedgeError)) : undefined;
  const records = history?.data ?? [];
  const origin = isClosed ? closeOrigin(action, { before, after, records }, context.journal) : undefined;
  if (isClosed && origin !== 'own' && hasOverstayed(action, context.journal)) {
    const seen = evidenceBriefly(action, observed.evidence);
    const waited = { how: 'late', message: seen } as const;
    return changedReport({ ...now, waited }, { ...observed.evidence, kind: 'other', message: seen }, context);
  }
  const facts = { ...end.facts, ...factsOfOrigin(action, origin) };
  const entry = await recordOutcome(action, { outcome, facts, hedge }, context);
  if (origin === 'other') context.progress.note(mayStillLand(action, context));
  const several = outcome === 'failed' ? undefined : await otherUnderDealId(entry, context, leftMs);
  const nowMs = context.clock.now();
  const finding =
    several ??
    (outcome === 'failed'
      ? failedError(entry, firstOfHedge(entry, context))
      : partialFillError(entry, { hedge, since: undefined, nowMs }));
  if (message !== undefined && finding === undefined) context.progress.note(`note       ${message}`);
  const derived = {
    ...figuresOf(entry, { hedge, endedMs: nowMs }),
    ...(isClosed ? realizedPnl(entry, records) : {}),
    ...(hedges === undefined ? {} : entryPrices(hedges, { before, after })),
  };
  const shown = several === undefined ? outcome : 'unknown';
  const { evidence } = observed;
  return reportOf(shown, { entry, evidence, hedge, position, hedges, servedAt, derived, finding });
}

/**
 * Whether the service has another hedge under the deal ID. A list that shows the action's own hedge shows all that were
 * accepted before. While it does not, it is read again, as long as lists may lag and `withinMs` allows. Undefined also when
 * it cannot be read: the outcome is known without it.
 */
async function otherUnderDealId(
  { intent: { deal_id: dealId }, hedgeId, provisionalUntil, acceptedAt }: Action,
  context: ReadContext,
  withinMs: number,
): Promise<OutcomeUnknownError | undefined> {
  if (dealId === undefined || hedgeId === undefined || provisionalUntil !== undefined) return undefined;
  const { clock, progress, signal } = context;
  const look = async (within: AbortSignal) => {
    const { hedges } = await readUnderReference({ ...context, signal: within }, dealId);
    const several = hedgesUnderDealId(dealId, hedges, hedgeId);
    return several !== undefined || hedges.some(({ id }) => id === hedgeId) ? { several } : undefined;
  };
  try {
    const seen = await look(signal);
    const lagMs = Date.parse(acceptedAt ?? '') + READINGS_LAG_MS - clock.now();
    if (seen !== undefined || !(Math.min(lagMs, withinMs) > 0)) return seen?.several;
    progress.start(
      `waiting for the list of hedges to show ${unquoted(hedgeId)} (Ctrl-C stops only the waiting)`,
    );
    return (await poll({ clock, signal, withinMs: Math.min(lagMs, withinMs), read: look }))?.several;
  } catch (error) {
    return without(HedgeError)(error);
  } finally {
    progress.stop();
  }
}

/** An earlier open that was accepted with the same hedge. */
function firstOfHedge({ id, hedgeId, intent }: Action, { journal }: ReadContext): Action | undefined {
  const all = hedgeId === undefined ? [] : journal.read().find({ hedgeIds: [hedgeId] });
  return all.find((other) => other.id !== id && createsHedge(other.intent) && other.intent.at < intent.at);
}

/**
 * The recorded result of an action. The hedge is read again; the outcome changes only if several hedges now match, or where
 * a person recorded it: what the hedge of an open shows counts more.
 */
async function endedBefore(now: Known, context: ReadContext): Promise<ActionReport> {
  const known = now.action;
  const isByHand = known.state === 'settled' && createsHedge(known.intent);
  const notExecuted = (): ActionReport =>
    reportOf('not_sent', { entry: known, finding: resolvedAsNotExecutedError(known) });
  if (known.recordedAs === 'nothing' && !isByHand) return notExecuted();
  if (wasNotExecuted(known)) return reportOf('failed', { entry: known, finding: failedError(known) });
  const observed = await observe(known, context).catch((error: unknown) => {
    if (!(error instanceof HedgeError)) throw error;
    const shown = `Action ${known.shortId} is shown as recorded in the journal.`;
    context.progress.news(`not read   ${error.what} ${shown}`);
    return undefined;
  });
  if (isByHand && observed !== undefined) {
    const isProven = isProofOf(known, observed, context.clock.now());
    if (isProven && endFrom(known, observed) !== undefined) return endReport(now, observed, context);
    if (known.recordedAs === 'done' && observed.hedge?.status === 'failed')
      return undecidedReport(known, observed, context);
  }
  if (known.recordedAs === 'nothing') return notExecuted();
  if (known.provisionalUntil !== undefined && observed?.evidence.kind === 'other') {
    const { message } = observed.evidence;
    const entry = await recordNotTold(known, { message, waited: true }, context);
    const nowMs = context.clock.now();
    return reportOf('unknown', { entry, finding: changedByOthersError(entry, { message, nowMs }) });
  }
  const found = observed === undefined ? known : await confirmFound(known, observed, context);
  const { outcome } = known;
  const end =
    outcome !== undefined && isEnd(outcome.kind) ? outcome.kind : rowOf(known.intent.action).outcome;
  const { hedge } = observed ?? {};
  const nowMs = context.clock.now();
  const since = filledSince(found, { hedge, nowMs }, () => actionsSince(found, context.journal));
  const entry = await recordIfWhole(found, { hedge, filled: since }, context);
  const finding =
    end === 'failed'
      ? failedError(entry, firstOfHedge(entry, context))
      : partialFillError(entry, { hedge, since, nowMs });
  const endedMs = Date.parse(known.outcome?.at ?? known.changedAt);
  const derived = figuresOf(entry, { hedge, endedMs, filled: since });
  const hedges = changesKept(entry)?.map((change) => ({
    ...change,
    reference: observed?.sidePosition?.listed.find(({ id }) => id === change.id)?.reference,
  }));
  return {
    ...reportOf(end, {
      entry,
      hedge,
      position: observed?.position,
      hedges,
      derived,
      finding,
    }),
    confirmed: known.provisionalUntil !== undefined && entry.provisionalUntil === undefined,
  };
}

const REALIZED = ['net_pnl_usd', 'gross_pnl_usd', 'carry_usdc', 'fees_usdc'] as const;

/**
 * Realized P&L of the closed hedges over their life, from their records; a figure is left out unless each has it, and where
 * another action is recorded to have closed one of them.
 */
function realizedPnl(
  action: Action,
  closed: readonly ClosedHedge[],
): Pick<ActionFigures, (typeof REALIZED)[number]> {
  const { intent } = action;
  if (!closedAlone(action)) return {};
  const records = intent.before.hedges.map(({ hedge_id }) =>
    closed.find((record) => closedHedgeId(record) === hedge_id),
  );
  return Object.fromEntries(
    REALIZED.flatMap((name) => {
      const known = records.map((record) => decimalFrom(record?.[name])).filter((each) => each !== undefined);
      return known.length > 0 && known.length === records.length ? [[name, sum(known)]] : [];
    }),
  );
}
