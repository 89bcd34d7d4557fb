/** Waits for the outcome of a sent action and reports it. Sends nothing. */
import { decimalFrom, textFrom } from '../client/json.ts';
import type { ClosedHedge } from '../client/schemas.ts';
import { createsHedge, rowOf } from '../domain/action-table.ts';
import { sum } from '../domain/amounts.ts';
import { HedgeError, InterruptedError, OutcomeUnknownError } from '../errors.ts';
import { changesKept, wasNotExecuted } from '../journal/queries.ts';
import { type EndKind, isEnd } from '../journal/records.ts';
import type { Action } from '../journal/replay.ts';
import type { ReadContext } from '../readings/read-context.ts';
import { confirmationCommands, isOfAnotherKey, otherKeyInWords } from './account-keys.ts';
import { arrivalInWords } from './idempotency-window.ts';
import { type ActionEnd, awaitOutcome, recordNotTold, recordOutcome } from './outcome/await-outcome.ts';
import { confirmFound } from './outcome/found-hedge.ts';
import { observe } from './outcome/observe.ts';
import { closeOrigin, factsOfOrigin, mayStillLand } from './outcome/own-close.ts';
import { otherUnderDealId } from './outcome/same-deal-id.ts';
import type { Plan } from './plan.ts';
import { entryPrices, figuresOf, reportOf, withRates } from './report.ts';
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
import type { ActionFigures, ActionReport } from './trading-context.ts';

export interface CompletionOptions {
  /** The confirmed plan; undefined when the action was sent earlier. */
  plan?: Plan | undefined;
  wait: boolean;
  timeoutMs: number;
}

/** The report of an action that is no longer being sent. */
export async function completeAction(
  entry: Action,
  options: CompletionOptions,
  context: ReadContext,
): Promise<ActionReport> {
  const { plan } = options;
  if (entry.underway) return beingSentReport(entry, context);
  switch (entry.state) {
    case 'accepted':
      return options.wait ? waitForEnd(entry, options, context) : reportOf('submitted', { entry, plan });
    case 'done':
    case 'failed':
      return endedBefore(entry, context);
    case 'settled':
      return settled(entry, context);
    case 'refused':
      return reportOf('refused', { entry, plan, finding: refusedError(entry) });
    case 'prepared':
    case 'not_sent':
      return reportOf('not_sent', { entry, plan, finding: neverSentError(entry) });
    case 'sent':
    case 'unknown':
      return unresolvedReport(entry, plan, context);
    default:
      return entry.state satisfies never;
  }
}

/** Another process is sending it and records the outcome. */
function beingSentReport(entry: Action, { signal: { reason } }: ReadContext): ActionReport {
  return reason instanceof InterruptedError
    ? reportOf('unknown', { entry, finding: stoppedWaiting(entry, reason) })
    : reportOf('pending', { entry, finding: beingSentError(entry) });
}

function unresolvedReport(entry: Action, plan: Plan | undefined, context: ReadContext): ActionReport {
  const sentences = [entry.why ?? 'No usable response.', arrivalInWords(entry, context)];
  const what = sentences.filter((each) => each !== undefined).join(' ');
  return reportOf('unknown', {
    entry,
    plan,
    finding: unknownError(entry, new OutcomeUnknownError({ what })),
  });
}

async function waitForEnd(
  entry: Action,
  options: CompletionOptions,
  context: ReadContext,
): Promise<ActionReport> {
  const { plan, timeoutMs } = options;
  // With another key the side may be another account's, so waiting would prove nothing.
  if (!createsHedge(entry.intent) && isOfAnotherKey(entry, context)) {
    const finding = stillPendingError(
      entry,
      otherKeyInWords(entry),
      context.clock.now(),
      confirmationCommands(entry),
    );
    return reportOf('pending', { entry, plan, finding });
  }
  try {
    const untilMs = context.clock.monotonic() + timeoutMs;
    const awaited = await awaitOutcome(entry, context, { timeoutMs });
    const leftMs = untilMs - context.clock.monotonic();
    if (awaited.kind === 'ended') return await reportEnd(entry, { ...awaited, plan, leftMs }, context);
    if (awaited.kind === 'other') {
      const { message, hedges, closedBy, notOurs } = awaited;
      const recorded = await recordNotTold(entry, { message, waited: true, notOurs }, context);
      return reportOf('unknown', {
        entry: recorded,
        plan,
        hedges,
        finding: changedByOthersError(recorded, { message, closedBy, nowMs: context.clock.now() }),
      });
    }
    if (awaited.kind === 'disagree')
      return reportOf('unknown', { entry, plan, finding: disagreeError(entry, awaited.message) });
    const finding = stillPendingError(entry, awaited.message, context.clock.now());
    return reportOf('pending', { entry, plan, hedge: awaited.hedge, finding });
  } catch (error) {
    if (error instanceof InterruptedError)
      return reportOf('pending', { entry, plan, finding: stoppedWaiting(entry, error) });
    if (!(error instanceof HedgeError)) throw error;
    const message = `waiting ended: ${error.clause}`;
    return reportOf('pending', {
      entry,
      plan,
      finding: stillPendingError(entry, message, context.clock.now()),
    });
  } finally {
    context.progress.stop();
  }
}

