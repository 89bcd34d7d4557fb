/**
 * Checks and opens the rows of a deals file. Each row goes through `executeAction` as an open with its deal ID once; the
 * readings that all rows need are made once and carried forward, and no row waits for the fill of another.
 */
import { Big } from 'big.js';
import type { HedgeApi } from '../../client/hedge-api.ts';
import { isComputed, isUnsized, type OpenIntent } from '../../domain/action-intent.ts';
import { say, shell } from '../../domain/hint.ts';
import { clocksDisagree, elapsedOver } from '../../domain/instants.ts';
import { quotedName } from '../../domain/quoted.ts';
import { HedgeError, InterruptedError, RefusedError, StoppedError, UsageError } from '../../errors.ts';
import { sameIdentity } from '../../journal/account-identity.ts';
import { conflictsOn } from '../../journal/queries.ts';
import { type Action, isUnfinished, isUnresolved } from '../../journal/replay.ts';
import { readClocks } from '../../platform/clock.ts';
import type { EstimateRequest, QuoteSource } from '../../readings/estimate-quotes.ts';
import { poll } from '../../readings/poll.ts';
import { type HedgeList, readNewestHedges } from '../../readings/read-position.ts';
import { sidePositionOf } from '../../readings/side-position.ts';
import { similarDealIds } from '../../readings/similar-deal-ids.ts';
import { priceOf } from '../../trading/evaluate.ts';
import { executeAction, recordedSize } from '../../trading/execute.ts';
import { existingDeal } from '../../trading/existing-deal.ts';
import { afterTimeout, awaitHedge, hedgePendingError } from '../../trading/follow/await-end.ts';
import { finishedInBackground } from '../../trading/follow/finished-in-background.ts';
import { lookUpAction } from '../../trading/follow/follow.ts';
import { hedgeEnd } from '../../trading/follow/record-outcome.ts';
import { PricedStopError } from '../../trading/guards/stops.ts';
import { waitForOwnClose } from '../../trading/outcome/own-close.ts';
import { readUnderSharedDealId } from '../../trading/read-facts.ts';
import { canBeSent } from '../../trading/recover/resend.ts';
import { type ActionReport, reportOf } from '../../trading/report.ts';
import { stillPendingError } from '../../trading/report-errors.ts';
import { sizeAction } from '../../trading/size-action.ts';
import type { SharedFacts, Simulation, TradingContext } from '../../trading/trading-context.ts';
import { type BatchSimulation, simulateBatch } from '../simulate-batch.ts';
import { checkNotWorse, type Deal, type DealEnd, endsRun, isBeyondBound, notRun } from './deal.ts';

export interface DealsContext {
  /** Its confirmation is that of the whole file. */
  trading: TradingContext;
  shared: SharedFacts;
  /** Called before each row. */
  onRow: (deal: Deal) => void;
}

export const dealIdsOfRows = (deals: readonly Deal[]): ReadonlySet<string> =>
  new Set(deals.flatMap(({ intent }) => intent.dealId ?? []));

/** The readings that all rows share. Opens that finished in the background are reported, those of the file only recorded. */
export async function readSharedFacts(
  context: TradingContext,
  dealIds: ReadonlySet<string>,
): Promise<SharedFacts> {
  const { api, signal, clock } = context;
  const readAtMs = clock.now();
  const [positions, list, markets, account] = await Promise.all([
    api.positions({ signal }),
    readNewestHedges(context),
    api.markets({ signal }),
    api.account({ signal }),
  ]);
  const isOwn = ({ client_reference: reference }: HedgeList['hedges'][number]): boolean =>
    typeof reference === 'string' && dealIds.has(reference);
  const silent = { ...context, progress: { ...context.progress, news: () => undefined } };
  await finishedInBackground(list.hedges.filter(isOwn), silent);
  await finishedInBackground(
    list.hedges.filter((hedge) => !isOwn(hedge)),
    context,
  );
  return {
    markets: markets.data,
    account: account.data,
    positions: positions.data,
    list,
    similar: similarDealIds([...dealIds], { state: context.journal.read(), hedges: list.hedges }, context),
    servedAt: list.servedAt ?? positions.servedAt ?? new Date(clock.now()),
    readAtMs,
  };
}

