/** Open positions, one line per side; and the side of a planned action before and after, in total and per hedge. */

import { Big } from 'big.js';
import type { Position } from '../../client/schemas.ts';
import { sum } from '../../domain/amounts.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { isDerivedReference } from '../../domain/vocabulary.ts';
import type { PendingActions } from '../../readings/pending-actions.ts';
import type { SidePosition } from '../../readings/side-position.ts';
import type { HedgeChange, Plan } from '../../trading/plan.ts';
import { type Block, line, phraseLine, tableOf, type View } from '../blocks.ts';
import { ARROW, type Cell, nameText, phrase, text, type Words } from '../cells.ts';
import { firstIfSame, listOf } from '../list.ts';
import { carryCell, cents, dealIdCell, known, maturityCell, row, signedCell, usd } from './record-columns.ts';
import { pendingLine } from './unfinished-rolls.ts';

/** Open positions, and the actions that may still change them. */
export interface PositionsShown {
  positions: readonly Position[];
  pending: PendingActions | undefined;
}

export const positionList = listOf<Position>()(
  [
    // Hidden in a narrow window where every row has the same.
    { name: 'market', header: 'Market', optional: firstIfSame(({ market }) => market) },
    { name: 'side', header: 'Side' },
    { name: 'notional_usd', header: 'Notional USD' },
    { name: 'entry_price', header: 'Entry', optional: true, group: 'prices' },
    { name: 'mark_price', header: 'Mark', optional: true, group: 'prices' },
    { name: 'gross_pnl_usd', header: 'Gross P&L', cell: signedCell, optional: 'first', group: 'pnl' },
    { name: 'accrued_carry_usdc', header: 'Carry', cell: carryCell, optional: 'first', group: 'pnl' },
    { name: 'net_pnl_usd', header: 'P&L before fees', cell: signedCell },
    { name: 'close_fee_usdc', header: 'Fee to close' },
    // The margin makes `CLOSING RETURNS` add up: margin and P&L less the fee. The specification lacks it (§2).
    { name: 'margin_usdc', header: 'Margin', isExtra: true },
    { name: 'net_margin_usd', header: 'Closing returns' },
  ],
  { isSent: true, key: ['market', 'side'], empty: 'No open positions' },
);

export const viewPositions = ({ positions, pending }: PositionsShown): View => [
  positionList.block(positions),
  lossesBeyondMargin(positions),
  pendingLine(pending),
];

/** `USDTNGN buy`; a service may leave out one of them. */
export const positionCell = ({ market, side }: Position): Cell =>
  nameText([market, side].filter((word) => typeof word === 'string').join(' ') || '?');

/** Closing returns less than nothing. */
export const lossesBeyondMargin = (positions: readonly Position[]): View =>
  positions.map(
    (position) =>
      position.net_margin_usd instanceof Big &&
      position.net_margin_usd.lt(0) &&
      line(
        positionCell(position),
        text(': the loss is larger than the margin.', 'warn'),
        phrase`Closing takes ${usd(cents(position.net_margin_usd.abs()), 'USD')} from the free balance.`,
      ),
  );

/** `Buy side  25,000.00 USD  → 75,000.00 USD (25,000.00 USD not in the journal)`. `openedElsewhere`: hedge IDs, if known. */
export function sideRow(plan: Plan, openedElsewhere: readonly string[] | undefined): Cell[] {
  const {
    side,
    facts: { sidePosition },
    after,
    totalBefore,
  } = plan;
  const name = side === 'buy' ? 'Buy side' : 'Sell side';
  const elsewhere = sum(
    sidePosition.open
      .filter(({ id }) => openedElsewhere?.includes(id) === true)
      .map(({ notional }) => notional),
  );
  const [now, then] = [usd(sidePosition.total, 'USD'), usd(after.total, 'USD')];
  if (totalBefore !== undefined)
    return row(
      name,
      phrase`${now} now, was ${usd(totalBefore)} before the first attempt. If that executed, it stays ${now}; if not, it becomes ${then}.`,
    );
  return row(
    name,
    phrase`${now} ${ARROW} ${then}`,
    sidePosition.unclear !== undefined && text(`(unknown: ${sidePosition.unclear})`, 'warn'),
    !elsewhere.eq(0) && phrase`( ${usd(elsewhere, 'USD')} not in the journal)`,
  );
}

const changed = (changes: readonly HedgeChange[] | undefined): readonly HedgeChange[] =>
  (changes ?? []).filter(({ before, after }) => !before.eq(after));

/** One row per hedge that changes: `hdg_B  30,000.00 USD  → 26,250.00 USD (PAY-1)`. */
export function changeRows(changes: readonly HedgeChange[] | undefined): Cell[][] {
  return changed(changes).map(({ id, before, after, reference }) =>
    row(
      spelledName(id),
      usd(before, 'USD'),
      '→',
      usd(after, 'USD'),
      reference !== undefined && !isDerivedReference(reference) && nameText(`(${reference})`),
    ),
  );
}

/** `, 2 hedges in proportion`, where an action changes several. A close, or a reduce of everything, takes all of each. */
export function severalHedges(changes: readonly HedgeChange[] | undefined): Words {
  const several = changed(changes);
  if (several.length < 2) return [];
  const isPart = several.some(({ after }) => after.gt(0));
  return [',', { kind: 'number', amount: several.length, unit: 'hedges' }, isPart && 'in proportion'];
}

/** Hedges that the total leaves out: they may still fill, or have an unknown status. */
export function notIncluded({ coming, unread }: SidePosition): View {
  return [
    ...coming.map((each) => ({ ...each, why: `${each.status}, may still fill` })),
    ...unread.map((each) => ({ ...each, why: `unknown status: ${each.status}` })),
  ].map(
    ({ id, notional, why }) =>
      phraseLine`${nameText(`Not included: hedge ${id},`)} ${usd(notional, 'USD')}, ${why}.`,
  );
}

/** The hedges of the position: maturity, and whether the journal, of this machine or its desk, has the open of each. */
export const hedgeTable = ({ open }: SidePosition, openedElsewhere: readonly string[] | undefined): Block =>
  tableOf(
    open,
    [
      { header: 'HEDGE', show: ({ id }) => nameText(id) },
      { header: 'USD', align: 'right', show: ({ notional }) => usd(notional) },
      // Goes before DEAL ID, which says whose hedge it is.
      {
        header: 'MATURES',
        optional: true,
        show: ({ maturityAt }) => known(maturityAt, (at) => maturityCell(at, 'minute')),
      },
      openedElsewhere !== undefined && {
        header: 'ORIGIN',
        optional: true,
        show: ({ id }) => (openedElsewhere.includes(id) ? text('elsewhere', 'warn') : text('journal')),
      },
      { header: 'DEAL ID', optional: 'last', show: ({ reference }) => dealIdCell(reference) },
    ],
    { empty: 'No hedges listed on this side' },
  );
