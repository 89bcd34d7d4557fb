/** P&L of a period: the bridge of net asset value in parts, the hedges or groups, and missing figures. */
import type { Big } from 'big.js';
import type { ReportBy } from '../../args/report-options.ts';
import { say, shell } from '../../domain/hint.ts';
import { exactInstant, isoSeconds } from '../../domain/instants.ts';
import { totalValue } from '../../domain/net-asset-value.ts';
import { NO_PNL, netPnl, PNL_PARTS, type PnlPart, type PnlParts } from '../../domain/pnl-parts.ts';
import type { PeriodEnd, ReportReading } from '../../readings/read-report.ts';
import type { PnlGroup } from '../../readings/report-groups.ts';
import { type Block, type Cell, type Column, hintCell, line, missing, nameText, text } from '../blocks.ts';
import { cents, signedCents } from './record-columns.ts';
import { AT_PAR, readingNotes } from './snapshot.ts';

export function viewReport(report: ReportReading, page: string | undefined): readonly Block[] {
  return [
    periodLine(report),
    { kind: 'gap' },
    bridgeTable(report),
    { kind: 'gap' },
    groupTable(report),
    ...missingLines(report),
    ...readingNotes(report.account),
    ...(page === undefined ? [] : [line(text('Page written to'), nameText(page), text('.'))]),
    line(
      hintCell(
        say`${AT_PAR} Rounded half up; full precision: --json. More: ${shell`hedge help books`}`,
        'dim',
      ),
    ),
  ];
}

const minute = (ms: number): Cell => ({ kind: 'time', at: exactInstant(ms), style: 'minute' });

/** `From the snapshot of Fri 31 Oct 18:00 (nearest to Sat 1 Nov 00:00) to now, Tue 24 Nov 21:10.` */
const periodLine = ({ from, to, endsNow }: ReportReading): Block =>
  line(
    text(from.snapshot === undefined ? 'From' : 'From the snapshot of'),
    minute(from.ms),
    ...askedFor(from),
    text(endsNow ? 'to now,' : to.snapshot === undefined ? 'to' : 'to the snapshot of'),
    minute(to.ms),
    ...askedFor(to),
    text('.'),
  );

const askedFor = ({ ms, askedMs }: PeriodEnd): readonly Cell[] =>
  ms === askedMs ? [] : [text('(nearest to'), minute(askedMs), text(')')];

export const PART_NAMES: Readonly<Record<PnlPart, string>> = {
  market_usd: 'Market move',
  impact_usd: 'Impact',
  slippage_usd: 'Slippage',
  price_usd: 'Price, not split',
  carry_usdc: 'Carry',
  fees_usdc: 'Fees',
};

/** Those that any of these has. */
export const shownParts = (all: readonly PnlParts[]): readonly PnlPart[] =>
  PNL_PARTS.filter((part) => all.some((each) => !each[part].eq(0)));

const valueRow = (name: string, of: Big): readonly Cell[] => [
  text(name, 'strong'),
  text(''),
  text(''),
  { kind: 'money', amount: cents(of), tone: 'strong' },
];

function bridgeTable({ bridge, total: { realized, unrealized, parts, net } }: ReportReading): Block {
  const change = unrealized ?? NO_PNL;
  const made: readonly (readonly Cell[])[] = [
    ...shownParts([realized, change]).map((part): readonly Cell[] => [
      text(PART_NAMES[part]),
      signedCents(realized[part]),
      signedCents(unrealized?.[part]),
      signedCents(parts[part]),
    ]),
    [
      text('Hedges of this machine', 'strong'),
      signedCents(netPnl(realized)),
      signedCents(unrealized && netPnl(unrealized)),
      signedCents(net),
    ],
  ];
  return {
    kind: 'table',
    columns: [
      { header: 'USDC' },
      { header: 'REALIZED', align: 'right' },
      { header: 'UNREALIZED, CHANGE', align: 'right' },
      { header: 'TOTAL', align: 'right' },
    ],
    rows:
      bridge === undefined
        ? made
        : [
            valueRow('Opening net asset value', totalValue(bridge.opening)),
            ...made,
            [text('Unexplained'), text(''), text(''), signedCents(bridge.unexplained)],
            valueRow('Closing net asset value', totalValue(bridge.closing)),
          ],
  };
}

const HEADERS: Readonly<Record<ReportBy, string>> = {
  deal: 'DEAL ID',
  prefix: 'PREFIX',
  side: 'SIDE',
  operator: 'OPERATOR',
  market: 'MARKET',
  day: 'DAY',
};

const nameCell = ({ name }: PnlGroup): Cell => (name === undefined ? missing : nameText(name));

