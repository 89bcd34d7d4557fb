/** `--ensure`: reports, awaits or continues the deal that already exists under the deal ID. */
import type { Big } from 'big.js';
import type { ActionIntent, OpenIntent } from '../args/action-intent.ts';
import type { Hedge } from '../client/schemas.ts';
import { decimalFrom } from '../client/unspecified-fields.ts';
import { unquoted } from '../domain/quoted.ts';
import { usedDealId } from '../journal/queries.ts';
import type { JournalState } from '../journal/store.ts';
import { checkSameDeal, checkSameTerms, dealStatus, failedBeforeError, recordedSizes } from './deal-id.ts';
import type { EvaluationInputs } from './evaluate.ts';
import { awaitHedge } from './outcome/await-outcome.ts';
import { hedgesUnderDealId } from './outcome/change-evidence.ts';
import { continueAction } from './recover/continue-action.ts';
import { reportOf } from './report.ts';
import type { ActionReport, TradingContext } from './trading-context.ts';
/** The report of the existing deal; undefined when there is none. @throws StoppedError `deal_id_used` if its terms differ. */
export async function existingDeal(
  intent: ActionIntent,
  { state, facts }: EvaluationInputs,
  context: TradingContext,
): Promise<ActionReport | undefined> {
  if (!('ensure' in intent && intent.ensure) || intent.dealId === undefined) return undefined;
  const { identity } = context;
  const several = hedgesUnderDealId(intent.dealId, facts.underDealId);
  if (several !== undefined)
    return reportOf('unknown', {
      entry: usedDealId(state.actions, identity, intent.dealId),
      finding: several,
    });
  const deal = dealStatus(intent.dealId, { state, identity, underDealId: facts.underDealId });
  switch (deal.dealt) {
    case 'never':
      return undefined;
    case 'failed':
      if (intent.retryFailed) return undefined;
      return reportOf('failed', {
        entry: deal.entry,
        hedge: deal.hedge,
        finding: failedBeforeError(intent, deal.hedge),
      });
    case 'here': {
      const { market, side, tenor_days: tenorDays } = deal.entry.intent;
      checkSameTerms(intent, { market, side, notional: deal.entry.notional, tenorDays });
      return continueAction(deal.entry, intent, context);
    }
    case 'there':
      return dealtElsewhere(intent, deal.hedge, { state, context });
    default:
      return deal satisfies never;
  }
}

async function dealtElsewhere(
  intent: OpenIntent,
  hedge: Hedge,
  { state, context }: { state: JournalState; context: TradingContext },
): Promise<ActionReport> {
  const another = !hedge.notional_usd.eq(intent.notional);
  const seen = another
    ? [...recordedSizes(hedge.id, state.actions, context.identity), ...(await sizeClosed(hedge, context))]
    : [];
  checkSameDeal(intent, hedge, seen);
  context.progress.note(`exists     ${unquoted(hedge.id)}, opened elsewhere`);
  const { wait, timeoutMs } = intent.options;
  return awaitHedge(hedge, { wait, timeoutMs }, context);
}

/** The notional of its closed record (specification §2). */
async function sizeClosed({ id }: Hedge, { api, signal }: TradingContext): Promise<readonly Big[]> {
  const { data } = await api.history({ signal });
  return data.flatMap((record) => (record.id === id ? (decimalFrom(record.notional_usd) ?? []) : []));
}
