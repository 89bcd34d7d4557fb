/** `hedge history`: closed hedges, one by one or summed. */

import { HISTORY_OPTIONS, LIST_FILTER_HELP, readHistoryIntent } from '../args/list-filter.ts';
import { historyList } from '../output/views/history.ts';
import { checkSpan, filterRecords, localClockAt, looksLikePage } from '../readings/filter-records.ts';
import { checkMarketIsKnown } from '../readings/read-prices.ts';
import { cumulativePnl, sumHistory } from '../readings/sum-history.ts';
import { defineCommand } from './define.ts';

export const history = defineCommand({
  name: 'history',
  summary: 'List closed hedges with realized P&L, carry and fees',
  description: `Newest first, one record per hedge over its whole life; with --by, sums of closed hedges only (hedge report has what the account made). Net P&L is positive if the account gained. Carry is paid or earned. Notional is all that was opened and added; EXIT is the average of reduces and close. DEAL ID is the field client_reference; a dash is a reference that hedge made. The service may send one page only; meta.covers has the coverage. ${LIST_FILTER_HELP}`,
  options: Object.values(HISTORY_OPTIONS),
  examples: [
    { line: 'hedge history --limit 20', shows: 'the last 20 closed hedges and their result' },
    { line: 'hedge history --since 7d --by day', shows: 'P&L, carry and fees per day of the last week' },
    {
      line: 'hedge history --by month --query data.derived.total.net_pnl_usd',
      shows: 'total net P&L, exact',
    },
    { line: 'hedge history --since 7d --chart', shows: 'cumulative net P&L of the last week' },
    { line: 'hedge history --since 2026-11-01 --csv > november.csv', shows: 'for a spreadsheet' },
  ],
  inBatch: 'reading',
  read: readHistoryIntent,
  async run(context, { narrowing, by, chart, limit }) {
    const here = { zone: (await context.profileContext()).zone, nowMs: context.clock.now() };
    await checkSpan(narrowing, here);
    const api = await context.api();
    const { data, meta, servedAt } = await api.history();
    await checkMarketIsKnown(api, narrowing.market, data);
    const { records, covers } = await filterRecords(data, {
      narrowing,
      field: 'closed_at',
      // No limit shows where the list ends. ASSUMED: `has_more`, where a service sends it.
      mayBeCut: looksLikePage(data.length) && meta['has_more'] !== false,
      here: localClockAt({ servedAt }, here),
      most: limit,
    });
    const sums = by === undefined ? undefined : await sumHistory(records, { by, zone: here.zone });
    const added = chart ? cumulativePnl(records) : undefined;
    return { value: { records, covers, sums, added }, servedAt, meta: { ...meta, covers } };
  },
  list: historyList,
});
