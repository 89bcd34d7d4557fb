/** A report as a document and as a table; its hedges or groups as a list, one for each grouping. */
import type { Big } from 'big.js';
import type { ReportBy } from '../../args/report-options.ts';
import { exactInstant, instantText } from '../../domain/instants.ts';
import { NO_PNL, netPnl, PNL_PARTS, type PnlPart, type PnlParts } from '../../domain/pnl-parts.ts';
import type { PeriodEnd, ReportDay, ReportReading } from '../../readings/read-report.ts';
import type { PnlGroup } from '../../readings/report-groups.ts';
import type { SnapshotFigures } from '../../readings/snapshot-figures.ts';
import type { ReportDocument } from '../../schema/reading-document.ts';
import type { Block } from '../blocks.ts';
import { nameText, text } from '../cells.ts';
import { type Field, listOf } from '../list.ts';
import type { RecordTable } from '../record-table.ts';
import { cents, ofAmount, signedCents } from './record-columns.ts';
import { valueRecord } from './snapshot.ts';

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

/** A partial row has no sum that would be only a part. */
const figuresOf = ({ realized, unrealized, parts, net, isPartial, lacksChange }: PnlGroup) => ({
  ...(isPartial ? NO_PARTS : parts),
  realized_usd: netPnl(realized),
  unrealized_usd: unrealized === undefined || lacksChange ? null : netPnl(unrealized),
  net_usd: isPartial ? null : net,
  partial: isPartial,
});

const NO_PARTS = {
  market_usd: null,
  impact_usd: null,
  slippage_usd: null,
  price_usd: null,
  carry_usdc: null,
  fees_usdc: null,
} as const;

/** Several deals, or a day. */
const sumRecord = (group: PnlGroup) => ({
  name: group.name ?? null,
  hedges: group.hedges,
  ...figuresOf(group),
});

const groupRecord = (group: PnlGroup) => {
  const { deal } = group;
  if (deal === undefined) return sumRecord(group);
  return {
    hedge_id: deal.hedgeId,
    deal_id: deal.dealId ?? null,
    market: deal.market,
    side: deal.side,
    operator: deal.operator ?? null,
    opened_at: exactInstant(deal.openedMs),
    closed_at: deal.closedMs === undefined ? null : exactInstant(deal.closedMs),
    ...figuresOf(group),
  };
};

type GroupRow = ReturnType<typeof groupRecord>;

const figure = (name: string, header: string, more: Partial<Field<GroupRow>> = {}): Field<GroupRow> => ({
  name,
  header,
  align: 'right',
  isSum: true,
  cell: ofAmount(signedCents),
  ...more,
});

const FIGURES: readonly (Field<GroupRow> | string)[] = [
  ...PNL_PARTS.map((part) => figure(part, PART_NAMES[part], { optional: true, group: 'parts' })),
  figure('realized_usd', 'Realized'),
  figure('unrealized_usd', 'Unrealized, change'),
  figure('net_usd', 'Net'),
  {
    name: 'partial',
    header: 'Partial',
    isSum: true,
    show: ({ partial }) => text(partial ? 'partial' : '', 'warn'),
  },
];

const ofDeals: readonly (Field<GroupRow> | string)[] = [
  { name: 'hedge_id', header: 'Hedge', optional: 'first' },
  { name: 'deal_id', header: 'Deal ID', isId: true },
  'market',
  { name: 'side', header: 'Side' },
  'operator opened_at closed_at',
  ...FIGURES,
];

const FIGURES_SHOWN = [...PNL_PARTS, 'realized_usd', 'unrealized_usd', 'net_usd', 'partial'].join(' ');

const ofNames = (by: ReportBy): readonly (Field<GroupRow> | string)[] => [
  {
    name: 'name',
    header: by === 'operator' ? 'opened by' : by,
    isId: true,
    cell: (name) => nameText(String(name)),
  },
  ...(by === 'day' ? [] : ['hedges']),
  ...FIGURES,
  ...(by === 'day' ? ['net_asset_value_usdc'] : []),
];

/** One record a group, in the order of CSV. */
const groupList = (by: ReportBy) =>
  listOf<GroupRow>()(by === 'deal' ? ofDeals : ofNames(by), {
    empty: 'None of the hedges was open or closed in the period.',
    record: (row) => row,
    screen: `${by === 'deal' ? 'deal_id hedge_id side' : 'name'} ${FIGURES_SHOWN}`,
  });

/** Without those before the first snapshot and the first hedge. */
export function daysShown(days: readonly ReportDay[]): readonly ReportDay[] {
  const first = days.findIndex(
    ({ snapshot, hedges, untilMs }) => hedges > 0 || (snapshot !== undefined && snapshot.ms < untilMs),
  );
  return first > 0 ? days.slice(first) : days;
}