/** Reads hedges by ID, or under a deal ID, only if the page lacks them. */
function pagedApi(api: HedgeApi, { hedges, mayBeCut, servedAt, clocks }: HedgeList): HedgeApi {
  const known = new Map(hedges.map((hedge) => [hedge.id, hedge]));
  return {
    ...api,
    async hedge(id, options) {
      const data = known.get(id);
      return data === undefined ? api.hedge(id, options) : { data, meta: {}, servedAt, clocks };
    },
    async hedges(query, options) {
      const { client_reference: dealId } = query ?? {};
      const data = hedges.filter((each) => each.client_reference === dealId);
      return dealId === undefined || mayBeCut || data.length === 0
        ? api.hedges(query, options)
        : { data, meta: {}, servedAt, clocks };
    },
  };
}

export interface CheckedDeals {
  ends: readonly DealEnd[];
  simulated: Pick<BatchSimulation, 'left' | 'totals'>;
}

/**
 * Each row as if those before it had filled. Nothing is sent; rows of an earlier run have its outcome.
 * @throws HedgeError of a reading that fails for reasons other than the row.
 */
export async function checkDeals(
  deals: readonly Deal[],
  quotes: Pick<QuoteSource, 'quote' | 'exact'>,
  { trading, shared, onRow }: DealsContext,
): Promise<CheckedDeals> {
  const simulated = simulateBatch();
  const quotedBy = (quote: QuoteSource['quote']): TradingContext => ({
    ...trading,
    api: {
      ...trading.api,
      quote: (request) => quote({ ...request, notional_usd: new Big(request.notional_usd) }),
    },
  });
  const [usual, sizing] = [quotedBy(quotes.quote), quotedBy(quotes.exact)];
  const ends: DealEnd[] = [];
  for (const deal of deals) {
    onRow(deal);
    trading.signal.throwIfAborted();
    // Planned as filled: a row in flight would only warn the next one.
    const dry = { ...deal.intent, options: { ...deal.intent.options, dryRun: true, wait: true } };
    const end = await endOf({ ...deal, intent: ignoringConflicts(dry, deals, trading) }, () => ({
      context: isComputed(dry) ? sizing : usual,
      shared,
      simulation: simulated.line(deal.line),
    }));
    if (end.error !== undefined && end.report === undefined && !isOfRow(end.error)) throw end.error;
    ends.push({ ...end, intent: { ...end.intent, options: deal.intent.options } });
  }
  return { ends, simulated };
}

const isOfRow = (error: HedgeError): boolean =>
  error instanceof StoppedError || error instanceof RefusedError;

/** @throws UsageError for an ID that no action of the account has whose end is not known. */
export function checkDespite(texts: readonly string[], { journal, identity }: TradingContext): void {
  const conflicts = journal
    .read()
    .current.filter((action) => isUnfinished(action) && sameIdentity(action.intent.identity, identity));
  const wrong = texts.find((text) => !conflicts.some(({ id }) => id.startsWith(text)));
  if (wrong !== undefined)
    throw new UsageError(
      `No action ${quotedName(wrong)} of this account is unresolved or in flight (--despite). Nothing was sent.`,
      say`To list them: ${shell`hedge journal`}`,
    );
}

/**
 * The actions to ignore that would stop the row: another side has others. `rows`: an unresolved row of
 * the file is settled before the others are opened, and does not stop them in the check.
 */
function ignoringConflicts(
  intent: Deal['intent'],
  rows: readonly Deal[],
  { journal, identity }: TradingContext,
): Deal['intent'] {
  const { options, dealId } = intent;
  const conflicts = conflictsOn(journal.read().current, { identity, ...intent });
  if (conflicts.length === 0 && options.despite.length === 0) return intent;
  const own = dealIdsOfRows(rows);
  const isOfAnotherRow = (action: Action): boolean =>
    isUnresolved(action) && own.has(action.intent.deal_id ?? '');
  const despite = conflicts
    .filter(({ intent: { deal_id: other } }) => other === undefined || other !== dealId)
    .filter((each) => isOfAnotherRow(each) || options.despite.some((text) => each.id.startsWith(text)))
    .map(({ id }) => id);
  return { ...intent, options: { ...options, despite } };
}

interface RowContext {
  context: TradingContext;
  shared: SharedFacts;
  simulation: Simulation;
}

/** The end of a row, with its computed size and its quote, also where the row is stopped after that. */
async function endOf(deal: Deal, open: () => RowContext | Promise<RowContext>): Promise<DealEnd> {
  let { intent } = deal;
  try {
    const report = await reportOfDeal(deal, await open(), (sized) => {
      intent = sized;
    });
    const plan = report.plan?.action === 'open' ? report.plan : undefined;
    return { ...deal, intent, report, plan, error: report.finding };
  } catch (error) {
    if (!(error instanceof HedgeError)) throw error;
    const read = error instanceof PricedStopError ? error.quote : undefined;
    const quote = intent.notional && read?.notional_usd.eq(intent.notional) ? read : undefined;
    return { ...deal, intent, report: undefined, plan: undefined, quote, error };
  }
}

