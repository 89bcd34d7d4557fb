/** What became of an add, a reduction or a close: the side and each hedge before and after, what comes back. */
import { Big } from 'big.js';
import { sum } from '../../domain/amounts.ts';
import type { ActionReport } from '../../flow/dealing.ts';
import { type Block, type Cell, text } from '../blocks.ts';
import { actionOf, headline } from './action-headline.ts';
import { row, signedIn, usd } from './cells.ts';
import { changeRows } from './plan-side.ts';

export function viewChanged(report: ActionReport): readonly Block[] {
  const { outcome, hedges, derived, entry } = report;
  const expected = expectedBack(report);
  const closed = outcome === 'closed';
  return [
    headline(report, closed ? 'CLOSED' : 'CHANGED', text(closed ? closedWords(report) : WAYS[wayOf(report)])),
    {
      kind: 'figures',
      rows: [
        ...sideRows(report),
        ...(closed && (hedges ?? []).length === 1 ? [] : changeRows(hedges)),
        ...(derived.net_pnl_usd === undefined
          ? []
          : [row('Net P&L', signedIn('USD', derived.net_pnl_usd), text(overLives(report)))]),
        ...(expected === undefined
          ? []
          : [row('Comes back', usd(expected, 'USD'), text('as the position stood before'))]),
        ...(entry === undefined ? [] : [row('Action', text(entry.shortId))]),
      ],
    },
  ];
}

/** A closed record covers the whole lifecycle (specification §2): what was reduced before is in it too. */
const overLives = ({ hedges = [] }: ActionReport): string =>
  `over ${hedges.length > 1 ? 'their lives' : 'its life'}, carry and fees included`;

/** What is said of the side is what was read of it: something may have been opened there since. */
const closedWords = ({ position }: ActionReport): string =>
  position === undefined ? ': the side is flat.' : ': other hedges stand there since.';

const WAYS = { add: 'added.', reduce: 'off.' } as const;
const wayOf = (report: ActionReport): keyof typeof WAYS => (actionOf(report) === 'add' ? 'add' : 'reduce');

function sideRows(report: ActionReport): Cell[][] {
  const { hedges, plan, position } = report;
  const seen = hedges !== undefined && hedges.length > 0;
  const before = seen ? sum(hedges.map((each) => each.before)) : plan?.facts.book.total;
  const after = seen ? sum(hedges.map((each) => each.after)) : position?.notional_usd;
  if (before === undefined && !(after instanceof Big)) return [];
  const standing = position?.notional_usd;
  return [
    row(
      'Side',
      before === undefined ? { kind: 'missing' } : usd(before, 'USD'),
      text('→'),
      after instanceof Big ? usd(after, 'USD') : { kind: 'missing' },
    ),
    ...(standing instanceof Big && after instanceof Big && !standing.round(2).eq(after.round(2))
      ? [row('Stands now', usd(standing, 'USD'), text('other deals are in it too'))]
      : []),
  ];
}

/** As it was planned; of an action that was sent some time ago as the journal keeps it. */
function expectedBack({ plan, entry }: ActionReport): Big | undefined {
  const planned = plan !== undefined && 'comesBack' in plan ? plan.comesBack?.net_margin_usd : undefined;
  const kept = entry?.intent.quote?.['net_margin_usd'];
  return planned ?? (typeof kept === 'string' ? new Big(kept) : undefined);
}
