/** `hedge history`: closed hedges. */
import { coversOf } from '../flow/find-hedges.ts';
import { readNothing } from '../intent/raw-input.ts';
import { HISTORY_COLUMNS, viewHistory } from '../present/views/history.ts';
import { defineCommand } from './define.ts';

export const history = defineCommand({
  name: 'history',
  summary: 'closed hedges with realised P&L, carry and fees',
  description:
    'Newest first, one record a hedge over its whole life. Net P&L is positive when the account gained. The service may send one page only; meta.covers says what came.',
  examples: [
    { line: 'hedge history', shows: 'what was closed, and how it came out' },
    { line: 'hedge history --json | jq "[.data[].net_pnl_usd] | add"', shows: 'the net of what came' },
  ],
  read: readNothing,
  async run(desk) {
    const { data, meta, servedAt } = await (await desk.api()).history();
    const covers = coversOf(data, 'closed_at');
    return { value: { records: data, covers }, servedAt, meta: { ...meta, covers } };
  },
  document: ({ records }) => records,
  table: ({ records }) => ({ columns: HISTORY_COLUMNS, records }),
  view: viewHistory,
});
