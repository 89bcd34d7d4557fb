/**
 * From an action that was sent to its report: waits for the end where there is one to wait for, and says what
 * became of it. What has ended already is told as it ended. Sends nothing.
 */
import type { Big } from 'big.js';
import { decimalFrom, textFrom } from '../client/unspecified-fields.ts';
import { createsHedge, rowOf } from '../domain/action-table.ts';
import { sum } from '../domain/amounts.ts';
import { HedgeError, InterruptedError, OutcomeUnknownError } from '../errors.ts';
import { wasNotExecuted } from '../journal/queries.ts';
import { type EndKind, isEnd } from '../journal/records.ts';
import type { Action } from '../journal/replay.ts';
import type { ReadContext } from '../readings/read-context.ts';
import { confirmationCommands, isOfAnotherKey, otherKeyInWords } from './account-keys.ts';
import { arrivalInWords } from './idempotency-window.ts';
import { changesKept } from './outcome/append-record.ts';
import { type ActionEnd, awaitOutcome, recordNotTold, recordOutcome } from './outcome/await-outcome.ts';
import { confirmFound } from './outcome/found-hedge.ts';
import { observe } from './outcome/observe.ts';
import type { Plan } from './plan.ts';
import { figuresOf, reportOf } from './report.ts';
import {
  beingSentError,
  changedByOthersError,
  disagreeError,
  failedError,
  neverSentError,
  partialFillError,
  refusedError,
  resolvedAsNotExecutedError,
  stillPendingError,
  stoppedWaiting,
  unknownError,
} from './report-errors.ts';
import type { ActionReport } from './trading-context.ts';
export interface CompletionOptions {
  /** What was shown before it was sent, where it was sent just now. */
  plan?: Plan | undefined;
  wait: boolean;
  timeoutMs: number;
}

/** The report of an action whose sending is over, whatever it came to. */
export async function completeAction(
  entry: Action,
  options: CompletionOptions,
  looking: ReadContext,
): Promise<ActionReport> {
  const { plan } = options;
  if (entry.underway) return beingSentReport(entry, looking);
  switch (entry.state) {
    case 'accepted':
      return options.wait ? waitForEnd(entry, options, looking) : reportOf('submitted', { entry, plan });
    case 'done':
    case 'failed':
      return endedBefore(entry, looking);
    case 'settled':
      return settled(entry, looking);
    case 'refused':
      return reportOf('refused', { entry, plan, finding: refusedError(entry) });
    case 'prepared':
    case 'not_sent':
      return reportOf('not_sent', { entry, plan, finding: neverSentError(entry) });
    case 'sent':
    case 'unknown':
      return unresolvedReport(entry, plan, looking);
    default:
      return entry.state satisfies never;
  }
}

/** By another process, which writes down what comes of it. */
function beingSentReport(entry: Action, { signal: { reason } }: ReadContext): ActionReport {
  return reason instanceof InterruptedError
    ? reportOf('unknown', { entry, finding: stoppedWaiting(entry, reason) })
    : reportOf('pending', { entry, finding: beingSentError(entry) });
}

function unresolvedReport(entry: Action, plan: Plan | undefined, looking: ReadContext): ActionReport {
  const says = [entry.why ?? 'No usable answer came.', arrivalInWords(entry, looking)];
  const what = says.filter((each) => each !== undefined).join(' ');
  return reportOf('unknown', {
    entry,
    plan,
    finding: unknownError(entry, new OutcomeUnknownError({ what })),
  });
}

async function waitForEnd(
  entry: Action,
  options: CompletionOptions,
  looking: ReadContext,
): Promise<ActionReport> {
  const { plan, timeoutMs } = options;
  // A side that is read with another key may be another account's: there is nothing to wait for.
  if (!createsHedge(entry.intent) && isOfAnotherKey(entry, looking)) {
    const finding = stillPendingError(
      entry,
      otherKeyInWords(entry),
      looking.clock.now(),
      confirmationCommands(entry),
    );
    return reportOf('pending', { entry, plan, finding });
  }
  try {
    const awaited = await awaitOutcome(entry, looking, { timeoutMs });
    if (awaited.became === 'ended') return await reportEnd(entry, { ...awaited, plan }, looking);
    if (awaited.became === 'other') {
      const { says, hedges, closedBy } = awaited;
      const told = await recordNotTold(entry, { says, waited: true }, looking);
      return reportOf('unknown', {
        entry: told,
        plan,
        hedges,
        finding: changedByOthersError(told, { says, closedBy }),
      });
    }
    if (awaited.became === 'disagree')
      return reportOf('unknown', { entry, plan, finding: disagreeError(entry, awaited.says) });
    const finding = stillPendingError(entry, awaited.says, looking.clock.now());
    return reportOf('pending', { entry, plan, hedge: awaited.hedge, finding });
  } catch (error) {
    if (error instanceof InterruptedError)
      return reportOf('pending', { entry, plan, finding: stoppedWaiting(entry, error) });
    if (!(error instanceof HedgeError)) throw error;
    const says = `waiting ended: ${error.what.replace(/\.$/, '')}`;
    return reportOf('pending', { entry, plan, finding: stillPendingError(entry, says, looking.clock.now()) });
  } finally {
    looking.watch.stop();
  }
}

