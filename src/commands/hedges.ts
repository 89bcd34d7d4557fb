/** `hedge hedges`: the list with its filters, or the hedges that an ID names. */

import { isFiltered, LIST_FILTER_HELP, listFilterOptions } from '../args/list-filter.ts';
import { readDealId, readLimit, readStatus } from '../args/operands.ts';
import { type RawInput, readOptions } from '../args/option.ts';
import type { Hedge } from '../client/schemas.ts';
import { LARGEST_PAGE } from '../domain/vocabulary.ts';
import { UsageError } from '../errors.ts';
import { hedgeList, viewHedges } from '../output/views/hedges.ts';
import { isHedgeId } from '../readings/filter-records.ts';
import { type AskedHedges, readHedges } from '../runs/read-hedges.ts';
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
  async run(context, asked) {
    const { shown, ...outcome } = await readHedges(asked, {
      api: () => context.api(),
      readContext: () => context.readContext(),
      here: { zone: (await context.profileContext()).zone, nowMs: context.clock.now() },
      sends: context.prompter.attended && !context.printsDocument,
    });
    return { value: shown, ...outcome };
  },
  document: ({ hedges: list, asked }) => (asked !== undefined && isHedgeId(asked) ? list[0] : list),
  list: hedgeList.within((shown: { hedges: readonly Hedge[] }) => shown.hedges),
  view: viewHedges,
});

const DEFAULT_LIMIT = 100;

function readHedgesIntent(raw: RawInput): AskedHedges {
  const [word] = raw.operands;
  const { status, dealId, limit, ...narrowing } = readOptions(OPTIONS, raw);
  const isNarrowed = isFiltered(narrowing);
  if (word !== undefined && ([status, dealId, limit].some((value) => value !== undefined) || isNarrowed))
    throw new UsageError('One hedge takes no filters.', 'Leave out the options or the ID.');
  // Filters apply here.
  const usual = status === 'open' || isNarrowed ? LARGEST_PAGE : DEFAULT_LIMIT;
  return {
    id: word === undefined ? undefined : readDealId(word),
    narrowing,
    filter: { status, dealId, limit: limit ?? usual },
  };
}
