/** The live dashboard below the halt: pending actions first, then prices, positions, capacity and maturities. */
import { Big } from 'big.js';
import { shell } from '../../domain/hint.ts';
import { instantText } from '../../domain/instants.ts';
import { carryInWords } from '../../domain/quote-figures.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { isDerivedReference } from '../../domain/vocabulary.ts';
import type { DashboardMarket, DashboardReading, HedgeToMature } from '../../runs/read-dashboard.ts';
import type { WatchDocument } from '../../schema/reading-document.ts';
import { andMore, dimLine, gap, line, tableOf, type View, warnLine } from '../blocks.ts';
import { type ChangeLine, nameText, phrase, text, type Words } from '../cells.ts';
import { pickOrNull } from '../record-table.ts';
import { accountReading } from './account.ts';
import { deskLine, sharedDocuments } from './desk.ts';
import { haltChanges } from './halt.ts';
import { pendingDocuments, summaryTrouble, troubleChanges, viewPending, viewTrouble } from './journal.ts';
import { marketList, moveCells } from './markets.ts';
import { positionCell, positionList } from './positions.ts';
import { cents, centsCell, inUnit, maturityCell, ofAmount, signedCents, usd } from './record-columns.ts';

const MOST_MATURING = 5;

export interface DashboardScreen extends DashboardReading {
  /** The profile that commands need not name. */
  selected: string | undefined;
}

export const viewDashboard = (screen: DashboardScreen): View => [
  screen.markets.flatMap(viewMarket),
  screen.journal.desk !== undefined && deskLine(screen.journal.desk),
  viewPending(screen.journal, screen.selected),
  viewTrouble(screen.journal),
  gap,
  { kind: 'columns', left: viewPositions(screen), right: [viewHeadroom(screen), gap, viewMaturing(screen)] },
];

function viewMarket({ market, seen }: DashboardMarket): View {
  const { buy, sell } = market.net_rate_daily_pct;
  const [first] = seen;
  const last = seen.at(-1);
  const move =
    first && last && seen.length >= 2
      ? phrase`${moveCells(first.mid, last.mid)} since ${{ kind: 'until', at: instantText(first.at) }}`
      : [];
  return [
    line(
      nameText(market.market, 'strong'),
      { kind: 'rate', amount: market.price, tone: 'strong' },
      move,
      market.status !== 'open' && text(market.status.toUpperCase(), 'warn'),
    ),
    { kind: 'spark', values: seen.map(({ mid }) => mid) },
    line(text('Carry per day: buy', 'dim'), carry(buy), text('· sell', 'dim'), carry(sell)),
  ];
}

function carry(signed: Big): Words {
  const { words, amount } = carryInWords(signed);
  return words === 'no carry' ? 'none' : [words.slice(4) + 's', { kind: 'percent', amount }];
}

function viewHeadroom({ account, markets }: DashboardReading): View {
  const headroom = account.available_exposure_usd;
  const open = account.open_exposure_usd;
  // The service does not send the cap: it is open exposure plus headroom.
  const cap = open instanceof Big ? open.plus(headroom) : undefined;
  const partOf = (amount: Big): number | undefined => (cap?.gt(0) ? amount.div(cap).toNumber() : undefined);
  return {
    kind: 'bars',
    rows: [
      { name: 'Headroom', part: partOf(headroom), cells: [usd(headroom, 'USD')] },
      ...markets.flatMap(({ market: { market, available_capacity_usd: capacity } }) =>
        (['buy', 'sell'] as const).map((side) => ({
          name: markets.length === 1 ? `Capacity ${side}` : `${spelledName(market)} ${side}`,
          part: partOf(capacity[side]),
          cells: [usd(capacity[side], 'USD')],
        })),
      ),
      { name: 'Free balance', part: undefined, cells: [usd(cents(account.balance_usdc), 'USDC')] },
    ],
  };
}

function viewPositions({ positions, account }: DashboardReading): View {
  const total = inUnit('USD', signedFigure(account.unrealized_pnl_usd));
  return [
    tableOf(
      positions,
      [
        { header: 'POSITION', show: positionCell },
        { header: 'NOTIONAL', align: 'right', show: (each) => centsCell(each.notional_usd) },
        { header: 'P&L BEFORE FEES', align: 'right', show: (each) => signedFigure(each.net_pnl_usd) },
        { header: 'CLOSING RETURNS', align: 'right', show: (each) => centsCell(each.net_margin_usd) },
      ],
      { empty: 'No open positions' },
    ),
    positions.length >= 2 && total.kind !== 'missing' && line('Total P&L before fees', total),
  ];
}

/** The dashboard shows cents; hedge positions has every digit. */
const signedFigure = ofAmount(signedCents);

function viewMaturing({ maturing, mayBeCut }: DashboardReading): View {
  const cut = mayBeCut && warnLine('The service may have more hedges than it listed.');
  if (maturing.length === 0) return [dimLine('No maturities'), cut];
  const more = maturing.length - MOST_MATURING;
  return [
    tableOf(maturing.slice(0, MOST_MATURING), [
      { header: 'MATURES', show: ({ maturityAt }) => maturityCell(maturityAt, 'date') },
      { header: '', optional: true, show: ({ maturityAt: at }) => ({ kind: 'until', at }) },
      { header: 'SIDE', show: ({ side }) => text(side) },
      { header: 'NOTIONAL', align: 'right', show: ({ notional }) => usd(cents(notional)) },
      { header: 'HEDGE', show: (hedge) => nameText(nameOf(hedge)) },
    ]),
    more > 0 && andMore(more, shell`hedge hedges --status open`),
    cut,
  ];
}

/** The operator's deal ID, unless it is longer than one of `hedge cover`: the table would not fit next to the positions. */
function nameOf({ id, reference }: HedgeToMature): string {
  const isShort = typeof reference === 'string' && Array.from(reference).length <= 26;
  return isShort && !isDerivedReference(reference) ? reference : id;
}

/** The objects of the service; computed values are under `derived`. */
export function dashboardDocument(screen: DashboardScreen): WatchDocument {
  const { markets, account, positions, maturing, mayBeCut, journal, selected } = screen;
  return {
    markets: markets.map(({ market, seen }) => ({
      ...market,
      derived: { first_mid: seen[0]?.mid ?? null, first_seen_at: seen[0] ? instantText(seen[0].at) : null },
    })),
    account,
    positions,
    derived: {
      maturing: maturing.map((hedge) => ({
        ...pickOrNull(hedge, ['id', 'market', 'side']),
        notional_usd: hedge.notional,
        maturity_at: hedge.maturityAt,
      })),
      maybe_truncated: mayBeCut,
      ...pendingDocuments(journal, selected),
      ...sharedDocuments(journal),
      journal_trouble: summaryTrouble(journal),
    },
  };
}

export const dashboardChanges = ({ journal, ...screen }: DashboardScreen): readonly ChangeLine[] => [
  ...marketList.lines(screen.markets.map(({ market }) => market)),
  ...accountReading.lines(screen.account),
  ...positionList.lines(screen.positions),
  ...[...journal.unresolved, ...journal.inFlight].map(({ shortId, state, intent }) => ({
    key: `action ${shortId}`,
    cells: [nameText(`${intent.action} ${intent.market} ${intent.side}: ${state.replaceAll('_', ' ')}`)],
  })),
  ...haltChanges(journal.halt),
  ...troubleChanges(journal),
];