/** Writes the end down, and reports it. */
export async function reportEnd(
  entry: Action,
  end: ActionEnd & { plan?: Plan | undefined },
  looking: ReadContext,
): Promise<ActionReport> {
  const { outcome, hedge, position, hedges, servedAt, plan } = end;
  const written = await recordOutcome(entry, end, looking);
  const finding = outcome === 'failed' ? failedError(written) : partialFillError(written);
  if (end.says !== undefined && finding === undefined) looking.watch.note(`besides    ${end.says}`);
  const netPnl =
    outcome === 'closed' && !createsHedge(entry.intent) ? await realised(written, looking) : undefined;
  const derived = figuresOf(written, { hedge, netPnl, endedMs: looking.clock.now() });
  return reportOf(outcome, { entry: written, plan, hedge, position, hedges, servedAt, derived, finding });
}

/**
 * The original result of an action whose end is known: the hedge is read again, the outcome is not, unless the hedge
 * that was found turns out to be one of several.
 */
async function endedBefore(known: Action, looking: ReadContext): Promise<ActionReport> {
  const outcome = endKept(known);
  if (wasNotExecuted(known)) return reportOf('failed', { entry: known, finding: failedError(known) });
  const seen = await unlessUnwell(observe(known, looking), ({ what }) =>
    looking.watch.news(
      `not read   ${what} Action ${known.shortId} is told as the journal keeps it; a dash is what it does not keep.`,
    ),
  );
  if (known.provisionalUntil !== undefined && seen?.evidence.kind === 'other') {
    const { says } = seen.evidence;
    const entry = await recordNotTold(known, { says, waited: true }, looking);
    return reportOf('unknown', { entry, finding: changedByOthersError(entry, { says }) });
  }
  const entry = seen === undefined ? known : await confirmFound(known, seen, looking);
  const finding = outcome === 'failed' ? failedError(entry) : partialFillError(entry);
  const endedMs = Date.parse(entry.outcome?.at ?? entry.changedAt);
  const derived = figuresOf(entry, { hedge: seen?.hedge, endedMs });
  const hedges = changesKept(entry);
  return reportOf(outcome, { entry, hedge: seen?.hedge, position: seen?.position, hedges, derived, finding });
}

async function settled(entry: Action, looking: ReadContext): Promise<ActionReport> {
  if (entry.settledAs === 'nothing')
    return reportOf('not_sent', { entry, finding: resolvedAsNotExecutedError(entry) });
  return endedBefore(entry, looking);
}

function endKept({ outcome, intent }: Action): EndKind {
  return outcome !== undefined && isEnd(outcome.kind) ? outcome.kind : rowOf(intent.action).outcome;
}

/** USD that the hedges of a side made in their whole lives, as their records say; undefined unless each has one. */
async function realised({ intent }: Action, { api, signal }: ReadContext): Promise<Big | undefined> {
  const history = await unlessUnwell(api.history({ signal }));
  const results = intent.before.hedges.map(({ hedge_id: id }) =>
    decimalFrom(history?.data.find((record) => textFrom(record.id) === id)?.net_pnl_usd),
  );
  const known = results.filter((result) => result !== undefined);
  return known.length > 0 && known.length === results.length ? sum(known) : undefined;
}

/** A reading that only adds to what is known already must not fail it. */
async function unlessUnwell<T>(
  reading: Promise<T>,
  tell?: (failure: HedgeError) => void,
): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof HedgeError)) throw error;
    tell?.(error);
    return undefined;
  }
}
