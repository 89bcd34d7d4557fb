/** Reads what `hedge hedges` shows: a page of hedges through its filters, or the hedges that an ID names. */

import type { ListFilter } from '../args/list-filter.ts';
import type { HedgeApi } from '../client/hedge-api.ts';
import type { Hedge } from '../client/schemas.ts';
import type { LocalClock } from '../domain/calendar.ts';
import type { HedgeStatus } from '../domain/vocabulary.ts';
import { closedFromHere } from '../readings/closed-here.ts';
import {
  checkSpan,
  filterRecords,
  findHedges,
  localClockAt,
  looksLikePage,
} from '../readings/filter-records.ts';
import { pendingOf } from '../readings/pending-actions.ts';
import type { ReadContext } from '../readings/read-context.ts';
import { readOneHedge } from '../readings/read-one-hedge.ts';
import { eachOnce, hedgesPage, mayBePage, readHeldLate } from '../readings/read-position.ts';
import { checkMarketIsKnown } from '../readings/read-prices.ts';
import { isOpenHedge, isRunningHedge, maySettleLate } from '../readings/side-position.ts';
import { finishedInBackground } from '../trading/follow/finished-in-background.ts';
import { confirmProvisional } from '../trading/follow/lookups.ts';
import { hedgesUnderDealId } from '../trading/outcome/change-evidence.ts';

export interface AskedHedges {
  /** A hedge ID or deal ID; undefined for the list. */
  id: string | undefined;
  /** Applied here. */
  narrowing: ListFilter;
  /** Applied by the service. */
  filter: { status: HedgeStatus | 'open' | undefined; dealId: string | undefined; limit: number };
}

interface Ports {
  api: () => Promise<HedgeApi>;
  /** Asked once the hedges were read. */
  readContext: () => Promise<ReadContext>;
  here: LocalClock;
  /** A script gets what the service sent; a person also sees what it comes to. */
  sends: boolean;
}

/** `finding`: several hedges have the deal ID. */
export async function readHedges(
  { id, filter, narrowing }: AskedHedges,
  { api: connect, readContext, here, sends }: Ports,
) {
  await checkSpan(narrowing, here);
  const api = await connect();
  const [found, positions] = await Promise.all([
    id === undefined ? hedgesPage(api, asSent(filter)) : findHedges(api, id),
    filter.status === 'open' ? api.positions() : undefined,
  ]);
  const context = await readContext();
  const once = eachOnce(found.data);
  await finishedInBackground(once, context);
  await confirmProvisional(context);
  await checkMarketIsKnown(api, narrowing.market, found.data);
  const clock = localClockAt(found, here);
  const servedAt = new Date(clock.nowMs);
  const isCurrent = (hedge: Hedge): boolean =>
    isRunningHedge(hedge, servedAt) || maySettleLate(hedge, servedAt);
  const closed = closedFromHere(
    found.data.filter((hedge) => hedge.status === 'filled' && isCurrent(hedge)),
    context,
  );
  const unclosed = once.filter(({ id: each }) => !closed.has(each));
  const late = await readHeldLate(unclosed, context, servedAt);
  const facts = positions && { positions: positions.data, hedges: found.data, servedAt };
  const keeps =
    facts && ((hedge: Hedge) => (isOpenHedge(hedge, facts) || late.has(hedge.id)) && !closed.has(hedge.id));
  const { limit } = filter;
  const sent = found.data.length;
  const mayBeCut = sent >= limit || (looksLikePage(sent) && (await mayBePage(context, sent)));
  const wanted = { narrowing, field: 'opened_at', mayBeCut, limit, here: clock, keeps };
  const { records, covers } = await filterRecords(found.data, wanted);
  const listed = id === undefined ? { covers } : {};
  const isOpen = (hedge: Hedge): boolean => isRunningHedge(hedge, servedAt) || late.get(hedge.id) === 'held';
  const open = records.filter((hedge) => isOpen(hedge) && !closed.has(hedge.id));
  const pending =
    id === undefined ? pendingOf(context, { nowMs: here.nowMs, servedMs: clock.nowMs }) : undefined;
  const [only, ...others] = records;
  const one =
    id !== undefined && only !== undefined && others.length === 0
      ? await readOneHedge(only, context, { sends, servedAt })
      : undefined;
  return {
    shown: {
      hedges: records,
      one,
      asked: id,
      open,
      late: open.filter(({ id: each }) => late.has(each)),
      maybe: records.filter(({ id: each }) => late.get(each) === 'maybe' && !closed.has(each)),
      pending,
      ...listed,
    },
    servedAt: found.servedAt,
    finding: id === undefined ? undefined : hedgesUnderDealId(id, once),
    meta: { ...found.meta, ...listed },
  };
}

/** The service has no word for open hedges. */
const asSent = ({ status, dealId, limit }: AskedHedges['filter']) => ({
  status: status === 'open' ? 'filled' : status,
  client_reference: dealId,
  limit,
});
