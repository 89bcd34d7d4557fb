/** `hedge hedges`: the list, or the hedge that an id or a deal id names. */
import { lateNews } from '../flow/evidence/late-news.ts';
import { severalUnder } from '../flow/evidence/several-hedges.ts';
import { findHedges, isHedgeId, listHedges } from '../flow/read/find-hedges.ts';
import { checkMarketIsKnown } from '../flow/read/known-market.ts';
import { checkSpan, hereAt, narrow } from '../flow/read/narrow.ts';
import { settleProvisional } from '../flow/settle/settle-due.ts';
import { readHedgesIntent } from '../intent/hedges-intent.ts';
import { NARROWING_HELP, narrowingOptions } from '../intent/narrowing.ts';
import { HEDGE_COLUMNS, hedgeChanges, viewHedges } from '../present/views/hedges.ts';
import { defineCommand } from './define.ts';

export const hedges = defineCommand({
  name: 'hedges',
  summary: 'the hedges of this account, newest first, or one of them',
  description: `Without an operand: the list. With one: the hedge of that id, or those that carry it as their deal id; exit 7 when more than one stands under it. In a document, data is an object for a hedge id and a list for a deal id, however many carry it. ${NARROWING_HELP}`,
  operands: [{ name: 'ID', summary: 'hedge id (hdg_…) or your own deal id', optional: true }],
  options: [
    { flags: '--status <status>', summary: 'submitting, submitted, filled, failed or closed' },
    { flags: '--deal-id <id>', summary: 'those that carry this deal id' },
    ...narrowingOptions('opened_at', 'opened'),
    { flags: '--limit <count>', summary: 'how many to ask for, 1 to 500 (100; 500 to pick from)' },
  ],
  examples: [
    { line: 'hedge hedges --status filled', shows: 'what is running' },
    { line: 'hedge hedges --since yesterday --side buy', shows: 'what was bought yesterday and today' },
    { line: 'hedge hedges PAY-8841', shows: 'the hedge that was opened under your deal id' },
    { line: "hedge hedges PAY-8841 --query 'data[0].id'", shows: 'its hedge id alone, for a script' },
    { line: 'hedge hedges --json | jq ".meta.covers"', shows: 'how many there are, and from when to when' },
  ],
  read: readHedgesIntent,
  async run(desk, { id, filter, narrowing }) {
    const here = { zone: (await desk.vantage()).zone, nowMs: desk.clock.now() };
    await checkSpan(narrowing, here);
    const api = await desk.api();
    const found = id === undefined ? await listHedges(api, filter) : await findHedges(api, id);
    const looking = await desk.looking();
    await lateNews(found.data, looking);
    await settleProvisional(looking);
    await checkMarketIsKnown(api, narrowing.market, found.data);
    const wanted = { narrowing, field: 'opened_at', limit: filter.limit, here: hereAt(found, here) };
    const { records, covers } = await narrow(found.data, wanted);
    const listed = id === undefined ? { covers } : {};
    return {
      value: { hedges: records, asked: id, ...listed },
      servedAt: found.servedAt,
      finding: id === undefined ? undefined : severalUnder(id, found.data),
      meta: { ...found.meta, ...listed },
    };
  },
  document: ({ hedges: list, asked }) => (asked !== undefined && isHedgeId(asked) ? list[0] : list),
  table: ({ hedges: records }) => ({ columns: HEDGE_COLUMNS, records }),
  view: viewHedges,
  changes: ({ hedges: list }) => hedgeChanges(list),
});
