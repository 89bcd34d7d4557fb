/** The live dashboard below the halt: pending actions first, then prices, positions, capacity and maturities. */
import { Big } from 'big.js';
import { roundHalfUp } from '../../domain/amounts.ts';
import { shell } from '../../domain/hint.ts';
import { instantText } from '../../domain/instants.ts';
import { carryInWords } from '../../domain/quote-figures.ts';
import { spelledName } from '../../domain/sanitize.ts';
import { isDerivedReference } from '../../domain/vocabulary.ts';
import type { WatchDocument } from '../../schema/reading-document.ts';
import type { DashboardMarket, DashboardReading, HedgeToMature } from '../../trading/read-dashboard.ts';
import { dimLine, gap, line, tableOf, type View, warnLine } from '../blocks.ts';
import { nameText, text, type Words } from '../cells.ts';
import type { ChangeLine } from '../change-lines.ts';
import { andMore } from '../hint-blocks.ts';
import { accountReading } from './account.ts';
import { deskDocument, deskLine } from './desk.ts';
import { activeHaltDocument, haltChanges } from './halt.ts';
import { journalDocument, summaryTrouble, troubleChanges, viewTrouble, viewUnresolved } from './journal.ts';
import { marketList } from './markets.ts';
import { positionCell, positionList } from './positions.ts';
import { moveCells } from './price.ts';
import { known, maturityCell, signedCell, signedIn, usd } from './record-columns.ts';

const MOST_MATURING = 5;

const numberIn = (value: unknown): Big | undefined => (value instanceof Big ? value : undefined);

export interface DashboardScreen extends DashboardReading {
  /** The profile that commands need not name. */
  selected: string | undefined;
}

export const viewDashboard = (screen: DashboardScreen): View => [
  screen.markets.flatMap(viewMarket),
  screen.journal.desk !== undefined && deskLine(screen.journal.desk),
  viewUnresolved(screen.journal.unresolved, 'unresolved', screen.selected),
  viewUnresolved(screen.journal.inFlight, 'in flight', screen.selected),
  viewTrouble(screen.journal),
  gap,
  { kind: 'columns', left: viewPositions(screen), right: [viewHeadroom(screen), gap, viewMaturing(screen)] },
];

function viewMarket({ market, seen }: DashboardMarket): View {
  const { buy, sell } = market.net_rate_daily_pct;
  const [first] = seen;
  const last = seen.at(-1);
  const move: Words = first !== undefined &&
    last !== undefined &&
    seen.length >= 2 && [
      moveCells(first.mid, last.mid),
      'since',
      { kind: 'until', at: instantText(first.at) },
    ];
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

function carry(signed: Parameters<typeof carryInWords>[0]): Words {
  const { words, amount } = carryInWords(signed);
  return words === 'no carry' ? 'none' : [words.slice(4) + 's', { kind: 'percent', amount }];
}

function viewHeadroom({ account, markets }: DashboardReading): View {
  const headroom = account.available_exposure_usd;
  const open = numberIn(account.open_exposure_usd);
  // The service does not send the cap: it is open exposure plus headroom.
  const cap = open?.plus(headroom);
  const partOf = (amount: typeof headroom): number | undefined =>
    cap === undefined || cap.lte(0) ? undefined : amount.div(cap).toNumber();
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
      { name: 'Free balance', part: undefined, cells: [usd(roundHalfUp(account.balance_usdc, 2), 'USDC')] },
    ],
  };
}

function viewPositions({ positions, account }: DashboardReading): View {
  const total = signedIn('USD', inCents(account.unrealized_pnl_usd));
  return [
    tableOf(
      positions,
      [
        { header: 'POSITION', show: positionCell },
        { header: 'NOTIONAL', align: 'right', show: (each) => known(inCents(each.notional_usd), usd) },
        { header: 'P&L BEFORE FEES', align: 'right', show: (each) => signedCell(inCents(each.net_pnl_usd)) },
        {
          header: 'CLOSING RETURNS',
          align: 'right',
          show: (each) => known(inCents(each.net_margin_usd), usd),
        },
      ],
      { empty: 'No open positions' },
    ),
    positions.length >= 2 && total.kind !== 'missing' && line('Total unrealized P&L', total),
  ];
}

/** The dashboard shows cents; hedge positions has every digit. */
const inCents = (value: unknown) => {
  const amount = numberIn(value);
  return amount === undefined ? undefined : roundHalfUp(amount, 2);
};

function viewMaturing({ maturing, mayBeCut }: DashboardReading): View {
  const cut = mayBeCut && warnLine('The service may have more hedges than it listed.');
  if (maturing.length === 0) return [dimLine('No maturities'), cut];
  const more = maturing.length - MOST_MATURING;
  return [
    tableOf(maturing.slice(0, MOST_MATURING), [
      { header: 'MATURES', show: ({ maturityAt }) => maturityCell(maturityAt, 'date') },
      { header: '', optional: true, show: ({ maturityAt: at }) => ({ kind: 'until', at }) },
      { header: 'SIDE', show: ({ side }) => text(side) },
      { header: 'NOTIONAL', align: 'right', show: ({ notional }) => usd(roundHalfUp(notional, 2)) },
      { header: 'HEDGE', show: (hedge) => nameText(nameOf(hedge)) },
    ]),
    more > 0 && andMore(more, shell`hedge hedges --status open`),
    cut,
  ];
}

/** The operator's deal ID, unless it is so long that the table would not fit next to the positions. */
function nameOf({ id, reference }: Pick<HedgeToMature, 'id' | 'reference'>): string {
  const isShort = typeof reference === 'string' && Array.from(reference).length <= MOST_NAME;
  return isShort && !isDerivedReference(reference) ? reference : id;
}

const MOST_NAME = 20;

/** The objects of the service; computed values are under `derived`. */
export const dashboardDocument = ({
  markets,
  account,
  positions,
  maturing,
  mayBeCut,
  journal,
  selected,
}: DashboardScreen): WatchDocument => ({
  markets: markets.map(({ market, seen }) => ({
    ...market,
    derived: { first_mid: seen[0]?.mid ?? null, first_seen_at: seen[0] ? instantText(seen[0].at) : null },
  })),
  account,
  positions,
  derived: {
    maturing: maturing.map(({ id, market, side, notional, maturityAt }) => ({
      id,
      market,
      side,
      notional_usd: notional,
      maturity_at: maturityAt,
    })),
    maybe_truncated: mayBeCut,
    unresolved: journal.unresolved.map((action) => journalDocument(action, selected)),
    in_flight: journal.inFlight.map((action) => journalDocument(action, selected)),
    halt: activeHaltDocument(journal.halt),
    ...(journal.desk === undefined ? {} : { desk: deskDocument(journal.desk) }),
    journal_trouble: summaryTrouble(journal),
  },
});

export const dashboardChanges = ({
  markets,
  account,
  positions,
  journal,
}: DashboardScreen): readonly ChangeLine[] => [
  ...marketList.lines(markets.map(({ market }) => market)),
  ...accountReading.lines(account),
  ...positionList.lines(positions),
  ...[...journal.unresolved, ...journal.inFlight].map(({ shortId, state, intent }) => ({
    key: `action ${shortId}`,
    cells: [nameText(`${intent.action} ${intent.market} ${intent.side}: ${state.replaceAll('_', ' ')}`)],
  })),
  ...haltChanges(journal.halt),
  ...troubleChanges(journal),
];