const groupsShown = ({ intent: { by }, groups, days }: ReportReading): readonly PnlGroup[] =>
  by === 'day' ? daysShown(days) : groups;

/** Without a bridge, whose unexplained part would have the rest. */
export const isOneSided = ({ bridge }: ReportReading, { lacksChange }: PnlGroup): boolean =>
  bridge === undefined && lacksChange;

/** Whether a row of the screen lacks figures. */
export const hasPartial = (report: ReportReading): boolean =>
  [report.total, ...groupsShown(report)].some(({ isPartial }) => isPartial);

export function groupBlock(report: ReportReading): Block {
  const { intent, total } = report;
  const groups = groupsShown(report);
  const parts: readonly string[] = shownParts(
    groups
      .filter(({ isPartial }) => !isPartial)
      .flatMap(({ realized, unrealized = NO_PNL }) => [realized, unrealized]),
  );
  return groupList(intent.by).block(groups.map(groupRecord), {
    only: ({ name, group }) =>
      name === 'partial' ? hasPartial(report) : group !== 'parts' || parts.includes(name),
    ...(groups.length > 1 ? { total: groupRecord(total) } : {}),
  });
}

const partsRecord = (parts: PnlParts) => ({ ...parts, net_usd: netPnl(parts) });

const dayRecord = ({ snapshot, ...day }: ReportDay) => ({
  ...sumRecord(day),
  net_asset_value_usdc: snapshot === undefined ? null : valueRecord(snapshot.value).net_asset_value_usdc,
});

const endRecord = (
  { ms, askedMs, snapshot }: PeriodEnd,
  { isNow, realized }: { isNow: boolean; realized: Big },
): ReportDocument['derived']['from'] => ({
  at: instantText(ms),
  asked: instantText(askedMs),
  reading: snapshot === undefined ? null : isNow ? 'now' : 'snapshot',
  realized_between_usdc: realized,
});

const recordsOf = ({ intent, groups, days }: ReportReading) =>
  intent.by === 'day' ? days.map(dayRecord) : groups.map(groupRecord);

export function reportDocument(report: ReportReading): ReportDocument {
  const { intent, zone, from, to, endsNow, realizedEarly, total, bridge, snapshots, others, unconfirmed } =
    report;
  return {
    derived: {
      zone,
      from: endRecord(from, { isNow: false, realized: realizedEarly.from }),
      to: endRecord(to, { isNow: endsNow, realized: realizedEarly.to }),
      by: intent.by,
      groups: recordsOf(report),
      total: {
        ...sumRecord(total),
        realized: partsRecord(total.realized),
        unrealized:
          total.unrealized === undefined || total.lacksChange ? null : partsRecord(total.unrealized),
      },
      bridge:
        bridge === undefined
          ? null
          : {
              opening: valueRecord(bridge.opening),
              realized_usd: netPnl(bridge.realized),
              unrealized_usd: netPnl(bridge.unrealized),
              unexplained_usd: bridge.unexplained,
              closing: valueRecord(bridge.closing),
            },
      not_opened_here: others,
      unconfirmed_opens: unconfirmed,
      unresolved: report.unresolved,
      snapshots: snapshots.map(snapshotRecord),
      unnamed_closed_records: report.unnamedClosed,
    },
  };
}

const snapshotRecord = ({ ms, value, record }: SnapshotFigures) => ({
  at: instantText(ms),
  ...valueRecord(value),
  ...(record.unsteady === undefined ? {} : { unsteady: record.unsteady }),
  ...(record.note === undefined ? {} : { note: record.note }),
});

/** For CSV and a query, which have none of the lines of the screen. */
export const reportNotes = (report: ReportReading): readonly string[] => [
  ...(hasPartial(report)
    ? ['Some rows are partial: their P&L is not known in full, and net_usd is empty. Why: hedge report']
    : []),
  ...earlyNote(report, 'from', 'and in this report, maybe in the one before too'),
  ...earlyNote(report, 'to', 'and not in this report, but in the next one'),
];

function earlyNote(report: ReportReading, end: 'from' | 'to', where: string): readonly string[] {
  const amount = report.realizedEarly[end];
  if (amount.eq(0)) return [];
  return [
    `Realized before ${instantText(report[end].askedMs)} ${where}: ${cents(amount).toFixed(2)} USDC. For a row a day: one report with --by day.`,
  ];
}

export const REPORT_COLUMNS: readonly string[] = [
  ...new Set((['deal', 'side', 'day'] as const).flatMap((by) => groupList(by).columns)),
];

/** One record a group. */
export const reportTable = (report: ReportReading): RecordTable =>
  groupList(report.intent.by).table(recordsOf(report));
