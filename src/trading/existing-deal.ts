/** `--ensure`: what stands under a deal id is as good as dealt now, and is told, awaited or gone on with. */
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
/**
 * The report of the deal that is there; undefined when it is to be dealt.
 * @throws StoppedError `deal_id_used` when what is there has other terms.
 */
export async function existingDeal(
  intent: ActionIntent,
  { state, facts }: EvaluationInputs,
  dealing: TradingContext,
): Promise<ActionReport | undefined> {
  if (!('ensure' in intent && intent.ensure) || intent.dealId === undefined) return undefined;
  const { identity } = dealing;
  const several = hedgesUnderDealId(intent.dealId, facts.underDealId);
  if (several !== undefined)
    return reportOf('unknown', {
      entry: usedDealId(state.actions, identity, intent.dealId),
      finding: several,
    });
  const so = dealStatus(intent.dealId, { state, identity, underDealId: facts.underDealId });
  switch (so.dealt) {
    case 'never':
      return undefined;
    case 'failed':
      if (intent.retryFailed) return undefined;
      return reportOf('failed', {
        entry: so.entry,
        hedge: so.hedge,
        finding: failedBeforeError(intent, so.hedge),
      });
    case 'here': {
      const { market, side, tenor_days: tenorDays } = so.entry.intent;
      checkSameTerms(intent, { market, side, notional: so.entry.notional, tenorDays });
      return continueAction(so.entry, intent, dealing);
    }
    case 'there':
      return dealtElsewhere(intent, so.hedge, { state, dealing });
    default:
      return so satisfies never;
  }
}

async function dealtElsewhere(
  intent: OpenIntent,
  hedge: Hedge,
  { state, dealing }: { state: JournalState; dealing: TradingContext },
): Promise<ActionReport> {
  const another = !hedge.notional_usd.eq(intent.notional);
  const seen = another
    ? [...recordedSizes(hedge.id, state.actions, dealing.identity), ...(await sizeClosed(hedge, dealing))]
    : [];
  checkSameDeal(intent, hedge, seen);
  dealing.watch.note(`there already ${unquoted(hedge.id)}, dealt elsewhere`);
  const { wait, timeoutMs } = intent.options;
  return awaitHedge(hedge, { wait, timeoutMs }, dealing);
}

/** The notional of its record, which covers the whole life of a closed hedge (specification §2). */
async function sizeClosed({ id }: Hedge, { api, signal }: TradingContext): Promise<readonly Big[]> {
  const { data } = await api.history({ signal });
  return data.flatMap((record) => (record.id === id ? (decimalFrom(record.notional_usd) ?? []) : []));
}
