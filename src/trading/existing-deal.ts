/** Set by `--ensure`: the deal that exists under the deal ID is reported, awaited or continued, if it has the same terms. */
import { decimalFrom } from '../client/json.ts';
import type { Hedge } from '../client/schemas.ts';
import type { OpenIntent, TypedIntent } from '../domain/action-intent.ts';
import { isSameSize } from '../domain/exposure.ts';
import { unquoted } from '../domain/quoted.ts';
import { usedDealId } from '../journal/queries.ts';
import type { JournalState } from '../journal/state.ts';
import {
  checkSameCover,
  checkSameDeal,
  checkSameTerms,
  dealStatus,
  failedBeforeError,
  recordedSizes,
} from './deal-id.ts';
import { awaitHedge } from './follow/await-end.ts';
import { hedgeEnd } from './follow/record-outcome.ts';
import { hedgesUnderDealId } from './outcome/change-evidence.ts';
import { continueAction, isOverNow } from './recover/resume-action.ts';
import { type ActionReport, reportOf } from './report.ts';
import type { TradingContext } from './trading-context.ts';

export interface KnownDeals {
  state: JournalState;
  /** Hedges with the deal ID at the service, newest first. */
  underDealId: readonly Hedge[];
  servedAt: Date;
}

/** The report of the existing deal; undefined when there is none. @throws StoppedError `deal_id_used` if its terms differ. */
export async function existingDeal(
  intent: TypedIntent,
  { state, underDealId, servedAt }: KnownDeals,
  context: TradingContext,
): Promise<ActionReport | undefined> {
  if (!('ensure' in intent && intent.ensure) || intent.dealId === undefined) return undefined;
  const { identity } = context;
  const entry = usedDealId(state.find({ dealIds: [intent.dealId] }), identity, intent.dealId);
  const own = entry?.state === 'done' ? entry.hedgeId : undefined;
  const several = hedgesUnderDealId(intent.dealId, underDealId, own);
  if (several !== undefined) return reportOf('unknown', { entry, finding: several });
  const deal = dealStatus(intent.dealId, { state, identity, underDealId });
  switch (deal.status) {
    case 'unused':
      return undefined;
    case 'failed':
      if (intent.retryFailed) return undefined;
      return reportOf('failed', {
        entry: deal.entry,
        hedge: deal.hedge,
        finding: failedBeforeError(intent, deal.hedge),
      });
    case 'journaled': {
      const { market, side, tenor_days: tenorDays, asked } = deal.entry.intent;
      checkSameTerms(intent, { market, side, notional: deal.entry.notional, tenorDays, asked });
      return continueAction(deal.entry, intent, context);
    }
    case 'elsewhere':
      if (intent.notional === undefined || intent.sizing !== undefined) checkSameCover(intent, deal.hedge);
      else await checkSameSize(intent, deal.hedge, { state, context, servedAt });
      return reportDealFromElsewhere(intent, deal.hedge, context);
    default:
      return deal satisfies never;
  }
}

/** @throws StoppedError `deal_id_used` when the hedge is another deal, or may be. */
async function checkSameSize(
  intent: OpenIntent,
  hedge: Hedge,
  { state, context, servedAt }: { state: JournalState; context: TradingContext; servedAt: Date },
): Promise<void> {
  const another = !isSameSize(hedge.notional_usd, intent.notional);
  const seen = another
    ? [
        ...recordedSizes(hedge, { state, servedAt, identity: context.identity, nowMs: context.clock.now() }),
        ...(await sizeClosed(hedge, context)),
      ]
    : [];
  checkSameDeal(intent, hedge, seen);
}

async function reportDealFromElsewhere(
  { options: { wait, dryRun, timeoutMs } }: TypedIntent,
  hedge: Hedge,
  context: TradingContext,
): Promise<ActionReport> {
  context.progress.note(`exists     ${unquoted(hedge.id)}, opened elsewhere`);
  const report = await awaitHedge(hedge, { wait: wait && !dryRun, timeoutMs }, context);
  return { ...report, existing: hedgeEnd(hedge) !== undefined, isOver: await isOverNow(report, context) };
}

/** The notional of its closed record (specification §2). */
async function sizeClosed({ id }: Hedge, { api, signal }: TradingContext): Promise<readonly Big[]> {
  const { data } = await api.history({ signal });
  return data.flatMap((record) => (record.id === id ? (decimalFrom(record.notional_usd) ?? []) : []));
}