/** Records the outcome and reports it. `leftMs`: how long a list that lags may be waited for. */
export async function reportEnd(
  entry: Action,
  end: ActionEnd & { plan?: Plan | undefined; leftMs: number },
  context: ReadContext,
): Promise<ActionReport> {
  const { outcome, hedge, position, servedAt, plan, book: after } = end;
  const before = plan?.facts.book;
  const hedges = end.hedges && withRates(end.hedges, { before, after });
  const isClosed = outcome === 'closed' && !createsHedge(entry.intent);
  const history = isClosed ? await unlessFailing(context.api.history({ signal: context.signal })) : undefined;
  const records = history?.data ?? [];
  const origin = isClosed ? closeOrigin(entry, { before, after, records }, context.journal) : undefined;
  const facts = { ...end.facts, ...factsOfOrigin(entry, origin) };
  const written = await recordOutcome(entry, { ...end, facts }, context);
  if (origin === 'other') context.progress.note(mayStillLand(entry, context));
  const several = outcome === 'failed' ? undefined : await otherUnderDealId(written, context, end.leftMs);
  const finding = several ?? (outcome === 'failed' ? failedError(written) : partialFillError(written));
  if (end.message !== undefined && finding === undefined) context.progress.note(`note       ${end.message}`);
  const derived = {
    ...figuresOf(written, { hedge, endedMs: context.clock.now() }),
    ...(isClosed ? realizedPnl(written, records) : {}),
    ...(hedges === undefined ? {} : entryPrices(hedges, { before, after })),
  };
  const shown = several === undefined ? outcome : 'unknown';
  return reportOf(shown, { entry: written, plan, hedge, position, hedges, servedAt, derived, finding });
}

/** The recorded result of an action. The hedge is read again; the outcome changes only if several hedges now match. */
async function endedBefore(known: Action, context: ReadContext): Promise<ActionReport> {
  const outcome = endKept(known);
  if (wasNotExecuted(known)) return reportOf('failed', { entry: known, finding: failedError(known) });
  const seen = await unlessFailing(observe(known, context), ({ what }) =>
    context.progress.news(`not read   ${what} Action ${known.shortId} is shown as recorded in the journal.`),
  );
  if (known.provisionalUntil !== undefined && seen?.evidence.kind === 'other') {
    const { message } = seen.evidence;
    const entry = await recordNotTold(known, { message, waited: true }, context);
    return reportOf('unknown', {
      entry,
      finding: changedByOthersError(entry, { message, nowMs: context.clock.now() }),
    });
  }
  const entry = seen === undefined ? known : await confirmFound(known, seen, context);
  const finding = outcome === 'failed' ? failedError(entry) : partialFillError(entry);
  const endedMs = Date.parse(entry.outcome?.at ?? entry.changedAt);
  const derived = figuresOf(entry, { hedge: seen?.hedge, endedMs });
  const hedges = changesKept(entry)?.map((change) => ({
    ...change,
    reference: seen?.book?.listed.find(({ id }) => id === change.id)?.reference,
  }));
  return {
    ...reportOf(outcome, { entry, hedge: seen?.hedge, position: seen?.position, hedges, derived, finding }),
    confirmed: known.provisionalUntil !== undefined && entry.provisionalUntil === undefined,
  };
}

async function settled(entry: Action, context: ReadContext): Promise<ActionReport> {
  if (entry.settledAs === 'nothing')
    return reportOf('not_sent', { entry, finding: resolvedAsNotExecutedError(entry) });
  return endedBefore(entry, context);
}

function endKept({ outcome, intent }: Action): EndKind {
  return outcome !== undefined && isEnd(outcome.kind) ? outcome.kind : rowOf(intent.action).outcome;
}

const REALIZED = ['net_pnl_usd', 'gross_pnl_usd', 'carry_usdc', 'fees_usdc'] as const;

/** Realized P&L of the closed hedges over their life, from their records; a figure is left out unless each has it. */
function realizedPnl(
  { intent }: Action,
  closed: readonly ClosedHedge[],
): Pick<ActionFigures, (typeof REALIZED)[number]> {
  const records = intent.before.hedges.map(({ hedge_id }) =>
    closed.find(({ id }) => textFrom(id) === hedge_id),
  );
  return Object.fromEntries(
    REALIZED.flatMap((name) => {
      const known = records.map((record) => decimalFrom(record?.[name])).filter((each) => each !== undefined);
      return known.length > 0 && known.length === records.length ? [[name, sum(known)]] : [];
    }),
  );
}

/** An optional reading: its failure must not fail the command. */
async function unlessFailing<T>(
  reading: Promise<T>,
  onFailure?: (failure: HedgeError) => void,
): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof HedgeError)) throw error;
    onFailure?.(error);
    return undefined;
  }
}
