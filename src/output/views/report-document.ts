/** A report as a document and as a table. */
import { instantText } from '../../domain/instants.ts';
import { netPnl, type PnlParts } from '../../domain/pnl-parts.ts';
import type { PeriodEnd, ReportDay, ReportReading } from '../../readings/read-report.ts';
import type { SnapshotFigures } from '../../readings/snapshot-figures.ts';
import type { ReportDocument } from '../../schema/reading-document.ts';
import type { RecordTable } from '../record-table.ts';
import { groupList, groupRecord, sumRecord } from './report-groups.ts';
import { valueRecord } from './snapshot.ts';

const partsRecord = (parts: PnlParts) => ({ ...parts, net_usd: netPnl(parts) });

const dayRecord = ({ snapshot, ...day }: ReportDay) => ({
  ...sumRecord(day),
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

const recordsOf = ({ intent, groups, days }: ReportReading) =>
  intent.by === 'day' ? days.map(dayRecord) : groups.map(groupRecord);

export function reportDocument(report: ReportReading): ReportDocument {
  const { intent, zone, from, to, endsNow, total, bridge, snapshots, others, unconfirmed } = report;
  return {
    derived: {
      zone,
      from: endRecord(from, false),
      to: endRecord(to, endsNow),
      by: intent.by,
      groups: recordsOf(report),
      total: {
        ...sumRecord(total),
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

export const REPORT_COLUMNS: readonly string[] = [
  ...new Set((['deal', 'side', 'day'] as const).flatMap((by) => groupList(by).columns)),
];

/** One record a group. */
export const reportTable = (report: ReportReading): RecordTable =>
  groupList(report.intent.by).table(recordsOf(report));
