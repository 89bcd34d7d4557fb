/** A report as a document and as a table. */
import { exactInstant, instantText } from '../../domain/instants.ts';
import { netPnl, PNL_PARTS, type PnlParts } from '../../domain/pnl-parts.ts';
import type { PeriodEnd, ReportDay, ReportReading } from '../../readings/read-report.ts';
import type { PnlGroup } from '../../readings/report-groups.ts';
import type { SnapshotFigures } from '../../readings/snapshot-figures.ts';
import type { ReportDocument } from '../../schema/reading-document.ts';
import type { RecordTable } from '../record-table.ts';
import { valueRecord } from './snapshot.ts';

const partsRecord = (parts: PnlParts) => ({ ...parts, net_usd: netPnl(parts) });

const groupRecord = ({ name, deal, hedges, realized, unrealized, parts, net, isPartial }: PnlGroup) => ({
  ...(deal === undefined
    ? { name: name ?? null, hedges }
    : {
        hedge_id: deal.hedgeId,
        deal_id: deal.dealId ?? null,
        market: deal.market,
        side: deal.side,
        operator: deal.operator ?? null,
        opened_at: exactInstant(deal.openedMs),
        closed_at: deal.closedMs === undefined ? null : exactInstant(deal.closedMs),
      }),
  ...parts,
  realized_usd: netPnl(realized),
  unrealized_usd: unrealized === undefined ? null : netPnl(unrealized),
  net_usd: net,
  partial: isPartial,
});

const dayRecord = ({ hedges: _none, snapshot, ...day }: ReportDay) => ({
  ...groupRecord({ ...day, hedges: 0 }),
  net_asset_value_usdc: snapshot === undefined ? null : valueRecord(snapshot.value).net_asset_value_usdc,
});

const endRecord = (
  { ms, askedMs, snapshot }: PeriodEnd,
  isNow: boolean,
): ReportDocument['derived']['from'] => ({
  at: instantText(ms),
  asked: instantText(askedMs),
  reading: snapshot === undefined ? null : isNow ? 'now' : 'snapshot',
});

export function reportDocument(report: ReportReading): ReportDocument {
  const { intent, zone, from, to, endsNow, total, bridge, days, snapshots, others } = report;
  return {
    derived: {
      zone,
      from: endRecord(from, false),
      to: endRecord(to, endsNow),
      by: intent.by,
      groups: intent.by === 'day' ? days.map(dayRecord) : report.groups.map(groupRecord),
      total: {
        ...groupRecord(total),
        realized: partsRecord(total.realized),
        unrealized: total.unrealized === undefined ? null : partsRecord(total.unrealized),
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
      snapshots: snapshots.map(snapshotRecord),
      unnamed_closed_records: report.unnamedClosed,
    },
  };
}

const snapshotRecord = ({ ms, value, record }: SnapshotFigures) => ({
  at: instantText(ms),
  ...valueRecord(value),
  ...(record.note === undefined ? {} : { note: record.note }),
});

const FIGURES = [...PNL_PARTS, 'realized_usd', 'unrealized_usd', 'net_usd', 'partial'];
const OF_DEAL = ['hedge_id', 'deal_id', 'market', 'side', 'operator', 'opened_at', 'closed_at', ...FIGURES];
const OF_GROUP = ['name', 'hedges', ...FIGURES];
const OF_DAY = ['name', ...FIGURES, 'net_asset_value_usdc'];

export const REPORT_COLUMNS: readonly string[] = [...new Set([...OF_DEAL, ...OF_GROUP, ...OF_DAY])];

/** One record a group. */
export function reportTable({ intent: { by }, groups, days }: ReportReading): RecordTable {
  if (by === 'day') return { columns: OF_DAY, records: days.map(dayRecord) };
  return { columns: by === 'deal' ? OF_DEAL : OF_GROUP, records: groups.map(groupRecord) };
}