/** A known deal is reported or continued without a quote; any other is opened. */
async function reportOfDeal(
  { intent }: Deal,
  { context, shared, simulation }: RowContext,
  onSize: (sized: OpenIntent) => void,
): Promise<ActionReport> {
  const { underDealId } = await readUnderSharedDealId(intent, shared, context);
  const { servedAt, list } = shared;
  const known = { state: context.journal.read(), underDealId, servedAt };
  const existing = await existingDeal(intent, known, { ...context, api: pagedApi(context.api, list) });
  if (existing !== undefined) {
    const { entry, hedge } = existing;
    // Without an entry only the hedge has the size of a row in naira.
    if (entry === undefined && hedge !== undefined && isUnsized(intent))
      onSize({ ...intent, notional: hedge.notional_usd });
    return existing;
  }
  const sized = await sizedOf(intent, { context, shared, simulation });
  onSize(sized);
  return executeAction(sized, { ...context, shared, simulation });
}

/** The notional of a row in naira: of its first sending, or from at most four quotes. */
async function sizedOf(
  intent: Deal['intent'],
  { context, shared, simulation }: RowContext,
): Promise<OpenIntent> {
  if (!isUnsized(intent)) return intent;
  const { positions, account, list, servedAt } = shared;
  const recorded = recordedSize(intent, { state: context.journal.read(), identity: context.identity });
  if (recorded !== undefined) return { ...intent, notional: recorded };
  const markets = shared.markets.map((each) => each.market);
  const facts = { positions, hedges: [], markets, mayBeCut: true, servedAt, clocks: list.clocks };
  const sized = await sizeAction(intent, context, {
    sidePosition: sidePositionOf(intent, facts),
    markets: shared.markets.map((market) =>
      market.market === intent.market ? simulation.market(market, intent.side, account) : market,
    ),
    account: simulation.account(account),
  });
  return { ...intent, notional: sized.intent.notional };
}

/** Whether a row is still to be sent after its check. */
export const isToRun = ({ report, error, intent }: DealEnd): boolean =>
  report === undefined
    ? error !== undefined && isBeyondBound(error, intent)
    : report.outcome === 'planned' || (report.entry !== undefined && canBeSent(report.entry));

/** Since the list of hedges, which shows which deal IDs others have used. */
const READ_AGAIN_MS = 60_000;

function isStale({ list }: SharedFacts, { clock }: TradingContext): boolean {
  const age = elapsedOver([list.clocks, readClocks(clock)]);
  return age.ms > READ_AGAIN_MS || clocksDisagree(age);
}

/**
 * One quote and one POST for each row, one after the other: first the unresolved ones of an earlier run, then the others
 * in the order of the file. What they share is read again every minute. Never throws once a row may have been sent.
 */
export async function openDeals(
  checked: readonly DealEnd[],
  { trading, shared: first, onRow }: DealsContext,
): Promise<readonly DealEnd[]> {
  let shared = first;
  let carried = simulateBatch({ isSent: true });
  const shown = new Map(
    checked.map(({ line, plan }) => [line, plan === undefined ? undefined : priceOf(plan)]),
  );
  const ended = new Map<number, DealEnd>();
  let stop: { cause: HedgeError; line: number | undefined } | undefined;
  for (const row of inOrder(checked.filter(isToRun))) {
    const { reason } = trading.signal;
    if (reason instanceof InterruptedError) stop ??= { cause: reason, line: undefined };
    const deal: Deal = { line: row.line, intent: row.intent };
    if (stop !== undefined) {
      ended.set(row.line, notRun(deal, stop.cause, stop.line));
      continue;
    }
    onRow(deal);
    const context: TradingContext = {
      ...trading,
      argv: [...trading.argv, `line ${row.line.toString()}:`, row.intent.dealId ?? ''],
      async confirm({ plan }) {
        checkNotWorse(plan, shown.get(row.line));
        return true;
      },
    };
    const ready = { ...deal, intent: ignoringConflicts(deal.intent, [], trading) };
    const end = await endOf(ready, async () => {
      await waitForOwnClose(row.intent, trading);
      if (isStale(shared, trading)) {
        shared = await readSharedFacts(trading, dealIdsOfRows(checked));
        // The account has the rows that were sent.
        carried = simulateBatch({ isSent: true });
      }
      return { context, shared, simulation: carried.line(row.line) };
    });
    ended.set(row.line, end);
    if (end.plan !== undefined && end.report?.effect === 'pending')
      carried.line(row.line).execute({ plan: end.plan }, context);
    if (end.error !== undefined && endsRun(end)) stop = { cause: end.error, line: row.line };
  }
  return checked.map((row) => ended.get(row.line) ?? row);
}