function groupTable({ intent: { by }, groups, total }: ReportReading): Block {
  const parts = shownParts(groups.flatMap(({ realized, unrealized = NO_PNL }) => [realized, unrealized]));
  const names: readonly Column[] =
    by === 'deal'
      ? [
          { header: 'DEAL ID', field: 'deal_id', isId: true },
          { header: 'HEDGE', field: 'hedge_id', optional: 'first' },
          { header: 'SIDE', field: 'side' },
        ]
      : [{ header: HEADERS[by], field: 'name', isId: true }];
  const row = (group: PnlGroup, ...named: readonly Cell[]): readonly Cell[] => [
    ...named,
    ...parts.map((part) => signedCents(group.parts[part])),
    signedCents(netPnl(group.realized)),
    signedCents(group.unrealized && netPnl(group.unrealized)),
    signedCents(group.net),
  ];
  return {
    kind: 'table',
    columns: [
      ...names,
      ...parts.map(
        (part): Column => ({
          header: PART_NAMES[part].toUpperCase(),
          field: part,
          align: 'right',
          optional: true,
          group: 'parts',
        }),
      ),
      { header: 'REALIZED', field: 'realized_usd', align: 'right' },
      { header: 'UNREALIZED', field: 'unrealized_usd', align: 'right' },
      { header: 'NET', field: 'net_usd', align: 'right' },
    ],
    rows: [
      ...groups.map((group) =>
        group.deal === undefined
          ? row(group, nameCell(group))
          : row(group, nameCell(group), nameText(group.deal.hedgeId), text(group.deal.side)),
      ),
      ...(groups.length > 1
        ? [row(total, text('Total', 'strong'), ...names.slice(1).map(() => text('')))]
        : []),
    ],
    empty: 'No hedge of this machine was open or closed in the period.',
  };
}

const warn = (words: string): Block => line(text(words, 'warn'));

/** Figures that are missing, and why. */
export function missingLines(report: ReportReading): readonly Block[] {
  const { intent, bridge, deals, days, others, unnamedClosed } = report;
  return [
    ...(bridge === undefined ? [noBridge(report)] : []),
    ...idLines(
      `Not opened from this machine, and ${bridge === undefined ? 'not in these figures' : 'in the unexplained part'}`,
      others,
    ),
    ...idLines(
      `Some parts of the P&L are not known, because the service or the journal has no figures. They are ${bridge === undefined ? 'in no sum' : 'in the unexplained part'}`,
      deals.flatMap(({ isPartial, deal }) => (isPartial ? [deal.dealId ?? deal.hedgeId] : [])),
    ),
    ...(days.some(({ unrealized }) => unrealized === undefined) && intent.by === 'day'
      ? [
          warn(
            'A day without a snapshot near its end has its change of unrealized P&L in the nearest day with one.',
          ),
        ]
      : []),
    ...(isEstimated(report)
      ? [
          warn(
            'The P&L of a reduce is an estimate until its hedge closes; the difference is in the unexplained part.',
          ),
        ]
      : []),
    ...(unnamedClosed > 0
      ? [warn('The records of closed hedges name no hedge: what they realized is not split by deal.')]
      : []),
  ];
}

const MOST_NAMED = 5;

function idLines(what: string, ids: readonly string[]): readonly Block[] {
  if (ids.length === 0) return [];
  const more = ids.length - MOST_NAMED;
  const shown = [...ids.slice(0, MOST_NAMED), ...(more > 0 ? [`${more.toString()} more`] : [])];
  return [line(text(`${what}:`, 'warn'), nameText(`${shown.join(', ')}.`))];
}

/** A reduce is in the period and the record of its hedge is not, or the other way round. */
const isEstimated = ({ bridge, deals }: ReportReading): boolean =>
  bridge?.unexplained.eq(0) === false &&
  deals.some(({ deal, events }) => {
    const reduces = deal.events.filter(({ kind, pnl }) => kind === 'reduce' && pnl !== undefined);
    const inPeriod = reduces.filter((each) => events.includes(each)).length;
    return events.at(-1)?.kind === 'close' ? inPeriod < reduces.length : inPeriod > 0;
  });

function noBridge({ from, to, firstAfter }: ReportReading): Block {
  const end = from.snapshot === undefined ? from : to;
  const which = end === from ? 'opening' : 'closing';
  return line(
    text(`No snapshot near`, 'warn'),
    minute(end.askedMs),
    hintCell(
      firstAfter === undefined
        ? say`: no ${which} net asset value, so no bridge. Take one a day: ${shell`hedge snapshot`}`
        : say`: no ${which} net asset value, so no bridge. The first one later: ${shell`hedge report --since ${isoSeconds(firstAfter.ms)}`}`,
      'warn',
    ),
  );
}
