/** `hedge hedges`: the list with its filters, or the hedges that an ID names. */

import { isFiltered, LIST_FILTER_HELP, listFilterOptions } from '../args/list-filter.ts';
import { type RawInput, readDealId, readLimit, readStatus } from '../args/operands.ts';
import { readOptions } from '../args/option.ts';
import type { Hedge } from '../client/schemas.ts';
import { LARGEST_PAGE } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { hedgeList, viewHedges } from '../output/views/hedges.ts';
import { closedFromHere } from '../readings/closed-here.ts';
import {
  checkSpan,
  filterRecords,
  findHedges,
  isHedgeId,
  localClockAt,
  looksLikePage,
} from '../readings/filter-records.ts';
import { pendingOf } from '../readings/pending-actions.ts';
import { readOneHedge } from '../readings/read-one-hedge.ts';
import { eachOnce, hedgesPage, mayBePage, readHeldLate } from '../readings/read-position.ts';
import { checkMarketIsKnown } from '../readings/read-prices.ts';
import { isOpenHedge, isRunningHedge, maySettleLate } from '../readings/side-position.ts';
import { finishedInBackground } from '../trading/follow/finished-in-background.ts';
import { confirmProvisional } from '../trading/follow/lookups.ts';
import { hedgesUnderDealId } from '../trading/outcome/change-evidence.ts';
import { defineCommand } from './define.ts';

const OPTIONS = {
  status: {
    flags: '--status <status>',
    summary:
      'open (filled, not matured, in the positions), or as the service has it: submitting, submitted, filled, failed or closed',
    read: readStatus,
  },
  dealId: { flags: '--deal-id <id>', summary: 'only with this deal ID', read: readDealId },
  ...listFilterOptions('opened_at', 'opened'),
  limit: {
    flags: '--limit <count>',
    summary: 'hedges to request, 1 to 500 (default 100; 500 with a filter)',
    read: readLimit,
  },
} as const;

export const hedges = defineCommand({
  name: 'hedges',
  summary: 'List hedges, the open ones first, or show one',
  description: `Without an argument: the list, newest first; a screen has the open hedges first, with a total per side. NOTIONAL is what remains of an open hedge, and of an ended one its size when it closed; history has all that was opened and added. With a hedge ID: that hedge, on a terminal also its P&L, and its exit and roll; its document is one object. With a deal ID: every hedge that carries it; its document is a list, and more than one is exit code 7. DEAL ID is the field client_reference; a dash is a reference that hedge made. ${LIST_FILTER_HELP}`,
  operands: [{ name: 'ID', summary: 'hedge ID (hdg_…) or deal ID', optional: true }],
  options: Object.values(OPTIONS),
  examples: [
    { line: 'hedge hedges --status open', shows: 'open hedges, with a total per side' },
    { line: 'hedge hedges --columns id,side,notional_usd', shows: 'only these columns' },
    { line: 'hedge hedges --since yesterday --side buy', shows: 'bought yesterday and today' },
    { line: 'hedge hedges PAY-8841', shows: 'the hedge with your deal ID' },
    { line: "hedge hedges PAY-8841 --query 'data[0].id'", shows: 'only its hedge ID, for a script' },
    { line: 'hedge hedges --json | jq ".meta.covers"', shows: 'how many, from when to when' },
  ],
  inBatch: 'reading',
  read: readHedgesIntent,
  async run(context, { id, filter, narrowing }) {
    const here = { zone: (await context.profileContext()).zone, nowMs: context.clock.now() };
    await checkSpan(narrowing, here);
    const api = await context.api();
    const opens = filter.status === 'open';
    const [found, positions] = await Promise.all([
      id === undefined ? hedgesPage(api, asSent(filter)) : findHedges(api, id),
      opens ? api.positions() : undefined,
    ]);
    const readContext = await context.readContext();
    const once = eachOnce(found.data);
    await finishedInBackground(once, readContext);
    await confirmProvisional(readContext);
    await checkMarketIsKnown(api, narrowing.market, found.data);
    const clock = localClockAt(found, here);
    const servedAt = new Date(clock.nowMs);
    const closed = closedFromHere(
      found.data.filter((hedge) => hedge.status === 'filled' && isCurrent(hedge, servedAt)),
      readContext,
    );
    const unclosed = once.filter(({ id: each }) => !closed.has(each));
    const late = await readHeldLate(unclosed, readContext, servedAt);
    const facts = positions && { positions: positions.data, hedges: found.data, servedAt };
    const keeps = facts && ((hedge: Hedge) => isOpenHedge(hedge, facts) && !closed.has(hedge.id));
    const { limit } = filter;
    const sent = found.data.length;
    const mayBeCut = sent >= limit || (looksLikePage(sent) && (await mayBePage(readContext, sent)));
    const wanted = { narrowing, field: 'opened_at', mayBeCut, limit, here: clock, keeps };
    const { records, covers } = await filterRecords(found.data, wanted);
    const listed = id === undefined ? { covers } : {};
    const pending =
      id === undefined ? pendingOf(readContext, { nowMs: here.nowMs, servedMs: clock.nowMs }) : undefined;
    const isOpen = (hedge: Hedge): boolean => isRunningHedge(hedge, servedAt) || late.has(hedge.id);
    const open = records.filter((hedge) => isOpen(hedge) && !closed.has(hedge.id));
    const [only, ...others] = records;
    // A script gets what the service sent; a person also sees what it comes to.
    const sends = context.prompter.attended && !context.printsDocument;
    const one =
      id !== undefined && only !== undefined && others.length === 0
        ? await readOneHedge(only, readContext, { sends, servedAt })
        : undefined;
    return {
      value: {
        hedges: records,
        one,
        asked: id,
        open,
        late: open.filter(({ id: each }) => late.has(each)),
        pending,
        ...listed,
      },
      servedAt: found.servedAt,
      finding: id === undefined ? undefined : hedgesUnderDealId(id, once),
      meta: { ...found.meta, ...listed },
    };
  },
  document: ({ hedges: list, asked }) => (asked !== undefined && isHedgeId(asked) ? list[0] : list),
  list: hedgeList.within((shown: { hedges: readonly Hedge[] }) => shown.hedges),
  view: viewHedges,
});

const isCurrent = (hedge: Hedge, at: Date): boolean => isRunningHedge(hedge, at) || maySettleLate(hedge, at);

/** The service has no word for open hedges. */
const asSent = ({ status, dealId, limit }: HedgesIntent['filter']) => ({
  status: status === 'open' ? 'filled' : status,
  client_reference: dealId,
  limit,
});

const DEFAULT_LIMIT = 100;

type HedgesIntent = ReturnType<typeof readHedgesIntent>;

/** `narrowing` is applied here, `filter` by the service. */
export function readHedgesIntent(raw: RawInput) {
  const [word] = raw.operands;
  const { status, dealId, limit, ...narrowing } = readOptions(OPTIONS, raw);
  const isNarrowed = isFiltered(narrowing);
  if (word !== undefined && ([status, dealId, limit].some((value) => value !== undefined) || isNarrowed))
    throw new UsageError('One hedge takes no filters.', 'Leave out the options or the ID.');
  // Filters apply here.
  const usual = status === 'open' || isNarrowed ? LARGEST_PAGE : DEFAULT_LIMIT;
  return {
    /** A hedge ID or deal ID; undefined for the list. */
    id: word === undefined ? undefined : readDealId(word),
    narrowing,
    filter: { status, dealId, limit: limit ?? usual },
  };
}