const inOrder = (rows: readonly DealEnd[]): readonly DealEnd[] => [
  ...rows.filter(({ report }) => report?.entry !== undefined),
  ...rows.filter(({ report }) => report?.entry === undefined),
];

/**
 * Waits for the fills of all accepted rows together: one page of hedges for each reading, and by ID only what it lacks.
 * Never throws.
 */
export async function awaitFills(
  ends: readonly DealEnd[],
  { timeoutMs, onReading }: { timeoutMs: number; onReading: (left: number) => void },
  context: TradingContext,
): Promise<readonly DealEnd[]> {
  const latest = new Map(ends.map((end) => [end.line, end]));
  const waiting = (): readonly DealEnd[] => [...latest.values()].filter(isInFlight);
  const untilMs = context.clock.monotonic() + timeoutMs;
  let failure: HedgeError | undefined;
  try {
    if (waiting().length > 0)
      await poll({
        clock: context.clock,
        signal: context.signal,
        withinMs: timeoutMs,
        async read(signal) {
          onReading(waiting().length);
          const list = await readNewestHedges({ ...context, signal });
          const reading = { ...context, signal, api: pagedApi(context.api, list) };
          for (const end of waiting())
            latest.set(end.line, await seenNow(end, reading, untilMs - context.clock.monotonic()));
          return waiting().length === 0 ? true : undefined;
        },
      });
  } catch (error) {
    if (!(error instanceof HedgeError)) throw error;
    failure = error;
  }
  return ends
    .map(({ line }) => pendingFrom(latest.get(line), { failure, timeoutMs }, context))
    .filter((end) => end !== undefined);
}

/** Also a hedge of another machine, which has no entry here. */
const isInFlight = ({ report }: DealEnd): boolean =>
  (report?.entry ?? report?.hedge) !== undefined &&
  (report?.outcome === 'submitted' || report?.outcome === 'pending');

async function seenNow(end: DealEnd, context: TradingContext, leftMs: number): Promise<DealEnd> {
  const { entry, hedge } = end.report ?? {};
  const report = entry
    ? await lookUpAction(entry, context, leftMs)
    : hedge && (await hedgeNow(hedge.id, context));
  if (report === undefined) return end;
  return { ...end, report: { ...report, plan: end.plan }, error: report.finding };
}

async function hedgeNow(id: string, context: TradingContext): Promise<ActionReport> {
  const { data } = await context.api.hedge(id, { signal: context.signal });
  return hedgeEnd(data) === undefined
    ? reportOf('pending', { hedge: data })
    : awaitHedge(data, { wait: false, timeoutMs: 0 }, context);
}

/** A row that is still in flight says so; after an interruption the signal is the reason. */
function pendingFrom(
  end: DealEnd | undefined,
  { failure, timeoutMs }: { failure: HedgeError | undefined; timeoutMs: number },
  { clock }: TradingContext,
): DealEnd | undefined {
  const { entry, hedge } = end?.report ?? {};
  if (end === undefined || !isInFlight(end)) return end;
  if (failure instanceof InterruptedError) return { ...end, error: failure.with(STOPPED_WAITING) };
  const ended = failure && `waiting ended: ${failure.clause}`;
  const pending = entry
    ? stillPendingError(entry, ended ?? 'it is not filled', clock.now())
    : hedge && hedgePendingError(hedge, ended === undefined ? afterTimeout(timeoutMs) : `(${ended})`);
  return { ...end, error: end.error ?? pending };
}

const STOPPED_WAITING = {
  meaning: 'Accepted deals continue at the service.',
  effect: 'pending',
  retry: 'after_check',
} as const;

/** The quotes that the check of rows in USD asks for: of those that no earlier run has sent. */
export const quoteRequestsOf = (
  deals: readonly Deal[],
  { journal, identity }: TradingContext,
): readonly EstimateRequest[] => {
  const state = journal.read();
  const known = new Set(
    state
      .find({ dealIds: [...dealIdsOfRows(deals)] })
      .filter(({ intent }) => sameIdentity(intent.identity, identity))
      .map(({ intent }) => intent.deal_id),
  );
  return deals
    .filter(({ intent }) => !known.has(intent.dealId))
    .flatMap(({ intent: { market, side, notional, tenor } }) =>
      notional === undefined ? [] : [{ market, side, notional_usd: notional, tenor_days: tenor }],
    );
};
