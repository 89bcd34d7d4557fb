/** A reading of the account as it is recorded: its net asset value, each part under the service's own field. */
import { readFigures } from '../../domain/amounts.ts';
import { counted } from '../../domain/exposure.ts';
import { say, shell } from '../../domain/hint.ts';
import { type NetAssetValue, totalValue } from '../../domain/net-asset-value.ts';
import type { SnapshotFigures } from '../../readings/snapshot-figures.ts';
import type { AccountReading } from '../../readings/take-snapshot.ts';
import type { SnapshotDocument } from '../../schema/reading-document.ts';
import { dimLine, figureRows, hintLine, type View, warnLine } from '../blocks.ts';
import { text } from '../cells.ts';
import { row, usd } from './record-columns.ts';

export interface TakenSnapshot {
  account: AccountReading;
  snapshot: SnapshotFigures;
}

/** Once on a screen that adds the two. */
export const AT_PAR = 'USDC counts as USD.';

export const VALUE_PARTS = [
  { name: 'Free balance', field: 'balance_usdc' },
  { name: 'Closing returns', field: 'net_margin_usd' },
  { name: 'Reserved for orders', field: 'reserved_usdc' },
] as const satisfies readonly { name: string; field: keyof NetAssetValue }[];

export function viewSnapshot({ account, snapshot }: TakenSnapshot): View {
  const { value, held, record } = snapshot;
  return [
    figureRows(
      row('Net asset value', usd(totalValue(value), 'USDC', 'strong')),
      ...VALUE_PARTS.map(({ name, field }) =>
        row(
          name,
          usd(value[field]),
          text(field, 'dim'),
          field === 'net_margin_usd' && text(`of ${counted(held.size, 'open hedge')}`, 'dim'),
        ),
      ),
    ),
    readingNotes(account),
    record.note !== undefined && dimLine(`Note: ${record.note}`),
    hintLine(say`${AT_PAR} To compare with it later: ${shell`hedge report`}`),
  ];
}

/** Reasons why a reading is not whole. */
export const readingNotes = ({ record }: AccountReading): View => [
  record.unsteady === true &&
    warnLine('An order was being filled while the account was read: read it again in a minute.'),
  record.may_be_cut.length > 0 &&
    warnLine(
      `The service may have more ${record.may_be_cut.map((list) => (list === 'hedges' ? 'hedges' : 'closed hedges')).join(' and ')} than it listed.`,
    ),
  record.account['reserved_usdc'] === undefined &&
    record.hedges.some(({ status }) => status !== 'filled') &&
    warnLine('An order is in flight, and the service does not send the amount reserved for it.'),
];

export const valueRecord = (value: NetAssetValue) => ({
  net_asset_value_usdc: totalValue(value),
  balance_usdc: value.balance_usdc,
  net_margin_usd: value.net_margin_usd,
  reserved_usdc: value.reserved_usdc ?? null,
});

/** The fields that are recorded, and under `derived` the value. */
export const snapshotDocument = ({ snapshot: { record, value } }: TakenSnapshot): SnapshotDocument => ({
  service_at: record.service_at,
  account: readFigures(record.account),
  positions: record.positions.map(readFigures),
  hedges: record.hedges.map(readFigures),
  closed: record.closed.map(readFigures),
  mids: readFigures(record.mids),
  may_be_cut: record.may_be_cut,
  note: record.note ?? null,
  derived: { ...valueRecord(value), unsteady: record.unsteady === true },
});
